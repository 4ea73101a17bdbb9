package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// recordDays is how many days with work a record has.
const recordDays = 31

// A WorkDay is what an annotator did in a project on a day, in UTC.
type WorkDay struct {
	ProjectTitle string // empty: the account was removed from the project
	Day          time.Time
	Items        int // submitted or skipped
	ActiveMS     int64
}

const selectWorkDays = `
	SELECT CASE WHEN m.removed_at IS NULL THEN p.title ELSE '' END AS project_title, d.day::timestamptz AS day,
	d.item_count AS items, d.active_ms
	FROM annotator_days d
	JOIN projects p ON p.id = d.project_id
	JOIN members m ON m.project_id = d.project_id AND m.account_id = d.account_id
	WHERE d.account_id = $1 `

// MemberHours is what a member did in a project on a day, in UTC.
type MemberHours struct {
	Name      string
	Pseudonym string
	Day       time.Time
	Items     int // submitted or skipped, calibration and corrections included
	ActiveMS  int64
}

// MemberHours returns what the members of a project, former ones too, did from a day on until another, both included,
// for one of its leads: by name, then day. They are at most a year.
func (db *DB) MemberHours(ctx context.Context, actorID account.ID, p project.Project, from, until time.Time) (
	[]MemberHours, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, err
	}
	if until.Sub(from) > 366*24*time.Hour {
		return nil, fault.Invalid.Errorf("Choose at most 366 days.")
	}
	return collectAll[MemberHours](db.pool.Query(ctx, `
		SELECT n.name, m.pseudonym, d.day::timestamptz AS day, d.item_count AS items, d.active_ms
		FROM annotator_days d
		JOIN members m ON m.project_id = d.project_id AND m.account_id = d.account_id
		JOIN identity.member_names n ON n.project_id = m.project_id AND n.account_id = m.account_id
		WHERE d.project_id = $1 AND d.day BETWEEN $2::timestamptz::date AND $3::timestamptz::date
		ORDER BY lower(n.name), m.pseudonym, d.day`, p.ID, from.UTC(), until.UTC()))
}

// A ThankYou is what an annotator reads when their work in a project has ended.
type ThankYou struct {
	ProjectTitle string
	EndedAt      time.Time
	Message      string // may be empty
}

// selectThankYous reads the projects in which the work of account $1 ended, newest first.
const selectThankYous = `
		SELECT p.title AS project_title, m.work_ended_at AS ended_at, m.thank_you AS message
		FROM members m
		JOIN projects p ON p.id = m.project_id
		WHERE m.account_id = $1 AND m.work_ended_at IS NOT NULL AND m.removed_at IS NULL
		ORDER BY m.work_ended_at DESC`

// A MemberRecord is the work of a member across the batches of a project.
type MemberRecord struct {
	Member
	WorkEndedAt *time.Time
	TotalItems  int
	TotalMS     int64
	Corrections CorrectionCounts
	Batches     []MemberBatch // newest first
	Days        []WorkDay     // newest first
	Reading     []MemberReading
}

// CorrectionCounts counts the correction requests about a member's labels.
type CorrectionCounts struct {
	Requested, Reopened, Unresolved int
}

// A MemberBatch is the work of a member in one batch.
type MemberBatch struct {
	BatchID              project.BatchID
	Name                 string
	IsClosed             bool
	PausedAt             *time.Time
	RemovedAt            *time.Time
	Completed            int // as the member sees it
	HasOpenItem          bool
	LastOpenedAt         *time.Time
	CalibrationAttempts  int
	CalibrationCompleted *time.Time // of the last attempt
	MissedFields         []string   // of the last completed attempt
	AwaitsDecision       bool       // the last attempt is completed, and the member has no work yet
	ComparedAnswers      int        // to hidden duplicates whose answers the reader may see
	EqualAnswers         int        // of them, the same as the first time
}

// A MemberReading is the last version of a document that a member acknowledged.
type MemberReading struct {
	Document project.RequiredDocument
	Version  int
	ReadAt   time.Time
}

