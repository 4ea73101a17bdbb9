//go:build unix

package local

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestFindRunning_ReturnsURL(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	if _, running := FindRunning(dir); running {
		t.Error("running before the start")
	}
	s := startServer(t, Options{Dir: dir})
	url, running := FindRunning(dir)
	if !running || url != s.URL(Database) {
		t.Fatalf("got %q, %v; want %q", url, running, s.URL(Database))
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, running := FindRunning(dir); running {
		t.Error("running after Stop")
	}
}
