package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
)

// A retentionClass is a kind of rows that a job deletes after a period.
type retentionClass struct {
	name   string
	title  locale.Text
	period time.Duration
	table  string
	due    string // the condition of rows to delete; $1 is the period
}

const day = 24 * time.Hour

// retentionClasses are all kinds of rows that are deleted by their age.
var retentionClasses = []retentionClass{
	{"sessions", locale.Text("Web sessions, after they expire"), 0, "sessions", `expires_at < now() - $1::interval`},
	{"inactive_sign_ins", locale.Text("Sign-ins, after the last activity"), account.SignInIdleTimeout,
		"identity.sign_ins", `last_active_at < now() - $1::interval`},
	{"sign_ins", locale.Text("Sign-ins, with browser and network address"), account.SignInLifetime,
		"identity.sign_ins", `created_at < now() - $1::interval`},
	{"sign_in_attempts", locale.Text("Failed sign-ins, which limit guessing"), day, "sign_in_attempts",
		`attempted_at < now() - $1::interval`},
	{"known_browsers", locale.Text("Known browsers, after the last sign-in"), KnownBrowserTTL,
		"identity.known_browsers", `last_seen_at < now() - $1::interval`},
	{"api_responses", locale.Text("Responses to programs, for repeated requests"), requestTTL, "identity.api_requests",
		`started_at < now() - $1::interval`},
	{"uploads", locale.Text("Uploads that were not imported"), UploadTTL, "uploads",
		`created_at < now() - $1::interval`},
	{"import_tasks", locale.Text("Progress of imports"), 7 * day, "import_tasks", `created_at < now() - $1::interval`},
	{"exports", locale.Text("Stored exports"), ExportTTL, "exports", `created_at < now() - $1::interval`},
	{"mails", locale.Text("Records of mails, which have no text"), 30 * day, "identity.mails",
		`created_at < now() - $1::interval`},
	{"webhook_deliveries", locale.Text("Deliveries to webhooks that ended"), 30 * day, "identity.webhook_deliveries",
		`created_at < now() - $1::interval AND (delivered_at IS NOT NULL OR failed_at IS NOT NULL)`},
}

// A KeptClass is a kind of data that no period ends.
type KeptClass struct {
	Title, Until locale.Text
}

// KeptClasses are what is stored until someone removes it.
var KeptClasses = []KeptClass{
	{locale.Text("Texts and metadata of items, also of archived projects"),
		locale.Text("Until an admin erases the items or the project")},
	{locale.Text("Notes, reasons, questions, answers and announcements"),
		locale.Text("Until an admin erases the items, the project or the user")},
	{locale.Text("Names and addresses of users, also of disabled ones"), locale.Text("Until an admin erases the user")},
	{locale.Text("Drafts"), locale.Text("Until the item is submitted, skipped or erased")},
	{locale.Text("Stored reports"), locale.Text("Until labels change, or items or the project are erased")},
	{locale.Text("Labels, decisions and ids of items"), locale.Text("For ever")},
	{locale.Text("Audit log and the list of erasures"), locale.Text("For ever")},
}

// A RetentionClass is a kind of data that is deleted after a period.
type RetentionClass struct {
	Name   string
	Title  locale.Text
	Period time.Duration
	Due    int // rows that the next run of the job deletes
}

// Retention returns for an admin what is deleted, and how many rows are due.
func (db *DB) Retention(ctx context.Context, actorID account.ID) (classes []RetentionClass, err error) {
	if err := requireAdmin(ctx, db.pool, actorID); err != nil {
		return nil, err
	}
	for _, c := range retentionClasses {
		found := RetentionClass{Name: c.name, Title: c.title, Period: c.period}
		err := db.pool.QueryRow(ctx, `SELECT count(*) FROM `+c.table+` WHERE `+c.due, c.period).Scan(&found.Due)
		if err != nil {
			return nil, err
		}
		classes = append(classes, found)
	}
	return classes, nil
}

// DeleteExpired deletes the rows of all retention classes that are due, and the parts of exports whose job was lost.
func (db *DB) DeleteExpired(ctx context.Context) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		for _, c := range retentionClasses {
			if _, err := tx.Exec(ctx, `DELETE FROM `+c.table+` WHERE `+c.due, c.period); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `
			WITH unfinished AS (UPDATE exports t SET size_bytes = 0 WHERE size_bytes > 0 AND `+taskIsLost+`
			RETURNING id)
			DELETE FROM export_chunks WHERE export_id IN (SELECT id FROM unfinished)`)
		return err
	})
}
