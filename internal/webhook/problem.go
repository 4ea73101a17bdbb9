package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
)

// A SendProblem is why an attempt failed; empty if it did not.
type SendProblem string

// The problems.
const (
	ProblemStatus      SendProblem = "status"
	ProblemGone        SendProblem = "gone"
	ProblemRedirect    SendProblem = "redirect"
	ProblemTimeout     SendProblem = "timeout"
	ProblemAddress     SendProblem = "refused_address"
	ProblemPlainHTTP   SendProblem = "plain_http"
	ProblemName        SendProblem = "unknown_host"
	ProblemTLS         SendProblem = "tls"
	ProblemConnection  SendProblem = "connection"
	ProblemInterrupted SendProblem = "interrupted"
)

// Text returns the problem as a sentence.
func (p SendProblem) Text() string {
	return map[SendProblem]string{
		ProblemStatus:      "The receiver answered with an error.",
		ProblemGone:        "The receiver answered 410 Gone, so the webhook was disabled.",
		ProblemRedirect:    "The receiver redirected. Redirects are not followed.",
		ProblemTimeout:     "The receiver did not answer in time.",
		ProblemAddress:     "The address is in a private or reserved network, which the server does not allow.",
		ProblemPlainHTTP:   "The address starts with http. Outside of allowed networks, use https.",
		ProblemName:        "The host name was not found.",
		ProblemTLS:         "The receiver's certificate is not valid for this address.",
		ProblemConnection:  "The connection failed.",
		ProblemInterrupted: "The server stopped during the attempt.",
	}[p]
}

// Problems lists all problems.
var Problems = []SendProblem{ProblemStatus, ProblemGone, ProblemRedirect, ProblemTimeout, ProblemAddress,
	ProblemPlainHTTP, ProblemName, ProblemTLS, ProblemConnection, ProblemInterrupted}

func problemFromStatus(status int) SendProblem {
	switch {
	case status >= 200 && status < 300:
		return ""
	case status >= 300 && status < 400:
		return ProblemRedirect
	case status == http.StatusGone:
		return ProblemGone
	}
	return ProblemStatus
}

// problemFromError classifies an error without an answer. Its text is not shown: it may show
// the network of the server.
func problemFromError(err error) SendProblem {
	switch {
	case errors.Is(err, errRefusedAddress):
		return ProblemAddress
	case errors.Is(err, errPlainHTTP):
		return ProblemPlainHTTP
	case errors.Is(err, context.Canceled):
		return ProblemInterrupted
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || isTimeout(err):
		return ProblemTimeout
	case isTLS(err):
		return ProblemTLS
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return ProblemName
	}
	return ProblemConnection
}

func isTimeout(err error) bool {
	netErr, ok := errors.AsType[net.Error](err)
	return ok && netErr.Timeout()
}

func isTLS(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	return strings.Contains(err.Error(), "tls: ")
}
