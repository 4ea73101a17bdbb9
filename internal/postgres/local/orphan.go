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

// stopOrphan ends a server that outlived an earlier run; the claim on Dir says that
// nobody else wants it. Then it settles the server's pid file, where PostgreSQL
// cannot: it takes any living process of that number, even a zombie, for a server.
func (s *Server) stopOrphan(ctx context.Context) error {
	path := filepath.Join(s.dataDir, "postmaster.pid")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading what an earlier run left: %w", err)
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	pid, err := strconv.Atoi(string(bytes.TrimSpace(first)))
	if err != nil || pid <= 1 {
		return removeStaleFile(path) // cut off while it was written
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
	s.options.Log.Warn("ending a PostgreSQL that an earlier run left", "pid", pid, "dir", s.options.Dir)
	_ = syscall.Kill(pid, syscall.SIGINT)
	for isServerOf(pid, s.dataDir) {
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return fmt.Errorf("waiting for PostgreSQL (process %d) of an earlier run to end: %w", pid, err)
		}
	}
	return nil
}

// replacePIDInFile puts our own number in place of a living stranger's. PostgreSQL
// passes over its parent's number, and still goes by the rest of the file to look
// for backends of the old server.
func replacePIDInFile(path string, pid int, rest []byte) error {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil // the orphan took it along
	}
	text := strconv.AppendInt(nil, int64(os.Getpid()), 10)
	text = append(append(text, '\n'), rest...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return fmt.Errorf("settling what an earlier run left: %w", err)
	}
	return nil
}

func removeStaleFile(path string) error {
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("clearing what an earlier run left: %w", err)
	}
	return nil
}

// isServerOf tells whether process pid is the server of the cluster in data, and
// not another server, another program or a zombie that has its number.
func isServerOf(pid int, dataDir string) bool {
	if runtime.GOOS != "linux" {
		line, _ := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
		return strings.Contains(string(line), "postgres") && strings.Contains(string(line), "-D "+dataDir)
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
