package webhook

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/plaintext"
)

// The limits of a request.
const (
	attemptTimeout  = 10 * time.Second
	maxHeaderBytes  = 16 << 10
	maxAnswerBytes  = 64 << 10 // read, so that the connection can be used again
	answerKeptRunes = 200
)

// A Sender sends messages. It is safe for concurrent use.
type Sender struct {
	client    *http.Client
	dialer    *net.Dialer
	allowed   []netip.Prefix
	timeout   time.Duration
	userAgent string
}

// NewSender returns a sender that reaches the public internet by HTTPS, and the allowed
// networks by HTTPS and HTTP. It follows no redirects and uses no proxies.
func NewSender(version string, allowed []netip.Prefix) *Sender {
	s := &Sender{allowed: allowed, timeout: attemptTimeout, userAgent: "Labelwright/" + version + " (webhooks)"}
	s.dialer = &net.Dialer{Timeout: 5 * time.Second, ControlContext: s.checkConnection}
	s.client = &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            s.dialer.DialContext,
			DisableCompression:     true,
			ForceAttemptHTTP2:      true,
			IdleConnTimeout:        30 * time.Second,
			MaxIdleConnsPerHost:    4,
			MaxResponseHeaderBytes: maxHeaderBytes,
			TLSHandshakeTimeout:    5 * time.Second,
		},
	}
	return s
}

type schemeKey struct{}

var errRefusedAddress, errPlainHTTP = errors.New("refused address"), errors.New("plain HTTP")

// checkConnection refuses connections to addresses that are not allowed. It runs after the
// name was resolved, for the address that is connected to, so that no name can change its
// address between a check and the connection.
func (s *Sender) checkConnection(ctx context.Context, _, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return errRefusedAddress
	}
	switch {
	case containsAddr(s.allowed, a.Addr()):
		return nil
	case !isPublic(a.Addr()):
		return errRefusedAddress
	case ctx.Value(schemeKey{}) != "https":
		return errPlainHTTP
	}
	return nil
}

// Send sends a message once.
func (s *Sender) Send(ctx context.Context, address string, signing Signing, m Message) (a Attempt) {
	a.StartedAt = time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	response, err := s.post(ctx, address, signing, m, a.StartedAt)
	if err != nil {
		a.Problem = problemFromError(err)
	} else {
		defer response.Body.Close()
		a.StatusCode = response.StatusCode
		a.Answer = readAnswer(response.Body)
		a.Problem = problemFromStatus(response.StatusCode)
	}
	a.DurationMS = int(time.Since(a.StartedAt).Milliseconds())
	return a
}

func (s *Sender) post(ctx context.Context, address string, signing Signing, m Message,
	sentAt time.Time) (*http.Response, error) {
	body, err := m.Body()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if err := signing.setSignature(request.Header, m.ID(), sentAt, body); err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", s.userAgent)
	return s.client.Do(request.WithContext(context.WithValue(ctx, schemeKey{}, request.URL.Scheme)))
}

// readAnswer returns the first characters of an answer, on one line. What cannot be read is
// left out: the status has decided.
func readAnswer(body io.Reader) string {
	answer, _ := io.ReadAll(io.LimitReader(body, maxAnswerBytes))
	clean := strings.Map(func(r rune) rune {
		if plaintext.IsControl(r) || r == '\n' || r == '\t' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(answer), " "))
	runes := []rune(strings.Join(strings.Fields(clean), " "))
	return string(runes[:min(len(runes), answerKeptRunes)])
}