// MemberRecord returns the record of a member, named by pseudonym, for a lead of the project.
// It has no answers to duplicates of items that the lead labels too, and that are blinded.
func (db *DB) MemberRecord(ctx context.Context, actorID account.ID, p project.Project,
	pseudonym string) (r MemberRecord, err error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return r, err
	}
	r.Member, err = collectOne[Member](db.pool.Query(ctx, selectMember+`AND m.pseudonym = $2`, p.ID, pseudonym))
	if errors.Is(err, fault.NotFound) {
		return r, fault.NotFound.Errorf("This project has no member “%s”.", pseudonym)
	}
	if err != nil {
		return r, err
	}
	err = db.pool.QueryRow(ctx, `
		SELECT m.work_ended_at, coalesce(sum(d.item_count), 0)::bigint, coalesce(sum(d.active_ms), 0)::bigint
		FROM members m
		LEFT JOIN annotator_days d ON d.project_id = m.project_id AND d.account_id = m.account_id
		WHERE m.project_id = $1 AND m.account_id = $2
		GROUP BY m.project_id, m.account_id`, p.ID, r.AccountID).Scan(&r.WorkEndedAt, &r.TotalItems, &r.TotalMS)
	if err != nil {
		return r, err
	}
	if r.Corrections, err = db.correctionCounts(ctx, p.ID, r.AccountID); err != nil {
		return r, err
	}
	if r.Batches, err = collectAll[MemberBatch](db.pool.Query(ctx, selectMemberBatches, p.ID, r.AccountID,
		actorID)); err != nil {
		return r, err
	}
	if r.Days, err = collectAll[WorkDay](db.pool.Query(ctx, selectWorkDays+
		`AND d.project_id = $2 ORDER BY d.day DESC LIMIT $3`, r.AccountID, p.ID, recordDays)); err != nil {
		return r, err
	}
	r.Reading, err = collectAll[MemberReading](db.pool.Query(ctx, `
		SELECT document, max(version) AS version, max(acknowledged_at) AS read_at
		FROM reading_acknowledgments
		WHERE project_id = $1 AND account_id = $2
		GROUP BY document
		ORDER BY document`, p.ID, r.AccountID))
	return r, err
}

// correctionCounts counts requests, which are few, and finds their annotator by id.
func (db *DB) correctionCounts(ctx context.Context, projectID project.ID, accountID account.ID) (CorrectionCounts,
	error) {
	return collectOne[CorrectionCounts](db.pool.Query(ctx, `
		SELECT count(*) AS requested, count(*) FILTER (WHERE c.reopened) AS reopened,
		count(*) FILTER (WHERE c.resolved_at IS NULL) AS unresolved
		FROM correction_requests c
		JOIN assignments a ON a.id = c.assignment_id
		JOIN batches b ON b.id = a.batch_id
		WHERE b.project_id = $1 AND a.account_id = $2`, projectID, accountID))
}

// selectMemberBatches reads the batches of member $2 in project $1 for account $3. Duplicates
// are bounded by the plan of each batch, so few annotations are compared.
const selectMemberBatches = `
	SELECT b.id AS batch_id, b.name, b.closed_at IS NOT NULL AS is_closed, ba.paused_at, ba.removed_at,
	       progress.completed_items AS completed, ba.open_assignment_id IS NOT NULL AS has_open_item, ba.last_opened_at,
	       coalesce(c.attempt_no, 0) AS calibration_attempts, c.completed_at AS calibration_completed,
	       coalesce(c.missed_fields, '{}') AS missed_fields, c.completed_at IS NOT NULL
	       AND c.resolved_at IS NULL AS awaits_decision,
	       compared.answers AS compared_answers, compared.equal AS equal_answers
	FROM batch_annotators ba
	JOIN batches b ON b.id = ba.batch_id
	JOIN annotator_progress progress ON progress.batch_id = ba.batch_id AND progress.account_id = ba.account_id
	LEFT JOIN LATERAL (
		SELECT attempt_no, completed_at, missed_fields, resolved_at FROM calibration_attempts c
		WHERE c.batch_id = ba.batch_id AND c.account_id = ba.account_id
		ORDER BY attempt_no DESC
		LIMIT 1) c ON true
	CROSS JOIN LATERAL (
		SELECT count(*) AS answers, count(*) FILTER (WHERE second.value = first.answers -> second.key) AS equal
		FROM hidden_items h
		JOIN assignments d ON d.id = h.assignment_id
		JOIN annotations dn ON dn.protocol_version_id = b.protocol_version_id AND dn.assignment_id = d.id
		AND dn.attempt_no = d.attempt_no
		JOIN assignments o ON o.batch_id = d.batch_id AND o.item_id = d.item_id AND o.account_id = d.account_id
		AND o.kind = 'work'
		JOIN annotations first ON first.protocol_version_id = b.protocol_version_id AND first.assignment_id = o.id
		AND first.attempt_no = o.attempt_no
		CROSS JOIN LATERAL jsonb_each(dn.answers) second
		WHERE h.batch_id = ba.batch_id AND h.account_id = ba.account_id
		  AND NOT EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $3 AND v.batch_id = d.batch_id
		  AND v.item_id = d.item_id)) compared
	WHERE b.project_id = $1 AND ba.account_id = $2
	ORDER BY b.id DESC`
