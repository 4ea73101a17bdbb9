package postgres

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// An assignment is a labeling.Assignment with what storing its annotation needs.
type assignment struct {
	labeling.Assignment
	ProjectID                project.ID
	VersionID                protocol.VersionID
	revision                 int
	AttemptNo                int16
	Reopened                 bool   // submitted before, and awaits another attempt
	replacesID               *int64 // of a reopened one, the annotation of the previous attempt
	Kind                     sequence.AssignmentKind
	PresentationNo           int // of a calibration item, the attempt
	BreakMinutes             int
	SkipPolicy               labeling.SkipPolicy
	SkippedBefore            bool
	ItemsSinceCompletedBreak int
	OnBreak                  bool
	TabTimes                 labeling.TabTimes
	Elapsed                  time.Duration // since it was opened, without breaks
}

type assignmentRow struct {
	ID                       labeling.AssignmentID
	ProjectID                project.ID
	BatchID                  project.BatchID
	ItemID                   project.ItemID
	AccountID                account.ID
	Token                    string
	State                    labeling.State
	Removed                  bool
	SequenceNo               int
	AttemptNo                int16
	Reopened                 bool
	Kind                     sequence.AssignmentKind
	PresentationNo           int
	VersionID                protocol.VersionID
	Revision                 int
	Facts                    protocol.Facts
	BreakMinutes             int
	SkipPolicy               labeling.SkipPolicy
	SetBack                  bool
	ItemsSinceCompletedBreak int
	OnBreak                  bool
	TabTimes                 labeling.TabTimes
	ElapsedMS                int64
}

type lockedAssignmentRow struct {
	assignmentRow
	SkippedBefore bool
}

// isActive is true of an assignment a whose annotator is a member of the project.
const isActive = `EXISTS (SELECT FROM active_annotators v WHERE v.batch_id = a.batch_id AND v.account_id = a.account_id)`

// assignmentColumns are the columns of an assignmentRow.
const assignmentColumns = `a.id, b.project_id, a.batch_id, a.item_id, a.account_id, a.token, a.state, NOT is_active_annotator(ba.removed_at, m.removed_at, p.archived_at) AS removed,
	       a.sequence_no, a.attempt_no, a.reopened, a.set_back, a.kind, a.presentation_no,
	       a.protocol_version_id AS version_id, i.facts, b.break_minutes, p.skip_policy,
	       b.protocol_revision AS revision, ba.items_since_completed_break, pause.on_break, coalesce(d.tab_times, '{}') AS tab_times,
	       (1000 * extract(epoch FROM clock_timestamp() - a.opened_at - pause.since_opened))::bigint AS elapsed_ms`

// fromAssignment joins an assignment a with its item i, batch b, project p, annotator ba, member
// m and draft d. Breaks stop its clock.
const fromAssignment = `
	FROM assignments a
	JOIN items i ON i.id = a.item_id
	JOIN batches b ON b.id = a.batch_id
	JOIN projects p ON p.id = b.project_id
	JOIN batch_annotators ba ON ba.batch_id = a.batch_id AND ba.account_id = a.account_id
	JOIN members m ON m.project_id = b.project_id AND m.account_id = a.account_id
	LEFT JOIN drafts d ON d.assignment_id = a.id
	CROSS JOIN LATERAL (
		SELECT coalesce(bool_or(k.ended_at IS NULL), false) AS on_break,
		       coalesce(sum(coalesce(k.ended_at, clock_timestamp()) - greatest(k.started_at, a.opened_at)), '0') AS since_opened
		FROM breaks k
		WHERE k.account_id = a.account_id AND (k.ended_at IS NULL OR k.ended_at > a.opened_at)) pause`

// lockAnnotator waits for the annotator's other requests. Only the next statement sees
// what those changed.
const lockAnnotator = `
	SELECT FROM batch_annotators ba
	JOIN assignments a ON a.batch_id = ba.batch_id AND a.account_id = ba.account_id
	WHERE a.token = $1
	FOR NO KEY UPDATE OF ba`

// lockAssignment locks and returns the assignment of that token. Other requests of its
// annotator in the batch wait until the transaction ends.
func lockAssignment(ctx context.Context, tx pgx.Tx, token string) (a assignment, err error) {
	queue := &pgx.Batch{}
	queue.Queue(lockAnnotator, token)
	queue.Queue(`SELECT `+assignmentColumns+
		`, EXISTS (SELECT FROM skips s WHERE s.assignment_id = a.id) AS skipped_before
		`+fromAssignment+`
		WHERE a.token = $1
		FOR NO KEY UPDATE OF a, ba`, token)
	results := tx.SendBatch(ctx, queue)
	_, err = results.Exec()
	row, rowErr := collectOne[lockedAssignmentRow](results.Query())
	if err := cmp.Or(err, rowErr, results.Close()); err != nil {
		return a, err
	}
	a = row.toLocked()
	a.SkippedBefore = row.SkippedBefore
	return a, a.findReplaced(ctx, tx)
}

// findReplaced reads which annotation the next one replaces.
func (a *assignment) findReplaced(ctx context.Context, tx querier) error {
	if !a.Reopened {
		return nil
	}
	return tx.QueryRow(ctx, `SELECT id FROM annotations WHERE protocol_version_id = $1 AND assignment_id = $2
		AND attempt_no = $3`,
		a.VersionID, a.ID, a.AttemptNo).Scan(&a.replacesID)
}

func (r assignmentRow) toLocked() assignment {
	return assignment{
		Assignment: r.toAssignment(), ProjectID: r.ProjectID, VersionID: r.VersionID, revision: r.Revision,
		AttemptNo: r.AttemptNo, Reopened: r.Reopened, Kind: r.Kind, PresentationNo: r.PresentationNo,
		BreakMinutes: r.BreakMinutes, SkipPolicy: r.SkipPolicy,
		ItemsSinceCompletedBreak: r.ItemsSinceCompletedBreak, OnBreak: r.OnBreak,
		TabTimes: r.TabTimes, Elapsed: r.elapsed(),
	}
}

func (r assignmentRow) toAssignment() labeling.Assignment {
	return labeling.Assignment{ID: r.ID, Token: r.Token, BatchID: r.BatchID, ItemID: r.ItemID,
		AccountID: r.AccountID, State: r.State, Removed: r.Removed, SetBack: r.SetBack, SequenceNo: r.SequenceNo,
		Facts: r.Facts}
}

func (r assignmentRow) elapsed() time.Duration { return time.Duration(r.ElapsedMS) * time.Millisecond }

// activeMS returns the active time of a, including s.
func (a assignment) activeMS(s labeling.Submission) int64 {
	if s.Tab == labeling.NoTab {
		return s.ActiveMS
	}
	return a.TabTimes.With(s.Tab, s.ActiveMS).ActiveMS(a.Elapsed)
}
