package main

import (
	"fmt"
	"net"
	"net/http"
	"time"
)

type healthCommand struct {
	Addr string `default:"127.0.0.1:8080" env:"LABELWRIGHT_ADDR" help:"Address of the server."`
}

// Run requests /readyz of the server on this machine.
func (h healthCommand) Run(ctx runContext) error {
	_, port, err := net.SplitHostPort(h.Addr)
	if err != nil {
		return usageError{fmt.Errorf("--addr %q is not an address. Use one such as 127.0.0.1:8080", h.Addr)}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+port+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Timeout: 2 * time.Second}).Do(request)
	if err != nil {
		return fmt.Errorf("no answer from the server on this machine. Is it running? %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: it answered %s", response.Status)
	}
	return nil
}
