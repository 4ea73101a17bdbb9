package main

import (
	"fmt"
	"net"
	"net/http"
	"time"
)

type healthCommand struct {
	Addr string `default:"127.0.0.1:8080" env:"LABELWRIGHT_ADDR" help:"Where the server listens."`
}

// Run asks a server on this machine whether it is ready: what a container's
// health check runs.
func (h healthCommand) Run(ctx runContext) error {
	_, port, err := net.SplitHostPort(h.Addr)
	if err != nil {
		return usageError{fmt.Errorf("%q is not an address to listen at, such as 127.0.0.1:8080", h.Addr)}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+port+"/readyz", nil)
	if err != nil {
		return err
	}
	answer, err := (&http.Client{Timeout: 2 * time.Second}).Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s", answer.Status)
	}
	return nil
}
