package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
)

// An Erasure is a line of the ledger, which is kept outside the database: a restored backup may have what was erased
// since it was written. It names either an account, or items of a project or all of it.
type Erasure struct {
	ErasedAt         time.Time  `json:"erased_at"`
	AccountKey       *string    `json:"account_key,omitempty"` // random, so it tells nothing about the user
	WithNotes        bool       `json:"with_notes,omitempty"`
	Project          *string    `json:"project,omitempty"`
	ProjectCreatedAt *time.Time `json:"project_created_at,omitempty"` // other databases may have the same keys
	WholeProject     bool       `json:"whole_project,omitempty"`
	Items            []string   `json:"items,omitempty"`
}

// ParseErasures reads a ledger. A damaged line is an error that names it.
func ParseErasures(ledger []byte) (erasures []Erasure, err error) {
	for i, line := range bytes.Split(bytes.TrimSuffix(ledger, []byte("\n")), []byte("\n")) {
		if len(ledger) == 0 {
			break
		}
		var e Erasure
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&e)
		isUser, isItems := e.AccountKey != nil, e.Project != nil && e.ProjectCreatedAt != nil &&
			e.WholeProject != (len(e.Items) > 0)
		if err != nil || decoder.More() || isUser == isItems || e.ErasedAt.IsZero() {
			return nil, fault.Invalid.Errorf("Line %d of the erasures is damaged. Nothing was restored.", i+1)
		}
		erasures = append(erasures, e)
	}
	return erasures, nil
}

// AddErasures returns a ledger with the erasures in the database at url that it does not have. The lines that it has
// stay: the database may be a restored one, which does not have them.
func AddErasures(ctx context.Context, url string, ledger []byte) ([]byte, error) {
	conn, err := connectTo(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, setRole, OwnerRole, true); err != nil {
			return err
		}
		erasures, err := collectAll[Erasure](tx.Query(ctx, `
			SELECT e.created_at AS erased_at, a.form_key::text AS account_key, e.with_notes, p.key AS project,
			       p.created_at AS project_created_at, e.kind = 'project' AS whole_project,
			       ARRAY(SELECT i.source_id FROM erased_rows r JOIN items i ON i.id = r.row_id
			             WHERE e.kind = 'items' AND r.erasure_id = e.id AND r.table_name = 'items'
			             ORDER BY i.source_id) AS items
			FROM erasures e
			LEFT JOIN accounts a ON e.kind = 'user' AND a.id = e.subject_id
			LEFT JOIN projects p ON e.kind <> 'user' AND p.id = e.subject_id
			ORDER BY e.id`))
		for _, e := range erasures {
			if e.Project != nil && len(e.Items) == 0 && !e.WholeProject {
				continue
			}
			e.ErasedAt = e.ErasedAt.UTC()
			if e.ProjectCreatedAt != nil {
				*e.ProjectCreatedAt = e.ProjectCreatedAt.UTC()
			}
			line, err := json.Marshal(e)
			if err != nil {
				return err
			}
			if line = append(line, '\n'); !bytes.Contains(ledger, line) {
				ledger = append(ledger, line...)
			}
		}
		return err
	})
	return ledger, err
}

// eraseRestored erases what a restored backup has of a ledger. Subjects that it does not have, or that were erased
// when it was written, are skipped.
func eraseRestored(ctx context.Context, tx pgx.Tx, erasures []Erasure) error {
	for _, e := range erasures {
		var err error
		switch {
		case e.AccountKey != nil:
			_, err = tx.Exec(ctx, `
				WITH erased AS (
				    SELECT a.id, erase_user(a.id, $2, NULL) AS erasure_id
				    FROM accounts a
				    WHERE a.form_key::text = $1 AND NOT EXISTS (
				        SELECT FROM erasures e
				        WHERE e.kind = 'user' AND e.subject_id = a.id AND e.with_notes >= $2))
				INSERT INTO audit_log (action, subject, detail)
				SELECT 'account.erase', 'account ' || id, jsonb_build_object('erasure', erasure_id, 'with_notes', $2)
				FROM erased`, e.AccountKey, e.WithNotes)
		case e.WholeProject:
			_, err = tx.Exec(ctx, `
				WITH erased AS (
				    SELECT p.id, p.key, erase_items(p.id, NULL, NULL) AS erasure_id
				    FROM projects p
				    WHERE p.key = $1 AND p.created_at = $2 AND NOT EXISTS (
				        SELECT FROM erasures e
				        WHERE e.kind = 'project' AND e.subject_id = p.id AND e.created_at >= $3))
				INSERT INTO audit_log (action, subject, detail)
				SELECT 'project.erase', 'project ' || key, jsonb_build_object('erasure', erasure_id, 'items',
				       (SELECT count(*) FROM items i WHERE i.project_id = erased.id), 'reason', 'restore')
				FROM erased`, e.Project, e.ProjectCreatedAt, e.ErasedAt)
		default:
			_, err = tx.Exec(ctx, `
				WITH found AS (
				    SELECT p.id, p.key, array_agg(i.id) AS item_ids
				    FROM projects p
				    JOIN items i ON i.project_id = p.id
				    WHERE p.key = $1 AND p.created_at = $2 AND i.source_id = ANY ($3) AND NOT EXISTS (
				        SELECT FROM erased_rows r WHERE r.table_name = 'items' AND r.row_id = i.id)
				    GROUP BY p.id), erased AS (
				    SELECT key, cardinality(item_ids) AS items, erase_items(id, item_ids, NULL) AS erasure_id FROM found)
				INSERT INTO audit_log (action, subject, detail)
				SELECT 'project.erase_items', 'project ' || key,
				       jsonb_build_object('erasure', erasure_id, 'items', items, 'reason', 'restore')
				FROM erased`, e.Project, e.ProjectCreatedAt, e.Items)
		}
		if err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `SET CONSTRAINTS ALL IMMEDIATE`) // links the entries to the audit chain
	return err
}

// CountErasures returns how many erasures the database records.
func (db *DB) CountErasures(ctx context.Context) (count int, err error) {
	err = db.pool.QueryRow(ctx, `SELECT count(*) FROM erasures`).Scan(&count)
	return count, err
}
