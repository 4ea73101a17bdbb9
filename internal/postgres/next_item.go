package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// An annotatorState is how far an annotator has come in a batch, as stored.
type annotatorState struct {
	BatchID   project.BatchID
	AccountID account.ID
	OnBreak   bool // in any batch
	sequenceState
}

// A sequenceState is what decides which item comes next, apart from breaks.
type sequenceState struct {
	SequenceLength                        int // planned work items and hidden items
	BatchClosed, Paused                   bool
	BreakEvery                            int
	BreakTimeReached                      bool
	ItemsSinceBreak                       int
	MustRead                              bool                    // a document before any item
	WaitingCount                          int                     // items in the own queue
	CompletedCount                        int                     // work items
	HiddenDue                             sequence.AssignmentKind // planned at the next position; empty: work
	HasReopened, HasReleased, HasDeferred bool
	HasSetBack                            bool
	CalibrationAttemptNo                  int // of the unresolved attempt; 0: none
	CalibrationCompleted                  bool
	DailyItemLimit, ItemsToday            int // limit 0: none
	SessionLimitReached                   bool
	GoldMinimum                           int // percent; 0: none
}

// selectAnnotatorState reads the state of annotators ba of batches.
const selectAnnotatorState = `
	SELECT ba.batch_id, ba.account_id, EXISTS (SELECT FROM breaks k WHERE k.account_id = ba.account_id
	AND k.ended_at IS NULL) AS on_break,
	       ` + sequenceStateColumns + `
	FROM batch_annotators ba
	JOIN batches b ON b.id = ba.batch_id
	JOIN projects p ON p.id = b.project_id
	JOIN members m ON m.project_id = p.id AND m.account_id = ba.account_id AND m.removed_at IS NULL
	` + joinSequenceState + `
	WHERE ba.removed_at IS NULL `

// sequenceStateColumns are the columns of a sequenceState of annotator ba, member m, of batch b
// in project p. Their cost does not grow with the number of labeled items. A session that has
// ended starts again with the next submit.
const sequenceStateColumns = `ba.expected_items + b.duplicate_count + b.gold_count AS sequence_length,
	       b.closed_at IS NOT NULL AS batch_closed, ba.paused_at IS NOT NULL AS paused, b.break_every,
	       ` + hasPendingReading + ` AS must_read,
	       p.break_after_minutes > 0 AND session_is_active(m.last_active_at) AND coalesce(
	           greatest(m.session_started_at, (SELECT max(k.ended_at) FROM breaks k WHERE k.account_id = ba.account_id))
	               <= now() - make_interval(mins => p.break_after_minutes), false) AS break_time_reached,
	       ba.items_since_break, ba.waiting_count, ba.completed_count, coalesce((
	           SELECT CASE WHEN h.original_no IS NULL THEN 'gold' ELSE 'duplicate' END FROM hidden_items h
	           WHERE h.batch_id = ba.batch_id AND h.account_id = ba.account_id AND h.position = ba.presented_count + 1),
	           '') AS hidden_due, b.gold_minimum,
	       pending.has_reopened, pending.has_set_back, pending.has_deferred, pending.has_released,
	       coalesce(attempt.attempt_no, 0) AS calibration_attempt_no,
	       coalesce(attempt.completed_at IS NOT NULL, false) AS calibration_completed,
	       coalesce(b.daily_item_limit, p.daily_item_limit) AS daily_item_limit, coalesce((
	           SELECT d.item_count FROM annotator_days d
	           WHERE d.project_id = p.id AND d.account_id = ba.account_id AND d.day = current_date), 0) AS items_today,
	       coalesce(b.session_limit_minutes, p.session_limit_minutes) > 0 AND session_is_active(m.last_active_at)
	           AND coalesce(m.session_started_at <= now() - make_interval(mins => coalesce(b.session_limit_minutes, p.session_limit_minutes)), false) AS session_limit_reached`

