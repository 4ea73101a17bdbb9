package require

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
)

// SharedData returns a path in ../shared/data, real items and published figures next to the
// checkout. They are not part of the project. The requirement is called shared-data.
func SharedData(t testing.TB, elements ...string) (path string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !exists(filepath.Join(dir, "go.mod")) {
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod in the parent directories")
		}
		dir = filepath.Dir(dir)
	}
	name := filepath.Join(elements...)
	if path = filepath.Join(filepath.Dir(dir), "shared", "data", name); !exists(path) {
		Missing(t, "shared-data", "../shared/data/"+name+" does not exist.")
	}
	return path
}

// SharedFile returns a file in ../shared/data, as SharedData finds it.
func SharedFile(t testing.TB, elements ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(SharedData(t, elements...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// SharedRows returns the rows of a CSV file in ../shared/data, without its header.
func SharedRows(t testing.TB, elements ...string) [][]string {
	t.Helper()
	file, err := os.Open(SharedData(t, elements...))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%s: %d rows, %v", file.Name(), len(rows), err)
	}
	return rows[1:]
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
