package main

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/mail"
	"github.com/labelwright/labelwright/internal/outbox"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/webhook"
)

func newOutbox(t *testing.T, db *postgres.DB, server *smtpServer) *outbox.Outbox {
	t.Helper()
	sender, err := mail.NewSender(mail.Config{Host: "127.0.0.1", Port: server.port, TLS: mail.NoTLS,
		From: "Labelwright <labels@example.org>"})
	if err != nil {
		t.Fatal(err)
	}
	return &outbox.Outbox{DB: db, Mail: sender, Log: slog.Default(), Webhooks: webhook.NewSender("test", nil),
		Base: &url.URL{Scheme: "https", Host: "labels.example.org"}}
}

// startJobs runs jobs until the test ends.
func (env testEnv) startJobs(o *outbox.Outbox) {
	env.Helper()
	work := o.Work()
	work.Explain = func(_ string, err error) string { return fault.Message(err) }
	stop, err := o.DB.StartJobs(env.Context(), work)
	if err != nil {
		env.Fatal(err)
	}
	env.Cleanup(stop)
}

// sendDue has jobs send all mails, also those that wait for their time.
func (env testEnv) sendDue() {
	env.Helper()
	env.execSQL(`UPDATE river.river_job SET scheduled_at = now(), state = 'available'
		WHERE kind = 'send_mail' AND state IN ('scheduled', 'retryable');
		SELECT pg_notify('river.river_insert', '{"queue": "outbox"}')`)
	waitUntil(env.T, func() bool {
		return env.isTrue(`SELECT NOT EXISTS (SELECT FROM river.river_job
			WHERE kind = 'send_mail' AND state IN ('available', 'running'))`)
	})
}

