package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// A serverProcess is a running labelwright serve with a process of its own.
type serverProcess struct {
	*exec.Cmd
	baseURL        string
	stdout, stderr syncBuffer
}

// startServeProcess starts a server process without a folder for temporary files, and waits
// until it is ready. It stops with the test.
func startServeProcess(t *testing.T, args ...string) *serverProcess {
	t.Helper()
	s := &serverProcess{Cmd: exec.Command(os.Args[0], append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)}
	s.Env = append(os.Environ(), runCommandEnv+"=1", "TMPDIR=/proc/no-such-folder")
	s.Stdout, s.Stderr = &s.stdout, &s.stderr
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.stop() })
	s.baseURL = waitForOutput(t, &s.stdout, &s.stderr, `Labelwright is ready at (https?://\S+)`)
	return s
}

// stop stops the server and returns its exit code.
func (s *serverProcess) stop() int {
	if s.ProcessState == nil {
		_ = s.Process.Signal(syscall.SIGTERM)
		_ = s.Wait() // the exit code says more
	}
	return s.ProcessState.ExitCode()
}

// waitUntil waits up to a minute until something is true.
func waitUntil(t *testing.T, isTrue func() bool) {
	t.Helper()
	for range 600 {
		if isTrue() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("it did not happen within a minute")
}
