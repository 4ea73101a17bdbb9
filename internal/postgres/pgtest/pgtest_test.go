package pgtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestNew_DatabasesAreSeparate(t *testing.T) {
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			startedAt := time.Now()
			url := New(t)
			t.Logf("database created in %v", time.Since(startedAt))
			if _, err := connect(t, url).Exec(t.Context(), "INSERT INTO words VALUES ('same')"); err != nil {
				t.Fatal(err)
			}
			if n := countRows(t, url, "words"); n != 1 {
				t.Errorf("%d words, want 1: another test wrote here", n)
			}
		})
	}
}

func TestNewCopy_HasRowsOfItsSource(t *testing.T) {
	t.Parallel()
	url := New(t)
	conn := connect(t, url)
	if _, err := conn.Exec(t.Context(), "INSERT INTO words VALUES ('same')"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n := countRows(t, NewCopy(t, url), "words"); n != 1 {
			t.Errorf("a copy has %d words, want 1", n)
		}
	}
}

func TestNewEmpty_HasNoTables(t *testing.T) {
	t.Parallel()
	if n := countRows(t, NewEmpty(t), "pg_tables WHERE tablename = 'words'"); n != 0 {
		t.Error("empty database has the prepared table")
	}
}

// recordingTB records whether a test was skipped or failed.
type recordingTB struct {
	testing.TB
	skipMessage, failMessage string
}

func (r *recordingTB) Helper() {}

func (r *recordingTB) Skipf(format string, args ...any) { r.skipMessage = fmt.Sprintf(format, args...) }

func (r *recordingTB) Fatalf(format string, args ...any) {
	r.failMessage = fmt.Sprintf(format, args...)
	panic(r) // ends the caller, like Fatalf
}

func recordSkipOrFail(err error, required string) (recorded *recordingTB) {
	recorded = &recordingTB{}
	defer func() { _ = recover() }()
	skipOrFail(recorded, err, required)
	return recorded
}

func TestSkipOrFail_Unavailable(t *testing.T) {
	t.Parallel()
	unavailable := unavailableError{errors.New("PostgreSQL not found")}
	for _, c := range []struct {
		name     string
		err      error
		required string
		fails    bool
	}{
		{"nothing required", unavailable, "", false},
		{"other programs required", unavailable, "node,chromium", false},
		{"postgres required", unavailable, "node,postgres", true},
		{"broken migration", errors.New("PostgreSQL not found: syntax error"), "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			recorded := recordSkipOrFail(c.err, c.required)
			if c.fails != (recorded.failMessage != "") || c.fails == (recorded.skipMessage != "") {
				t.Fatalf("skipped with %q, failed with %q", recorded.skipMessage, recorded.failMessage)
			}
			if !strings.Contains(recorded.skipMessage+recorded.failMessage, "PostgreSQL not found") {
				t.Errorf("message lacks the reason: %q", recorded.skipMessage+recorded.failMessage)
			}
		})
	}
}
