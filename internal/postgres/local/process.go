//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// process is a running postgres, or one that has exited.
type process struct {
	cmd    *exec.Cmd
	log    *logWriter
	exited chan struct{}
	err    error // valid once exited is closed
}

func launch(cmd *exec.Cmd, log *logWriter) (*process, error) {
	cmd.Stdout, cmd.Stderr = log, log
	cmd.WaitDelay = time.Second // a backend that outlives the server holds the pipe open
	p := &process{cmd: cmd, log: log, exited: make(chan struct{})}
	started := make(chan error, 1)
	go p.startAndWait(started)
	return p, <-started
}

// startAndWait locks its thread for the life of the child, because the kernel signals
// the parent's death to the child when the thread that started it ends.
func (p *process) startAndWait(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.exited)
	err := p.cmd.Start()
	started <- err
	if err == nil {
		p.err = p.cmd.Wait()
	}
}

// signal has no effect after the process has exited.
func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

func (p *process) exitError() error {
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("PostgreSQL stopped (%w): %s", p.err, p.log.tail())
}

// The server reports sharedMemoryInUse while a backend of a killed server still runs a
// statement. Two servers would destroy the cluster, so run waits.
const (
	sharedMemoryInUse   = "pre-existing shared memory block"
	sharedMemoryTimeout = 10 * time.Second
)

// run launches the server and waits until it accepts connections.
func (s *Server) run(ctx context.Context) error {
	deadline := time.Now().Add(sharedMemoryTimeout)
	for {
		err := s.tryRun(ctx)
		if err == nil || !strings.Contains(err.Error(), sharedMemoryInUse) || time.Now().After(deadline) {
			return err
		}
		s.options.Log.Warn("waiting for a statement of an earlier PostgreSQL to finish", "dir", s.options.Dir)
		if err := sleep(ctx, sharedMemoryTimeout/50); err != nil {
			return err
		}
	}
}

func (s *Server) tryRun(ctx context.Context) error {
	// The server outlives ctx, which only limits the start.
	cmd := s.runAs.command(context.WithoutCancel(ctx), s.bin.path("postgres"), s.serverArgs()...)
	cmd.Dir = s.options.Dir
	var err error
	if s.process, err = launch(cmd, &logWriter{log: s.options.Log}); err != nil {
		return fmt.Errorf("launching PostgreSQL: %w", err)
	}
	if err := s.waitUntilReady(ctx); err != nil {
		s.kill()
		return err
	}
	return nil
}

// invalidAuthorization is the class of errors of a refused account.
const invalidAuthorization = "28"

// waitUntilReady sets no time limit, because recovery after a crash may take minutes.
func (s *Server) waitUntilReady(ctx context.Context) error {
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && strings.HasPrefix(pgErr.Code, invalidAuthorization) {
			return fmt.Errorf("PostgreSQL does not accept this account: %w", err)
		}
		select {
		case <-s.process.exited:
			return fmt.Errorf("PostgreSQL did not start: %w", s.process.exitError())
		case <-ctx.Done():
			return fmt.Errorf("waiting for PostgreSQL to accept connections: %w", context.Cause(ctx))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// kill stops a server that failed to start.
func (s *Server) kill() {
	s.process.signal(syscall.SIGQUIT)
	<-s.process.exited
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// path returns the path of a program of this PostgreSQL.
func (b Binaries) path(program string) string { return b.Dir + string(os.PathSeparator) + program }
