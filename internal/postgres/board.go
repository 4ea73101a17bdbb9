package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// labelsInOpenBatch is true of a batch b if account $1 is an annotator of it and it is open.
// Such an account gets its own figures as annotators see them: from the number of its work
// items it could tell which items were hidden duplicates.
const labelsInOpenBatch = `(b.closed_at IS NULL AND EXISTS (SELECT FROM batch_annotators own WHERE own.batch_id = b.id AND own.account_id = $1))`

type boardRow struct {
	AccountID       account.ID
	Pseudonym       string
	Name            string
	IsOwn           bool
	Removed         bool
	PausedAt        *time.Time
	AttemptStarted  *time.Time
	DecisionSince   *time.Time
	BreakStartedAt  *time.Time
	BreakEndsAt     *time.Time
	HasOpenItem     bool
	IsFinished      bool
	LastOpenedAt    *time.Time
	LastActiveAt    *time.Time
	Done, Total     int
	Counts          []int32
	Skipped         int
	CorrectionCount int
	PausedByGold    bool
}

// Board returns the annotators of a batch by name. It reads few rows of each. An item that an
// annotator skipped counts as done, so that the own share stays the same.
func (db *DB) Board(ctx context.Context, actorID account.ID, p protocol.Protocol, b project.Batch) ([]project.BoardRow,
	error) {
	rows, err := collectAll[boardRow](db.pool.Query(ctx, `
		SELECT ba.account_id, m.pseudonym, u.name, own.is_own, m.removed_at IS NOT NULL
		OR ba.removed_at IS NOT NULL AS removed, ba.paused_at, ba.paused_by_gold,
		       c.started_at AS attempt_started, waits.created_at AS decision_since, k.started_at AS break_started_at,
		       k.scheduled_end_at AS break_ends_at,
		       ba.open_assignment_id IS NOT NULL AS has_open_item, b.closed_at IS NOT NULL OR ba.waiting_count = 0
		       AND b.assignment = 'planned' AS is_finished,
		       ba.last_opened_at, m.last_active_at,
		       CASE WHEN own.is_own THEN progress.completed_items ELSE ba.label_count + coalesce(n.declined_count,
		       0) END AS done,
		       CASE WHEN own.is_own THEN progress.expected_items WHEN b.assignment = 'pool' THEN 0
		            ELSE ba.label_count + coalesce(n.declined_count, 0) + ba.waiting_count + remaining.item_count END AS
		            total,
		       coalesce(p.counts, '{}') AS counts, coalesce(n.skip_count, 0) AS skipped, coalesce(n.correction_count,
		       0) AS correction_count
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
		JOIN identity.member_names u ON u.project_id = m.project_id AND u.account_id = m.account_id
		CROSS JOIN LATERAL (SELECT ba.account_id = $1 AND b.closed_at IS NULL AS is_own) own
		LEFT JOIN annotator_progress progress ON own.is_own AND progress.batch_id = ba.batch_id
		AND progress.account_id = ba.account_id
		LEFT JOIN calibration_attempts c ON c.batch_id = ba.batch_id AND c.account_id = ba.account_id
		AND c.resolved_at IS NULL
		LEFT JOIN lead_tasks waits ON waits.kind = 'calibration' AND waits.batch_id = ba.batch_id
		AND waits.account_id = ba.account_id
		LEFT JOIN breaks k ON k.batch_id = ba.batch_id AND k.account_id = ba.account_id AND k.ended_at IS NULL
		LEFT JOIN annotator_paces p ON p.batch_id = ba.batch_id AND p.account_id = ba.account_id
		LEFT JOIN annotator_counts n ON n.batch_id = ba.batch_id AND n.account_id = ba.account_id AND NOT own.is_own
		CROSS JOIN LATERAL (
			SELECT (SELECT count(*) FROM assignments a WHERE a.id = ba.open_assignment_id AND a.kind = 'work'
			AND NOT a.reopened)::integer
			     + (SELECT count(*) FROM pending_assignments o JOIN assignments a ON a.id = o.assignment_id
			        WHERE o.batch_id = ba.batch_id AND o.account_id = ba.account_id AND a.kind = 'work' AND a.deferred
			        AND a.state = 'skipped')::integer AS item_count) remaining
		WHERE ba.batch_id = $2
		ORDER BY lower(u.name), ba.account_id`, actorID, b.ID))
	if err != nil {
		return nil, err
	}
	gold, err := db.goldAccuraciesOf(ctx, actorID, p, b)
	board := make([]project.BoardRow, len(rows))
	for i, r := range rows {
		board[i] = r.toBoardRow(time.Now())
		board[i].Gold = gold[r.AccountID]
	}
	return board, err
}

// workingTime is how long after the last activity an annotator counts as working.
const workingTime = 10 * time.Minute

func (r boardRow) toBoardRow(now time.Time) project.BoardRow {
	row := project.BoardRow{AccountID: r.AccountID, Pseudonym: r.Pseudonym, Name: r.Name, IsOwn: r.IsOwn, Done: r.Done,
		Total:          r.Total,
		MedianActiveMS: pacePercentile(r.Counts, 0.5), Skipped: r.Skipped, Corrections: r.CorrectionCount,
		PausedByGold: r.PausedByGold}
	isActive := r.LastActiveAt != nil && now.Sub(*r.LastActiveAt) < workingTime
	switch {
	case r.Removed:
		row.State = project.BoardRemoved
	case r.PausedAt != nil:
		row.State, row.Since = project.BoardPaused, r.PausedAt
	case r.DecisionSince != nil:
		row.State, row.Since = project.BoardWaiting, r.DecisionSince
	case r.BreakStartedAt != nil:
		row.State, row.Since, row.BreakEndsAt = project.BoardOnBreak, r.BreakStartedAt, r.BreakEndsAt
	case r.IsFinished && !r.HasOpenItem:
		row.State = project.BoardDone
	case r.LastOpenedAt == nil:
		row.State = project.BoardNotStarted
	case r.AttemptStarted != nil:
		row.State, row.Since = project.BoardCalibrating, r.AttemptStarted
	case r.HasOpenItem && isActive:
		row.State, row.Since = project.BoardWorking, r.LastOpenedAt
	default:
		row.State, row.Since = project.BoardIdle, r.LastOpenedAt
	}
	return row
}

// BatchState returns what a background job computed of a batch. A lead who labels in it does
// not get the agreement of the others.
func (db *DB) BatchState(ctx context.Context, actorID account.ID, batchID project.BatchID) (project.BatchState, error) {
	s, err := collectOne[project.BatchState](db.pool.Query(ctx, `
		SELECT CASE WHEN view.is_hidden THEN 0 ELSE s.shared_count END AS shared_items, CASE WHEN view.is_hidden THEN
		'[]' ELSE s.agreement END AS agreement,
		       (SELECT count(*) FROM agreement_samples i WHERE i.batch_id = b.id) AS used_items,
		       view.is_hidden, nullif(s.computed_at, '-infinity') AS computed_at
		FROM batch_states s
		JOIN batches b ON b.id = s.batch_id
		CROSS JOIN LATERAL (SELECT `+labelsInOpenBatch+` AS is_hidden) view
		WHERE s.batch_id = $2`, actorID, batchID))
	if errors.Is(err, fault.NotFound) { // not computed yet
		return project.BatchState{}, nil
	}
	return s, err
}
