package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/fault"
)

func TestClassify_Kinds(t *testing.T) {
	t.Parallel()
	serverError := func(code string) error { return fmt.Errorf("store: %w", &pgconn.PgError{Code: code}) }
	for name, c := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"connection refused": {&net.OpError{Op: "dial", Err: errors.New("refused")}, fault.Unavailable},
		"connection cut":     {fmt.Errorf("query: %w", io.ErrUnexpectedEOF), fault.Unavailable},
		"connection closed":  {pgconn.ErrConnClosed, fault.Unavailable},
		"restart":            {serverError("57P01"), fault.Unavailable},
		"statement timeout":  {serverError("57014"), fault.Unavailable},
		"lock timeout":       {serverError("55P03"), fault.Unavailable},
		"too many clients":   {serverError("53300"), fault.Unavailable},
		"deadlock":           {serverError("40P01"), fault.Unavailable},
		"idle transaction":   {serverError("25P03"), fault.Unavailable},
		"pool timeout":       {context.DeadlineExceeded, fault.Unavailable},
		"null character":     {serverError("22021"), fault.Invalid},
		"null in JSON":       {serverError("22P05"), fault.Invalid},
		"constraint":         {serverError("23505"), fault.Internal},
		"other":              {errors.New("a mistake of ours"), fault.Internal},
		"kind kept":          {fmt.Errorf("%w: %w", fault.Conflict, io.EOF), fault.Conflict},
		"none":               {nil, ""},
	} {
		got := Classify(c.err)
		if fault.KindOf(got) != c.want || c.err != nil && !strings.Contains(got.Error(), c.err.Error()) {
			t.Errorf("%s: kind %q, want %q: %v", name, fault.KindOf(got), c.want, got)
		}
	}
}

// A connection that the server ends in the middle of a statement is classified
// as unavailable, and so is a database that no longer accepts connections.
func TestClassify_LostDatabase_IsUnavailable(t *testing.T) {
	env := newTestEnv(t)
	var n int
	err := env.connectAsLogin().QueryRow(t.Context(), `SELECT 1 FROM pg_terminate_backend(pg_backend_pid())`).Scan(&n)
	if fault.KindOf(Classify(err)) != fault.Unavailable {
		t.Errorf("terminated connection: %v", err)
	}
	_, err = Open(t.Context(), "postgres://127.0.0.1:1/none?connect_timeout=1")
	if fault.KindOf(Classify(err)) != fault.Unavailable {
		t.Errorf("no server: %v", err)
	}
}

// Text that PostgreSQL cannot store is the mistake of the client, also where no earlier
// check finds it.
func TestClassify_UnstorableText_IsInvalid(t *testing.T) {
	env := newTestEnv(t)
	for _, text := range []string{"\x00", "a\x00b", "\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"} {
		_, err := env.AccountByEmail(t.Context(), text)
		if err = Classify(err); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, err := env.pool.Exec(t.Context(), `SELECT $1::jsonb->>0`, `["\u0000"]`)
	if err = Classify(err); fault.KindOf(err) != fault.Invalid {
		t.Errorf("null in JSON: %v", err)
	}
}

func TestRedact_RowValues_Hidden(t *testing.T) {
	t.Parallel()
	invalid := fmt.Errorf("store: %w", &pgconn.PgError{Code: "22P02",
		Message: `invalid input syntax for type bigint: "secret"`})
	if got := Redact(invalid); got != "22P02 invalid value" {
		t.Errorf("the log shows %q", got)
	}
	err := fmt.Errorf("store: %w", &pgconn.PgError{Code: "23514", ConstraintName: "note_length",
		Message: "violates check", Detail: "Failing row contains (secret)."})
	if got := Redact(err); got != "23514 note_length violates check" {
		t.Errorf("the log shows %q", got)
	}
}
