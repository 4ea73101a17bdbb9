package postgres

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// labelKind is the kind of an annotation n of assignment a in batch b. A label that was given after its annotator had
// seen other answers to the item, or in a round, is of no other kind, so that nothing counts it.
const labelKind = `CASE WHEN n.not_blind THEN 'not_blind' WHEN b.round_of IS NOT NULL AND a.kind = 'work' THEN 'round'
	ELSE a.kind END`

// recordReveal records that an account has now seen all answers that it may see in a batch of a project, or in all
// batches if the name is empty. A command has no account. Callers reveal nothing if it fails.
func (db *DB) recordReveal(ctx context.Context, actorID account.ID, projectID project.ID, batch string) error {
	if actorID == 0 {
		return nil
	}
	_, err := db.pool.Exec(ctx, `
		WITH hidden AS MATERIALIZED (
			SELECT DISTINCT item_id FROM blinded_items WHERE account_id = $1 AND project_id = $2
		), shown AS MATERIALIZED (
			SELECT b.id, EXISTS (SELECT FROM hidden v JOIN batch_items bi ON bi.batch_id = b.id AND bi.item_id = v.item_id) AS in_part
			FROM batches b
			WHERE b.project_id = $2 AND ($3 = '' OR b.name = $3)
		)
		INSERT INTO answer_reveals (account_id, batch_id, item_id)
		SELECT $1, id, 0 FROM shown WHERE NOT in_part
		UNION ALL
		SELECT $1, bi.batch_id, bi.item_id
		FROM shown
		JOIN batch_items bi ON bi.batch_id = shown.id AND NOT bi.is_calibration
		WHERE shown.in_part AND bi.item_id NOT IN (SELECT item_id FROM hidden)
		`+renewReveal, actorID, projectID, batch)
	return err
}

const renewReveal = `ON CONFLICT (account_id, batch_id, item_id) DO UPDATE SET revealed_at = clock_timestamp()`

// recordItemReveal records that an account has now seen answers to items.
func (db *DB) recordItemReveal(ctx context.Context, actorID account.ID, items iter.Seq[project.ItemID]) error {
	ids := slices.Compact(slices.Sorted(items))
	if actorID == 0 || len(ids) == 0 {
		return nil
	}
	_, err := db.pool.Exec(ctx, `INSERT INTO answer_reveals (account_id, batch_id, item_id)
		SELECT $1, 0, item_id FROM unnest($2::bigint[]) item_id `+renewReveal, actorID, ids)
	return err
}

// recordFilterReveal records what an account has now seen by what a filter selects or counts: which items have an
// answer, and that all others do not.
func (db *DB) recordFilterReveal(ctx context.Context, actorID account.ID, p project.Project,
	f project.ItemFilter) error {
	if f.Answer == "" {
		return nil
	}
	return db.recordReveal(ctx, actorID, p.ID, f.Batch)
}

// reveal returns rows by item that were read for an account, and records that it has seen them.
func reveal[T any](ctx context.Context, db *DB, actorID account.ID, rows map[project.ItemID]T, err error) (
	map[project.ItemID]T, error) {
	if err == nil {
		err = db.recordItemReveal(ctx, actorID, maps.Keys(rows))
	}
	return rows, err
}

// revealRows does the same for rows in an order.
func revealRows[T any](ctx context.Context, db *DB, actorID account.ID, rows []T, itemID func(T) project.ItemID,
	err error) ([]T, error) {
	if err == nil {
		err = db.recordItemReveal(ctx, actorID, func(yield func(project.ItemID) bool) {
			for _, row := range rows {
				if id := itemID(row); id != 0 && !yield(id) {
					return
				}
			}
		})
	}
	return rows, err
}

// withholdSeen ensures that annotators of an open batch do not get items whose answers they have seen. Others can
// get them.
func withholdSeen(ctx context.Context, tx querier, batchID project.BatchID) error {
	accounts, err := collectColumn[account.ID](tx.Query(ctx, `
		WITH withheld AS (
			INSERT INTO withheld_items (account_id, item_id, has_seen)
			SELECT ba.account_id, bi.item_id, true
			FROM batch_annotators ba
			JOIN batch_items bi ON bi.batch_id = ba.batch_id AND NOT bi.is_calibration
			WHERE ba.batch_id = $1 AND NOT ba.may_label_seen
			  AND EXISTS (SELECT FROM answer_reveals r WHERE r.account_id = ba.account_id)
			  AND has_seen_answers(ba.account_id, bi.item_id)
			ON CONFLICT DO NOTHING
			RETURNING account_id
		)
		SELECT DISTINCT account_id FROM withheld ORDER BY account_id`, batchID))
	for _, id := range accounts {
		if err := freeWithheld(ctx, tx, id, batchID); err != nil {
			return err
		}
	}
	return err
}

// revealing runs what shows an account all answers of a project, which takes a while. Labels that were submitted
// in this time may be among them.
func (db *DB) revealing(ctx context.Context, actorID account.ID, projectID project.ID, show func() error) error {
	if err := db.recordReveal(ctx, actorID, projectID, ""); err != nil {
		return err
	}
	return errors.Join(show(), db.recordReveal(context.WithoutCancel(ctx), actorID, projectID, ""))
}

// WithheldItems are the items of a batch that an annotator does not get because they have seen answers to them.
type WithheldItems struct {
	Name, Pseudonym string
	IsAllowed       bool // an admin lets them label all items of the batch
	Count           int
	ItemIDs         []project.ItemID // the first 100
	SourceIDs       []string         // of ItemIDs
}

// WithheldItems returns the annotators of a batch with items that are withheld, or with such an exception.
func (db *DB) WithheldItems(ctx context.Context, batchID project.BatchID) ([]WithheldItems, error) {
	return collectAll[WithheldItems](db.pool.Query(ctx, `
		SELECT n.name, m.pseudonym, ba.may_label_seen AS is_allowed, count(i.id) AS count,
		       coalesce((array_agg(i.id ORDER BY i.id) FILTER (WHERE i.id IS NOT NULL))[:100], '{}') AS item_ids,
		       coalesce((array_agg(i.source_id ORDER BY i.id) FILTER (WHERE i.id IS NOT NULL))[:100], '{}') AS source_ids
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
		JOIN identity.member_names n ON n.project_id = m.project_id AND n.account_id = m.account_id
		LEFT JOIN withheld_items w ON w.account_id = ba.account_id AND w.has_seen
		LEFT JOIN batch_items bi ON bi.batch_id = ba.batch_id AND bi.item_id = w.item_id AND NOT bi.is_calibration
		LEFT JOIN items i ON i.id = bi.item_id
		WHERE ba.batch_id = $1
		GROUP BY n.name, m.pseudonym, ba.may_label_seen
		HAVING count(i.id) > 0 OR ba.may_label_seen
		ORDER BY lower(n.name), m.pseudonym`, batchID))
}
