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

// An assignment is a labeling.Assignment with what storing its annotation
// needs.
type assignment struct {
	labeling.Assignment
	VersionID                protocol.VersionID
	revision                 int
	AttemptNo                int16
	Reopened                 bool // it was submitted before, and waits for one attempt more
	Kind                     sequence.AssignmentKind
	PresentationNo           int // of a calibration item, which run
	BreakEvery               int
	BreakMinutes             int
	BreakAfterMinutes        int // minutes
	SkipPolicy               labeling.SkipPolicy
	SkippedBefore            bool // it was set aside once
	ItemsSinceBreak          int  // items labelled since the last break, taken or not
	ItemsSinceCompletedBreak int  // items labelled since the last break that was taken
	OnBreak                  bool
	TabTimes                 labeling.TabTimes
	Elapsed                  time.Duration // since it was opened, breaks left out
}

type assignmentRow struct {
	ID                                          labeling.AssignmentID
	BatchID                                     project.BatchID
	ItemID                                      project.ItemID
	AccountID                                   account.ID
	Token                                       string
	State                                       labeling.State
	SequenceNo                                  int
	AttemptNo                                   int16
	Reopened                                    bool
	Kind                                        sequence.AssignmentKind
	PresentationNo                              int
	VersionID                                   protocol.VersionID
	Revision                                    int
	Facts                                       protocol.Facts
	BreakEvery, BreakMinutes, BreakAfterMinutes int
	SkipPolicy                                  labeling.SkipPolicy
	SkippedBefore                               bool
	ItemsSinceBreak, ItemsSinceCompletedBreak   int
	OnBreak                                     bool
	TabTimes                                    labeling.TabTimes
	ElapsedMS                                   int64
}

// selectAssignment reads the assignment of token $1. Breaks stop the clock.
const selectAssignment = `
	SELECT a.id, a.batch_id, a.item_id, a.account_id, a.token, a.state, a.position, a.attempt, a.reopened, a.kind, a.presentation,
	       a.protocol_version_id AS version_id, i.facts, b.break_every, b.break_minutes, rules.break_after, rules.aside_next,
	       EXISTS (SELECT FROM set_aside s WHERE s.assignment_id = a.id) AS aside_before,
	       (SELECT max(r.revision) FROM protocol_revisions r WHERE r.protocol_version_id = a.protocol_version_id) AS revision,
	       ba.since_rest, ba.since_break, rest.under_way AS resting,
	       coalesce((SELECT d.tabs FROM drafts d WHERE d.assignment_id = a.id), '{}') AS tabs,
	       (1000 * extract(epoch FROM clock_timestamp() - a.opened_at - rest.since_opened))::bigint AS passed_ms
	FROM assignments a
	JOIN items i ON i.id = a.item_id
	JOIN batches b ON b.id = a.batch_id
	JOIN projects rules ON rules.id = b.project_id
	JOIN batch_annotators ba ON ba.batch_id = a.batch_id AND ba.account_id = a.account_id
	CROSS JOIN LATERAL (
		SELECT coalesce(bool_or(k.left_at IS NULL), false) AS under_way,
		       coalesce(sum(coalesce(k.left_at, clock_timestamp()) - greatest(k.started_at, a.opened_at)), '0') AS since_opened
		FROM breaks k
		WHERE k.account_id = a.account_id AND (k.left_at IS NULL OR k.left_at > a.opened_at)) rest
	WHERE a.token = $1 `

// lockAnnotator waits for the annotator's other requests. What it waited for is seen
// only by the next statement.
const lockAnnotator = `
	SELECT FROM batch_annotators ba
	JOIN assignments a ON a.batch_id = ba.batch_id AND a.account_id = ba.account_id
	WHERE a.token = $1
	FOR UPDATE OF ba`

// lockAssignment returns the assignment of that token. Until the transaction
// ends, its annotator's other requests wait.
func lockAssignment(ctx context.Context, tx pgx.Tx, token string) (assignment, error) {
	queue := &pgx.Batch{}
	queue.Queue(lockAnnotator, token)
	queue.Queue(selectAssignment+`FOR UPDATE OF a, ba`, token)
	results := tx.SendBatch(ctx, queue)
	_, err := results.Exec()
	row, rowErr := collectOne[assignmentRow](results.Query())
	if err := cmp.Or(err, rowErr, results.Close()); err != nil {
		return assignment{}, err
	}
	return assignment{
		Assignment: row.toAssignment(), VersionID: row.VersionID, revision: row.Revision,
		AttemptNo: row.AttemptNo, Reopened: row.Reopened, Kind: row.Kind, PresentationNo: row.PresentationNo,
		BreakEvery: row.BreakEvery, BreakMinutes: row.BreakMinutes, BreakAfterMinutes: row.BreakAfterMinutes,
		SkipPolicy: row.SkipPolicy, SkippedBefore: row.SkippedBefore,
		ItemsSinceBreak: row.ItemsSinceBreak, ItemsSinceCompletedBreak: row.ItemsSinceCompletedBreak, OnBreak: row.OnBreak,
		TabTimes: row.TabTimes, Elapsed: row.elapsed(),
	}, nil
}

func (r assignmentRow) toAssignment() labeling.Assignment {
	return labeling.Assignment{ID: r.ID, Token: r.Token, BatchID: r.BatchID, ItemID: r.ItemID,
		AccountID: r.AccountID, State: r.State, SequenceNo: r.SequenceNo, Facts: r.Facts}
}

func (r assignmentRow) elapsed() time.Duration { return time.Duration(r.ElapsedMS) * time.Millisecond }

// activeMS returns the time spent on a, s included.
func (a assignment) activeMS(s labeling.Submission) int64 {
	if s.Tab == labeling.NoTab {
		return s.ActiveMS
	}
	return a.TabTimes.With(s.Tab, s.ActiveMS).ActiveMS(a.Elapsed)
}
