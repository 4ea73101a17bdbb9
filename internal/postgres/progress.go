package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// AnnotatorProgress returns the progress of each annotator of a batch, by name. It does
// not count items skipped as distressing.
func (db *DB) AnnotatorProgress(ctx context.Context, batchID project.BatchID) ([]project.AnnotatorProgress, error) {
	return collectAll[project.AnnotatorProgress](db.pool.Query(ctx, `
		SELECT ba.account_id, m.pseudonym, u.name, m.removed_at IS NOT NULL AS removed,
		       count(*) FILTER (WHERE a.state = 'submitted' AND a.kind = 'work') AS submitted,
		       count(*) FILTER (WHERE a.state = 'skipped' AND a.kind = 'work' AND s.reason <> 'distressing') AS skipped,
		       m.removed_at IS NULL AND coalesce(bool_or(a.state = 'open'), false) AS has_open_item,
		       max(a.closed_at) FILTER (WHERE a.state = 'submitted') AS last_submitted_at,
		       coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY n.active_ms) FILTER (WHERE n.active_ms > 0), 0) AS median_active_ms
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
		JOIN identity.member_names u ON u.project_id = m.project_id AND u.account_id = m.account_id
		LEFT JOIN assignments a ON a.batch_id = ba.batch_id AND a.account_id = ba.account_id
		LEFT JOIN skips s ON s.assignment_id = a.id
		LEFT JOIN current_annotations n ON n.assignment_id = a.id AND n.protocol_version_id = a.protocol_version_id
		WHERE ba.batch_id = $1
		GROUP BY ba.account_id, m.pseudonym, u.name, m.removed_at
		ORDER BY lower(u.name), ba.account_id`, batchID))
}

// An AnnotatorPace is the pace of one annotator in a batch.
type AnnotatorPace struct {
	Pseudonym           string
	ItemCount           int
	ActiveMSPercentiles []int64 // 10, 25, 50, 75 and 90%; zeros if no time was measured
	PlannedBreaks       int
	CompletedBreaks     int
	EarlyBreaks         int // ended before their scheduled end
}

// AnnotatorPaces returns the pace of each annotator of a batch, by pseudonym.
func (db *DB) AnnotatorPaces(ctx context.Context, batchID project.BatchID) ([]AnnotatorPace, error) {
	return collectAll[AnnotatorPace](db.pool.Query(ctx, `
		SELECT m.pseudonym, pace.item_count, pace.active_ms_percentiles, pauses.planned_breaks, pauses.completed_breaks, pauses.early_breaks
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
		CROSS JOIN LATERAL (
			SELECT count(*) AS item_count,
			       coalesce(percentile_disc(ARRAY[0.1, 0.25, 0.5, 0.75, 0.9]) WITHIN GROUP (ORDER BY n.active_ms)
			                FILTER (WHERE n.active_ms > 0), '{0,0,0,0,0}') AS active_ms_percentiles
			FROM annotations n
			JOIN assignments a ON a.id = n.assignment_id AND a.kind <> 'calibration'
			WHERE n.batch_id = ba.batch_id AND n.account_id = ba.account_id) pace
		CROSS JOIN LATERAL (
			SELECT count(*) FILTER (WHERE k.planned) AS planned_breaks, count(*) FILTER (WHERE k.completed) AS completed_breaks,
			       count(*) FILTER (WHERE NOT k.completed) AS early_breaks
			FROM breaks k
			WHERE k.batch_id = ba.batch_id AND k.account_id = ba.account_id) pauses
		WHERE ba.batch_id = $1
		ORDER BY m.pseudonym`, batchID))
}

