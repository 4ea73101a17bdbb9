package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/telemetry"
	"github.com/labelwright/labelwright/internal/webhook"
)

// canaries match texts of items, metadata, comments, names, addresses and secrets of the
// study, which belong neither in mails and events nor in the log of a server.
var canaries = regexp.MustCompile(
	`(?i)canary[-_ ](text|condition|contact|comment|name|mail|secret)\S*|\+49 30 5550|198\.51\.100\.`)

// A canaryStudy is a study with canaries, a mail server and a receiver of its events. Both answer
// with canaries now and then.
type canaryStudy struct {
	testEnv
	db       *postgres.DB
	recorder *telemetry.Recorder
	smtp     *smtpServer
	logger   *slog.Logger // of the server
	log      syncBuffer   // with every query
	events   syncBuffer   // bodies of the requests of webhooks
	mails    []string
}

func newCanaryStudy(t *testing.T) *canaryStudy {
	t.Helper()
	s := &canaryStudy{testEnv: newTestEnv(t), smtp: newSMTPServer(t)}
	s.logger = slog.New(telemetry.NewLogHandler(slog.NewJSONHandler(&s.log,
		&slog.HandlerOptions{Level: slog.LevelDebug})))
	s.recorder = telemetry.New(telemetry.Options{SlowQuery: 1, Log: s.logger})
	var err error
	if s.db, err = postgres.OpenRecorded(t.Context(), s.databaseURL, s.recorder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.db.Close)
	for _, email := range []string{"canary-mail-lena@example.org", "canary-mail-anna@example.org",
		"canary-mail-ben@example.org"} {
		role := "annotator"
		if strings.Contains(email, "lena") {
			role = "lead"
		}
		s.mustRun("user", "add", "--email", email, "--name", "Canary name of "+email, "--role", role)
	}
	s.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy", "--lead",
		"canary-mail-lena@example.org")
	rows := "id,user_statement,response,condition,contact\n"
	for _, id := range []string{"r1", "r2", "r3"} {
		rows += id + ",Canary text of " + id +
			",Canary text of the answer only" + id + ",canary-condition,canary-contact-" + id +
			"@example.org +49 30 5550 1\n"
	}
	s.mustRun("import", "--project", "pilot", s.writeFile("replies.csv", rows))
	receiver := httptest.NewServer(http.HandlerFunc(s.receive))
	t.Cleanup(receiver.Close)
	s.mustRunQuietly("webhook", "create", "--project", "pilot", receiver.URL+"/hook/canary-secret?key=canary-secret")
	s.execSQL(`UPDATE identity.users SET password_hash = 'x'`)
	if err := s.db.SetMailEnabled(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	return s
}

// receive takes an event. Its answer repeats what a careless receiver knows.
func (s *canaryStudy) receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, _ = s.events.Write(append(body, '\n'))
	status := http.StatusOK
	if strings.Contains(string(body), "batch.closed") {
		status = http.StatusBadGateway
	}
	http.Error(w, "canary-mail-lena@example.org canary-comment", status)
}

// work makes everything happen that a mail or an event reports.
func (s *canaryStudy) work() {
	s.Helper()
	ctx := s.Context()
	s.mustRun("batch", "open", "--project", "pilot", "--batch", "first", "--annotators",
		"canary-mail-anna@example.org,canary-mail-ben@example.org", "--overlap", "2", "--duplicates", "0",
		"--calibration", "0", "--fewer-calibration", "canary-comment")
	s.execSQL(acknowledgeReading)
	p, err := s.db.Project(ctx, account.Account{Role: account.Admin}, "pilot")
	if err != nil {
		s.Fatal(err)
	}
	for i, email := range []string{"canary-mail-anna@example.org", "canary-mail-ben@example.org"} {
		s.labelWithComments(p, email, 2+i)
	}
	s.mustRun("message", "answer", "--project", "pilot", "1", "canary-comment")
	s.mustRun("correction", "accept", "--project", "pilot", "--batch", "first", "1")
	s.mustRun("announce", "--project", "pilot", "--batch", "first", "canary-comment")
	for more := true; more && err == nil; {
		more, err = s.db.MeasureItems(ctx)
	}
	if err != nil {
		s.Fatal(err)
	}
	s.mustRun("adjudicate", "--project", "pilot", s.writeFile("decisions.csv",
		"item,emotion,validation,helpfulness,safety,overall,cause,reason\nr1,2,2,2,2,2,ambiguous_item,canary-comment\n"))
	s.mustRun("batch", "close", "--project", "pilot", "--batch", "first", "--reason", "canary-comment",
		"--release-open")
}

