//go:build unix

package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopOrphan stops a server that an earlier run left; the lock on Dir shows that no
// other process uses it. Then it corrects the PID file, because PostgreSQL treats any
// process with that PID as a server, even a zombie.
func (s *Server) stopOrphan(ctx context.Context) error {
	path := filepath.Join(s.dataDir, "postmaster.pid")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the PID file of an earlier run: %w", err)
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	pid, err := strconv.Atoi(string(bytes.TrimSpace(first)))
	if err != nil || pid <= 1 {
		return removePIDFile(path) // partly written
	}
	if err := s.stopServerProcess(ctx, pid); err != nil {
		return err
	}
	return replacePIDInFile(path, pid, rest)
}

func (s *Server) stopServerProcess(ctx context.Context, pid int) error {
	if !isServerOf(pid, s.dataDir) {
		return nil
	}
	s.options.Log.Warn("stopping the PostgreSQL of an earlier run", "pid", pid, "dir", s.options.Dir)
	_ = syscall.Kill(pid, syscall.SIGINT)
	for isServerOf(pid, s.dataDir) {
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return fmt.Errorf("waiting for the PostgreSQL of an earlier run (process %d) to stop: %w", pid, err)
		}
	}
	return nil
}

// replacePIDInFile replaces the PID of an unrelated process by that of this process.
// PostgreSQL ignores its parent's PID, and still uses the rest of the file to find
// backends of the old server.
func replacePIDInFile(path string, pid int, rest []byte) error {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil // the orphan removed it
	}
	text := strconv.AppendInt(nil, int64(os.Getpid()), 10)
	text = append(append(text, '\n'), rest...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return fmt.Errorf("correcting the PID file of an earlier run: %w", err)
	}
	return nil
}

func removePIDFile(path string) error {
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("removing the PID file of an earlier run: %w", err)
	}
	return nil
}

// isServerOf reports whether process pid is the server of the cluster in dataDir, and
// not another server, another program or a zombie with the same PID.
func isServerOf(pid int, dataDir string) bool {
	if runtime.GOOS != "linux" {
		line, _ := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
		return isServerCommand(string(line), dataDir)
	}
	procDir := filepath.Join("/proc", strconv.Itoa(pid))
	name, err := os.ReadFile(filepath.Join(procDir, "comm"))
	if err != nil || !bytes.Contains(name, []byte("postgres")) {
		return false
	}
	cwdInfo, err := os.Stat(filepath.Join(procDir, "cwd")) // a zombie has none
	if err != nil {
		return false
	}
	dataInfo, err := os.Stat(dataDir)
	return err == nil && os.SameFile(cwdInfo, dataInfo)
}

// isServerCommand reports whether a command line runs postgres on dataDir, and not on
// a directory whose path starts with dataDir.
func isServerCommand(line, dataDir string) bool {
	program, args, _ := strings.Cut(strings.TrimSpace(line), " -D ")
	rest, isDataDir := strings.CutPrefix(args, dataDir)
	return strings.Contains(program, "postgres") && isDataDir && (rest == "" || strings.HasPrefix(rest, " -"))
}
