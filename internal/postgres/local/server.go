//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// Server is a running private PostgreSQL.
type Server struct {
	options   Options
	dataDir   string
	socketDir string
	runAs     account
	bin       Binaries
	process   *process
	release   func()
}

// Start starts the server in o.Dir and returns when it accepts connections. The first
// start creates the cluster; a cluster of another major version is never changed. Start
// stops a server of an earlier run. ctx limits only the start; the server runs until Stop.
func Start(ctx context.Context, o Options) (*Server, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	unlockDir, err := LockDir(o.Dir)
	if err != nil {
		return nil, err
	}
	s := o.newServer()
	s.release = sync.OnceFunc(func() { s.removeSocketDir(); unlockDir() })
	if err := s.startUp(ctx); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

func (o Options) newServer() *Server {
	return &Server{options: o, dataDir: filepath.Join(o.Dir, "data")}
}

// complete sets defaults and creates the data directory.
func (o Options) complete() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("no data directory given: a private PostgreSQL needs one")
	}
	if o.CacheDir == "" {
		o.CacheDir = filepath.Join(o.Dir, "postgresql")
	}
	for _, dir := range []*string{&o.Dir, &o.BinDir, &o.CacheDir} {
		if err := makeAbsolute(dir); err != nil {
			return o, err
		}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o, makeDir(o.Dir)
}

func makeAbsolute(dir *string) (err error) {
	if *dir == "" {
		return nil
	}
	if *dir, err = filepath.Abs(*dir); err != nil {
		return fmt.Errorf("finding the working directory: %w", err)
	}
	return nil
}

// makeDir creates dir for this account only. If this process is root, the account of
// the server must be able to enter dir; it owns only data/ and run/ in it.
func makeDir(dir string) error {
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o755
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return fmt.Errorf("the data directory cannot be created: %w. Choose another data directory", err)
	}
	return nil
}

func (s *Server) startUp(ctx context.Context) error {
	steps := []func(context.Context) error{
		s.chooseAccount, s.chooseBinaries, s.checkAccess,
		s.initialize, s.stopOrphan, s.writeAccessRules, s.makeSocketDir, s.run, s.makeDatabase,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// An Address is where a server listens.
type Address struct{ socketDir string }

// URL returns the URL of a database for a role. pgx reads it as it is; golang-migrate needs
// the scheme pgx5.
func (a Address) URL(role, database string) string {
	query := url.Values{"host": {a.socketDir}, "port": {port}, "sslmode": {"disable"}}
	encoded := strings.ReplaceAll(query.Encode(), "+", "%20") // pgx does not decode + as a space
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database, RawQuery: encoded}
	return u.String()
}

// Address returns where the server listens.
func (s *Server) Address() Address { return Address{s.socketDir} }

// URL returns the URL of a database for Role, which may do everything.
func (s *Server) URL(database string) string { return s.Address().URL(Role, database) }

// Version returns the major version, such as 17.
func (s *Server) Version() int { return s.bin.Major }

// Exited returns a channel that is closed when the server has stopped for any reason.
func (s *Server) Exited() <-chan struct{} { return s.process.exited }

// Stop closes open connections and shuts the server down cleanly. If ctx ends first,
// the server stops immediately and recovers at its next start. Stop returns an error if
// the server had already stopped by itself.
func (s *Server) Stop(ctx context.Context) error {
	defer s.release()
	s.process.signal(syscall.SIGINT)
	select {
	case <-s.process.exited:
	case <-ctx.Done():
		s.process.signal(syscall.SIGQUIT)
		<-s.process.exited
	}
	return s.process.exitError()
}

func (s *Server) makeDatabase(ctx context.Context) error {
	err := s.ensureDatabase(ctx, Database)
	if err != nil {
		s.kill()
		return fmt.Errorf("creating the database %s: %w", Database, err)
	}
	return nil
}

func (s *Server) ensureDatabase(ctx context.Context, database string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var exists bool
	row := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", database)
	if err := row.Scan(&exists); err != nil || exists {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{database}.Sanitize())
	return err
}