// Invitations, new work and answers are mailed once, without any text of an item or a
// message; a refused mail is tried again.
func TestMail_Events_SentOnce(t *testing.T) {
	env, server := newTestEnv(t), newSMTPServer(t)
	db := env.openDB()
	env.startJobs(newOutbox(t, db, server))
	env.mustRun("user", "add", "--email", "early@example.org", "--name", "Early", "--role", "annotator", "--base-url",
		"https://labels.example.org")
	env.sendDue()
	if mails := server.taken(); len(mails) != 0 {
		t.Fatalf("mails are sent without a mail server: %v", mails)
	}
	if err := db.SetMailEnabled(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	invitation := env.mustRun("user", "add", "--email", "ann@example.org", "--name", "Ann", "--role", "annotator",
		"--base-url", "https://labels.example.org")
	_, token, _ := strings.Cut(invitation, "/invitations/")
	token = strings.Fields(token)[0]
	server.refuse("451 try later")
	env.sendDue()
	server.refuse("")
	env.sendDue()
	env.sendDue()
	mails := server.taken()
	text := strings.ReplaceAll(strings.Join(mails, ""), "=\r\n", "")
	if len(mails) != 1 || !strings.Contains(text, "ann@example.org") || !strings.Contains(text, "/invitations/") ||
		strings.Contains(text, token) { // the mail has a token of its own
		t.Fatalf("invitations = %q", mails)
	}
	env.execSQL(`UPDATE identity.users SET password_hash = 'x'`)
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy")
	env.mustRun("import", "--project", "pilot", env.writeFile("replies.csv", repliesCSV))
	env.mustRun("batch", "open", "--project", "pilot", "--batch", "first", "--annotators", "ann@example.org",
		"--overlap", "1", "--duplicates", "0", "--calibration", "0", "--fewer-calibration", "A test.")
	env.sendDue()
	if mails := server.taken(); len(mails) != 1 || !strings.Contains(mails[0], "You have new work in Pilot") {
		t.Errorf("new work = %q", mails)
	}
	env.askAndAnswer(t, db)
	env.sendDue()
	if mails := server.taken(); len(mails) != 1 || !strings.Contains(mails[0], "Your question was answered") ||
		strings.Contains(mails[0], "canary") {
		t.Errorf("answer = %q", mails)
	}
	ann, err := db.AccountByEmail(t.Context(), "ann@example.org")
	if err == nil {
		err = db.SetReceivesMail(t.Context(), ann.ID, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	env.askAndAnswer(t, db)
	env.sendDue()
	if mails := server.taken(); len(mails) != 0 {
		t.Errorf("mails to an account that turned them off: %q", mails)
	}
}

// askAndAnswer has the annotator ask about the open item, and a command answer.
func (env testEnv) askAndAnswer(t *testing.T, db *postgres.DB) {
	t.Helper()
	p, question := env.ask(t, db)
	if err := db.AnswerQuestion(t.Context(), 0, p, question, "canary answer"); err != nil {
		t.Fatal(err)
	}
}

// ask has the annotator ask about the open item.
func (env testEnv) ask(t *testing.T, db *postgres.DB) (project.Project, labeling.QuestionID) {
	t.Helper()
	ann, err := db.AccountByEmail(t.Context(), "ann@example.org")
	if err != nil {
		t.Fatal(err)
	}
	token, err := db.OpenNext(t.Context(), ann.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	env.execSQL(acknowledgeReading)
	if err := db.AskLead(t.Context(), ann.ID, token, "canary question"); err != nil {
		t.Fatal(err)
	}
	p, err := db.Project(t.Context(), actor(t.Context()), "pilot")
	if err != nil {
		t.Fatal(err)
	}
	open, err := db.OpenQuestions(t.Context(), 0, p.ID)
	if err != nil || len(open) != 1 {
		t.Fatalf("%+v, %v", open, err)
	}
	return p, open[0].ID
}

const repetitionNote = "You may have received this mail before"

// A mail that was accepted is never sent again. One whose outcome is not known is sent again
// with the same id, and says so.
func TestMail_Interrupted_ArrivesAndSaysSo(t *testing.T) {
	env, server := newTestEnv(t), newSMTPServer(t)
	db := env.openDB()
	env.startJobs(newOutbox(t, db, server))
	if err := db.SetMailEnabled(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		hangUp   hangUp
		received int
	}{{"", 1}, {hangUpAfterReply, 1}, {hangUpBeforeReply, 2}} {
		email := fmt.Sprintf("ann%d@example.org", i)
		server.hangUpOnce(test.hangUp)
		env.mustRun("user", "add", "--email", email, "--name", "Ann", "--role", "annotator", "--base-url",
			"https://labels.example.org")
		env.sendDue()
		env.sendDue()
		mails := server.taken()
		if len(mails) != test.received {
			t.Errorf("%d: %d mails received, want %d", i, len(mails), test.received)
			continue
		}
		last := mails[len(mails)-1]
		if isRepetition := test.received > 1; strings.Contains(last, repetitionNote) != isRepetition {
			t.Errorf("%d: repetition %v, the mail is %q", i, isRepetition, last)
		}
		if messageID(mails[0]) == "" || messageID(mails[0]) != messageID(last) {
			t.Errorf("%d: the ids are %q and %q", i, messageID(mails[0]), messageID(last))
		}
	}
}

func messageID(mail string) string {
	_, after, _ := strings.Cut(mail, "Message-ID: ")
	id, _, _ := strings.Cut(after, "\r\n")
	return id
}

// forgetServer has the time pass after which a killed server counts as stopped.
func (env testEnv) forgetServer() {
	env.Helper()
	env.execSQL(`UPDATE river.river_job SET attempted_at = now() - interval '2 minutes' WHERE state = 'running'`)
	env.execSQL(`DELETE FROM river.river_leader`)
}

// A server process that is killed while it sends a mail loses none: the next one sends it
// again, and the mail says that it may be a repetition.
func TestMail_ServerKilled_SentByNext(t *testing.T) {
	env, server := newTestEnv(t), newSMTPServer(t)
	db := env.openDB()
	args := []string{"--database-url", env.databaseURL, "--drain-delay", "0s", "--smtp-host", "127.0.0.1",
		"--smtp-port", fmt.Sprint(server.port), "--smtp-tls", "none", "--mail-from", "labels@example.org"}
	if err := db.SetMailEnabled(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	env.mustRun("user", "add", "--email", "ann@example.org", "--name", "Ann", "--role", "annotator", "--base-url",
		"https://labels.example.org")
	server.hangUpOnce(neverReply)
	first := startServeProcess(t, args...)
	server.waitForMail(t)
	_ = first.Process.Kill()
	_ = first.Wait()
	env.forgetServer()
	startServeProcess(t, args...)
	waitUntil(t, func() bool {
		return env.isTrue(`SELECT bool_and(state <> 'running') FROM river.river_job
		WHERE kind = 'send_mail'`)
	})
	env.execSQL(`UPDATE river.river_job SET scheduled_at = now() WHERE kind = 'send_mail'`) // the pause is over
	if mail := server.waitForMail(t); !strings.Contains(mail, repetitionNote) {
		t.Errorf("the mail does not say that it may be a repetition: %q", mail)
	}
	waitUntil(t, func() bool {
		return env.isTrue(`SELECT bool_and(sent_at IS NOT NULL AND token IS NULL) FROM identity.mails`)
	})
	if mails := server.taken(); len(mails) != 0 {
		t.Errorf("sent again: %q", mails)
	}
}

// The digest comes once a day, only if something waits, to leads who want it. It and the inbox
// by command list the same. No mail has a text of an item or a message.
func TestDigest_Daily_ListsWhatWaits(t *testing.T) {
	env, server := newTestEnv(t), newSMTPServer(t)
	db := env.openDB()
	env.startJobs(newOutbox(t, db, server))
	env.mustRun("user", "add", "--email", "lena@example.org", "--name", "Lena", "--role", "lead", "--base-url",
		"https://labels.example.org")
	env.mustRun("user", "add", "--email", "off@example.org", "--name", "Off", "--role", "lead", "--base-url",
		"https://labels.example.org")
	env.mustRun("user", "add", "--email", "ann@example.org", "--name", "Ann", "--role", "annotator", "--base-url",
		"https://labels.example.org")
	env.execSQL(`UPDATE identity.users SET password_hash = 'x'`)
	env.execSQL(`UPDATE identity.users SET receives_mail = false WHERE email = 'off@example.org'`)
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy")
	for _, lead := range []string{"lena@example.org", "off@example.org"} {
		env.mustRun("member", "add", "--project", "pilot", "--email", lead, "--name", "Lead", "--role", "lead",
			"--base-url", "https://labels.example.org")
	}
	env.mustRun("import", "--project", "pilot", env.writeFile("replies.csv", repliesCSV))
	env.mustRun("batch", "open", "--project", "pilot", "--batch", "first", "--annotators", "ann@example.org",
		"--overlap", "1", "--duplicates", "0", "--calibration", "0", "--fewer-calibration", "A test.")
	if err := db.SetMailEnabled(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	sendDigests := func() []string {
		env.execSQL(`UPDATE identity.users SET last_digest_on = last_digest_on - 1`) // a day later
		if err := db.QueueDigests(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if err := db.QueueDigests(t.Context(), 0); err != nil { // once a day
			t.Fatal(err)
		}
		env.sendDue()
		return server.taken()
	}
	env.checkContains(env.mustRun("--as", "lena@example.org", "inbox"), "Nothing waits.")
	if mails := sendDigests(); len(mails) != 0 {
		t.Errorf("nothing waits, but %q is sent", mails)
	}
	env.ask(t, db)
	mails := sendDigests()
	if len(mails) != 1 || !strings.Contains(mails[0], "lena@example.org") ||
		!strings.Contains(mails[0], "pilot, batch first: 1 question") {
		t.Errorf("digest = %q", mails)
	}
	for _, text := range []string{"canary", "Ann", "sorry"} {
		if strings.Contains(strings.Join(mails, ""), text) {
			t.Errorf("the digest has %q: %q", text, mails)
		}
	}
	env.execSQL(`INSERT INTO identity.oidc_subjects (issuer, subject, account_id)
		SELECT 'https://login.example.org', 'lena', account_id FROM identity.users WHERE email = 'lena@example.org'`)
	env.execSQL(`UPDATE identity.users SET password_hash = NULL WHERE email = 'lena@example.org'`)
	if mails := sendDigests(); len(mails) != 1 {
		t.Errorf("a lead who signs in at the company gets %d digests", len(mails))
	}
	text := env.mustRun("--as", "lena@example.org", "inbox")
	env.checkContains(text, "pilot", "first", "asks: “canary question”")
	env.checkContains(env.mustRun("inbox", "--format", "json"), `"kind": "question"`, `"message": "canary question"`,
		`"batch": "first"`)
}

// A user who forgot the password gets one mail with a link, whose use ends it. Nobody learns who has an account, and a
// link of a lead stays as it is.
func TestMail_PasswordForgotten_OneLink(t *testing.T) {
	env, server := newTestEnv(t), newSMTPServer(t)
	db := env.openDB()
	env.startJobs(newOutbox(t, db, server))
	if err := db.SetMailEnabled(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ann", "off"} {
		code, _, err := runCommand(t, "four words that rhyme\n", "user", "add", "--database-url", env.databaseURL,
			"--email", name+"@example.org", "--name", "Some Body", "--role", "annotator", "--password-stdin")
		if code != exitOK {
			t.Fatal(err)
		}
	}
	env.mustRun("user", "disable", "off@example.org")
	for _, address := range []string{"ann@example.org", "Ann@Example.org", "off@example.org", "none@example.org", ""} {
		if err := db.SendPasswordLink(t.Context(), address); err != nil {
			t.Fatal(err)
		}
	}
	env.sendDue()
	mails := server.taken()
	if len(mails) != 1 || !strings.Contains(mails[0], "A new password") ||
		!strings.Contains(mails[0], "ann@example.org") {
		t.Fatalf("%d mails: %v", len(mails), mails)
	}
	_, token, _ := strings.Cut(strings.ReplaceAll(mails[0], "=\r\n", ""), "/invitations/")
	token = strings.Fields(token)[0]
	for attempt, isRefused := range []bool{false, true} {
		_, err := db.AcceptInvitation(t.Context(), token, "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA")
		if (err != nil) != isRefused {
			t.Errorf("use %d of the link: %v", attempt+1, err)
		}
	}
}

// The link for a new address goes to it, and a mail to the old address says that it changed.
func TestMail_NewAddress_BothAreTold(t *testing.T) {
	env, server := newTestEnv(t), newSMTPServer(t)
	db := env.openDB()
	env.startJobs(newOutbox(t, db, server))
	if err := db.SetMailEnabled(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	code, _, err := runCommand(t, "four words that rhyme\n", "user", "add", "--database-url", env.databaseURL,
		"--email", "old@example.org", "--name", "Ann", "--role", "annotator", "--password-stdin")
	if code != exitOK {
		t.Fatal(err)
	}
	ann, failure := db.AccountByEmail(t.Context(), "old@example.org")
	if failure == nil {
		failure = db.SendAddressLink(t.Context(), ann.ID, "new@example.org")
	}
	if failure != nil {
		t.Fatal(failure)
	}
	env.sendDue()
	mails := server.taken()
	if len(mails) != 1 || !strings.Contains(mails[0], "new@example.org") ||
		strings.Contains(mails[0], "old@example.org") {
		t.Fatalf("%d mails: %v", len(mails), mails)
	}
	_, token, _ := strings.Cut(strings.ReplaceAll(mails[0], "=\r\n", ""), "/account/address/")
	if err := db.TakeAddress(t.Context(), ann.ID, strings.Fields(token)[0]); err != nil {
		t.Fatal(err)
	}
	env.sendDue()
	mails = server.taken()
	if len(mails) != 1 || !strings.Contains(mails[0], "old@example.org") ||
		strings.Contains(mails[0], "new@example.org") {
		t.Errorf("%d mails: %v", len(mails), mails)
	}
}
