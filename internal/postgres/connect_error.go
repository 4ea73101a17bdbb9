package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// CheckURL returns an error unless url is the address of a PostgreSQL database, as URL or
// as key=value pairs. The error does not quote it, because it may hold a password.
func CheckURL(url string) error {
	_, err := pgx.ParseConfig(url)
	if err == nil && isUnambiguous(url) {
		return nil
	}
	return errors.New("use postgres://USER:PASSWORD@HOST:5432/DATABASE, or “host=HOST port=5432 user=USER password=PASSWORD dbname=DATABASE”. " +
		"In a URL, write the characters @ / # % of a password as %40 %2F %23 %25, or leave the password out and set PGPASSWORD")
}

// isUnambiguous reports whether url cannot be mistaken: a URL whose password has @ / or #
// without escapes names another host or database than its writer means.
func isUnambiguous(url string) bool {
	_, rest, isURL := strings.Cut(url, "://")
	if !isURL {
		return strings.Contains(url, "=")
	}
	authority, path, _ := strings.Cut(rest, "/")
	return strings.Count(authority, "@") <= 1 && !strings.ContainsAny(path, "@") && !strings.Contains(rest, "#")
}

// A connectionError explains in one sentence why there is no connection to a database.
type connectionError struct {
	cause    error
	sentence string
}

func (e *connectionError) Error() string { return e.sentence }

func (e *connectionError) Unwrap() error { return e.cause }

// explainConnection returns err with a sentence for who configures the server.
func explainConnection(config *pgconn.Config, err error) error {
	server := net.JoinHostPort(config.Host, fmt.Sprint(config.Port))
	if strings.HasPrefix(config.Host, "/") {
		server = config.Host
	}
	return &connectionError{err, "cannot connect to the database: " + describeConnection(config, server, err)}
}

func describeConnection(config *pgconn.Config, server string, err error) string {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return describeRejection(config, server, pgErr)
	}
	_, isUnknownHost := errors.AsType[*net.DNSError](err)
	netErr, isNetwork := errors.AsType[net.Error](err)
	switch {
	case isUnknownHost:
		return fmt.Sprintf("there is no server with the name %q; check the host in DATABASE_URL", config.Host)
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, os.ErrNotExist):
		return fmt.Sprintf("no PostgreSQL answers at %s; check the host and port in DATABASE_URL, and that the server runs", server)
	case errors.Is(err, context.DeadlineExceeded), isNetwork && netErr.Timeout():
		return fmt.Sprintf("%s did not answer in time; check the host and port in DATABASE_URL, and the firewall",
			server)
	case strings.Contains(err.Error(), "refused TLS"):
		return fmt.Sprintf("%s does not use TLS; turn it on there, or add sslmode=disable to DATABASE_URL", server)
	}
	return fmt.Sprintf("%s: %s", server, lastLine(err))
}

// describeRejection explains an answer of the server.
func describeRejection(config *pgconn.Config, server string, err *pgconn.PgError) string {
	switch err.Code {
	case "28P01", "28000":
		return fmt.Sprintf("%s rejected the user %q or its password; check DATABASE_URL (%s)", server, config.User,
			err.Message)
	case "3D000":
		return fmt.Sprintf("%s has no database %q; create it, or correct DATABASE_URL", server, config.Database)
	case "53300":
		return fmt.Sprintf("%s has no free connection; stop other programs, or raise max_connections", server)
	}
	return fmt.Sprintf("%s answered: %s (SQLSTATE %s)", server, err.Message, err.Code)
}

// lastLine returns the last attempt of a connection that was tried in several ways.
func lastLine(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
