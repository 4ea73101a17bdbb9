package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

// maxInvalidText is how many bytes of rows that are left out an import keeps.
const maxInvalidText = 16 << 20

// importNotes are what a reading says of a file, besides its items.
type importNotes struct {
	ledger       importer.Ledger
	invalidRows  bytes.Buffer
	emptyRecords []string
}

// attachTo returns o with the notes taken, too.
func (n *importNotes) attachTo(o importer.Options) importer.Options {
	if o.Ledger == nil {
		n.ledger = *importer.NewLedger()
		o.Ledger = &n.ledger
	}
	onInvalid := o.OnInvalid
	o.OnInvalid = func(row importer.InvalidRow) {
		if line := row.JSON(); n.invalidRows.Len()+len(line) <= maxInvalidText {
			n.invalidRows.Write(line)
		}
		if onInvalid != nil {
			onInvalid(row)
		}
	}
	o.OnEmptyRecord = func(recordID string) { n.emptyRecords = append(n.emptyRecords, recordID) }
	return o
}

// store stores the notes of an import.
func (n *importNotes) store(ctx context.Context, tx pgx.Tx, p project.Project, importID int64,
	ledger importer.Ledger) error {
	if _, err := tx.Exec(ctx, `UPDATE imports SET ledger = $2, invalid_rows = $3
		WHERE id = $1`, importID, ledger, n.invalidRows.String()); err != nil {
		return fmt.Errorf("store the ledger: %w", err)
	}
	_, err := tx.Exec(ctx, `INSERT INTO empty_records (project_id, import_id, record_id)
		SELECT $1, $2, unnest($3::text[]) ON CONFLICT DO NOTHING`, p.ID, importID, n.emptyRecords)
	return err
}

// auditDetail returns what the audit log says of an import.
func auditDetail(file File, count int, l importer.Ledger) map[string]any {
	detail := map[string]any{"file": file.Name, "items": count}
	sum := l.Sum()
	for key, n := range map[string]int{"values_shown": sum.Shown, "values_ids": sum.IDs,
		"values_metadata": sum.Metadata, "values_left_out": sum.LeftOut,
		"invalid_rows": l.Invalid} {
		if n > 0 {
			detail[key] = n
		}
	}
	if keys := l.WithLeftOut(); len(keys) > 0 {
		detail["keys_left_out"] = keys[:min(len(keys), 50)]
	}
	if text := l.Text(); text != "" {
		detail["left_out"] = text
	}
	return detail
}

// An ImportSummary is one import of a project, and what became of its file.
type ImportSummary struct {
	ID             int64
	FileName       string
	ItemCount      int
	CreatedAt      time.Time
	Ledger         importer.Ledger
	HasInvalidRows bool // that were kept
}

// maxImports is how many imports a page has.
const maxImports = 50

// Imports returns the last imports of a project, newest first.
func (db *DB) Imports(ctx context.Context, p project.Project) ([]ImportSummary, error) {
	return collectAll[ImportSummary](db.pool.Query(ctx, `
		SELECT id, file_name, item_count, created_at, ledger, invalid_rows <> '' AS has_invalid_rows
		FROM imports
		WHERE project_id = $1
		ORDER BY id DESC
		LIMIT $2`, p.ID, maxImports))
}

// InvalidRows returns the rows that an import left out, as JSONL.
func (db *DB) InvalidRows(ctx context.Context, p project.Project, importID int64) (text string, err error) {
	err = db.pool.QueryRow(ctx, `SELECT invalid_rows FROM imports WHERE project_id = $1 AND id = $2
		AND invalid_rows <> ''`, p.ID, importID).Scan(&text)
	return text, notFound(err)
}

// CountReferences returns how many items with a reference answer a project has for calibration.
func (db *DB) CountReferences(ctx context.Context, p project.Project) (n int, err error) {
	err = db.pool.QueryRow(ctx, `SELECT count(*) FROM items WHERE project_id = $1 AND is_calibration`, p.ID).Scan(&n)
	return n, err
}

// UploadErrors writes the rows of an upload that have errors, as JSONL.
func (db *DB) UploadErrors(ctx context.Context, actorID account.ID, p project.Project, token string,
	w io.Writer) (err error) {
	u, err := loadUpload(ctx, db.pool, actorID, p.ID, token, "")
	if err != nil {
		return err
	}
	o, err := u.Reading.Options()
	if err != nil {
		return err
	}
	turn, err := uploadTurns.openTurn(ctx, actorID, u.SizeBytes)
	if err != nil {
		return err
	}
	defer turn.close()
	written := 0
	var writeErr error
	o.SkipInvalid, o.OnInvalid = true, func(row importer.InvalidRow) {
		if line := row.JSON(); written+len(line) <= maxInvalidText && writeErr == nil {
			written += len(line)
			_, writeErr = w.Write(line)
		}
	}
	err = scanUpload(ctx, db.pool, nil, p, u, o, turn, nil, func(project.Item) error { return nil })
	// what is wrong with the whole file is on the page
	if _, isInvalid := errors.AsType[importer.FileErrors](err); isInvalid {
		err = nil
	}
	return errors.Join(err, writeErr)
}
