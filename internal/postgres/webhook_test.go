package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

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

// A testReceiver takes messages in a test.
type testReceiver struct {
	mu       sync.Mutex
	answer   func(webhook.Message) webhook.SendProblem
	received []webhook.Message
	signings []webhook.Signing
}

// send records a message, and answers.
func (r *testReceiver) send(_ context.Context, _ string, s webhook.Signing, m webhook.Message) webhook.Attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received, r.signings = append(r.received, m), append(r.signings, s)
	a := webhook.Attempt{StartedAt: time.Now(), DurationMS: 7, StatusCode: http.StatusOK, Answer: "answer"}
	if a.Problem = r.answer(m); a.Problem != "" {
		a.StatusCode = http.StatusInternalServerError
	}
	return a
}

// count returns the number of messages received.
func (r *testReceiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.received)
}

// startSending runs jobs that send events to a receiver, which answers with what answer returns.
func (env testEnv) startSending(answer func(webhook.Message) webhook.SendProblem) *testReceiver {
	env.t.Helper()
	r := &testReceiver{answer: answer}
	stop, err := env.StartJobs(env.t.Context(), Work{Log: slog.New(slog.DiscardHandler), SendEvent: r.send})
	if err != nil {
		env.t.Fatal(err)
	}
	env.t.Cleanup(stop)
	return r
}

// queue adds an event of a subject.
func (env testEnv) queue(p project.Project, subject string, no int) {
	env.t.Helper()
	err := env.inTx(env.t.Context(), func(tx pgx.Tx) error {
		return queueEvents(env.t.Context(), tx, event{p.ID, webhook.ItemCompleted, subject, map[string]any{"no": no}})
	})
	if err != nil {
		env.t.Fatal(err)
	}
}

