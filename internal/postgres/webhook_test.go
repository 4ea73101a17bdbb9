package postgres

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/webhook"
)

func (env testEnv) newWebhook(p project.Project, types ...webhook.EventType) webhook.ID {
	env.t.Helper()
	id, _, err := env.CreateWebhook(env.t.Context(), env.admin.ID, p, webhook.New{URL: "https://example.org/hook",
		EventTypes: types})
	if err != nil {
		env.t.Fatal(err)
	}
	return id
}

// queuedEvents returns the events of a webhook with their payloads, oldest first.
func (env testEnv) queuedEvents(id webhook.ID) (events []string) {
	env.t.Helper()
	events, err := collectColumn[string](env.pool.Query(env.t.Context(), `SELECT event_type || ' ' || payload
		FROM identity.webhook_deliveries WHERE webhook_id = $1 ORDER BY id`, id))
	if err != nil {
		env.t.Fatal(err)
	}
	return events
}

func (env testEnv) measure() {
	env.t.Helper()
	if _, err := env.MeasureItems(env.t.Context()); err != nil {
		env.t.Fatal(err)
	}
}

// mustClaim claims the events of a subject.
func (env testEnv) mustClaim() webhook.Claim {
	env.t.Helper()
	c, err := env.ClaimWebhook(env.t.Context(), []webhook.ID{})
	if err != nil {
		env.t.Fatal(err)
	}
	return c
}

func (env testEnv) recordAttempt(c webhook.Claim, m webhook.Message, status int, problem webhook.SendProblem) (
	mayContinue bool) {
	env.t.Helper()
	mayContinue, err := env.RecordAttempt(env.t.Context(), c, m, webhook.Attempt{StartedAt: time.Now(), DurationMS: 7,
		StatusCode: status, Problem: problem, Answer: "answer"})
	if err != nil {
		env.t.Fatal(err)
	}
	return mayContinue
}

func TestWebhook_Changes_QueueEvents(t *testing.T) {
	env := newTestEnv(t)
	emails, annotators := env.newAnnotators(2)
	p := env.newProject("test", 2)
	id, other := env.newWebhook(p), env.newWebhook(env.newProject("other", 1))
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2})
	env.submitAll(annotators[0], helpfulSubmission)
	env.measure()
	env.submitAll(annotators[1], unhelpfulSubmission)
	env.checkCount(1, `identity.webhook_deliveries`) // completed items follow when they are measured
	env.measure()
	if err := env.adjudicate(env.admin, p, env.firstItem(p), helpfulDecision); err != nil {
		t.Fatal(err)
	}
	env.closeBatch(p, b)
	got := env.queuedEvents(id)
	want := []string{
		`batch.opened {"batch": "one", "items": 2, "labels": 4, "overlap": 2, "project": "test", "annotators": 2}`,
		`item.completed {"item": "item-1", "batch": "one", "labels": 2, "project": "test"}`,
		`item.completed {"item": "item-2", "batch": "one", "labels": 2, "project": "test"}`,
		`item.adjudicated {"item": "item-1", "project": "test", "decision": 1}`,
		`batch.closed {"batch": "one", "project": "test"}`,
	}
	if len(got) > 3 {
		slices.Sort(got[1:3])
	}
	checkEqual(t, got, want)
	if events := env.queuedEvents(other); len(events) != 0 {
		t.Errorf("the other project got %v", events)
	}
}

// A change that is not committed sends nothing, and one in a project without webhooks queues
// nothing.
func TestWebhook_FailedChange_QueuesNothing(t *testing.T) {
	env := newTestEnv(t)
	p, b, _ := env.newBatchFor(1, 1, project.BatchSpec{})
	env.checkCount(0, `identity.webhook_deliveries`)
	id := env.newWebhook(p, webhook.BatchClosed)
	env.closeBatch(p, b)
	if err := env.CloseBatch(t.Context(), 0, p, b.Name, project.BatchClosing{}); err == nil {
		t.Fatal("closed twice")
	}
	if events := env.queuedEvents(id); len(events) != 1 {
		t.Errorf("events %v", events)
	}
}

