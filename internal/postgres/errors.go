package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/fault"
)

var errUnstorableText = fault.Invalid.Errorf(
	"The text contains characters that cannot be stored, such as a null character. Remove them.")

var errArchived = fault.Conflict.Errorf(
	"This project is archived, so it cannot be changed. Unarchive it under Settings first.")

// explainArchived marks the rejection of a change in an archived project as fault.Conflict.
func explainArchived(err error) error {
	if violates(err, "projects_archived_unchanged") {
		return errors.Join(errArchived, err)
	}
	return err
}

// Classify marks err as fault.Unavailable where the database cannot answer for
// a moment: a lost connection, a restart, a lock or a timeout. It marks text that
// the database cannot store as fault.Invalid, and returns other errors as they are.
func Classify(err error) error {
	switch {
	case fault.KindOf(err) != fault.Internal:
		return err
	case isTransient(err):
		return errors.Join(fault.Unavailable, err)
	case isUnstorableText(err):
		return errors.Join(errUnstorableText, err)
	}
	return err
}

// isUnstorableText reports whether the database rejects a text with a null character, or
// with bytes that are not UTF-8.
func isUnstorableText(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgErr.Code == "22021" || pgErr.Code == "22P05")
}

func isTransient(err error) bool {
	if isLostConnection(err) {
		return true
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return isTransientCode(pgErr.Code)
	}
	return pgconn.SafeToRetry(err) || pgconn.Timeout(err) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func isLostConnection(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	_, isNetwork := errors.AsType[net.Error](err)
	return isNetwork || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// isTransientCode reports whether a SQLSTATE passes by itself: connections,
// resources, operator intervention, serialization, locks and timeouts.
func isTransientCode(code string) bool {
	if slices.Contains([]string{"55P03", "25P03", "25P04"}, code) {
		return true
	}
	return len(code) == 5 && slices.Contains([]string{"08", "40", "53", "57"}, code[:2])
}

// Redact returns the text of err for a log. Details that may quote the values
// of a row are left out, and so are messages about values, whose codes begin with 22.
func Redact(err error) string {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		if strings.HasPrefix(pgErr.Code, "22") {
			return pgErr.Code + " invalid value"
		}
		return pgErr.Code + " " + pgErr.ConstraintName + " " + pgErr.Message
	}
	return err.Error()
}
