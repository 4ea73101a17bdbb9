package postgres

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// A Mail is a mail to send.
type Mail struct {
	ID           int64
	Kind         account.MailKind
	Recipient    account.Account // with the address that it goes to
	ProjectTitle string
	Inviter      string // who made an invitation; empty: a command
	Token        string // of a link
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

// mailArgs are those of the job that sends a mail.
type mailArgs struct {
	MailID int64 `json:"mail_id"`
}

// Kind names the kind of job.
func (mailArgs) Kind() string { return "send_mail" }

// InsertOpts lets MailFailed decide which attempt is the last.
func (mailArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: outboxQueue, MaxAttempts: 100}
}

// mailDelays are the times that mails of a kind wait, so that several events become one mail.
var mailDelays = map[account.MailKind]time.Duration{account.MailNewWork: time.Minute,
	account.MailAnswer: 5 * time.Minute}

// queueMail queues a mail, unless the same one waits already, or no server sends mail. A new invitation replaces one
// that waits. projectID is 0 for a mail about no project.
func queueMail(ctx context.Context, tx pgx.Tx, kind account.MailKind, recipient account.ID, projectID project.ID,
	token string) error {
	return queueMailTo(ctx, tx, "", kind, recipient, projectID, token)
}

// queueMailTo is queueMail to an address that is not that of the account, unless it is empty.
func queueMailTo(ctx context.Context, tx pgx.Tx, email string, kind account.MailKind, recipient account.ID,
	projectID project.ID, token string) error {
	var mailID int64
	var isNew bool
	err := tx.QueryRow(ctx, `
		INSERT INTO identity.mails (account_id, kind, project_id, token, email)
		SELECT $1, $2, nullif($3, 0), nullif($4, ''), nullif($5, '') WHERE EXISTS (SELECT FROM identity.mail_server)
		ON CONFLICT (account_id, kind, coalesce(project_id, 0), coalesce(email, ''))
		WHERE sent_at IS NULL AND failed_at IS NULL
		DO UPDATE SET token = excluded.token
		RETURNING id, xmax = 0`, recipient, kind, projectID, token, email).Scan(&mailID, &isNew)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !isNew {
		return nil
	}
	if err == nil {
		_, err = addJob(ctx, tx, mailArgs{mailID}, mailDelays[kind])
	}
	return err
}

// mailWorker sends mails with send.
func (db *DB) mailWorker(send func(context.Context, Mail) error) *worker[mailArgs] {
	return &worker[mailArgs]{pause: mailPause, work: func(ctx context.Context, job *river.Job[mailArgs]) error {
		if send == nil {
			return river.JobSnooze(time.Minute) // another server may have the settings of mail
		}
		m, err := db.takeMail(ctx, job.Args.MailID)
		if err != nil || m.ID == 0 {
			return err
		}
		m.AttemptNo = job.Attempt
		return send(context.WithoutCancel(ctx), m) // one that is interrupted might arrive twice
	}}
}