func TestWebhook_VerdictChange_WaitsForBlindLeads(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 2, project.BatchSpec{})
	id := env.newWebhook(p, webhook.VerdictChanged)
	agreement := func(verdict string) string {
		return `INSERT INTO batch_states (batch_id) SELECT id FROM batches ON CONFLICT DO NOTHING;
			UPDATE batch_states SET agreement = '[{"key": "helpful", "verdict": "` + verdict + `"}]'`
	}
	check := func(want int) {
		t.Helper()
		if events := env.queuedEvents(id); len(events) != want || want > 0 &&
			events[0] != `verdict.changed {"batch": "one", "field": "helpful", "project": "test"}` {
			t.Errorf("events %v, want %d", events, want)
		}
	}
	env.execSQL(agreement("too_few_items"))
	check(0)
	env.execSQL(agreement("below_target"))
	env.execSQL(agreement("below_target"))
	check(1)
	env.execSQL(`UPDATE accounts SET role = 'lead' WHERE id = $1`, annotators[0].ID)
	env.execSQL(`UPDATE members SET role = 'lead' WHERE account_id = $1`, annotators[0].ID)
	env.execSQL(agreement("meets"))
	check(1)
	env.closeBatch(p, b)
	env.execSQL(`UPDATE batch_states SET agreement = agreement`)
	check(2)
}

func TestWebhook_Export_QueuesEvent(t *testing.T) {
	env := newTestEnv(t)
	p, _, _ := env.newBatchFor(1, 1, project.BatchSpec{})
	id := env.newWebhook(p)
	if err := queueExportReady(t.Context(), env.pool, p, ExportOptions{Layout: "plain", Format: "csv"}, 3,
		7); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, env.queuedEvents(id),
		[]string{`export.ready {"files": 3, "export": 7, "format": "csv", "layout": "plain", "project": "test"}`})
}

func TestWebhook_OtherAccounts_SeeNothing(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(1, 1, project.BatchSpec{})
	id := env.newWebhook(p)
	stranger := env.newUser("stranger@example.org", account.Lead)
	for _, actor := range []account.ID{annotators[0].ID, stranger.ID} {
		_, _, err := env.CreateWebhook(t.Context(), actor, p, webhook.New{URL: "https://example.org"})
		checkErrorIs(t, "create", err, fault.NotFound)
		_, err = env.Webhooks(t.Context(), actor, p)
		checkErrorIs(t, "list", err, fault.NotFound)
		_, err = env.WebhookDeliveries(t.Context(), actor, p, id, 0, 10)
		checkErrorIs(t, "deliveries", err, fault.NotFound)
		_, err = env.RotateWebhookSecret(t.Context(), actor, p, id)
		checkErrorIs(t, "rotate", err, fault.NotFound)
		checkErrorIs(t, "test", env.TestWebhook(t.Context(), actor, p, id), fault.NotFound)
		checkErrorIs(t, "delete", env.DeleteWebhook(t.Context(), actor, p, id), fault.NotFound)
	}
	other := env.newProject("other", 1)
	checkErrorIs(t, "other project", env.DeleteWebhook(t.Context(), env.admin.ID, other, id), fault.NotFound)
	for range webhook.MaxPerProject - 1 {
		env.newWebhook(p)
	}
	_, _, err := env.CreateWebhook(t.Context(), 0, p, webhook.New{URL: "https://example.org"})
	checkErrorIs(t, "one too many", err, fault.Conflict)
}

// A failed event holds up the later events of its subject, and only those.
func TestClaimWebhook_Failure_HoldsUpItsSubject(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("test", 1)
	id := env.newWebhook(p)
	queue := func(subject string) {
		env.execSQL(`SELECT queue_webhook_event($1, 'item.completed', $2, '{}')`, p.ID, subject)
	}
	for range 3 {
		queue("item 1")
	}
	c := env.mustClaim()
	if c.Subject != "item 1" || len(c.Messages) != 3 || !strings.HasPrefix(c.Signing.Secret, "whsec_") {
		t.Fatalf("%+v", c)
	}
	_, err := env.ClaimWebhook(t.Context(), []webhook.ID{})
	checkErrorIs(t, "second claim", err, fault.NotFound)
	if env.recordAttempt(c, c.Messages[0], 200, "") != true || env.recordAttempt(c, c.Messages[1], 500,
		webhook.ProblemStatus) {
		t.Fatal("a claim continues after a failure, or ends after a success")
	}
	if env.recordAttempt(webhook.Claim{WebhookID: id, Subject: "item 1", ClaimNo: 77}, c.Messages[2], 200, "") {
		t.Error("a lost claim continues")
	}
	queue("item 2")
	c = env.mustClaim()
	if c.Subject != "item 2" {
		t.Fatalf("%+v", c)
	}
	env.recordAttempt(c, c.Messages[0], 200, "")
	env.execSQL(`UPDATE identity.webhook_subjects SET next_attempt_at = now()`)
	c = env.mustClaim()
	if len(c.Messages) != 2 || c.Messages[0].RetryNo != 1 {
		t.Fatalf("%+v", c)
	}
	env.recordAttempt(c, c.Messages[0], 204, "")
	env.recordAttempt(c, c.Messages[1], 204, "")
	env.checkCount(0, `identity.webhook_subjects`)
	deliveries, err := env.WebhookDeliveries(t.Context(), env.admin.ID, p, id, 0, 10)
	if err != nil || len(deliveries) != 4 || len(deliveries[2].Attempts) != 2 ||
		deliveries[2].Attempts[1].StatusCode != http.StatusInternalServerError ||
		deliveries[0].Status() != webhook.Delivered {
		t.Errorf("%+v, %v", deliveries, err)
	}
}