// sendNow ends all pauses.
func (env testEnv) sendNow() {
	env.t.Helper()
	env.execSQL(`UPDATE identity.webhooks SET resume_at = now();
		UPDATE river.river_job SET scheduled_at = now(), state = 'available'
		WHERE kind = 'send_events' AND state IN ('scheduled', 'available');
		SELECT pg_notify('river.river_insert', '{"queue": "outbox"}')`)
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
	env.execSQL(`INSERT INTO batch_states (batch_id) SELECT id FROM batches`)
	announce := func(verdict string) {
		t.Helper()
		err := env.inTx(t.Context(), func(tx pgx.Tx) error {
			return announceVerdicts(t.Context(), tx, b.ID, []project.KappaSoFar{{Key: "helpful", Verdict: verdict}})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(want int) {
		t.Helper()
		if events := env.queuedEvents(id); len(events) != want || want > 0 &&
			events[0] != `verdict.changed {"batch": "one", "field": "helpful", "project": "test"}` {
			t.Errorf("events %v, want %d", events, want)
		}
	}
	announce("too_few_items")
	check(0)
	announce("below_target")
	announce("below_target")
	check(1)
	env.execSQL(`UPDATE accounts SET role = 'lead' WHERE id = $1`, annotators[0].ID)
	env.execSQL(`UPDATE members SET role = 'lead' WHERE account_id = $1`, annotators[0].ID)
	announce("meets")
	check(1)
	env.closeBatch(p, b)
	announce("meets")
	check(2)
}

func TestWebhook_Export_QueuesEvent(t *testing.T) {
	env := newTestEnv(t)
	p, _, _ := env.newBatchFor(1, 1, project.BatchSpec{})
	id := env.newWebhook(p)
	err := env.inTx(t.Context(), func(tx pgx.Tx) error {
		return queueExportReady(t.Context(), tx, p, ExportOptions{Layout: "plain", Format: "csv"}, 3, 7)
	})
	if err != nil {
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
func TestSendEvents_Failure_HoldsUpItsSubject(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("test", 1)
	id := env.newWebhook(p)
	for no := range 3 {
		env.queue(p, "item 1", no)
	}
	isFirst := true
	r := env.startSending(func(m webhook.Message) webhook.SendProblem {
		if string(m.Payload) == `{"no": 1}` && isFirst {
			isFirst = false
			return webhook.ProblemStatus
		}
		return ""
	})
	env.queue(p, "item 2", 7)
	env.waitUntil("all messages", func() bool { return r.count() == 5 })
	env.waitUntil("nothing waits", func() bool {
		return query[int](env, `SELECT count(*) FROM identity.webhook_subjects`) == 0
	})
	got := []string{}
	for _, m := range r.received {
		got = append(got, fmt.Sprintf("%s %d", m.Payload, m.RetryNo))
	}
	other := slices.Index(got, `{"no": 7} 0`)
	if other < 0 || other > 3 {
		t.Errorf("the event of another subject is sent as number %d, after the last of the first one", other+1)
	}
	checkEqual(t, slices.DeleteFunc(got, func(m string) bool { return m == `{"no": 7} 0` }),
		[]string{`{"no": 0} 0`, `{"no": 1} 0`, `{"no": 1} 1`, `{"no": 2} 0`})
	deliveries, err := env.WebhookDeliveries(t.Context(), env.admin.ID, p, id, 0, 10)
	if err != nil || len(deliveries) != 4 || len(deliveries[2].Attempts) != 2 ||
		deliveries[2].Attempts[1].StatusCode != http.StatusInternalServerError ||
		deliveries[0].Status() != webhook.Delivered {
		t.Errorf("%+v, %v", deliveries, err)
	}
}

// After its last attempt an event is given up, and the next one of its subject is sent.
func TestSendEvents_LastFailure_GivesUp(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("test", 1)
	id := env.newWebhook(p)
	env.queue(p, "item 1", 1)
	env.queue(p, "item 1", 2)
	var problem atomic.Value
	problem.Store(webhook.ProblemTimeout)
	r := env.startSending(func(m webhook.Message) webhook.SendProblem {
		if string(m.Payload) == `{"no": 1}` {
			return problem.Load().(webhook.SendProblem)
		}
		return ""
	})
	env.waitUntil("the second event", func() bool { env.sendNow(); return r.count() == 11 })
	deliveries, err := env.WebhookDeliveries(t.Context(), env.admin.ID, p, id, 0, 10)
	if err != nil || deliveries[1].Status() != webhook.Failed || deliveries[1].AttemptCount != 10 {
		t.Fatalf("%+v, %v", deliveries, err)
	}
	problem.Store(webhook.ProblemGone)
	if _, err := env.ResendDelivery(t.Context(), env.admin.ID, p, deliveries[1].ID); err != nil {
		t.Fatal(err)
	}
	env.waitUntil("the event is sent again", func() bool { return r.count() == 12 })
	if m := r.received[11]; m.EventID != deliveries[1].EventID || m.RetryNo != 0 {
		t.Errorf("%+v", m)
	}
	env.waitUntil("the webhook is disabled", func() bool {
		w, err := env.Webhook(t.Context(), env.admin.ID, p, id)
		return err == nil && w.DisabledAt != nil && w.Problem == string(webhook.ProblemGone) && w.PendingCount == 1
	})
	checkErrorIs(t, "test of a disabled webhook", env.TestWebhook(t.Context(), env.admin.ID, p, id), fault.Conflict)
	env.waitUntil("no job of a disabled webhook", func() bool {
		env.sendNow()
		return query[int](env, `SELECT count(*) FROM river.river_job WHERE kind = 'send_events'
			AND finalized_at IS NULL`) == 0
	})
	problem.Store(webhook.SendProblem(""))
	if err := env.EnableWebhook(t.Context(), env.admin.ID, p, id); err != nil {
		t.Fatal(err)
	}
	env.waitUntil("what waited is sent", func() bool { return r.count() == 13 })
	if err := env.DeleteWebhook(t.Context(), env.admin.ID, p, id); err != nil {
		t.Fatal(err)
	}
	env.checkCount(0, `identity.webhook_deliveries`)
}

// A receiver that keeps failing gets fewer requests, whatever number of events waits.
func TestSendEvents_FailingReceiver_IsPaused(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("test", 1)
	env.newWebhook(p)
	for no := range 50 {
		env.queue(p, fmt.Sprintf("item %d", no), no)
	}
	r := env.startSending(func(webhook.Message) webhook.SendProblem { return webhook.ProblemStatus })
	env.waitUntil("the pause", func() bool {
		return query[bool](env, `SELECT resume_at > now() + interval '10 seconds' FROM identity.webhooks`)
	})
	if n := r.count(); n > 4*(toleratedFailures+4) {
		t.Errorf("%d requests in the first seconds", n)
	}
}

// A server that is killed while it sends loses no event: another one sends it again, once.
func TestSendEvents_ServerLost_SentByNext(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("test", 1)
	env.newWebhook(p)
	env.queue(p, "item 1", 1)
	env.loseJob("send_events")
	r := env.startSending(func(webhook.Message) webhook.SendProblem { return "" })
	env.waitUntil("the event", func() bool { return r.count() == 1 })
	env.waitUntil("nothing waits", func() bool {
		return query[int](env, `SELECT count(*) FROM identity.webhook_subjects`) == 0
	})
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
	r := env.startSending(func(webhook.Message) webhook.SendProblem { return "" })
	env.waitUntil("the event", func() bool { return r.count() == 1 })
	env.execSQL(`UPDATE identity.webhooks SET previous_secret_expires_at = now()`)
	env.queue(p, "item 1", 1)
	env.waitUntil("the next event", func() bool { return r.count() == 2 })
	checkEqual(t, r.signings, []webhook.Signing{{Secret: second, PreviousSecret: first}, {Secret: second}})
}
