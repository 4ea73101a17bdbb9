package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// A AnnotatorPace is how long one annotator's items took.
type AnnotatorPace struct {
	Pseudonym                                   string
	ItemCount                                   int
	ActiveMSPercentiles                         []int64 // at 10, 25, 50, 75 and 90 %; zeros where nothing was measured
	PlannedBreaks, CompletedBreaks, EarlyBreaks int     // breaks: due, taken, and left before their time
}

// AnnotatorPaces returns the distribution of everybody's working time in a batch, by
// pseudonym.
func (db *DB) AnnotatorPaces(ctx context.Context, batchID project.BatchID) ([]AnnotatorPace, error) {
	return collectAll[AnnotatorPace](db.pool.Query(ctx, `
		SELECT m.pseudonym, took.items, took.ms, rest.due, rest.taken, rest.early
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
		CROSS JOIN LATERAL (
			SELECT count(*) AS items,
			       coalesce(percentile_disc(ARRAY[0.1, 0.25, 0.5, 0.75, 0.9]) WITHIN GROUP (ORDER BY n.active_ms)
			                FILTER (WHERE n.active_ms > 0), '{0,0,0,0,0}') AS ms
			FROM annotations n
			JOIN assignments a ON a.id = n.assignment_id AND a.kind <> 'calibration'
			WHERE n.batch_id = ba.batch_id AND n.account_id = ba.account_id) took
		CROSS JOIN LATERAL (
			SELECT count(*) FILTER (WHERE k.due) AS due, count(*) FILTER (WHERE k.taken) AS taken, count(*) FILTER (WHERE NOT k.taken) AS early
			FROM breaks k
			WHERE k.batch_id = ba.batch_id AND k.account_id = ba.account_id) rest
		WHERE ba.batch_id = $1
		ORDER BY m.pseudonym`, batchID))
}

// Coverage is what becomes of the labels that a batch asks for and does not
// have yet.
type Coverage struct {
	Open         int // in somebody's hands
	Free         int
	Deferred     int // set aside, to come back to the same annotator
	Withheld     int // set aside, and nobody else is asked
	Unassignable int // free, and no annotator of the batch is left who has not met the item
	SkipCounts   []SkipCount
}

// A SkipCount is how many items were set aside for a reason, over all
// annotators. What was distressing is told of three annotators or more, so that
// nobody learns whom.
type SkipCount struct {
	Reason labeling.SkipReason
	Count  int
}

// Coverage returns it, counted from the rows.
func (db *DB) Coverage(ctx context.Context, batchID project.BatchID) (Coverage, error) {
	var c Coverage
	err := db.pool.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE a.state = 'open'), count(*) FILTER (WHERE s.account_id IS NULL),
		       count(*) FILTER (WHERE a.state = 'set_aside' AND a.later), count(*) FILTER (WHERE s.given_up),
		       count(*) FILTER (WHERE s.account_id IS NULL AND NOT EXISTS (
		           SELECT FROM batch_annotators ba
		           WHERE ba.batch_id = s.batch_id AND NOT EXISTS (
		               SELECT FROM assignments m
		               WHERE m.batch_id = s.batch_id AND m.item_id = s.item_id AND m.account_id = ba.account_id AND m.state <> 'returned')))
		FROM slots s
		LEFT JOIN assignments a ON a.batch_id = s.batch_id AND a.item_id = s.item_id AND a.account_id = s.account_id AND a.kind = 'work'
		WHERE s.batch_id = $1`, batchID).Scan(&c.Open, &c.Free, &c.Deferred, &c.Withheld, &c.Unassignable)
	if err != nil {
		return c, err
	}
	c.SkipCounts, err = collectAll[SkipCount](db.pool.Query(ctx, `
		SELECT s.reason, count(*) AS n
		FROM set_aside s
		JOIN assignments a ON a.id = s.assignment_id
		WHERE a.batch_id = $1 AND a.kind = 'work'
		GROUP BY s.reason
		HAVING s.reason <> 'distressing' OR (SELECT count(*) FROM batch_annotators ba WHERE ba.batch_id = $1) >= 3
		ORDER BY s.reason`, batchID))
	return c, err
}
