package webhook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

var testMessage = Message{EventID: "0a0b0c0d-0000-4000-8000-000000000001", EventType: Test,
	CreatedAt: time.Unix(1614265330, 0), Payload: []byte(`{}`)}

// newLoopbackSender returns a sender that may reach this machine.
func newLoopbackSender(t *testing.T) *Sender {
	t.Helper()
	allowed, err := ParseNetworks([]string{"127.0.0.0/8", "::1"})
	if err != nil {
		t.Fatal(err)
	}
	return NewSender("test", allowed)
}

func TestSend_Receivers_OutcomeIsRecorded(t *testing.T) {
	t.Parallel()
	var redirected atomic.Int32
	handlers := map[string]http.HandlerFunc{
		"/ok": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"/text": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "thank\tyou\r\n\x1b[31m\xff"+strings.Repeat("é", 500))
		},
		"/fail": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "out of order", http.StatusInternalServerError)
		},
		"/gone": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) },
		"/redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/target", http.StatusTemporaryRedirect)
		},
		"/target": func(http.ResponseWriter, *http.Request) { redirected.Add(1) },
		"/hang":   func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"/endless": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write(bytes.Repeat([]byte{0}, 1<<16))
			}
		},
		"/slow-body": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
		"/headers": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Large",
				strings.Repeat("x", 1<<20))
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		handlers[r.URL.Path](w, r)
	}))
	t.Cleanup(server.Close)
	s, impatient := newLoopbackSender(t), newLoopbackSender(t)
	impatient.timeout = time.Second
	for path, want := range map[string]struct {
		status  int
		problem SendProblem
	}{
		"/ok": {204, ""}, "/text": {200, ""}, "/fail": {500, ProblemStatus}, "/gone": {410, ProblemGone},
		"/redirect": {307, ProblemRedirect}, "/hang": {0, ProblemTimeout}, "/endless": {200, ""},
		"/slow-body": {200, ""}, "/headers": {0, ProblemConnection},
	} {
		sender := s
		if path == "/hang" || path == "/slow-body" { // the only answers that end with the time
			sender = impatient
		}
		a := sender.Send(t.Context(), server.URL+path, Signing{Secret: NewSecret()}, testMessage)
		if a.StatusCode != want.status || a.Problem != want.problem || a.StartedAt.IsZero() {
			t.Errorf("%s: %+v, want %+v", path, a, want)
		}
		if n := len([]rune(a.Answer)); n > answerKeptRunes || strings.ContainsAny(a.Answer, "\x1b\x00\n") {
			t.Errorf("%s: answer of %d characters: %q", path, n, a.Answer)
		}
	}
	if redirected.Load() != 0 {
		t.Error("a redirect was followed")
	}
}

func TestSend_NotHTTP_Fails(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("\x00\xffSSH-2.0-garbage\r\n\r\n"))
			_ = conn.Close()
		}
	}()
	s := newLoopbackSender(t)
	for address, want := range map[string]SendProblem{"http://" + listener.Addr().String(): ProblemConnection,
		"https://" + listener.Addr().String(): ProblemTLS, "http://127.0.0.1:1": ProblemConnection} {
		if a := s.Send(t.Context(), address, Signing{Secret: NewSecret()}, testMessage); a.Problem != want &&
			a.Problem != ProblemConnection {
			t.Errorf("%s: %+v, want %s", address, a, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := s.Send(ctx, "http://"+listener.Addr().String(), Signing{Secret: NewSecret()},
		testMessage); a.Problem != ProblemInterrupted {
		t.Errorf("canceled: %+v", a)
	}
}

func TestSend_OwnCertificate_IsRefused(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	server.Config.ErrorLog = nil
	t.Cleanup(server.Close)
	if a := newLoopbackSender(t).Send(t.Context(), server.URL, Signing{Secret: NewSecret()},
		testMessage); a.Problem != ProblemTLS {
		t.Errorf("%+v", a)
	}
}

// Addresses that lead to a private network, in every form that a URL can have.
func TestSend_PrivateAddresses_AreRefused(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	s := NewSender("test", nil)
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0",
		"[::]", "127.1.2.3", "169.254.169.254", "[fd00:ec2::254]", "10.0.0.1", "192.168.1.1", "172.16.0.1",
		"100.100.100.200", "[fe80::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		a := s.Send(ctx, "http://"+host+":"+port, Signing{Secret: NewSecret()}, testMessage)
		cancel()
		if a.Problem != ProblemAddress {
			t.Errorf("%s: %+v", host, a)
		}
	}
	// not addresses for Go, and not resolved
	for _, host := range []string{"2130706433", "0x7f000001", "0177.0.0.1", "127.1"} {
		if a := s.Send(t.Context(), "http://"+host+":"+port, Signing{Secret: NewSecret()}, testMessage); a.Succeeded() {
			t.Errorf("%s: %+v", host, a)
		}
	}
	if reached.Load() != 0 {
		t.Error("a private address was reached")
	}
}

func TestIsPublic_Addresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"93.184.216.34": true, "8.8.8.8": true, "2606:4700:4700::1111": true, "::ffff:8.8.8.8": true,
		"198.18.0.1": false, "203.0.113.9": false, "224.0.0.1": false, "255.255.255.255": false, "168.63.129.16": false,
		"192.0.0.192": false,
		"fc00::1":     false, "ff02::1": false, "2001:db8::1": false, "2001::1": false, "fec0::1": false,
		"::8.8.8.8": false, "fe80::1%eth0": false,
	} {
		if got := isPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
}

func TestSend_PlainHTTP_NeedsAllowedNetwork(t *testing.T) {
	t.Parallel()
	s := NewSender("test", nil)
	for scheme, want := range map[string]error{"http": errPlainHTTP, "https": nil} {
		if err := s.checkConnection(context.WithValue(t.Context(), schemeKey{}, scheme), "tcp", "93.184.216.34:80",
			nil); err != want { //nolint:errorlint // the very value
			t.Errorf("%s: %v", scheme, err)
		}
	}
}

// A name resolves to a public address when it is looked at, and to a private one when the
// connection is made: the connection itself is refused.
func TestSend_RebindingName_IsRefused(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	s := NewSender("test", nil)
	s.timeout = 2 * time.Second
	nameServer := newNameServer(t, [4]byte{127, 0, 0, 1})
	s.dialer.Resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", nameServer)
	}}
	for range 3 {
		if a := s.Send(t.Context(), "https://rebinding.example.org:"+port, Signing{Secret: NewSecret()},
			testMessage); a.Problem != ProblemAddress {
			t.Errorf("%+v", a)
		}
	}
	if reached.Load() != 0 {
		t.Error("a private address was reached")
	}
}

// newNameServer answers every question for an address with one, and returns where it listens.
func newNameServer(t *testing.T, address [4]byte) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var query dnsmessage.Message
			if query.Unpack(buffer[:n]) != nil {
				continue
			}
			reply := dnsmessage.Message{Header: dnsmessage.Header{ID: query.ID, Response: true,
				RecursionAvailable: true}, Questions: query.Questions}
			if q := query.Questions[0]; q.Type == dnsmessage.TypeA {
				reply.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type,
					Class: q.Class}, Body: &dnsmessage.AResource{A: address}}}
			}
			if packed, err := reply.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
	return conn.LocalAddr().String()
}
