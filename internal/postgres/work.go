package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// selectBatchProgress reads the batches of annotator $1.
const selectBatchProgress = `
	WITH state AS (` + selectAnnotatorState + `AND ba.account_id = $1)
	SELECT state.*, p.key AS project_key, p.title AS project_title, p.support_url,
	       b.name AS batch_name,
	       progress.completed_items, progress.expected_items, progress.items_to_break,
	       coalesce((SELECT a.token FROM assignments a WHERE a.id = ba.open_assignment_id), '') AS open_token,
	       EXISTS (SELECT FROM claimable_slots c WHERE c.batch_id = ba.batch_id AND c.account_id = $1) AS has_free_slot,
	       EXISTS (SELECT FROM calibration_attempts c
	               WHERE c.batch_id = ba.batch_id AND c.account_id = $1 AND c.completed_at IS NOT NULL) AS has_calibration_result,
	       EXISTS (SELECT FROM sheets h WHERE h.batch_id = ba.batch_id AND h.account_id = ba.account_id) AS has_sheet,
	       ba.last_opened_at IS NULL AS is_new, came_back.returning_items, came_back.reopened_items, ` + canUndo +
	` AS can_undo, ` + recentPace + `
	FROM state
	JOIN batch_annotators ba ON ba.batch_id = state.batch_id AND ba.account_id = $1
	JOIN batches b ON b.id = ba.batch_id
	JOIN projects p ON p.id = b.project_id
	JOIN annotator_progress progress ON progress.batch_id = ba.batch_id AND progress.account_id = ba.account_id
	CROSS JOIN LATERAL (
		SELECT count(*) FILTER (WHERE a.deferred AND NOT a.set_back) AS returning_items,
		       coalesce(jsonb_agg(jsonb_build_object('message', c.message, 'byLead', c.created_by IS NOT NULL) ORDER BY c.id) FILTER (WHERE c.id IS NOT NULL), '[]') AS reopened_items
		FROM pending_assignments w
		JOIN assignments a ON a.id = w.assignment_id
		LEFT JOIN LATERAL (
			SELECT c.id, c.message, c.created_by FROM correction_requests c
			WHERE c.assignment_id = a.id AND c.reopened AND a.reopened ORDER BY c.id DESC LIMIT 1) c ON true
		WHERE w.batch_id = ba.batch_id AND w.account_id = $1) came_back
	WHERE b.closed_at IS NULL OR ba.open_assignment_id IS NOT NULL
	ORDER BY ba.last_opened_at DESC NULLS LAST, state.batch_id`

// recentPace reads the pace of annotator ba of batch b: its last 50 active times, and the mean length
// of the items.
const recentPace = `ba.recent_active_ms, (
	           SELECT coalesce(avg(i.word_count), 0)::integer
	           FROM (SELECT n.item_id FROM annotations n WHERE n.batch_id = ba.batch_id AND n.account_id = ba.account_id
	                 ORDER BY n.sequence_no DESC LIMIT 50) recent
	           JOIN items i ON i.id = recent.item_id) AS recent_words,
	       b.protocol_version_id AS version_id, b.protocol_revision AS revision`

// A paceRow is what recentPace reads.
type paceRow struct {
	RecentActiveMS []int64
	RecentWords    int
	VersionID      protocol.VersionID
	Revision       int
}

func (db *DB) paceOf(ctx context.Context, r paceRow) (labeling.Pace, error) {
	p, err := db.protocolRevision(ctx, db.pool, r.VersionID, r.Revision)
	return labeling.NewPace(r.RecentActiveMS, r.RecentWords, p.Plan), err
}

// WorkOverview returns what an annotator can do next. It changes nothing.
func (db *DB) WorkOverview(ctx context.Context, accountID account.ID) (labeling.WorkOverview, error) {
	start, err := db.WorkStart(ctx, accountID)
	return start.WorkOverview, err
}

// A WorkStart is what an annotator can do next, and what to read before.
type WorkStart struct {
	labeling.WorkOverview
	Unread []UnreadMessage // oldest first
}

// WorkStart returns what an annotator can do next, in one round trip. It changes nothing.
func (db *DB) WorkStart(ctx context.Context, accountID account.ID) (start WorkStart, err error) {
	b, rows := &pgx.Batch{}, []batchProgressRow{}
	b.Queue(selectIsOnBreak, accountID).QueryRow(func(row pgx.Row) error { return row.Scan(&start.OnBreak) })
	queueAll(b, &rows, selectBatchProgress, accountID)
	queueAll(b, &start.Unread, selectUnread, accountID)
	if err := db.pool.SendBatch(ctx, b).Close(); err != nil {
		return start, err
	}
	for _, row := range rows {
		progress := row.toBatchProgress()
		if progress.Pace, err = db.paceOf(ctx, row.paceRow); err != nil {
			return start, err
		}
		start.Batches = append(start.Batches, progress)
	}
	slices.SortStableFunc(start.Batches, func(a, b labeling.BatchProgress) int {
		return cmp.Compare(map[bool]int{true: 1}[a.IsFinished()], map[bool]int{true: 1}[b.IsFinished()])
	})
	return start, nil
}

