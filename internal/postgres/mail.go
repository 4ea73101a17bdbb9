package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// A Mail is a mail to send.
type Mail struct {
	ID           int64
	Kind         account.MailKind
	Recipient    account.Account
	ProjectTitle string
	Token        string // of an invitation
	AttemptNo    int
	MayRepeat    bool   // an earlier attempt may have arrived
	Language     string // that the recipient chose, or that of their browser; empty: not known
}

// SetMailEnabled starts or stops queuing mails. Mails that wait while none can be sent are
// deleted: they hold tokens.
func (db *DB) SetMailEnabled(ctx context.Context, enabled bool) error {
	if enabled {
		_, err := db.pool.Exec(ctx, `INSERT INTO identity.mail_server DEFAULT VALUES ON CONFLICT DO NOTHING`)
		return err
	}
	_, err := db.pool.Exec(ctx, `
		WITH disabled AS (DELETE FROM identity.mail_server)
		DELETE FROM identity.mails WHERE sent_at IS NULL AND failed_at IS NULL`)
	return err
}

// mailLease is how long a server has to send a mail before another one takes it.
const mailLease = 10 * time.Minute

// NextMail takes the next mail that is due, or returns fault.NotFound. It drops mails that
// are not needed anymore: the recipient turned them off, accepted the invitation, or read
// the answer.
func (db *DB) NextMail(ctx context.Context) (Mail, error) {
	for {
		row, err := collectOne[struct {
			ID           int64
			Kind         account.MailKind
			AccountID    account.ID
			ProjectTitle string
			Token        string
			AttemptNo    int
			MayRepeat    bool
			Language     string
			IsNeeded     bool
		}](db.pool.Query(ctx, `
			UPDATE identity.mails m SET attempt_count = attempt_count + 1, next_attempt_at = now() + $1::interval,
			outcome_unknown = true
			FROM (SELECT id, outcome_unknown FROM identity.mails
			      WHERE sent_at IS NULL AND failed_at IS NULL AND next_attempt_at <= now()
			      ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED) due, identity.users u, accounts a
			WHERE m.id = due.id AND u.account_id = m.account_id AND a.id = m.account_id
			RETURNING m.id, m.kind, m.account_id, coalesce((SELECT title FROM projects
			WHERE id = m.project_id), '') AS project_title,
			          coalesce(m.token, '') AS token, m.attempt_count AS attempt_no, due.outcome_unknown AS may_repeat,
			          coalesce(nullif((SELECT language FROM identity.account_settings s
			          WHERE s.account_id = m.account_id), ''), u.browser_language) AS language,
			          NOT a.disabled AND CASE m.kind
			              WHEN 'invitation' THEN u.password_hash IS NULL
			              WHEN 'answer' THEN u.receives_mail AND EXISTS (
			                  SELECT FROM questions q WHERE q.account_id = m.account_id AND q.answered_at IS NOT NULL
			                  AND q.acknowledged_at IS NULL)
			              ELSE u.receives_mail AND u.password_hash IS NOT NULL END AS is_needed`, mailLease))
		if err != nil {
			return Mail{}, err
		}
		if !row.IsNeeded {
			if _, err := db.pool.Exec(ctx, `DELETE FROM identity.mails WHERE id = $1`, row.ID); err != nil {
				return Mail{}, err
			}
			continue
		}
		m := Mail{ID: row.ID, Kind: row.Kind, ProjectTitle: row.ProjectTitle, Token: row.Token,
			AttemptNo: row.AttemptNo, MayRepeat: row.MayRepeat, Language: row.Language}
		m.Recipient, err = db.Account(ctx, row.AccountID)
		return m, err
	}
}

// MailSent records that a mail was sent.
func (db *DB) MailSent(ctx context.Context, id int64) error {
	_, err := db.pool.Exec(ctx, `UPDATE identity.mails SET sent_at = now(), token = NULL, problem = ''
		WHERE id = $1`, id)
	return err
}

// DropMail deletes a mail that turned out not to be needed.
func (db *DB) DropMail(ctx context.Context, id int64) error {
	_, err := db.pool.Exec(ctx, `DELETE FROM identity.mails WHERE id = $1`, id)
	return err
}

// mailRetries are the pauses between attempts. After the last one, a mail is given up.
var mailRetries = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour}

// MailFailed records a failed attempt, and when to try again. mayHaveArrived: it is not known
// that the mail was refused.
func (db *DB) MailFailed(ctx context.Context, m Mail, problem string, isPermanent, mayHaveArrived bool) error {
	if isPermanent || m.AttemptNo > len(mailRetries) {
		_, err := db.pool.Exec(ctx, `UPDATE identity.mails SET failed_at = now(), token = NULL, problem = left($2, 500)
			WHERE id = $1`, m.ID, problem)
		return err
	}
	_, err := db.pool.Exec(ctx, `UPDATE identity.mails SET next_attempt_at = now() + $3::interval, problem = left($2,
		500), outcome_unknown = $4 WHERE id = $1`,
		m.ID, problem, mailRetries[m.AttemptNo-1], m.MayRepeat || mayHaveArrived)
	return err
}

// QueueDigests queues the daily digest of every lead who did not get it today, from an hour
// of the day in UTC.
func (db *DB) QueueDigests(ctx context.Context, fromHour int) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			WITH due AS (
				UPDATE identity.users u SET last_digest_on = current_date
				FROM accounts a
				WHERE a.id = u.account_id AND a.role IN ('lead', 'admin') AND NOT a.disabled AND u.receives_mail
				AND u.password_hash IS NOT NULL
				  AND u.last_digest_on IS DISTINCT FROM current_date AND extract(hour
				  FROM now() AT TIME ZONE 'UTC') >= $1
				RETURNING u.account_id
			)
			SELECT queue_mail(account_id, 'digest', NULL, NULL, '0') FROM due`, fromHour)
		return err
	})
}

// MailSettings reports whether a server sends mail, and whether an account wants it.
func (db *DB) MailSettings(ctx context.Context, id account.ID) (isSent, isWanted bool, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM identity.mail_server), receives_mail FROM identity.users
		WHERE account_id = $1`, id).Scan(&isSent, &isWanted)
	return isSent, isWanted, notFound(err)
}

// SetReceivesMail turns mails to an account on or off, except invitations.
func (db *DB) SetReceivesMail(ctx context.Context, id account.ID, wants bool) error {
	_, err := db.pool.Exec(ctx, `UPDATE identity.users SET receives_mail = $2 WHERE account_id = $1`, id, wants)
	return err
}

// IsNoMail reports whether err means that no mail is due.
func IsNoMail(err error) bool { return errors.Is(err, fault.NotFound) }