// DuplicateSummary returns the hidden duplicates of a batch. An annotator of an open batch,
// also a lead, does not get their own: they could tell which items were duplicates.
func (db *DB) DuplicateSummary(ctx context.Context, accountID account.ID, batchID project.BatchID) (project.DuplicateSummary, error) {
	return collectOne[project.DuplicateSummary](db.pool.Query(ctx, `
		WITH planned AS (
			SELECT d.state, d.id IS NOT NULL AS opened, d.state = 'submitted' OR d.reopened AS labeled, h.position <= ba.presented_count AS passed,
			       d.deferred AND b.closed_at IS NULL AS returns,
			       EXISTS (SELECT FROM reclaimable_assignments r WHERE r.assignment_id = d.id) AS reclaimable,
			       b.closed_at IS NOT NULL OR ba.waiting_count = 0 AND NOT EXISTS (
			           SELECT FROM claimable_slots c WHERE c.batch_id = ba.batch_id AND c.account_id = ba.account_id) AS work_ended
			FROM hidden_duplicates h
			JOIN batches b ON b.id = h.batch_id
			JOIN batch_annotators ba ON ba.batch_id = h.batch_id AND ba.account_id = h.account_id
			LEFT JOIN assignments d ON d.id = h.assignment_id
			WHERE h.batch_id = $2 AND (h.account_id <> $1 OR b.closed_at IS NOT NULL)
		)
		SELECT count(*) AS planned, count(*) FILTER (WHERE labeled) AS labeled,
		       count(*) FILTER (WHERE NOT labeled AND state = 'skipped' AND NOT returns) AS skipped,
		       count(*) FILTER (WHERE state = 'released' AND NOT reclaimable) AS reassigned,
		       count(*) FILTER (WHERE NOT opened AND passed) AS dropped,
		       count(*) FILTER (WHERE NOT opened AND NOT passed AND work_ended) AS not_reached
		FROM planned`, accountID, batchID))
}

// Coverage counts the slots of a batch without a label, by state.
type Coverage struct {
	Open         int // an annotator has the item open
	Free         int
	Deferred     int // skipped, and returns to the same annotator
	Withheld     int // skipped, and not reassigned
	Unassignable int // free, and every annotator of the batch already had the item
	SkipCounts   []SkipCount
}

// A SkipCount is the number of items skipped for a reason. A batch with fewer than three
// annotators has no count of distressing items, so that no annotator can be identified.
type SkipCount struct {
	Reason labeling.SkipReason
	Count  int
}

// Coverage returns the coverage of a batch.
func (db *DB) Coverage(ctx context.Context, batchID project.BatchID) (Coverage, error) {
	var c Coverage
	err := db.pool.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE a.state = 'open'), count(*) FILTER (WHERE s.account_id IS NULL),
		       count(*) FILTER (WHERE a.state = 'skipped' AND a.deferred), count(*) FILTER (WHERE s.withheld),
		       count(*) FILTER (WHERE s.account_id IS NULL AND NOT EXISTS (
		           SELECT FROM active_annotators ba
		           WHERE ba.batch_id = s.batch_id AND NOT EXISTS (
		               SELECT FROM assignments m
		               WHERE m.batch_id = s.batch_id AND m.item_id = s.item_id AND m.account_id = ba.account_id AND m.state <> 'released')))
		FROM slots s
		LEFT JOIN assignments a ON a.batch_id = s.batch_id AND a.item_id = s.item_id AND a.account_id = s.account_id AND a.kind = 'work'
		WHERE s.batch_id = $1`, batchID).Scan(&c.Open, &c.Free, &c.Deferred, &c.Withheld, &c.Unassignable)
	if err != nil {
		return c, err
	}
	c.SkipCounts, err = collectAll[SkipCount](db.pool.Query(ctx, `
		SELECT s.reason, count(*) AS count
		FROM skips s
		JOIN assignments a ON a.id = s.assignment_id
		WHERE a.batch_id = $1 AND a.kind = 'work'
		GROUP BY s.reason
		HAVING s.reason <> 'distressing' OR (SELECT count(*) FROM batch_annotators ba WHERE ba.batch_id = $1) >= 3
		ORDER BY s.reason`, batchID))
	return c, err
}
