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
		t.Errorf("got %v, want ErrLocked", err)
	}
	queryText(t, first, "SELECT 'undisturbed'")
}

func TestStart_WrongMajor_KeepsData(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	version := filepath.Join(dir, "data", "PG_VERSION")
	writeText(t, version, "99\n")
	_, err := Start(t.Context(), Options{Dir: dir, Log: discardLog})
	checkError(t, err, "created by PostgreSQL 99", "Install PostgreSQL 99", "has not been changed")
	if text, _ := os.ReadFile(version); string(text) != "99\n" {
		t.Errorf("PG_VERSION = %q, want 99", text)
	}
}

func TestStart_NoCluster_KeepsFiles(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	letter := filepath.Join(dir, "data", "letter.txt")
	writeText(t, letter, "Dear Ada,")
	_, err := Start(t.Context(), Options{Dir: dir, Log: discardLog})
	checkError(t, err, "no PostgreSQL cluster", "Move the files away")
	if text, _ := os.ReadFile(letter); string(text) != "Dear Ada," {
		t.Errorf("letter.txt = %q, want it unchanged", text)
	}
}

func TestStart_NoDir_Refused(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Options{Log: discardLog})
	checkError(t, err, "no data directory given")
}

func TestStart_Root_DropsPrivileges(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, which runs PostgreSQL as another account")
	}
	t.Parallel()
	s := startServer(t, Options{Dir: newCluster(t)})
	output, err := exec.Command("ps", "-o", "uid=,gid=", "-p", strconv.Itoa(serverPID(s))).Output()
	if err != nil {
		t.Fatal(err)
	}
	if ids := strings.Fields(string(output)); len(ids) != 2 || ids[0] == "0" || ids[1] == "0" {
		t.Errorf("server runs with uid and gid %v", ids)
	}
}

func TestStart_UnreachableDir_Fails(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, which runs PostgreSQL as another account")
	}
	t.Parallel()
	closedDir := newDir(t)
	if err := os.Chmod(closedDir, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Dir: filepath.Join(closedDir, "inside"), Log: discardLog})
	checkError(t, err, "cannot reach "+closedDir, "Choose a data directory it can reach")
}

func TestSearch_NoneUsable_Explains(t *testing.T) {
	t.Parallel()
	unreachable := newUnreachableFetcher(t)
	tooOld := newFakeBinaries(t, "postgres (PostgreSQL) 9.6.24")
	broken := newFakeBinaries(t, "something else")
	for _, c := range []struct {
		name string
		dirs []string
		want []string
	}{
		{"none", nil, []string{"nothing in PATH", "could not be downloaded", "apt install postgresql", "brew install",
			"DATABASE_URL"}},
		{"too old", []string{tooOld}, []string{tooOld, "9.6.24 is too old", "DATABASE_URL"}},
		{"not PostgreSQL", []string{broken}, []string{broken, "printed no version"}},
		{"empty directory", []string{t.TempDir()}, []string{"nothing in PATH"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := search{}
			_, err := s.firstUsable(t.Context(), c.dirs, unreachable)
			checkError(t, err, c.want...)
		})
	}
}

func TestSearch_WrongMajor_Fails(t *testing.T) {
	t.Parallel()
	s := search{dataDir: "/srv/data", major: fetchedMajor}
	other := newFakeBinaries(t, "postgres (PostgreSQL) 15.2")
	_, err := s.firstUsable(t.Context(), []string{other}, newUnreachableFetcher(t))
	checkError(t, err, "/srv/data was created by PostgreSQL 18", other, "15.2 is another version", "connection refused")
}

func TestSearch_TakesFirstUsable(t *testing.T) {
	t.Parallel()
	old, newer, newest := newFakeBinaries(t, "postgres (PostgreSQL) 13.9"),
		newFakeBinaries(t, "postgres (PostgreSQL) 16.4 (Debian)"), newFakeBinaries(t, "postgres (PostgreSQL) 18beta1")
	dirs := []string{old, newer, newest}
	for _, c := range []struct {
		name  string
		major int
		want  Binaries
	}{
		{"new cluster", 0, Binaries{newer, "16.4", 16}},
		{"cluster of 18", 18, Binaries{newest, "18beta1", 18}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := search{major: c.major}
			got, err := s.firstUsable(t.Context(), dirs, fetcher{})
			if err != nil || got != c.want {
				t.Errorf("got %v, %v; want %v", got, err, c.want)
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

// newFakeBinaries creates a directory with a postgres that prints version.
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
