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

// account is who runs the server: PostgreSQL refuses to run as root. The zero
// account is the one this process has.
type account struct {
	name string
	uid  uint32
	gid  uint32
}

func (a account) isSet() bool { return a.name != "" }

// selectAccount chooses an account for the cluster in data. An existing cluster keeps
// its owner, since no other account can open it.
func selectAccount(dataDir, preferred string) (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	if a, ok := accountOfOwner(dataDir); ok {
		return a, nil
	}
	for _, name := range []string{"postgres", preferred, "nobody"} {
		if a, ok := lookUpAccount(name); ok {
			return a, nil
		}
	}
	return account{}, errors.New("PostgreSQL cannot run as root, and there is no account postgres or nobody to run it as. " +
		"Please start as another account, or set DATABASE_URL to a PostgreSQL of your own")
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

// command prepares a program to run as the account, in a process group of its own
// so that Ctrl-C reaches only us, and with an environment of its own so that
// nothing of the caller's changes what PostgreSQL does.
func (a account) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if a.isSet() {
		// Groups is empty so that root's groups are dropped.
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid, Groups: []uint32{}}
	}
	endWithParent(cmd.SysProcAttr)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// output runs a program as the account to its end, and returns what it said. It
// keeps its thread, whose end would be taken for the end of this process.
func (a account) output(ctx context.Context, dir, program string, args ...string) ([]byte, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := a.command(ctx, program, args...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

// chown hands path to the account.
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

// checkAccess tells early that the account cannot get to the data, which is
// otherwise a puzzle of permissions on the way to it.
func (s *Server) checkAccess(ctx context.Context) error {
	_, err := s.runAs.output(ctx, s.options.Dir, s.bin.path("postgres"), "--version")
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("PostgreSQL runs as %s when this is started by root, and %s cannot reach %s. "+
			"Please choose a data directory it can, such as /var/lib/labelwright", s.runAs.name, s.runAs.name, s.options.Dir)
	}
	if err != nil {
		return fmt.Errorf("trying PostgreSQL in %s: %w", s.options.Dir, err)
	}
	return nil
}
