//go:build unix

package local

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestFindRunning_ReturnsAddress(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	if _, running := FindRunning(dir); running {
		t.Error("running before the start")
	}
	s := startServer(t, Options{Dir: dir})
	address, running := FindRunning(dir)
	if !running || address != s.Address() {
		t.Fatalf("got %v, %v; want %v", address, running, s.Address())
	}
	conn, err := pgx.Connect(t.Context(), address.URL(Role, Database))
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
