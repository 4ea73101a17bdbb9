package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/require"
)

// A webhookReceiver records what arrives, and misbehaves now and then.
type webhookReceiver struct {
	*httptest.Server
	mu       sync.Mutex
	secret   string
	accepted map[string][]int // by subject: the numbers of the events, in the order of their arrival
	ids      map[string]string
	repeated int
	problems []string
	calm     bool
}

func newWebhookReceiver(t *testing.T) *webhookReceiver {
	t.Helper()
	r := &webhookReceiver{accepted: map[string][]int{}, ids: map[string]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.receive))
	t.Cleanup(r.Close)
	return r
}

func (r *webhookReceiver) receive(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the sender was killed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id := request.Header.Get("Webhook-Id")
	if !r.isSigned(request.Header, body) {
		r.problems = append(r.problems, id+" has no valid signature")
	}
	var event struct {
		Type string
		Data struct {
			Subject string
			No      int
		}
	}
	if err := json.Unmarshal(body, &event); err != nil {
		r.problems = append(r.problems, err.Error())
	}
	if !r.calm && rand.IntN(50) == 0 {
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	key := fmt.Sprintf("%s %d", event.Data.Subject, event.Data.No)
	switch known := r.ids[key]; known {
	case "":
		r.ids[key] = id
		r.accepted[event.Data.Subject] = append(r.accepted[event.Data.Subject], event.Data.No)
	case id:
		r.repeated++
	default:
		r.problems = append(r.problems, key+" came with two ids")
	}
	if !r.calm && rand.IntN(50) == 0 {
		w.WriteHeader(http.StatusBadGateway) // accepted, but the answer is lost
	}
}

func (r *webhookReceiver) isSigned(h http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", h.Get("Webhook-Id"), h.Get("Webhook-Timestamp"), body)
	return h.Get("Webhook-Signature") == "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func (r *webhookReceiver) count() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ids)
}

func (env testEnv) newWebhookProject(receiver *webhookReceiver) {
	env.mustRun("user", "add", "--email", "lena@example.org", "--name", "Lena", "--role", "lead")
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "ambiguity", "--lead",
		"lena@example.org")
	receiver.secret = strings.TrimSpace(env.mustRunQuietly("webhook", "create", "--project", "pilot",
		receiver.URL+"/hook"))
}

// mustRunQuietly is mustRun for commands that explain their output on standard error.
func (env testEnv) mustRunQuietly(args ...string) string {
	env.Helper()
	code, out, err := runCommand(env.T, "", append([]string{"--database-url", env.databaseURL, "--log", "warn"},
		args...)...)
	if code != exitOK {
		env.Fatalf("%s: exit %d: %s", strings.Join(args, " "), code, err)
	}
	return out
}

// Two servers send events, and both are killed now and then: no event is lost, those of a
// subject arrive in order, and one that arrives again has the same id.
func TestWebhooks_ServersKilled_NothingLostOrOutOfOrder(t *testing.T) {
	env := newTestEnv(t)
	receiver := newWebhookReceiver(t)
	env.newWebhookProject(receiver)
	events, subjects, kills := 300, 30, 1
	if require.FullSize() {
		events, subjects, kills = 10_000, 500, 12
	}
	env.execSQL(fmt.Sprintf(`
		INSERT INTO identity.webhook_deliveries (webhook_id, event_id, event_type, subject, payload)
		SELECT w.id, gen_random_uuid(), 'item.completed', 'item ' || n %% %d, jsonb_build_object('subject', 'item ' || n %% %d, 'no', n)
		FROM identity.webhooks w, generate_series(1, %d) n ORDER BY n;
		INSERT INTO identity.webhook_subjects SELECT webhook_id, subject, count(*) FROM identity.webhook_deliveries GROUP BY 1, 2`,
		subjects, subjects, events))
	env.mustRun("webhook", "enable", "--project", "pilot", "1") // adds the jobs
	args := []string{"--database-url", env.databaseURL, "--no-migrate", "--webhook-allow", "127.0.0.0/8",
		"--log", "error"}
	for range kills {
		servers := []*serverProcess{startServeProcess(t, args...), startServeProcess(t, args...)}
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
		for _, s := range servers {
			_ = s.Process.Kill()
			_ = s.Wait()
		}
		env.forgetServer()
	}
	startServeProcess(t, args...)
	startServeProcess(t, args...)
	for deadline := time.Now().Add(time.Minute); receiver.count() < events &&
		time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		env.retryNow()
	}
	receiver.mu.Lock()
	receiver.calm = true
	receiver.mu.Unlock()
	waitUntil(t, func() bool {
		env.retryNow()
		return env.isTrue(`SELECT NOT EXISTS (SELECT FROM identity.webhook_subjects)`)
	})
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	if len(receiver.ids) != events || len(receiver.problems) > 0 {
		t.Errorf("%d of %d events, problems %v", len(receiver.ids), events, receiver.problems)
	}
	for subject, numbers := range receiver.accepted {
		for i := 1; i < len(numbers); i++ {
			if numbers[i] <= numbers[i-1] {
				t.Fatalf("%s: %d after %d", subject, numbers[i], numbers[i-1])
			}
		}
	}
	t.Logf("%d events of %d subjects, %d arrived again", events, subjects, receiver.repeated)
}

