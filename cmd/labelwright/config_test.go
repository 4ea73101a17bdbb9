package main

import (
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// closedPort returns the address of a port on which nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func TestConfig_Mistakes_OneSentence(t *testing.T) {
	env := newTestEnv(t)
	closed := closedPort(t)
	host, port, _ := net.SplitHostPort(closed)
	config, err := pgx.ParseConfig(env.databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"password with @ / #": {[]string{"--database-url", "postgres://u:se@cr/et#1@db/labelwright"}, exitUsage,
			"write the characters @ / # % of a password as"},
		"password with /": {[]string{"--database-url", "postgres://u:12/se@cr@db/labelwright"}, exitUsage,
			"write the characters @ / # % of a password as"},
		"port is a word": {[]string{"--database-url", "postgres://u@db:port/labelwright"}, exitUsage,
			"DATABASE_URL is not an address"},
		"other database": {[]string{"--database-url", "mysql://u@db/labelwright"}, exitUsage,
			"DATABASE_URL is not an address"},
		"host only": {[]string{"--database-url", "db"}, exitUsage, "DATABASE_URL is not an address"},
		"migrations": {[]string{"--database-url", "host=db", "--database-migrate-url", "db"}, exitUsage,
			"DATABASE_MIGRATE_URL is not an address"},
		"wrong port": {[]string{"--database-url", "postgres://u@" + closed + "/labelwright"}, exitFailed,
			"no PostgreSQL answers at " + closed},
		"wrong port, by keys": {[]string{"--database-url", "host=" + host + " port=" + port + " user=u dbname=d"},
			exitFailed, "no PostgreSQL answers at " + closed},
		"wrong address": {[]string{"--database-url", "postgres://u@no-such-host.invalid/labelwright"},
			exitFailed, `there is no server with the name "no-such-host.invalid"`},
		"wrong database": {[]string{"--database-url", strings.Replace(env.databaseURL, "/"+config.Database,
			"/nothing_here", 1)}, exitFailed, `has no database "nothing_here"`},
		"unknown log level": {[]string{"--log", "loud"}, exitUsage,
			`"loud" is not a log level, use debug, info, warn or error`},
		"overlap is a word": {[]string{"batch", "open", "--overlap", "x"}, exitUsage, "--overlap"},
		"https without a proxy": {[]string{"serve", "--database-url", env.databaseURL, "--addr",
			"127.0.0.1:0", "--base-url", "https://labels.example.org"}, exitUsage,
			"set --proxies to the number of proxies"},
		"address without port": {[]string{"serve", "--database-url", env.databaseURL, "--addr", "localhost"}, exitUsage,
			`--addr "localhost" is not an address`},
		"bad e-mail address": {[]string{"--database-url", env.databaseURL, "user", "add", "--email", "x", "--name",
			"X", "--role", "lead"}, exitUsage, "address"},
		"bad project key": {[]string{"--database-url", env.databaseURL, "project", "create", "--key", "A B",
			"--title", "T", "--protocol", "empathy"}, exitUsage, "key"},
		"unknown protocol": {[]string{"--database-url", env.databaseURL, "project", "create", "--key", "ab",
			"--title", "T", "--protocol", "empathy@9"}, exitFailed, "is not published in that version"},
	} {
		args := c.args
		if strings.HasPrefix(args[0], "--") && len(args) < 5 {
			args = append(args, "project", "list")
		}
		code, _, stderr := runCommand(t, "", args...)
		if code != c.code || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, want %d and one line with %q: %s", name, code, c.code, c.want, stderr)
		}
		if strings.Contains(stderr, "se@cr") || strings.Contains(stderr, "et#1") ||
			strings.Contains(stderr, "SQLSTATE") {
			t.Errorf("%s shows %s", name, stderr)
		}
	}
}

func TestDatabaseURL_KeyValuePairs_Work(t *testing.T) {
	env := newTestEnv(t)
	config, err := pgx.ParseConfig(env.databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	env.databaseURL = "host=" + config.Host + " dbname=" + config.Database + " user=" + config.User + " password='" +
		config.Password + "' sslmode=disable"
	env.mustRun("project", "list")
}
