package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// An Announcement is a message of a lead to the annotators of a batch.
type Announcement struct {
	ID             labeling.AnnouncementID
	Message        string
	CreatedAt      time.Time
	CreatedBy      string           // empty: a command
	Acknowledgment []Acknowledgment // of each active annotator, by name
}

// An Acknowledgment is when an annotator read an announcement.
type Acknowledgment struct {
	Annotator      string     `json:"annotator"`
	AcknowledgedAt *time.Time `json:"acknowledged_at"` // nil: not yet
}

// Announce sends a message to the annotators of an open batch. They read it before they
// continue.
func (db *DB) Announce(ctx context.Context, actorID account.ID, p project.Project, b project.Batch,
	message string) error {
	message, err := checkText(message, MaxAnnouncement, "Enter a message of 1 to 2,000 characters.")
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		var id labeling.AnnouncementID
		err := tx.QueryRow(ctx, `
			INSERT INTO announcements (batch_id, message, created_by)
			SELECT id, $3, nullif($4, 0) FROM batches WHERE id = $1 AND project_id = $2 AND closed_at IS NULL
			RETURNING id`, b.ID, p.ID, message, actorID).Scan(&id)
		if err = notFound(err); fault.KindOf(err) == fault.NotFound {
			return fault.Conflict.Errorf("The batch is closed, so no annotator would read the message.")
		}
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "batch.announce", batchSubject(p.Key, b.Name),
			map[string]any{"announcement": id})
	})
}

// Announcements returns the last 50 announcements to a batch, newest first.
func (db *DB) Announcements(ctx context.Context, batchID project.BatchID) ([]Announcement, error) {
	return collectAll[Announcement](db.pool.Query(ctx, `
		SELECT n.id, n.message, n.created_at, coalesce(u.name, '') AS created_by, (
		           SELECT coalesce(jsonb_agg(jsonb_build_object('annotator', names.name, 'acknowledged_at',
		           k.acknowledged_at) ORDER BY lower(names.name)), '[]')
		           FROM active_annotators v
		           JOIN identity.member_names names ON names.project_id = b.project_id
		           AND names.account_id = v.account_id
		           LEFT JOIN announcement_acknowledgments k ON k.announcement_id = n.id AND k.account_id = v.account_id
		           WHERE v.batch_id = n.batch_id) AS acknowledgment
		FROM announcements n
		JOIN batches b ON b.id = n.batch_id
		LEFT JOIN identity.users u ON u.account_id = n.created_by
		WHERE n.batch_id = $1
		ORDER BY n.id DESC
		LIMIT 50`, batchID))
}

// An UnreadMessage is what an annotator reads before continuing: an announcement, or the
// answer to a question.
type UnreadMessage struct {
	AnnouncementID labeling.AnnouncementID // 0: an answer
	QuestionID     labeling.QuestionID     // 0: an announcement
	ProjectTitle   string
	BatchID        project.BatchID
	Question       string         // empty for an announcement, as all of its item is
	Token          string         // of the assignment that the question is about
	State          labeling.State // of the assignment
	ItemTitle      string         // the first line of the item
	Message        string
	CreatedAt      time.Time
}

// selectUnread reads what annotator $1 has not acknowledged, oldest first.
const selectUnread = `
		SELECT m.announcement_id, m.question_id, p.title AS project_title, m.batch_id, m.question, m.token, m.state,
		m.item_title, m.message, m.created_at
		FROM (
			SELECT id AS announcement_id, 0 AS question_id, batch_id, '' AS question, '' AS token, '' AS state,
			'' AS item_title, message, created_at
			FROM unread_announcements WHERE account_id = $1
			UNION ALL
			SELECT 0, q.id, q.batch_id, q.message, a.token, a.state, i.title, q.answer, q.answered_at
			FROM questions q
			JOIN assignments a ON a.id = q.assignment_id
			JOIN items i ON i.id = a.item_id
			JOIN active_annotators v ON v.batch_id = q.batch_id AND v.account_id = q.account_id
			WHERE q.account_id = $1 AND q.answered_at IS NOT NULL AND q.acknowledged_at IS NULL) m
		JOIN batches b ON b.id = m.batch_id
		JOIN projects p ON p.id = b.project_id
		ORDER BY m.created_at, m.announcement_id, m.question_id
		LIMIT 100`

// hasUnread is true if annotator a.account_id has announcements or answers to read. It asks
// the function, which takes longer, only where there are some in any batch, also a closed one,
// that were not acknowledged.
const hasUnread = `CASE WHEN EXISTS (
	SELECT FROM questions q WHERE q.account_id = a.account_id AND q.answered_at IS NOT NULL AND q.acknowledged_at IS NULL) OR EXISTS (
	SELECT FROM batch_annotators o
	JOIN announcements n ON n.batch_id = o.batch_id
	WHERE o.account_id = a.account_id AND NOT EXISTS (
		SELECT FROM announcement_acknowledgments k WHERE k.announcement_id = n.id AND k.account_id = a.account_id))
	THEN has_unread_messages(a.account_id) ELSE false END`

// HasUnreadMessages reports whether an annotator has announcements or answers to read.
func (db *DB) HasUnreadMessages(ctx context.Context, accountID account.ID) (has bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT `+hasUnread+` FROM (SELECT $1::bigint AS account_id) a`, accountID).Scan(&has)
	return has, err
}

// AcknowledgeMessages records that an annotator read announcements and answers. Those of
// other annotators stay unread.
func (db *DB) AcknowledgeMessages(ctx context.Context, accountID account.ID, announcements []labeling.AnnouncementID,
	questions []labeling.QuestionID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO announcement_acknowledgments (announcement_id, account_id)
			SELECT id, account_id FROM unread_announcements WHERE account_id = $1 AND id = ANY ($2)
			ON CONFLICT DO NOTHING`, accountID, announcements)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			UPDATE questions SET acknowledged_at = now()
			WHERE account_id = $1 AND id = ANY ($2) AND answered_at IS NOT NULL
			AND acknowledged_at IS NULL`, accountID, questions)
		return err
	})
}
