package webhook

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The vector is that of the Standard Webhooks libraries.
func TestSign_StandardWebhooksVector_SameSignature(t *testing.T) {
	t.Parallel()
	got, err := sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
		[]byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func TestSetSignature_AfterRotation_HasBothSignatures(t *testing.T) {
	t.Parallel()
	s := Signing{Secret: NewSecret(), PreviousSecret: NewSecret()}
	h := http.Header{}
	if err := s.setSignature(h, "msg_1", time.Unix(1614265330, 0), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	signatures := strings.Fields(h.Get("webhook-signature"))
	if len(signatures) != 2 || signatures[0] == signatures[1] || h.Get("webhook-timestamp") != "1614265330" ||
		h.Get("webhook-id") != "msg_1" {
		t.Errorf("headers %v", h)
	}
}

func TestBody_Attempts_Equal(t *testing.T) {
	t.Parallel()
	m := Message{EventID: "0a0b0c0d-0000-4000-8000-000000000001", EventType: BatchClosed,
		CreatedAt: time.Unix(1614265330, 5000), Payload: json.RawMessage(`{"batch": "first", "project": "pilot"}`)}
	body, err := m.Body()
	want := `{"type":"batch.closed","timestamp":"2021-02-25T15:02:10.000005Z","data":{"batch":"first","project":"pilot"}}`
	if err != nil || string(body) != want || m.ID() != "msg_0a0b0c0d000040008000000000000001" {
		t.Errorf("%s, %s, %v, want %s", m.ID(), body, err, want)
	}
}

func TestNew_Check_RefusesBadInput(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"https://example.org/hooks?key=1": true, " http://10.1.2.3:8080/x ": true,
		"": false, "example.org": false, "ftp://example.org": false, "https://": false, "file:///etc/passwd": false,
		"gopher://example.org":             false,
		"https://user:secret@example.org/": false, "https://example.org/#part": false, "https://example.org/\nx": false,
		"https://example.org/" + strings.Repeat("x", 1000): false,
	} {
		if _, err := (New{URL: address}).Check(); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := (New{URL: "https://example.org", EventTypes: []EventType{"item.deleted"}}).Check(); err == nil ||
		!strings.Contains(err.Error(), "item.completed") {
		t.Errorf("unknown event: %v", err)
	}
	n, err := New{URL: "https://example.org/secret-path?token=1"}.Check()
	if err != nil || len(n.EventTypes) != len(EventTypes) || n.Host() != "https://example.org" {
		t.Errorf("%+v, %v", n, err)
	}
}

func TestTexts_Complete(t *testing.T) {
	t.Parallel()
	for _, e := range append([]EventType{Test}, EventTypes...) {
		if e.Text() == "" {
			t.Errorf("%s has no text", e)
		}
	}
	for _, p := range Problems {
		if p.Text() == "" {
			t.Errorf("%s has no text", p)
		}
	}
}
