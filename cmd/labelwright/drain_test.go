package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
)

// A server that stops reports it to load balancers first, and still answers. Then it refuses
// connections.
func TestServe_Stop_NotReadyBeforeListenerCloses(t *testing.T) {
	t.Parallel()
	database := pgtest.NewRestartable(t, postgres.MigrateUp) // with settings that make a node ready
	s := startServe(t, "--database-url", database.URL(), "--drain-delay", "3s")
	checkReadiness(t, s, http.StatusOK)
	stoppedAt := time.Now()
	s.interrupt()
	var status int
	for status != http.StatusServiceUnavailable && time.Since(stoppedAt) < 2*time.Second {
		var err error
		if status, err = readiness(s.baseURL); err != nil {
			t.Fatalf("the listener closed first: %v", err)
		}
	}
	if status != http.StatusServiceUnavailable {
		t.Errorf("while draining, /readyz answers %d", status)
	}
	response, err := http.Get(s.baseURL + "/sign-in")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK || !response.Close {
		t.Errorf("while draining, a page answers %d, connection closed: %t", response.StatusCode, response.Close)
	}
	if code := s.wait(t); code != exitOK {
		t.Errorf("exit %d: %s", code, s.stderr.contents())
	}
	if _, err := readiness(s.baseURL); err == nil {
		t.Error("the listener is still open")
	}
}
