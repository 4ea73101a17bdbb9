package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A File is where imported items came from.
type File struct {
	Name   string
	SHA256 [32]byte
}

// ErrAlreadyImported says that a file of the same bytes is in the project already.
var ErrAlreadyImported = errors.New("this file was imported before; nothing was added")

// Import stores the items of one file, all or none. Items must have been read
// by the project's protocol.
func (db *DB) Import(ctx context.Context, actorID account.ID, p project.Project, file File, items []project.Item) error {
	return db.inTx(ctx, func(tx pgx.Tx) error { return importItems(ctx, tx, actorID, p, file, items) })
}

func importItems(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, file File, items []project.Item) error {
	var id int64
	err := tx.QueryRow(ctx, `
		INSERT INTO imports (project_id, sha256, file_name, items, by)
		VALUES ($1, $2, $3, $4, nullif($5, 0))
		ON CONFLICT (project_id, sha256) DO NOTHING
		RETURNING id`, p.ID, file.SHA256[:], file.Name, len(items), actorID).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrAlreadyImported
	}
	if err != nil {
		return err
	}
	if err := checkDuplicateIDs(ctx, tx, p.ID, file.Name, items); err != nil {
		return err
	}
	if err := copyItems(ctx, tx, p.ID, id, items); err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "project.import", projectSubject(p.Key), map[string]any{"file": file.Name, "items": len(items)})
}

// CheckImport says why Import would refuse the items of one file, as far as can
// be known beforehand: ErrAlreadyImported, DuplicateIDsError, or nothing.
func (db *DB) CheckImport(ctx context.Context, projectID project.ID, file File, items []project.Item) error {
	var imported bool
	err := db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM imports WHERE project_id = $1 AND sha256 = $2)`, projectID, file.SHA256[:]).Scan(&imported)
	if err != nil {
		return err
	}
	if imported {
		return ErrAlreadyImported
	}
	return checkDuplicateIDs(ctx, db.pool, projectID, file.Name, items)
}

// checkDuplicateIDs names the items whose ids the project has already.
func checkDuplicateIDs(ctx context.Context, q querier, projectID project.ID, file string, items []project.Item) error {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.SourceID
	}
	rows, err := q.Query(ctx, `SELECT source_id FROM items WHERE project_id = $1 AND source_id = ANY ($2)`, projectID, ids)
	if err != nil {
		return err
	}
	existing, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(existing) == 0 {
		return err
	}
	return DuplicateIDsError{File: file, Items: filterBySourceID(items, existing)}
}

// filterBySourceID returns the items of these ids, in their order.
func filterBySourceID(items []project.Item, ids []string) []project.Item {
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	return slices.DeleteFunc(slices.Clone(items), func(i project.Item) bool { return !wanted[i.SourceID] })
}

// DuplicateIDsError is the refusal of a file whose items are in the project already.
type DuplicateIDsError struct {
	File  string
	Items []project.Item // all of them, in the order of the file
}

// maxListedIDs is how many of them are named.
const maxListedIDs = 20

// Error names the first of the items, each in a line.
func (e DuplicateIDsError) Error() string {
	var message strings.Builder
	for _, item := range e.Items[:min(len(e.Items), maxListedIDs)] {
		message.WriteString(importer.FileError{File: e.File, Row: item.Row, Column: "id", Message: "The project has an item with the id “" + item.SourceID + "” already.\n"}.String())
	}
	if more := len(e.Items) - maxListedIDs; more > 0 {
		fmt.Fprintf(&message, "%s: %d more are there already.\n", e.File, more)
	}
	message.WriteString("Nothing was stored. Leave them out of the file, or give the new ones other ids")
	return message.String()
}

// Unwrap makes t a conflict.
func (e DuplicateIDsError) Unwrap() error { return fault.Conflict }

func copyItems(ctx context.Context, tx pgx.Tx, projectID project.ID, importID int64, items []project.Item) error {
	columns := []string{"project_id", "import_id", "source_id", "record_id", "content", "facts", "words", "meta"}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"items"}, columns, pgx.CopyFromSlice(len(items), func(i int) ([]any, error) {
		item := items[i]
		meta := item.Meta
		if meta == nil {
			meta = map[string]json.RawMessage{}
		}
		return []any{projectID, importID, item.SourceID, item.RecordID, item.Content, item.Facts, item.Content.WordCount(), meta}, nil
	}))
	return err
}

// Items returns up to limit items of a project as annotators will see them,
// after the one of that id, in the order they were imported.
func (db *DB) Items(ctx context.Context, projectID project.ID, after int64, limit int) ([]project.Item, error) {
	rows, err := collectAll[struct {
		ID       project.ItemID
		SourceID string
		RecordID string
		Content  project.Content
		Facts    protocol.Facts
	}](db.pool.Query(ctx, `
		SELECT id, source_id, record_id, content, facts
		FROM items
		WHERE project_id = $1 AND id > $2
		ORDER BY id
		LIMIT $3`, projectID, after, limit))
	items := make([]project.Item, len(rows))
	for i, r := range rows {
		items[i] = project.Item{ID: r.ID, SourceID: r.SourceID, RecordID: r.RecordID, Content: r.Content, Facts: r.Facts}
	}
	return items, err
}
