package postgres

import (
	"context"
	"math"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// An AnnotatorPace is the pace of one annotator in a batch.
type AnnotatorPace struct {
	Pseudonym           string
	Label               string // the name with the pseudonym
	ItemCount           int
	ActiveMSPercentiles [5]int64 // 10, 25, 50, 75 and 90%; zeros if no time was measured
	PlannedBreaks       int
	CompletedBreaks     int
	EarlyBreaks         int // ended before their scheduled end
}

// AnnotatorPaces returns the pace of each annotator of a batch, by pseudonym. Times are from
// the background job, in classes of about 10%.
func (db *DB) AnnotatorPaces(ctx context.Context, batchID project.BatchID) ([]AnnotatorPace, error) {
	rows, err := collectAll[struct {
		AnnotatorPace
		Counts []int32
	}](db.pool.Query(ctx, `
		SELECT m.pseudonym, u.label, ba.completed_count AS item_count, coalesce(p.counts, '{}') AS counts,
		'{0,0,0,0,0}'::bigint[] AS active_ms_percentiles,
		       pauses.planned_breaks, pauses.completed_breaks, pauses.early_breaks
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
		JOIN identity.member_names u ON u.project_id = m.project_id AND u.account_id = m.account_id
		LEFT JOIN annotator_paces p ON p.batch_id = ba.batch_id AND p.account_id = ba.account_id
		CROSS JOIN LATERAL (
			SELECT count(*) FILTER (WHERE k.planned) AS planned_breaks, count(*) FILTER (WHERE k.completed) AS
			completed_breaks,
			       count(*) FILTER (WHERE NOT k.completed) AS early_breaks
			FROM breaks k
			WHERE k.batch_id = ba.batch_id AND k.account_id = ba.account_id) pauses
		WHERE ba.batch_id = $1
		ORDER BY m.pseudonym`, batchID))
	paces := make([]AnnotatorPace, len(rows))
	for i, row := range rows {
		paces[i] = row.AnnotatorPace
		for j, share := range []float64{0.1, 0.25, 0.5, 0.75, 0.9} {
			paces[i].ActiveMSPercentiles[j] = pacePercentile(row.Counts, share)
		}
	}
	return paces, err
}

// pacePercentile returns a percentile of counted active times, in milliseconds; 0 without any.
func pacePercentile(counts []int32, share float64) int64 {
	total, passed := 0, 0
	for _, n := range counts {
		total += int(n)
	}
	for class, n := range counts {
		if passed += int(n); total > 0 && float64(passed) >= share*float64(total) {
			return int64(100 * math.Exp(float64(class)/10))
		}
	}
	return 0
}

// DuplicateSummary returns the hidden duplicates of a batch. An annotator of an open batch,
// also a lead, does not get their own: they could tell which items were duplicates.
func (db *DB) DuplicateSummary(ctx context.Context, accountID account.ID, batchID project.BatchID) (
	project.DuplicateSummary, error) {
	return collectOne[project.DuplicateSummary](db.pool.Query(ctx, `
		WITH planned AS (
			SELECT d.state, d.id IS NOT NULL AS opened, d.state = 'submitted'
			OR d.reopened AS labeled, h.position <= ba.presented_count AS passed,
			       d.deferred AND b.closed_at IS NULL AS returns,
			       d.state = 'released' AND is_reclaimable(d.id) AS reclaimable,
			       ended.work_ended
			FROM batches b
			JOIN batch_annotators ba ON ba.batch_id = b.id
			CROSS JOIN LATERAL (
				SELECT b.closed_at IS NOT NULL OR ba.waiting_count = 0 AND NOT EXISTS (
				    SELECT FROM claimable_slots c WHERE c.batch_id = ba.batch_id
				    AND c.account_id = ba.account_id) AS work_ended OFFSET 0) ended
			JOIN hidden_items h ON h.batch_id = ba.batch_id AND h.account_id = ba.account_id
			     AND h.original_no IS NOT NULL
			LEFT JOIN assignments d ON d.id = h.assignment_id
			WHERE b.id = $2 AND (ba.account_id <> $1 OR b.closed_at IS NOT NULL)
		)
		SELECT count(*) AS planned, count(*) FILTER (WHERE labeled) AS labeled,
		       count(*) FILTER (WHERE NOT labeled AND state = 'skipped' AND NOT returns) AS skipped,
		       count(*) FILTER (WHERE state = 'released' AND NOT reclaimable) AS reassigned,
		       count(*) FILTER (WHERE NOT opened AND passed) AS dropped,
		       count(*) FILTER (WHERE NOT opened AND NOT passed AND work_ended) AS not_reached
		FROM planned`, accountID, batchID))
}

// A SkipCount is the number of items skipped for a reason about the item, or for a personal
// reason, which is not named.
type SkipCount struct {
	Reason labeling.SkipReason // empty: personal
	Count  int
}

// SkipCounts counts the skipped items of a batch by reason.
func (db *DB) SkipCounts(ctx context.Context, batchID project.BatchID) ([]SkipCount, error) {
	return collectAll[SkipCount](db.pool.Query(ctx, `
		SELECT reason.shown AS reason, count(*) AS count
		FROM skips s
		JOIN assignments a ON a.id = s.assignment_id AND a.kind = 'work'
		CROSS JOIN LATERAL (SELECT CASE WHEN s.is_personal THEN '' ELSE s.reason END AS shown) reason
		WHERE s.batch_id = $1
		GROUP BY reason.shown
		ORDER BY reason.shown = '', reason.shown`, batchID))
}
