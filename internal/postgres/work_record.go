package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// A WorkHome is what the start page of an annotator shows apart from the open batches.
type WorkHome struct {
	Days         []WorkDay         // newest first
	Questions    []OwnQuestion     // newest first
	Notices      []WorkNotice      // newest first
	Declined     []DeclinedRequest // of the last week, newest first
	Closed       []ClosedBatch     // newest first
	ThankYous    []ThankYou        // newest first
	RaterEffects []RaterEffectProject
}

// A ClosedBatch is a closed batch as its annotator sees it. It counts hidden duplicates like
// work items.
type ClosedBatch struct {
	BatchID              project.BatchID
	ProjectTitle         string
	BatchName            string
	CompletedItems       int
	ClosedAt             time.Time
	HasCalibrationResult bool
}

// selectClosedBatches reads the last closed batches of annotator $1 in which they labeled.
const selectClosedBatches = `
	SELECT b.id AS batch_id, p.title AS project_title, b.name AS batch_name, ba.completed_count AS completed_items, b.closed_at,
	       EXISTS (SELECT FROM calibration_attempts c
	               WHERE c.batch_id = b.id AND c.account_id = $1
	               AND c.completed_at IS NOT NULL) AS has_calibration_result
	FROM batch_annotators ba
	JOIN batches b ON b.id = ba.batch_id
	JOIN projects p ON p.id = b.project_id
	JOIN members m ON m.project_id = b.project_id AND m.account_id = $1 AND m.removed_at IS NULL
	WHERE ba.account_id = $1 AND b.closed_at IS NOT NULL AND ba.open_assignment_id IS NULL
	AND ba.last_opened_at IS NOT NULL
	ORDER BY b.closed_at DESC, b.id
	LIMIT 20`

// A DeclinedRequest is a correction request that a lead left without a change, and why.
type DeclinedRequest struct {
	ProjectTitle string
	Message      string
	Reply        string
	DeclinedAt   time.Time
}

// selectDeclined reads the requests of annotator $1 in open batches that were declined in the
// last week.
const selectDeclined = `
	SELECT p.title AS project_title, c.message, c.reply, c.resolved_at AS declined_at
	FROM correction_requests c
	JOIN assignments a ON a.id = c.assignment_id AND a.account_id = $1
	JOIN batches b ON b.id = a.batch_id AND b.closed_at IS NULL
	JOIN projects p ON p.id = b.project_id
	WHERE c.resolved_at > now() - interval '7 days' AND NOT c.reopened AND c.created_by IS NULL AND ` + isActive + `
	ORDER BY c.resolved_at DESC
	LIMIT 10`

// WorkHome returns the start page of an annotator with the days of work from a day to
// another, in one round trip.
func (db *DB) WorkHome(ctx context.Context, accountID account.ID, from, until time.Time) (home WorkHome, err error) {
	b := &pgx.Batch{}
	queueAll(b, &home.Days, selectWorkDays+`AND d.day BETWEEN $2::date AND $3::date ORDER BY d.day DESC, project_title`,
		accountID, from, until)
	queueAll(b, &home.Questions, selectOwnQuestions, accountID)
	queueAll(b, &home.Notices, selectWorkNotices, accountID)
	queueAll(b, &home.Declined, selectDeclined, accountID)
	queueAll(b, &home.Closed, selectClosedBatches, accountID)
	queueAll(b, &home.ThankYous, selectThankYous, accountID)
	queueAll(b, &home.RaterEffects, selectRaterEffectProjects, accountID)
	return home, db.pool.SendBatch(ctx, b).Close()
}
