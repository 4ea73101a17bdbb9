package local

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/user"
	"runtime"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Every account but this one and root is refused, also that of the server.
func TestStart_OtherAccount_Refused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to connect as another account")
	}
	t.Parallel()
	s := startServer(t, Options{Dir: newCluster(t)})
	if !s.runAs.isSet() {
		t.Fatal("the server runs as root")
	}
	if u, err := user.Current(); err != nil || u.Username == s.runAs.name {
		t.Fatalf("%v, %v", u, err)
	}
	for _, role := range roles {
		config, err := pgx.ParseConfig(s.Address().URL(role, Database))
		if err != nil {
			t.Fatal(err)
		}
		config.DialFunc = dialAs(s.runAs)
		conn, err := pgx.ConnectConfig(t.Context(), config)
		if err == nil {
			_ = conn.Close(t.Context())
		}
		checkRefused(t, err)
	}
}

// dialAs connects as another account. Only the thread that connects changes its account,
// which the kernel tells the server.
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
