package postgres

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Slip is an item that an annotator submitted not long ago. Of its content
// nothing is told, so that an item met twice cannot be found out.
type Slip struct {
	Token      string
	Project    string // its title
	SupportURL string
	At         time.Time
	Flagged    bool
	Reply      string // of the lead, where they left it as it is
}

// recent is how many items back a slip can be flagged.
const recent = 3

// Slips returns what an annotator submitted last, newest first.
func (db *DB) Slips(ctx context.Context, accountID int64) ([]Slip, error) {
	return many[Slip](db.pool.Query(ctx, `
		SELECT a.token, p.title AS project, p.support_url, a.closed_at AS at,
		       EXISTS (SELECT FROM flags f WHERE f.assignment_id = a.id AND f.settled_at IS NULL) AS flagged,
		       coalesce((SELECT f.reply FROM flags f WHERE f.assignment_id = a.id AND NOT f.reopened ORDER BY f.id DESC LIMIT 1), '') AS reply
		FROM assignments a
		JOIN batches b ON b.id = a.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE a.account_id = $1 AND a.state = 'submitted' AND a.kind <> 'calibration'
		ORDER BY a.closed_at DESC
		LIMIT $2`, accountID, recent))
}

// Flag tells the lead of a slip in an item submitted not long ago. What was
// submitted stays as it is.
func (db *DB) Flag(ctx context.Context, accountID int64, token, says string) error {
	says, err := checkWord(says, "Please say in a few words what went wrong, in at most 1,000 characters.")
	if err != nil {
		return err
	}
	slips, err := db.Slips(ctx, accountID)
	if err != nil {
		return err
	}
	for _, s := range slips {
		if s.Token != token {
			continue
		}
		_, err := db.pool.Exec(ctx, `
			INSERT INTO flags (assignment_id, says) SELECT id, $2 FROM assignments WHERE token = $1
			ON CONFLICT (assignment_id) WHERE settled_at IS NULL DO UPDATE SET says = excluded.says`, token, says)
		return err
	}
	return fault.Conflict.Says("Only the last %d items that you sent can be flagged. Tell your lead about earlier ones.", recent)
}

func checkWord(text, otherwise string) (string, error) {
	text = strings.Trim(text, protocol.Blank)
	if n := utf8.RuneCountInString(text); n == 0 || n > 1000 {
		return text, fault.Invalid.Says("%s", otherwise)
	}
	return text, nil
}

// A Flag is a slip that an annotator told of.
type Flag struct {
	ID         int64
	Pseudonym  string
	SourceID   string
	ItemID     int64
	Position   int
	Says       string
	At         time.Time
	SettledAt  *time.Time
	Reopened   bool
	Reply      string
	AnsweredAt time.Time // the item
}

// Flags returns the slips flagged in a batch, those not settled first.
func (db *DB) Flags(ctx context.Context, batchID int64) ([]Flag, error) {
	return many[Flag](db.pool.Query(ctx, `
		SELECT f.id, m.pseudonym, i.source_id, i.id AS item_id, a.position, f.says, f.at, f.settled_at, f.reopened, f.reply, a.closed_at AS answered_at
		FROM flags f
		JOIN assignments a ON a.id = f.assignment_id
		JOIN items i ON i.id = a.item_id
		JOIN batches b ON b.id = a.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = a.account_id
		WHERE a.batch_id = $1
		ORDER BY f.settled_at IS NOT NULL, f.id`, batchID))
}

// Reopen lets the annotator answer a flagged item once more: it comes next, with
// the answers it has. They stay, and the new ones point to them.
func (db *DB) Reopen(ctx context.Context, by int64, p project.Project, b project.Batch, flagID int64) error {
	return db.settleFlag(ctx, by, p, b, flagID, true, "")
}

// LeaveAsIs settles a flag without changing anything; the annotator reads why.
func (db *DB) LeaveAsIs(ctx context.Context, by int64, p project.Project, b project.Batch, flagID int64, reply string) error {
	reply, err := checkWord(reply, "Please tell the annotator in a few words why the answers stay as they are.")
	if err != nil {
		return err
	}
	return db.settleFlag(ctx, by, p, b, flagID, false, reply)
}

func (db *DB) settleFlag(ctx context.Context, by int64, p project.Project, b project.Batch, flagID int64, reopen bool, reply string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			WITH settled AS (
				UPDATE flags f SET settled_at = now(), settled_by = nullif($3, 0), reopened = $4, reply = $5
				FROM assignments a
				WHERE f.id = $1 AND a.id = f.assignment_id AND a.batch_id = $2 AND f.settled_at IS NULL
				RETURNING f.assignment_id
			)
			UPDATE assignments SET reopened = reopened OR $4 FROM settled WHERE id = settled.assignment_id AND state = 'submitted'`,
			flagID, b.ID, by, reopen, reply)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.Conflict.Says("This flag is settled already, or its item is open again.")
		}
		return audit(ctx, tx, by, "batch.flag", batchSubject(p.Key, b.Name), map[string]any{"flag": flagID, "reopened": reopen})
	})
}

// giveReopened opens a submitted item once more, with the answers it has.
func giveReopened(ctx context.Context, tx pgx.Tx, w walk) (token string, err error) {
	return giveBy(ctx, tx, `
		WITH opened AS (
			UPDATE assignments SET state = 'open', token = $3, opened_at = clock_timestamp()
			WHERE id = (
				SELECT id FROM assignments
				WHERE batch_id = $1 AND account_id = $2 AND state = 'submitted' AND reopened
				ORDER BY position
				LIMIT 1)
			RETURNING id, token, protocol_version_id, attempt
		), typed AS (
			INSERT INTO drafts (assignment_id, version, answers)
			SELECT o.id, 1, jsonb_build_object('values', n.answers, 'observations', n.observations, 'unsure', n.unsure, 'note', n.note)
			FROM opened o
			JOIN annotations n ON n.protocol_version_id = o.protocol_version_id AND n.assignment_id = o.id AND n.attempt = o.attempt
		)
		SELECT token FROM opened`, w.BatchID, w.AccountID)
}