// takeMail returns a mail to send; without an id, if it is not needed any more: the recipient turned mails off,
// accepted the invitation, ended the link, or read the answer.
func (db *DB) takeMail(ctx context.Context, id int64) (m Mail, err error) {
	row, err := collectOne[struct {
		Kind         account.MailKind
		AccountID    account.ID
		ProjectTitle string
		Token        string
		Email        string
		MayRepeat    bool
		Language     string
		IsNeeded     bool
	}](db.pool.Query(ctx, `
		UPDATE identity.mails m SET outcome_unknown = true
		FROM (SELECT id, outcome_unknown FROM identity.mails
		      WHERE id = $1 AND sent_at IS NULL AND failed_at IS NULL FOR UPDATE) due, identity.users u, accounts a
		WHERE m.id = due.id AND u.account_id = m.account_id AND a.id = m.account_id
		RETURNING m.kind, m.account_id, coalesce((SELECT title FROM projects
		          WHERE id = m.project_id), '') AS project_title,
		          coalesce(m.token, '') AS token, coalesce(m.email, u.email) AS email,
		          due.outcome_unknown AS may_repeat,
		          coalesce(nullif((SELECT language FROM identity.account_settings s
		          WHERE s.account_id = m.account_id), ''), u.browser_language) AS language,
		          NOT a.disabled AND CASE m.kind
		              WHEN 'invitation' THEN u.password_hash IS NULL
		              WHEN 'password' THEN u.password_hash IS NOT NULL
		              WHEN 'address' THEN EXISTS (SELECT FROM identity.invitations i
		                  WHERE i.token_hash = sha256(convert_to(m.token, 'UTF8')) AND i.expires_at > now())
		              WHEN 'address_changed' THEN true
		              WHEN 'answer' THEN u.receives_mail AND EXISTS (
		                  SELECT FROM questions q WHERE q.account_id = m.account_id AND q.answered_at IS NOT NULL
		                  AND q.acknowledged_at IS NULL)
		              ELSE u.receives_mail AND `+hasJoined+` END AS is_needed`, id))
	switch {
	case errors.Is(err, fault.NotFound): // sent, or deleted
		return m, nil
	case err != nil:
		return m, err
	case !row.IsNeeded:
		return m, db.DropMail(ctx, id)
	}
	m = Mail{ID: id, Kind: row.Kind, ProjectTitle: row.ProjectTitle, Token: row.Token, MayRepeat: row.MayRepeat,
		Language: row.Language}
	if m.Kind == account.MailInvitation {
		by, err := collectOne[InvitedBy](db.pool.Query(ctx, `SELECT `+selectInvitedBy+`
			FROM identity.invitations i WHERE i.token_hash = $1`, account.HashToken(m.Token)))
		if err != nil && !errors.Is(err, fault.NotFound) {
			return m, err
		}
		m.Inviter, m.ProjectTitle = by.Inviter, by.ProjectTitle
	}
	m.Recipient, err = db.Account(ctx, row.AccountID)
	m.Recipient.Email = row.Email
	return m, err
}

// MailSent records that a mail was sent.
func (db *DB) MailSent(ctx context.Context, id int64) error {
	_, err := db.pool.Exec(ctx, `UPDATE identity.mails SET sent_at = now(), token = NULL, email = NULL, problem = ''
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

func mailPause(attempt int) time.Duration { return mailRetries[min(attempt, len(mailRetries))-1] }

// errMailNotSent has a mail sent again. What the mail server answered is in the row of the mail.
var errMailNotSent = errors.New("the mail was not sent")

// MailFailed records a failed attempt. It returns an error if there is another one. mayHaveArrived: it is not known
// that the mail was refused.
func (db *DB) MailFailed(ctx context.Context, m Mail, problem string, isPermanent, mayHaveArrived bool) error {
	if isPermanent || m.AttemptNo > len(mailRetries) {
		_, err := db.pool.Exec(ctx, `UPDATE identity.mails SET failed_at = now(), token = NULL, email = NULL,
			problem = left($2, 500) WHERE id = $1`, m.ID, problem)
		return err
	}
	_, err := db.pool.Exec(ctx, `UPDATE identity.mails SET problem = left($2, 500), outcome_unknown = $3 WHERE id = $1`,
		m.ID, problem, m.MayRepeat || mayHaveArrived)
	return cmp.Or(err, errMailNotSent)
}

// digestHour is the hour, in UTC, from which the daily digest is sent.
const digestHour = 7

// queueDigests queues the daily digest of every lead who did not get it today.
func (db *DB) queueDigests(ctx context.Context) (hasMore bool, err error) {
	return false, db.QueueDigests(ctx, digestHour)
}

// QueueDigests queues the daily digest from an hour of the day in UTC.
func (db *DB) QueueDigests(ctx context.Context, fromHour int) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		due, err := collectColumn[account.ID](tx.Query(ctx, `
			UPDATE identity.users u SET last_digest_on = current_date
			FROM accounts a
			WHERE a.id = u.account_id AND a.role IN ('lead', 'admin') AND NOT a.disabled AND u.receives_mail
			  AND `+hasJoined+` AND u.last_digest_on IS DISTINCT FROM current_date AND extract(hour
			  FROM now() AT TIME ZONE 'UTC') >= $1
			RETURNING u.account_id`, fromHour))
		for _, id := range due {
			if err == nil {
				err = queueMail(ctx, tx, account.MailDigest, id, 0, "")
			}
		}
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
