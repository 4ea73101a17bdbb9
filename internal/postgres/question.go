package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
)

// The longest messages, in characters.
const (
	questionLimit   = 1000
	MaxAnswer       = 2000
	MaxAnnouncement = 2000
	MaxCorrection   = 1000 // of a correction request, and of the reply to it
)

// checkText returns a message of several lines without surrounding spaces, or problem if
// its length is invalid.
func checkText(text string, limit int, problem string) (string, error) {
	return plaintext.ReadText(text, 1, limit, fault.Invalid.WithText(problem))
}

// AskLead asks the leads about an open item. It replaces a question about the item that is
// not answered yet; the id changes, so that no lead answers a text that they did not read.
// The item stays open. It returns labeling.ErrMustRead before the required reading.
func (db *DB) AskLead(ctx context.Context, accountID account.ID, token, message string) error {
	message, err := checkText(message, questionLimit, "Enter a question of 1 to 1,000 characters.")
	if err != nil {
		return err
	}
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO questions (assignment_id, batch_id, account_id, message)
		SELECT a.id, a.batch_id, a.account_id, $3
		FROM assignments a
		JOIN batches b ON b.id = a.batch_id
		JOIN projects p ON p.id = b.project_id
		JOIN batch_annotators ba ON ba.batch_id = a.batch_id AND ba.account_id = a.account_id
		WHERE a.token = $2 AND a.account_id = $1 AND a.state IN ('open', 'released') AND b.closed_at IS NULL
		AND `+isActive+` AND NOT `+hasPendingReading+`
		ON CONFLICT (assignment_id) WHERE answered_at IS NULL DO UPDATE SET id = DEFAULT, message = excluded.message, created_at = now()`, accountID, token, message)
	if err == nil && tag.RowsAffected() == 0 {
		if mustRead, err := db.MustRead(ctx, accountID, token); err == nil && mustRead {
			return labeling.ErrMustRead
		}
		return fault.Conflict.Errorf("This item is not open for you anymore. To report a mistake in an item that you submitted, use “Report a mistake”.")
	}
	return err
}

// An OwnQuestion is a question as its annotator sees it. It has the text of its item only while the
// item is open, so that a hidden duplicate is never next to it.
type OwnQuestion struct {
	ID           labeling.QuestionID
	ProjectTitle string
	BatchID      project.BatchID
	Token        string         // of the assignment
	State        labeling.State // of the assignment
	ItemTitle    string         // the first line of the item; empty: not open
	Message      string
	CreatedAt    time.Time
	Answer       string // empty: not answered yet
	AnsweredAt   *time.Time
}

// selectOwnQuestions reads up to 30 questions of annotator $1 in open batches, or whose answers are not read, newest
// first.
const selectOwnQuestions = `
	SELECT q.id, p.title AS project_title, q.batch_id, a.token, a.state,
	       CASE a.state WHEN 'open' THEN (SELECT i.title FROM items i WHERE i.id = a.item_id) ELSE '' END AS item_title,
	       q.message, q.created_at, coalesce(q.answer, '') AS answer, q.answered_at
	FROM questions q
	JOIN assignments a ON a.id = q.assignment_id
	JOIN batches b ON b.id = q.batch_id
	JOIN projects p ON p.id = b.project_id
	JOIN active_annotators v ON v.batch_id = q.batch_id AND v.account_id = q.account_id
	WHERE q.account_id = $1 AND (b.closed_at IS NULL OR q.acknowledged_at IS NULL)
	ORDER BY q.id DESC
	LIMIT 30`

// A Question is a question of an annotator as leads see it.
type Question struct {
	ID         labeling.QuestionID
	BatchName  string
	ItemID     project.ItemID
	SourceID   string
	ItemTitle  string // the first line of the item
	Annotator  string // as leads know them
	Message    string
	Hidden     bool // the texts are empty, because they may tell an answer that the account must not see yet
	CreatedAt  time.Time
	Answer     string // empty: not answered yet
	AnsweredAt *time.Time
	AnsweredBy string         // empty: a command
	Answers    map[string]int // of the annotator to the item; nil: none yet, or hidden
}

// selectQuestion reads the questions of project $1 for lead $2: not their own ones, because
// they could tell which of their items is a hidden duplicate.
const selectQuestion = `
	SELECT q.id, b.name AS batch_name, i.id AS item_id, i.source_id, i.title AS item_title, asker.label AS annotator,
	blinding.hidden, q.created_at, q.answered_at,
	       CASE WHEN blinding.hidden THEN '' ELSE q.message END AS message,
	       CASE WHEN blinding.hidden THEN '' ELSE coalesce(q.answer, '') END AS answer, coalesce(answerer.name,
	       '') AS answered_by, CASE WHEN NOT blinding.hidden THEN n.answers END AS answers
	FROM batches b
	JOIN questions q ON q.batch_id = b.id
	JOIN assignments a ON a.id = q.assignment_id
	JOIN items i ON i.id = a.item_id
	JOIN identity.member_names asker ON asker.project_id = b.project_id AND asker.account_id = q.account_id
	LEFT JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id
	AND n.attempt_no = a.attempt_no
	LEFT JOIN identity.users answerer ON answerer.account_id = q.answered_by
	CROSS JOIN LATERAL (SELECT ` + isBlinded + ` AS hidden) blinding
	WHERE b.project_id = $1 AND q.account_id <> $2 `

// questions reads questions of a project for a lead. A question may tell an answer.
func (db *DB) questions(ctx context.Context, projectID project.ID, actorID account.ID, condition string,
	args ...any) ([]Question, error) {
	rows, err := collectAll[Question](db.pool.Query(ctx, selectQuestion+condition,
		append([]any{projectID, actorID}, args...)...))
	return revealRows(ctx, db, actorID, rows, func(q Question) project.ItemID {
		if q.Hidden {
			return 0
		}
		return q.ItemID
	}, err)
}

// OpenQuestions returns the unanswered questions of a project, oldest first.
func (db *DB) OpenQuestions(ctx context.Context, actorID account.ID, projectID project.ID) ([]Question, error) {
	return db.questions(ctx, projectID, actorID, `AND q.answered_at IS NULL ORDER BY q.id LIMIT 500`)
}

// AnsweredQuestions returns up to limit answered questions of a project, newest first: those
// before a question, or all if it is 0.
func (db *DB) AnsweredQuestions(ctx context.Context, actorID account.ID, projectID project.ID,
	before labeling.QuestionID, limit int) ([]Question, error) {
	return db.questions(ctx, projectID, actorID, `
		AND q.answered_at IS NOT NULL AND ($3::bigint = 0 OR q.id < $3)
		ORDER BY q.id DESC
		LIMIT $4`, before, limit)
}

// ItemQuestions returns the questions about an item of a project, oldest first.
func (db *DB) ItemQuestions(ctx context.Context, actorID account.ID, projectID project.ID,
	itemID project.ItemID) ([]Question, error) {
	return db.questions(ctx, projectID, actorID, `
		AND q.assignment_id IN (SELECT id FROM assignments WHERE batch_id = b.id AND item_id = $3)
		ORDER BY q.id
		LIMIT 500`, itemID)
}

// AnswerQuestion answers a question. Its annotator reads the answer before continuing. A lead
// who must not read the question cannot answer it.
func (db *DB) AnswerQuestion(ctx context.Context, actorID account.ID, p project.Project, id labeling.QuestionID,
	answer string) error {
	answer, err := checkText(answer, MaxAnswer, "Enter an answer of 1 to 2,000 characters.")
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		q, err := collectOne[Question](tx.Query(ctx, selectQuestion+`AND q.id = $3 FOR UPDATE OF q`, p.ID, actorID, id))
		switch {
		case fault.KindOf(err) == fault.NotFound:
			return fault.NotFound.Errorf("There is no such question for you to answer. Its annotator may have changed it: reload the page.")
		case err != nil:
			return err
		case q.Hidden:
			return labeling.ErrBlinded
		case q.AnsweredAt != nil:
			return fault.Conflict.Errorf("The question was answered already, by %s. Reload the page to see the answer.",
				q.answeredByText())
		}
		var askerID account.ID
		err = tx.QueryRow(ctx, `UPDATE questions SET answer = $2, answered_at = now(), answered_by = nullif($3, 0)
			WHERE id = $1 RETURNING account_id`, id, answer, actorID).Scan(&askerID)
		if err == nil {
			err = queueMail(ctx, tx, account.MailAnswer, askerID, p.ID, "")
		}
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "question.answer", batchSubject(p.Key, q.BatchName),
			map[string]any{"question": id, "item": q.SourceID})
	})
}

func (q Question) answeredByText() string {
	if q.AnsweredBy == "" {
		return "a command"
	}
	return q.AnsweredBy
}