// retryNow ends the pauses after failures.
func (env testEnv) retryNow() {
	env.Helper()
	env.execSQL(`UPDATE identity.webhooks SET resume_at = now() WHERE resume_at > now();
		UPDATE river.river_job SET scheduled_at = now(), state = 'available'
		WHERE kind = 'send_events' AND state IN ('scheduled', 'retryable', 'available') AND scheduled_at > now()`)
}

func TestWebhookCommands_Work(t *testing.T) {
	env := newTestEnv(t)
	receiver := newWebhookReceiver(t)
	receiver.calm = true
	env.newWebhookProject(receiver)
	env.checkContains(env.mustRun("webhook", "list", "--project", "pilot"), "ID", receiver.URL, "all",
		"never", "active")
	env.checkContains(env.mustFail("webhook", "create", "--project", "pilot", "--events", "item.gone",
		"https://example.org"), "events[0]: ", "item.completed, item.adjudicated")
	env.checkContains(env.mustFail("webhook", "create", "--project", "pilot", "ftp://example.org"),
		"is not an address of a webhook")
	env.checkContains(env.mustRun("webhook", "test", "--project", "pilot", "1"),
		"labelwright webhook deliveries --project pilot 1")
	env.checkContains(env.mustRun("webhook", "deliveries", "--project", "pilot", "1"), "webhook.test",
		"waiting", "none")
	startServeProcess(t, "--database-url", env.databaseURL, "--no-migrate", "--webhook-allow", "127.0.0.0/8",
		"--log", "error")
	waitUntil(t, func() bool { return receiver.count() == 1 })
	waitUntil(t, func() bool {
		return strings.Contains(env.mustRun("webhook", "deliveries", "--project", "pilot", "1"), "delivered")
	})
	env.mustRun("webhook", "resend", "--project", "pilot", "1")
	waitUntil(t, func() bool { receiver.mu.Lock(); defer receiver.mu.Unlock(); return receiver.repeated == 1 })
	waitUntil(t, func() bool {
		return strings.Contains(env.mustRun("webhook", "deliveries", "--project", "pilot", "1", "--format", "json"),
			`"attempt_count": 2`)
	})
	env.checkContains(env.mustRun("webhook", "list", "--project", "pilot", "--format", "json"), `"status": "active"`,
		`"pending": 0`, `"last_delivered_at"`)
	if secret := env.mustRunQuietly("webhook", "rotate-secret", "--project", "pilot",
		"1"); strings.TrimSpace(secret) == receiver.secret || !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("secret %q", secret)
	}
	env.mustRun("webhook", "change", "--project", "pilot", "1", "--events", "batch.closed")
	env.checkContains(env.mustFail("webhook", "change", "--project", "pilot", "1", "--url", "ftp://example.org"),
		"is not an address of a webhook")
	env.checkContains(env.mustRun("webhook", "list", "--project", "pilot"), receiver.URL, "batch.closed")
	env.mustRun("webhook", "disable", "--project", "pilot", "1")
	env.checkContains(env.mustFail("webhook", "test", "--project", "pilot", "1"), "The webhook is disabled")
	env.mustRun("webhook", "enable", "--project", "pilot", "1")
	env.mustRun("webhook", "delete", "--project", "pilot", "1", "--yes")
	env.checkContains(env.mustRun("webhook", "list", "--project", "pilot"), "no webhooks yet")
	log := env.mustRun("audit", "list", "--project", "pilot")
	env.checkContains(log, "created the webhook 1 of pilot, to http://127.0.0.1", "sent a test event",
		"sent an event again", "made a new secret", "changed the webhook 1 of pilot", "disabled the webhook",
		"enabled the webhook", "deleted the webhook 1")
	if len(receiver.problems) > 0 || strings.Contains(log, receiver.secret) || strings.Contains(log, "/hook") {
		t.Errorf("problems %v, audit log %s", receiver.problems, log)
	}
}