// labelWithComments asks about the first item and labels all items with one value.
func (s *canaryStudy) labelWithComments(p project.Project, email string, value int) {
	s.Helper()
	ctx := s.Context()
	a, err := s.db.AccountByEmail(ctx, email)
	if err != nil {
		s.Fatal(err)
	}
	comment := "canary-comment of " + email
	answers := protocol.Answers{Note: comment}
	answers.Values = map[string]int{"emotion": value, "validation": value, "helpfulness": value,
		"safety": value, "overall": value}
	for i := range 3 {
		token, err := s.db.OpenNext(ctx, a.ID, 0)
		if err == nil && i == 0 {
			err = s.db.AskLead(ctx, a.ID, token, comment)
		}
		if err == nil {
			_, err = s.db.Submit(ctx, a.ID, token, labeling.Submission{Answers: answers})
		}
		if err == nil && i == 0 {
			err = s.db.RequestCorrection(ctx, a.ID, token, comment)
		}
		if err != nil {
			s.Fatalf("%s in %s: %v", email, p.Key, err)
		}
	}
}

// send sends all mails and events. The mail server refuses the first mails with their
// addresses.
func (s *canaryStudy) send(t *testing.T) {
	t.Helper()
	o := newOutbox(t, s.db, s.smtp)
	o.Log = s.logger
	o.Webhooks = webhook.NewSender("test", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
	s.startJobs(o)
	if err := s.db.QueueDigests(s.Context(), 0); err != nil {
		t.Fatal(err)
	}
	s.smtp.refuse("451 4.1.1 <canary-mail-anna@example.org> is busy")
	s.sendDue()
	s.smtp.refuse("")
	s.sendDue()
	s.mails = s.smtp.taken()
	waitUntil(t, func() bool { return s.isTrue(`SELECT bool_and(attempt_count > 0) FROM identity.webhook_deliveries`) })
}

// Texts, metadata, comments, names and addresses of a study are in no event and no mail but the
// recipient's own address, and neither these nor the secrets of webhooks and what users search for
// are in the log and the metrics of the server.
func TestCanary_MailsEventsTelemetry_HaveNone(t *testing.T) {
	s := newCanaryStudy(t)
	s.work()
	s.send(t)
	s.browse()
	events := s.events.contents()
	for _, kind := range []webhook.EventType{webhook.BatchOpened, webhook.ItemCompleted, webhook.ItemAdjudicated,
		webhook.BatchClosed} {
		s.checkContains(events, string(kind))
	}
	page := httptest.NewRecorder()
	s.recorder.Handler().ServeHTTP(page, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	s.checkContains(page.Body.String(), "labelwright_database_query_duration_seconds_count")
	for _, part := range []string{"mail not sent", "SMTP status 451", "event not delivered", `"msg":"slow query"`} {
		if !strings.Contains(s.log.contents(), part) {
			t.Errorf("the log has no %q", part)
		}
	}
	payloads := s.mustRun("webhook", "deliveries", "--project", "pilot", "1", "--format", "json")
	// what the receiver answered
	payloads = strings.ReplaceAll(payloads, "canary-mail-lena@example.org canary-comment", "")
	for place, text := range map[string]string{"an event": events, "the log of deliveries": payloads,
		"the metrics": page.Body.String(), "the log": s.log.contents()} {
		if found := canaries.FindAllString(text, -1); found != nil {
			t.Errorf("%s has %q", place, found)
		}
	}
	if len(s.mails) < 4 {
		t.Errorf("%d mails", len(s.mails))
	}
	for _, text := range s.mails {
		header, body, _ := strings.Cut(strings.ReplaceAll(text, "=\r\n", ""), "\r\n\r\n")
		if recipients := slices.Compact(regexp.MustCompile(`canary-mail-\w+`).FindAllString(header, -1)); len(
			recipients) != 1 {
			t.Errorf("a mail names %q: %s", recipients, header)
		}
		if found := canaries.FindAllString(body, -1); found != nil {
			t.Errorf("a mail has %q: %s", found, body)
		}
	}
}