// joinSequenceState joins what sequenceStateColumns needs to ba.
const joinSequenceState = `
	LEFT JOIN calibration_attempts attempt
	     ON attempt.batch_id = ba.batch_id AND attempt.account_id = ba.account_id AND attempt.resolved_at IS NULL
	CROSS JOIN LATERAL (
		SELECT coalesce(bool_or(a.reopened AND (a.state = 'submitted' OR a.set_back)), false) AS has_reopened,
		       coalesce(bool_or(a.set_back AND NOT a.reopened), false) AS has_set_back,
		       coalesce(bool_or(a.deferred AND a.state = 'skipped' AND NOT a.set_back), false) AS has_deferred,
		       coalesce(bool_or(a.state = 'released' AND is_reclaimable(a.id)), false) AS has_released
		FROM pending_assignments w
		JOIN assignments a ON a.id = w.assignment_id
		WHERE w.batch_id = ba.batch_id AND w.account_id = ba.account_id) pending`

// loadAnnotatorState returns the state of an annotator in a batch. The transaction must
// have locked their batch_annotators row.
func loadAnnotatorState(ctx context.Context, tx querier, batchID project.BatchID, accountID account.ID) (annotatorState,
	error) {
	return collectOne[annotatorState](tx.Query(ctx, selectAnnotatorState+`AND ba.batch_id = $1 AND ba.account_id = $2`,
		batchID, accountID))
}

// toSequence returns s as sequence.Next needs it.
func (s annotatorState) toSequence() sequence.AnnotatorState {
	return sequence.AnnotatorState{
		BatchClosed: s.BatchClosed, Paused: s.Paused, OnBreak: s.OnBreak, LimitReached: s.limit() != labeling.NoLimit,
		HasReopened: s.HasReopened, HasSetBack: s.HasSetBack, HasReleased: s.HasReleased, HasDeferred: s.HasDeferred,
		InCalibration: s.CalibrationAttemptNo > 0, CalibrationCompleted: s.CalibrationCompleted,
		ItemsSinceBreak: s.ItemsSinceBreak, BreakEvery: s.BreakEvery, BreakTimeReached: s.BreakTimeReached,
		IsFirst: s.CompletedCount == 1, IsLast: s.WaitingCount == 1,
		HiddenDue: s.HiddenDue != "",
		Slots:     s.slots(),
	}
}

// slots returns what is known about the items that the annotator can get.
func (s annotatorState) slots() sequence.SlotAvailability {
	if s.WaitingCount > 0 {
		return sequence.SlotsAvailable
	}
	return sequence.SlotsUnknown
}

// limit returns which limit stops the annotator.
func (s annotatorState) limit() labeling.Limit {
	switch {
	case s.DailyItemLimit > 0 && s.ItemsToday >= s.DailyItemLimit:
		return labeling.DailyLimit
	case s.SessionLimitReached:
		return labeling.SessionLimit
	}
	return labeling.NoLimit
}

// openNext opens the next item of an annotator in a batch and returns its token; empty
// if nothing can be opened now. The transaction must have locked their
// batch_annotators row.
func openNext(ctx context.Context, tx querier, batchID project.BatchID, accountID account.ID) (token string,
	err error) {
	return openNextAfter(ctx, tx, assignment{Assignment: labeling.Assignment{BatchID: batchID, AccountID: accountID}})
}

// openNextAfter does the same after an item was submitted, and starts a break if one is
// due.
func openNextAfter(ctx context.Context, tx querier, submitted assignment) (token string, err error) {
	stored, err := loadAnnotatorState(ctx, tx, submitted.BatchID, submitted.AccountID)
	if err != nil {
		return "", err
	}
	state := stored.toSequence()
	state.HasSubmitted = submitted.ID != 0
	return openFromState(ctx, tx, submitted, stored, state)
}

// openFromState carries out the actions that package sequence decides, until an item is
// open or nothing can be opened.
func openFromState(ctx context.Context, tx querier, submitted assignment, stored annotatorState,
	state sequence.AnnotatorState) (token string, err error) {
	for err == nil && token == "" {
		switch action := sequence.Next(state); action {
		case sequence.Reclaim:
			token, err = openReleased(ctx, tx, stored)
			state.HasReleased = false
		case sequence.OpenHidden:
			token, err = openHidden(ctx, tx, stored)
			state.HiddenDue = false
		case sequence.Claim:
			token, err = openWorkItem(ctx, tx, stored)
			state.Slots = sequence.SlotsExhausted
		case sequence.FindSlot:
			state.Slots, err = findSlot(ctx, tx, stored)
		case sequence.ReleaseAbandoned:
			var released int
			released, err = releaseAbandoned(ctx, tx, stored.BatchID, stored.AccountID)
			if state.AbandonedReleased = true; released > 0 {
				state.Slots = sequence.SlotsUnknown
			}
		case sequence.StartBreak:
			return "", startBreak(ctx, tx, submitted, submitted.SequenceNo, true)
		default:
			return openOwnItem(ctx, tx, stored, action)
		}
	}
	return token, err
}

