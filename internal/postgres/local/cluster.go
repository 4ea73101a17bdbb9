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

// clusterMajor returns the major version that made the cluster in data, or 0
// where there is none yet.
func clusterMajor(data string) (int, error) {
	text, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return 0, fmt.Errorf("the data in %s belongs to another account; please start as that account", data)
	}
	if err != nil {
		return 0, fmt.Errorf("reading the version of the data: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s/PG_VERSION holds no version: %w", data, err)
	}
	return major, nil
}

// initialise makes the cluster where there is none. It works beside the final
// place and renames at the end, so that a cut-off initdb leaves no half cluster.
func (s *Server) initialise(ctx context.Context) error {
	major, err := clusterMajor(s.data)
	if err != nil || major != 0 {
		return err
	}
	if err := s.makeWay(); err != nil {
		return err
	}
	s.with.Log.Info("making a PostgreSQL cluster", "dir", s.data, "version", s.bin.Version)
	fresh := s.data + ".new"
	if err := s.emptyDir(fresh); err != nil {
		return err
	}
	said, err := s.runAs.output(ctx, s.with.Dir, s.bin.path("initdb"), s.initdbArgs(fresh)...)
	if err != nil {
		return fmt.Errorf("making the PostgreSQL cluster in %s: %w\n%s", fresh, err, said)
	}
	if err := os.Rename(fresh, s.data); err != nil {
		return fmt.Errorf("installing the PostgreSQL cluster: %w", err)
	}
	return syncDir(s.with.Dir)
}

// emptyDir makes dir anew, owned by the server's account.
func (s *Server) emptyDir(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clearing %s: %w", dir, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("making room for PostgreSQL: %w", err)
	}
	if err := s.runAs.give(dir); err != nil {
		return fmt.Errorf("handing %s to %s: %w", dir, s.runAs.name, err)
	}
	return nil
}

// makeWay removes an empty directory where the cluster shall be, such as one made by
// hand. Anything else is somebody's and stays.
func (s *Server) makeWay() error {
	if err := os.Remove(s.data); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds files but no PostgreSQL cluster. "+
			"Please move them away, or choose another data directory", s.data)
	}
	return nil
}

// syncDir makes a rename in dir survive a power cut.
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

// Remove deletes dir and all in it, ending a server that an earlier run left
// there. It leaves alone what another process has claimed, with ErrClaimed.
func Remove(ctx context.Context, dir string) error {
	o, err := Options{Dir: dir, Log: slog.New(slog.DiscardHandler)}.complete()
	if err != nil {
		return err
	}
	release, err := Claim(o.Dir)
	if err != nil {
		return err
	}
	defer release()
	s := o.server()
	if err := s.endOrphan(ctx); err != nil {
		return err
	}
	s.removeSockets()
	if err := os.RemoveAll(o.Dir); err != nil {
		return fmt.Errorf("removing the data directory: %w", err)
	}
	return nil
}
