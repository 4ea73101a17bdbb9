package local

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/require"
)

// An account other than this one, that of the server and root is refused, even if it reaches
// the socket.
func TestStart_OtherAccount_Refused(t *testing.T) {
	if os.Geteuid() != 0 {
		require.Missing(t, "root", "Only root can connect as another account.")
	}
	t.Parallel()
	s := startServer(t, Options{Dir: newCluster(t)})
	for _, dir := range []string{s.options.Dir, s.socketDir} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(s.socketDir, ".s.PGSQL."+port), 0o777); err != nil {
		t.Fatal(err)
	}
	other, found := lookUpAccount("daemon")
	if !found || other.uid == s.runAs.uid {
		require.Missing(t, "root", "There is no account named daemon to connect as.")
	}
	for _, role := range roles {
		conn, err := connectAs(t, s, other, role)
		if err == nil {
			_ = conn.Close(t.Context())
		}
		checkRefused(t, err)
	}
	conn, err := connectAs(t, s, s.runAs, Role)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close(t.Context())
}

func connectAs(t *testing.T, s *Server, a account, role string) (*pgx.Conn, error) {
	t.Helper()
	config, err := pgx.ParseConfig(s.Address().URL(role, Database))
	if err != nil {
		t.Fatal(err)
	}
	config.DialFunc = dialAs(a)
	return pgx.ConnectConfig(t.Context(), config)
}

// dialAs connects as another account. Only the thread that connects changes its account,
// which the server gets from the kernel.
func dialAs(a account) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		const unchanged = ^uintptr(0)
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, unchanged, uintptr(a.uid), unchanged); errno != 0 {
			return nil, fmt.Errorf("change the account: %w", errno)
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, unchanged, 0, unchanged); errno != 0 {
			panic(errno)
		}
		return conn, err
	}
}