// openOwnItem opens an item that needs no slot to be found.
func openOwnItem(ctx context.Context, tx querier, s annotatorState, action sequence.Action) (token string, err error) {
	switch action {
	case sequence.OpenReopened:
		return openReopened(ctx, tx, s)
	case sequence.OpenCalibration:
		return openCalibrationItem(ctx, tx, s)
	case sequence.OpenSetBack:
		return openSetBack(ctx, tx, s)
	case sequence.OpenDeferred:
		return openDeferred(ctx, tx, s)
	}
	return "", nil
}

// openReopened opens a reopened item for another attempt, with its current answers as
// draft. One that an undo set back comes first, with its own draft.
func openReopened(ctx context.Context, tx querier, s annotatorState) (token string, err error) {
	return openByStatement(ctx, tx, `
		WITH pick AS (
			SELECT a.id, a.set_back
			FROM pending_assignments w
			JOIN assignments a ON a.id = w.assignment_id
			WHERE w.batch_id = $1 AND w.account_id = $2 AND a.reopened AND (a.state = 'submitted' OR a.set_back)
			ORDER BY a.set_back DESC, a.sequence_no
			LIMIT 1
		), opened AS (
			UPDATE assignments a
			SET state = 'open', deferred = false, set_back = false, token = $3,
			    opened_at = CASE WHEN pick.set_back THEN a.opened_at ELSE clock_timestamp() END
			FROM pick
			WHERE a.id = pick.id
			RETURNING a.id, a.token, a.protocol_version_id, pick.set_back
		), draft AS (
			INSERT INTO drafts (assignment_id, version, answers)
			SELECT o.id, 1, jsonb_build_object('values', n.answers, 'observations', n.observations, 'unsure', n.unsure,
			'note', n.note)
			FROM opened o
			JOIN current_annotations n ON n.protocol_version_id = o.protocol_version_id AND n.assignment_id = o.id
			WHERE NOT o.set_back
			ON CONFLICT (assignment_id) DO UPDATE SET version = drafts.version + 1, answers = excluded.answers
		)
		SELECT token FROM opened`, s.BatchID, s.AccountID)
}

// openDeferred opens a skipped item that returns to its annotator.
func openDeferred(ctx context.Context, tx querier, s annotatorState) (token string, err error) {
	return openByStatement(ctx, tx, `
		WITH counted AS (
			UPDATE batch_annotators SET last_sequence_no = last_sequence_no + 1, last_opened_at = clock_timestamp()
			WHERE batch_id = $1 AND account_id = $2
			RETURNING last_sequence_no
		), opened AS (
			UPDATE assignments
			SET state = 'open', deferred = false, closed_at = NULL, opened_at = clock_timestamp(), token = $3,
			sequence_no = counted.last_sequence_no
			FROM counted
			WHERE id = (
				SELECT a.id FROM pending_assignments w
				JOIN assignments a ON a.id = w.assignment_id
				WHERE w.batch_id = $1 AND w.account_id = $2 AND a.state = 'skipped' AND a.deferred AND NOT a.set_back
				ORDER BY a.sequence_no
				LIMIT 1)
			RETURNING id, batch_id, item_id, account_id, kind, token
		), slot AS (
			UPDATE slots s SET claimed_at = clock_timestamp()
			FROM opened o
			WHERE o.kind = 'work' AND s.batch_id = o.batch_id AND s.item_id = o.item_id AND s.account_id = o.account_id
		), duplicate AS (
			UPDATE hidden_items h SET claimed_at = clock_timestamp() FROM opened o WHERE h.assignment_id = o.id
		)
		SELECT token FROM opened`, s.BatchID, s.AccountID)
}
