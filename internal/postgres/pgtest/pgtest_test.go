package pgtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestEachTestHasADatabaseOfItsOwn(t *testing.T) {
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			url := New(t)
			t.Logf("a database in %v", time.Since(begun))
			if _, err := connect(t, url).Exec(t.Context(), "INSERT INTO words VALUES ('mine')"); err != nil {
				t.Fatal(err)
			}
			if n := count(t, url, "words"); n != 1 {
				t.Errorf("there are %d words, so another test wrote here", n)
			}
		})
	}
}

func TestEmptyIsNotPrepared(t *testing.T) {
	t.Parallel()
	if n := count(t, Empty(t), "pg_tables WHERE tablename = 'words'"); n != 0 {
		t.Error("an empty database has the prepared table")
	}
}

// verdict is a test that only notes what is done to it.
type verdict struct {
	testing.TB
	skipped, failed string
}

func (v *verdict) Helper() {}

func (v *verdict) Skipf(format string, args ...any) { v.skipped = fmt.Sprintf(format, args...) }

func (v *verdict) Fatalf(format string, args ...any) {
	v.failed = fmt.Sprintf(format, args...)
	panic(v) // ends it, as Fatalf does
}

func judge(err error, required string) (v *verdict) {
	v = &verdict{}
	defer func() { _ = recover() }()
	refuse(v, err, required)
	return v
}

func TestWithoutPostgreSQL(t *testing.T) {
	t.Parallel()
	none := missing{errors.New("no PostgreSQL was found here")}
	for _, c := range []struct {
		name     string
		err      error
		required string
		fails    bool
	}{
		{"tests are skipped", none, "", false},
		{"tests are skipped where other things are required", none, "npm,chromium", false},
		{"tests fail where it is required", none, "npm,postgres", true},
		{"a broken migration is never skipped", errors.New("no PostgreSQL was found here: syntax error"), "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := judge(c.err, c.required)
			if c.fails != (v.failed != "") || c.fails == (v.skipped != "") {
				t.Fatalf("skipped with %q, failed with %q", v.skipped, v.failed)
			}
			if !strings.Contains(v.skipped+v.failed, "no PostgreSQL was found here") {
				t.Errorf("the reason is not told: %q", v.skipped+v.failed)
			}
		})
	}
}
