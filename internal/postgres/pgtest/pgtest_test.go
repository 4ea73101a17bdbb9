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
			t.Logf("a database in %v", time.Since(startedAt))
			if _, err := connect(t, url).Exec(t.Context(), "INSERT INTO words VALUES ('mine')"); err != nil {
				t.Fatal(err)
			}
			if n := countRows(t, url, "words"); n != 1 {
				t.Errorf("there are %d words, so another test wrote here", n)
			}
		})
	}
}

func TestNewEmpty_HasNoTables(t *testing.T) {
	t.Parallel()
	if n := countRows(t, NewEmpty(t), "pg_tables WHERE tablename = 'words'"); n != 0 {
		t.Error("an empty database has the prepared table")
	}
}

// recordingTB is a test that only notes what is done to it.
type recordingTB struct {
	testing.TB
	skipMessage, failMessage string
}

func (r *recordingTB) Helper() {}

func (r *recordingTB) Skipf(format string, args ...any) { r.skipMessage = fmt.Sprintf(format, args...) }

func (r *recordingTB) Fatalf(format string, args ...any) {
	r.failMessage = fmt.Sprintf(format, args...)
	panic(r) // ends it, as Fatalf does
}

func recordSkipOrFail(err error, required string) (recorded *recordingTB) {
	recorded = &recordingTB{}
	defer func() { _ = recover() }()
	skipOrFail(recorded, err, required)
	return recorded
}

func TestSkipOrFail_Unavailable(t *testing.T) {
	t.Parallel()
	unavailable := unavailableError{errors.New("no PostgreSQL was found here")}
	for _, c := range []struct {
		name     string
		err      error
		required string
		fails    bool
	}{
		{"tests are skipped", unavailable, "", false},
		{"tests are skipped where other things are required", unavailable, "npm,chromium", false},
		{"tests fail where it is required", unavailable, "npm,postgres", true},
		{"a broken migration is never skipped", errors.New("no PostgreSQL was found here: syntax error"), "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			recorded := recordSkipOrFail(c.err, c.required)
			if c.fails != (recorded.failMessage != "") || c.fails == (recorded.skipMessage != "") {
				t.Fatalf("skipped with %q, failed with %q", recorded.skipMessage, recorded.failMessage)
			}
			if !strings.Contains(recorded.skipMessage+recorded.failMessage, "no PostgreSQL was found here") {
				t.Errorf("the reason is not told: %q", recorded.skipMessage+recorded.failMessage)
			}
		})
	}
}
