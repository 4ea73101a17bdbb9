package main

import (
	"bufio"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/mail"
	"github.com/labelwright/labelwright/internal/postgres"
)

// An smtpServer speaks enough SMTP to receive mails.
type smtpServer struct {
	port    int
	mu      sync.Mutex
	mails   []string // as received
	refusal string   // the reply to RCPT; empty: accepted
}

func newSMTPServer(t *testing.T) *smtpServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s := &smtpServer{port: listener.Addr().(*net.TCPAddr).Port}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *smtpServer) serve(conn net.Conn) {
	defer conn.Close()
	reader := bufio.NewReader(conn)
	reply := func(line string) { fmt.Fprintf(conn, "%s\r\n", line) }
	reply("220 test")
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			return
		}
		switch verb := strings.ToUpper(strings.Fields(line + " x")[0]); verb {
		case "EHLO", "HELO":
			reply("250 test")
		case "RCPT":
			reply(s.replyToRecipient())
		case "DATA":
			reply("354 go on")
			s.receive(reader)
			reply("250 stored")
		case "QUIT":
			reply("221 bye")
			return
		default:
			reply("250 ok")
		}
	}
}

func (s *smtpServer) replyToRecipient() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refusal != "" {
		return s.refusal
	}
	return "250 ok"
}

func (s *smtpServer) receive(reader *bufio.Reader) {
	var text strings.Builder
	for {
		line, err := reader.ReadString('\n')
		if err != nil || line == ".\r\n" {
			break
		}
		text.WriteString(line)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, text.String())
}

func (s *smtpServer) refuse(reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = reply
}

// taken returns the mails received since the last call.
func (s *smtpServer) taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	mails := s.mails
	s.mails = nil
	return mails
}

// sendDue sends all mails, also those that wait for their time.
func (env testEnv) sendDue(m mailer) {
	env.Helper()
	env.execSQL(`UPDATE identity.mails SET next_attempt_at = now() WHERE sent_at IS NULL`)
	var err error
	for err == nil {
		err = m.sendNext(env.Context())
	}
	if !postgres.IsNoMail(err) {
		env.Fatal(err)
	}
}

// Invitations, new work and answers are mailed once, without any text of an item or a
// message; a refused mail is tried again.
func TestMail_Events_SentOnce(t *testing.T) {
	env, server := newTestEnv(t), newSMTPServer(t)
	db := env.openDB()
	sender, err := mail.NewSender(mail.Config{Host: "127.0.0.1", Port: server.port, TLS: mail.NoTLS, From: "Labelwright <labels@example.org>"})
	if err != nil {
		t.Fatal(err)
	}
	m := mailer{db, sender, &url.URL{Scheme: "https", Host: "labels.example.org"}}
	env.mustRun("user", "add", "--email", "early@example.org", "--name", "Early", "--role", "annotator", "--base-url", "https://labels.example.org")
	env.sendDue(m)
	if mails := server.taken(); len(mails) != 0 {
		t.Fatalf("mails are sent without a mail server: %v", mails)
	}
	if err := db.SetMailEnabled(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	invitation := env.mustRun("user", "add", "--email", "ann@example.org", "--name", "Ann", "--role", "annotator", "--base-url", "https://labels.example.org")
	_, token, _ := strings.Cut(invitation, "/invitations/")
	token = strings.Fields(token)[0]
	server.refuse("451 try later")
	env.sendDue(m)
	server.refuse("")
	env.sendDue(m)
	env.sendDue(m)
	mails := server.taken()
	if len(mails) != 1 || !strings.Contains(mails[0], "ann@example.org") || !strings.Contains(strings.ReplaceAll(mails[0], "=\r\n", ""), token) {
		t.Fatalf("invitations = %q", mails)
	}
	env.execSQL(`UPDATE identity.users SET password_hash = 'x'`)
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy")
	env.mustRun("import", "--project", "pilot", env.writeFile("replies.csv", repliesCSV))
	env.mustRun("batch", "open", "--project", "pilot", "--name", "first", "--annotators", "ann@example.org", "--overlap", "1", "--duplicates", "0", "--calibration", "0")
	env.sendDue(m)
	if mails := server.taken(); len(mails) != 1 || !strings.Contains(mails[0], "You have new work in Pilot") {
		t.Errorf("new work = %q", mails)
	}
	env.askAndAnswer(t, db)
	env.sendDue(m)
	if mails := server.taken(); len(mails) != 1 || !strings.Contains(mails[0], "Your question was answered") || strings.Contains(mails[0], "canary") {
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
	env.sendDue(m)
	if mails := server.taken(); len(mails) != 0 {
		t.Errorf("mails to an account that turned them off: %q", mails)
	}
}

// askAndAnswer has the annotator ask about the open item, and a command answer.
func (env testEnv) askAndAnswer(t *testing.T, db *postgres.DB) {
	t.Helper()
	ann, err := db.AccountByEmail(t.Context(), "ann@example.org")
	if err != nil {
		t.Fatal(err)
	}
	token, err := db.OpenNext(t.Context(), ann.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.AskLead(t.Context(), ann.ID, token, "canary question"); err != nil {
		t.Fatal(err)
	}
	p, err := db.Project(t.Context(), operator, "pilot")
	if err != nil {
		t.Fatal(err)
	}
	open, err := db.OpenQuestions(t.Context(), 0, p.ID)
	if err != nil || len(open) != 1 {
		t.Fatalf("%+v, %v", open, err)
	}
	if err := db.AnswerQuestion(t.Context(), 0, p, open[0].ID, "canary answer"); err != nil {
		t.Fatal(err)
	}
}
