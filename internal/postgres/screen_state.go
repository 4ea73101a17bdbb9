package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
)

// A ScreenState is what can change around an open item while its annotator labels it.
type ScreenState struct {
	MustRead          bool // a document before the item, which has no content until then
	BatchClosed       bool
	Paused            bool // by a lead: no further item is opened
	AnsweredQuestions int  // about this presentation of the item
	HasUnreadMessages bool
	SessionSettings   string // changes with breaks, limits and what else a lead sets for sessions
}

// screenStateColumns reads a ScreenState, apart from the questions, for assignment a of
// annotator ba in batch b of project p.
const screenStateColumns = hasPendingReading +
	` AS must_read, b.closed_at IS NOT NULL AS batch_closed, ba.paused_at IS NOT NULL AS paused,
	` + hasUnread + ` AS has_unread_messages,
	concat_ws(' ', b.break_every, b.break_minutes, p.break_after_minutes, coalesce(b.daily_item_limit, p.daily_item_limit),
	    coalesce(b.session_limit_minutes, p.session_limit_minutes), p.release_after_minutes, p.skip_policy, p.allows_undo) AS session_settings`

// ScreenState returns the state around an item of that account.
func (db *DB) ScreenState(ctx context.Context, accountID account.ID, token string) (ScreenState, error) {
	return collectOne[ScreenState](db.pool.Query(ctx, `
		SELECT `+screenStateColumns+`,
		       (SELECT count(*) FROM questions q WHERE q.assignment_id = a.id AND q.answer IS NOT NULL) AS answered_questions
		FROM assignments a
		JOIN batch_annotators ba ON ba.batch_id = a.batch_id AND ba.account_id = a.account_id
		JOIN batches b ON b.id = a.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE a.token = $1 AND a.account_id = $2`, token, accountID))
}