// After its last attempt an event is given up, and the next one of its subject is sent.
func TestRecordAttempt_LastFailure_GivesUp(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("test", 1)
	id := env.newWebhook(p)
	env.execSQL(`SELECT queue_webhook_event($1, 'item.completed', 'item 1', jsonb_build_object('no', n))
		FROM generate_series(1, 2) n`, p.ID)
	attempts := 0
	for {
		env.execSQL(`UPDATE identity.webhook_subjects SET next_attempt_at = now(); UPDATE identity.webhooks
			SET resume_at = now()`)
		c := env.mustClaim()
		if string(c.Messages[0].Payload) != `{"no": 1}` {
			break
		}
		attempts++
		env.recordAttempt(c, c.Messages[0], 0, webhook.ProblemTimeout)
	}
	if attempts != 10 {
		t.Errorf("%d attempts, want 10", attempts)
	}
	deliveries, err := env.WebhookDeliveries(t.Context(), env.admin.ID, p, id, 0, 10)
	if err != nil || deliveries[1].Status() != webhook.Failed || deliveries[1].AttemptCount != attempts {
		t.Fatalf("%+v, %v", deliveries, err)
	}
	if _, err := env.ResendDelivery(t.Context(), env.admin.ID, p, deliveries[1].ID); err != nil {
		t.Fatal(err)
	}
	env.execSQL(`UPDATE identity.webhook_subjects SET next_attempt_at = now(), is_claimed = false`)
	c := env.mustClaim()
	if string(c.Messages[0].Payload) != `{"no": 1}` || c.Messages[0].EventID != deliveries[1].EventID ||
		c.Messages[0].RetryNo != 0 {
		t.Errorf("%+v", c.Messages)
	}
	env.recordAttempt(c, c.Messages[0], 410, webhook.ProblemGone)
	checkErrorIs(t, "test of a disabled webhook", env.TestWebhook(t.Context(), env.admin.ID, p, id), fault.Conflict)
	w, err := env.Webhook(t.Context(), env.admin.ID, p, id)
	if err != nil || w.DisabledAt == nil || w.Problem != string(webhook.ProblemGone) || w.PendingCount != 2 {
		t.Errorf("%+v, %v", w, err)
	}
	_, err = env.ClaimWebhook(t.Context(), []webhook.ID{})
	checkErrorIs(t, "claim of a disabled webhook", err, fault.NotFound)
	if err := env.EnableWebhook(t.Context(), env.admin.ID, p, id); err != nil {
		t.Fatal(err)
	}
	if err := env.DeleteWebhook(t.Context(), env.admin.ID, p, id); err != nil {
		t.Fatal(err)
	}
	env.checkCount(0, `identity.webhook_deliveries`)
}

// A receiver that keeps failing gets fewer requests, whatever number of events waits.
func TestRecordAttempt_FailingReceiver_IsPaused(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("test", 1)
	env.newWebhook(p)
	env.execSQL(`SELECT queue_webhook_event($1, 'item.completed', 'item ' || n, '{}')
		FROM generate_series(1, 50) n`, p.ID)
	requests := 0
	for {
		c, err := env.ClaimWebhook(t.Context(), []webhook.ID{})
		if err != nil {
			checkErrorIs(t, "paused", err, fault.NotFound)
			break
		}
		requests++
		env.recordAttempt(c, c.Messages[0], 503, webhook.ProblemStatus)
	}
	if requests != toleratedFailures+1 {
		t.Errorf("%d requests before the pause", requests)
	}
}

func TestRotateWebhookSecret_BothSign(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("test", 1)
	id, first, err := env.CreateWebhook(t.Context(), env.admin.ID, p, webhook.New{URL: "https://example.org/hook"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := env.RotateWebhookSecret(t.Context(), env.admin.ID, p, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := env.TestWebhook(t.Context(), env.admin.ID, p, id); err != nil {
		t.Fatal(err)
	}
	if c := env.mustClaim(); c.Signing != (webhook.Signing{Secret: second, PreviousSecret: first}) || first == second {
		t.Errorf("%+v", c.Signing)
	}
	env.execSQL(`UPDATE identity.webhooks SET previous_secret_expires_at = now(); UPDATE identity.webhook_subjects
		SET next_attempt_at = now()`)
	if c := env.mustClaim(); c.Signing != (webhook.Signing{Secret: second}) {
		t.Errorf("%+v", c.Signing)
	}
}
