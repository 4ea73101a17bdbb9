package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
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
	t.Cleanup(func() {
		_ = s.Process.Signal(syscall.SIGTERM)
		_ = s.Wait()
	})
	s.baseURL = waitForOutput(t, &s.stdout, &s.stderr, `Labelwright is ready at (http://\S+)`)
	return s
}
