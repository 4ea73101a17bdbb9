package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
)

// An smtpServer speaks enough SMTP to receive mails.
type smtpServer struct {
	port    int
	mu      sync.Mutex
	mails   []string // as received
	refusal string   // the reply to RCPT; empty: accepted
	hangUp  hangUp
}

// A hangUp is when a server ends the connection.
type hangUp string

const (
	hangUpAfterReply  hangUp = "after the reply to the text"
	hangUpBeforeReply hangUp = "before the reply to the text, which it stored"
	neverReply        hangUp = "never, but it does not reply to the text, which it stored"
)

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
			reply("354 end with a dot")
			s.receive(reader)
			switch s.hangUpNow() {
			case hangUpBeforeReply:
				return
			case neverReply:
				_, _ = reader.ReadString('\n') // until the client is gone
				return
			case hangUpAfterReply:
				reply("250 stored")
				return
			}
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

func (s *smtpServer) hangUpNow() (h hangUp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, s.hangUp = s.hangUp, ""
	return h
}

// hangUpOnce has the server hang up at the next mail.
func (s *smtpServer) hangUpOnce(h hangUp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hangUp = h
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

// waitForMail waits for one mail.
func (s *smtpServer) waitForMail(t *testing.T) string {
	t.Helper()
	var mails []string
	waitUntil(t, func() bool { mails = s.taken(); return len(mails) > 0 })
	if len(mails) != 1 {
		t.Fatalf("%d mails: %q", len(mails), mails)
	}
	return mails[0]
}