// queueAll queues a query that returns rows as Ts.
func queueAll[T any](b *pgx.Batch, found *[]T, sql string, args ...any) {
	b.Queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		*found, err = collectAll[T](rows, nil)
		return err
	})
}

type batchProgressRow struct {
	annotatorState
	ProjectKey, ProjectTitle, SupportURL string
	BatchName                            string
	labeling.Progress
	OpenToken            string
	HasFreeSlot          bool
	HasCalibrationResult bool
	IsNew                bool
	HasSheet             bool
	ReturningItems       int
	ReopenedItems        []labeling.ReopenedItem
	CanUndo              bool
	paceRow
}

func (r batchProgressRow) toBatchProgress() labeling.BatchProgress {
	s := labeling.BatchProgress{BatchID: r.BatchID, BatchName: r.BatchName, ProjectKey: r.ProjectKey,
		ProjectTitle: r.ProjectTitle, SupportURL: r.SupportURL,
		Progress: r.Progress, OpenToken: r.OpenToken, HasCalibrationResult: r.HasCalibrationResult,
		IsNew: r.IsNew, Paused: r.Paused, ReturningItems: r.ReturningItems, ReopenedItems: r.ReopenedItems,
		HasSheet: r.HasSheet}
	s.CanUndo = r.CanUndo && r.OpenToken == ""
	state := r.toSequence()
	if r.HasFreeSlot {
		state.Slots = sequence.SlotsAvailable
	}
	s.HasMore = state.HasMore()
	if s.Limit = r.limit(); r.OpenToken != "" {
		s.Limit = labeling.NoLimit
	}
	if r.CalibrationAttemptNo > 0 {
		s.InCalibration, s.NeedsCalibrationReview = !r.CalibrationCompleted, r.CalibrationCompleted
	}
	return s
}

// BatchIDByToken returns the batch of an annotator's item.
func (db *DB) BatchIDByToken(ctx context.Context, accountID account.ID, token string) (batchID project.BatchID,
	err error) {
	err = db.pool.QueryRow(ctx, `SELECT batch_id FROM assignments WHERE token = $1
		AND account_id = $2`, token, accountID).Scan(&batchID)
	return batchID, notFound(err)
}

// OpenNext opens the next item of an annotator and returns its token; empty if nothing can
// be opened. An item that is open already comes first. Without a batch, it searches the
// annotator's batches, oldest first.
func (db *DB) OpenNext(ctx context.Context, accountID account.ID, batchID project.BatchID) (token string, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		batches, err := lockOpenBatches(ctx, tx, accountID, batchID)
		if err != nil {
			return err
		}
		token, err = openAssignmentToken(ctx, tx, accountID, batchID)
		if err != nil || token != "" {
			return err
		}
		for _, batch := range batches {
			if token, err = openNext(ctx, tx, batch, accountID); err != nil || token != "" {
				return err
			}
		}
		return nil
	})
	return token, err
}

// lockOpenBatches locks the annotator's open batches, oldest first: all, or the given one.
// Other requests of the annotator wait until the transaction ends.
func lockOpenBatches(ctx context.Context, tx pgx.Tx, accountID account.ID, batchID project.BatchID) ([]project.BatchID,
	error) {
	rows, err := tx.Query(ctx, `
		SELECT ba.batch_id
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
		WHERE ba.account_id = $1 AND b.closed_at IS NULL AND ($2::bigint = 0 OR b.id = $2) AND m.removed_at IS NULL
		AND ba.removed_at IS NULL
		ORDER BY ba.batch_id
		FOR NO KEY UPDATE OF ba`, accountID, batchID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[project.BatchID])
}

func openAssignmentToken(ctx context.Context, q querier, accountID account.ID, batchID project.BatchID) (token string,
	err error) {
	err = q.QueryRow(ctx, `
		SELECT a.token
		FROM active_annotators v
		JOIN batch_annotators ba ON ba.batch_id = v.batch_id AND ba.account_id = v.account_id
		JOIN assignments a ON a.id = ba.open_assignment_id
		WHERE v.account_id = $1 AND ($2::bigint = 0 OR v.batch_id = $2)
		ORDER BY a.opened_at
		LIMIT 1`, accountID, batchID).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return token, err
}
