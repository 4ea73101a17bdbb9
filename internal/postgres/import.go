package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

// A File identifies an imported file.
type File struct {
	Name   string
	SHA256 [32]byte
}

// ErrAlreadyImported reports that the project already has a file with the same content.
var ErrAlreadyImported = errors.New("the file was imported before")

// Import stores all items of a file or none. The items must have been read with the
// protocol of the project.
func (db *DB) Import(ctx context.Context, actorID account.ID, p project.Project, file File,
	items []project.Item) error {
	return db.inTx(ctx, func(tx pgx.Tx) error { return importItems(ctx, tx, actorID, p, file, items) })
}

func importItems(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, file File,
	items []project.Item) error {
	_, err := importScanned(ctx, tx, actorID, p, file, importer.Options{}, func(_ importer.Options, _ sync.Locker,
		yield func(project.Item) error) error {
		for _, item := range items {
			if err := yield(item); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// A scanFunc yields the items of a file as o says. It holds connection while it uses the connection
// of the import.
type scanFunc func(o importer.Options, connection sync.Locker, yield func(project.Item) error) error

// importScanned stores the items that scan yields and returns their number, and what became of the
// rest of the file. A batch is stored while scan reads the next one.
func importScanned(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, file File, o importer.Options,
	scan scanFunc) (count int, err error) {
	id, err := insertImport(ctx, tx, actorID, p, file)
	if err != nil {
		return 0, err
	}
	hasItems, err := hasItems(ctx, tx, p.ID)
	if err != nil {
		return 0, err
	}
	writer := itemWriter{p, id, newSearchDictionary(p.ID)}
	var duplicates DuplicateIDsError
	store := func(items []project.Item) error {
		if count += len(items); hasItems {
			if err := checkDuplicateIDs(ctx, tx, p.ID, file.Name, items); err != nil {
				return duplicates.collect(err)
			}
		}
		return explainSimultaneousImport(writer.write(ctx, tx, items))
	}
	var notes importNotes
	o = notes.attachTo(o)
	if err := scanAhead(ctx, o, scan, store); err != nil {
		return 0, err
	}
	if duplicates.Count > 0 {
		return 0, duplicates
	}
	if err := writer.dictionary.store(ctx, tx); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `UPDATE imports SET item_count = $2 WHERE id = $1`, id, count); err != nil {
		return 0, err
	}
	if err := notes.store(ctx, tx, p, id, *o.Ledger); err != nil {
		return 0, err
	}
	return count, recordAudit(ctx, tx, actorID, "project.import_items", projectSubject(p.Key), auditDetail(file, count,
		*o.Ledger))
}

// scanAhead passes the items that scan yields to store in batches, in their order. Scan reads
// further while store works on a batch. The first error ends both.
func scanAhead(ctx context.Context, o importer.Options, scan scanFunc, store func([]project.Item) error) (err error) {
	var connection sync.Mutex
	batches := make(chan []project.Item, 1)
	storing, ctx := errgroup.WithContext(ctx)
	storing.Go(func() error {
		for items := range batches {
			connection.Lock()
			err := store(items)
			connection.Unlock()
			if err != nil {
				return err
			}
		}
		return nil
	})
	defer func() { // even if scan panics, so that the connection is free
		close(batches)
		if storeErr := storing.Wait(); storeErr != nil {
			err = storeErr
		}
	}()
	batcher := itemBatcher{handle: func(items []project.Item) error {
		select {
		case batches <- slices.Clone(items):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	if err := scan(o, &connection, batcher.add); err != nil {
		return err
	}
	return batcher.flush()
}

// hasItems reports whether ids of a new file can be those of other items.
func hasItems(ctx context.Context, q querier, id project.ID) (has bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM items WHERE project_id = $1)`, id).Scan(&has)
	return has, err
}

// explainSimultaneousImport says why an id exists that was free before.
func explainSimultaneousImport(err error) error {
	if violates(err, "items_source_id_unique") {
		return fault.Conflict.Errorf("Another import added items with the same ids at the same time. Nothing was imported. Import the file again to see which ids.")
	}
	return err
}

// insertImport starts an import, unless the project already has the file.
func insertImport(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, file File) (id int64,
	err error) {
	err = tx.QueryRow(ctx, `
		INSERT INTO imports (project_id, sha256, file_name, item_count, created_by)
		VALUES ($1, $2, $3, 0, nullif($4, 0))
		ON CONFLICT (project_id, sha256) DO NOTHING
		RETURNING id`, p.ID, file.SHA256[:], file.Name, actorID).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, ErrAlreadyImported
	}
	return id, err
}

func isImported(ctx context.Context, q querier, projectID project.ID, file File) (is bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM imports WHERE project_id = $1
		AND sha256 = $2)`, projectID, file.SHA256[:]).Scan(&is)
	return is, err
}

// checkDuplicateIDs returns a DuplicateIDsError if the project has some of the ids.
func checkDuplicateIDs(ctx context.Context, q querier, projectID project.ID, file string, items []project.Item) error {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.SourceID
	}
	// planned each time: a plan of the time when the table was small reads all of it for each batch
	existing, err := collectColumn[string](q.Query(ctx, `SELECT source_id FROM items WHERE project_id = $1
		AND source_id = ANY ($2)`, pgx.QueryExecModeCacheDescribe, projectID, ids))
	if err != nil || len(existing) == 0 {
		return err
	}
	return DuplicateIDsError{File: file, Items: filterBySourceID(items, existing), Count: len(existing)}
}

// filterBySourceID returns the items with these ids, in their order.
func filterBySourceID(items []project.Item, ids []string) []project.Item {
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	return slices.DeleteFunc(slices.Clone(items), func(i project.Item) bool { return !wanted[i.SourceID] })
}

// A DuplicateIDsError reports items whose ids the project already has.
type DuplicateIDsError struct {
	File  string
	Items []project.Item // the first of them, in the order of the file
	Count int            // all
}

// collect adds the items of err to e if it is a DuplicateIDsError, so that all are counted, and
// returns other errors.
func (e *DuplicateIDsError) collect(err error) error {
	found, ok := errors.AsType[DuplicateIDsError](err)
	if !ok {
		return err
	}
	e.File, e.Count = found.File, e.Count+found.Count
	for _, item := range found.Items[:min(len(found.Items), MaxListedIDs-len(e.Items))] {
		e.Items = append(e.Items, project.Item{SourceID: item.SourceID, Row: item.Row})
	}
	return nil
}

// MaxListedIDs is the number of items that Error names.
const MaxListedIDs = 20

// Error names the first items, one per line.
func (e DuplicateIDsError) Error() string {
	var message strings.Builder
	for _, item := range e.Items[:min(len(e.Items), MaxListedIDs)] {
		message.WriteString(importer.FileError{File: e.File, Row: item.Row, Column: "id",
			Message: "The project already has an item with the id “" + item.SourceID + "”.\n"}.String())
	}
	if more := e.Count - MaxListedIDs; more > 0 {
		fmt.Fprintf(&message, "%s: The project already has %d more of these ids.\n", e.File, more)
	}
	message.WriteString("Nothing was imported. Remove these items from the file, or change their ids.")
	return message.String()
}

// Unwrap returns fault.Conflict.
func (e DuplicateIDsError) Unwrap() error { return fault.Conflict }

// An itemWriter stores the items of an import, and what finds them.
type itemWriter struct {
	project    project.Project
	importID   int64
	dictionary *searchDictionary
}

func (w itemWriter) write(ctx context.Context, tx pgx.Tx, items []project.Item) error {
	columns := []string{"project_id", "import_id", "source_id", "record_id", "content", "facts", "word_count", "meta",
		"title", "preview", "search"}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"items"}, columns, pgx.CopyFromSlice(len(items),
		func(i int) ([]any, error) {
			item := items[i]
			meta := item.Meta
			if meta == nil {
				meta = map[string]json.RawMessage{}
			}
			metaTexts := item.MetaTexts()
			summary, tokens := project.Summarize(w.project.Protocol, item.Content), item.SearchTokens(metaTexts)
			w.dictionary.add(tokens, metaTexts)
			return []any{w.project.ID, w.importID, item.SourceID, item.RecordID, item.Content, item.Facts,
				item.Content.WordCount(), meta,
				summary.Title, summary.Preview, toSearchVector(append(tokens, projectToken(w.project.ID)))}, nil
		}))
	return err
}
