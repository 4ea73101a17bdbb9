//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
)

// account is the system account that runs the server, because PostgreSQL refuses to
// run as root. The zero account is the account of this process.
type account struct {
	name string
	uid  uint32
	gid  uint32
}

func (a account) isSet() bool { return a.name != "" }

// unprivilegedAccount is the account that every Unix has for programs without rights.
const unprivilegedAccount = "nobody"

// selectAccount chooses the account for the cluster in dataDir. An existing cluster
// keeps its owner, because no other account can open it.
func selectAccount(dataDir, preferred string) (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	if a, ok := accountOfOwner(dataDir); ok {
		return a, nil
	}
	for _, name := range []string{"postgres", preferred, unprivilegedAccount} {
		if a, ok := lookUpAccount(name); ok {
			return a, nil
		}
	}
	return account{}, fmt.Errorf("PostgreSQL cannot run as root, and this system has no account postgres or %s. "+
		"Start as another account, or set DATABASE_URL to your own PostgreSQL", unprivilegedAccount)
}

func accountOfOwner(dataDir string) (account, bool) {
	info, err := os.Stat(dataDir)
	if err != nil {
		return account{}, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 {
		return account{}, false
	}
	name := strconv.FormatUint(uint64(stat.Uid), 10)
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	return account{name, stat.Uid, stat.Gid}, true
}

func lookUpAccount(name string) (account, bool) {
	u, err := user.Lookup(name)
	if err != nil || u.Uid == "0" {
		return account{}, false
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return account{}, false
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return account{}, false
	}
	return account{name, uint32(uid), uint32(gid)}, true
}

// command prepares a program to run as the account. Its own process group keeps
// Ctrl-C away from it, and its own environment keeps the caller's settings away.
func (a account) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if a.isSet() {
		// Empty, not nil: this drops the groups of root.
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid, Groups: []uint32{}}
	}
	endWithParent(cmd.SysProcAttr)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// output runs a program as the account and returns its output. It locks its thread,
// because the kernel treats the end of that thread as the death of the parent.
func (a account) output(ctx context.Context, dir, program string, args ...string) ([]byte, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := a.command(ctx, program, args...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

// chown makes the account the owner of path.
func (a account) chown(path string) error {
	if !a.isSet() {
		return nil
	}
	return os.Chown(path, int(a.uid), int(a.gid))
}

func (s *Server) chooseAccount(context.Context) (err error) {
	s.runAs, err = selectAccount(s.dataDir, s.options.Account)
	return err
}

// checkAccess reports early that the account cannot reach the data directory. A
// later permission error would not name the cause.
func (s *Server) checkAccess(ctx context.Context) error {
	_, err := s.runAs.output(ctx, s.options.Dir, s.bin.path("postgres"), "--version")
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("started by root, PostgreSQL runs as %s, and %s cannot reach %s. "+
			"Choose a data directory it can reach, such as /var/lib/labelwright", s.runAs.name, s.runAs.name,
			s.options.Dir)
	}
	if err != nil {
		return fmt.Errorf("running PostgreSQL in %s: %w", s.options.Dir, err)
	}
	return nil
}
