//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// clusterMajor returns the major version of the cluster in dataDir, or 0 without a
// cluster.
func clusterMajor(dataDir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dataDir, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return 0, fmt.Errorf("the data in %s belongs to another account. Start as that account", dataDir)
	}
	if err != nil {
		return 0, fmt.Errorf("reading the version of the data: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s/PG_VERSION is not a version: %w", dataDir, err)
	}
	return major, nil
}

// initialize creates the cluster if there is none. It works in a temporary directory
// and renames it, so that an interrupted initdb leaves no partial cluster.
func (s *Server) initialize(ctx context.Context) error {
	major, err := clusterMajor(s.dataDir)
	if err != nil || major != 0 {
		return err
	}
	if err := s.removeEmptyDataDir(); err != nil {
		return err
	}
	s.options.Log.Info("creating a PostgreSQL cluster", "dir", s.dataDir, "version", s.bin.Version)
	tempDir := s.dataDir + ".new"
	if err := s.makeEmptyDir(tempDir); err != nil {
		return err
	}
	output, err := s.runAs.output(ctx, s.options.Dir, s.bin.path("initdb"), s.initdbArgs(tempDir)...)
	if err != nil {
		return fmt.Errorf("creating the PostgreSQL cluster in %s: %w\n%s", tempDir, err, output)
	}
	if err := os.Rename(tempDir, s.dataDir); err != nil {
		return fmt.Errorf("installing the PostgreSQL cluster: %w", err)
	}
	return syncDir(s.options.Dir)
}

// makeEmptyDir replaces dir by an empty directory owned by the server's account.
func (s *Server) makeEmptyDir(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clearing %s: %w", dir, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("creating a directory for PostgreSQL: %w", err)
	}
	if err := s.runAs.chown(dir); err != nil {
		return fmt.Errorf("changing the owner of %s to %s: %w", dir, s.runAs.name, err)
	}
	return nil
}

// removeEmptyDataDir removes the data directory if it is empty. A directory with files
// is an error, because the files belong to the user.
func (s *Server) removeEmptyDataDir() error {
	if err := os.Remove(s.dataDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds files but no PostgreSQL cluster. "+
			"Move the files away, or choose another data directory", s.dataDir)
	}
	return nil
}

// syncDir makes a rename in dir survive a power failure.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing the data directory: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("syncing the data directory: %w", err)
	}
	return nil
}

// Remove deletes dir and its contents, and stops a server that an earlier run left
// there. It returns ErrLocked if another process uses dir.
func Remove(ctx context.Context, dir string) error {
	o, err := Options{Dir: dir, Log: slog.New(slog.DiscardHandler)}.complete()
	if err != nil {
		return err
	}
	release, err := LockDir(o.Dir)
	if err != nil {
		return err
	}
	defer release()
	s := o.newServer()
	if err := s.stopOrphan(ctx); err != nil {
		return err
	}
	s.removeSocketDir()
	if err := os.RemoveAll(o.Dir); err != nil {
		return fmt.Errorf("removing the data directory: %w", err)
	}
	return nil
}
