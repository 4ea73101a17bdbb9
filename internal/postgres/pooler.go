package postgres

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// connectTimeout bounds a connection attempt unless the URL sets connect_timeout.
const connectTimeout = 10 * time.Second

// connectionSettings cancel statements that run longer than a request may take, and keep
// plans: the statements of a submit are planned once, not at every call.
var connectionSettings = []struct{ name, value string }{
	{"statement_timeout", "60s"},
	{"lock_timeout", "10s"},
	{"idle_in_transaction_session_timeout", "60s"},
	{"plan_cache_mode", "force_generic_plan"},
}

// storeSettings stores connectionSettings for the role of the connection, unless it has its own.
// A pooler refuses them as parameters of a connection.
const storeSettings = `
DO $$
DECLARE
	s record;
BEGIN
	PERFORM pg_advisory_xact_lock(hashtextextended('labelwright timeouts', 0));
	FOR s IN
		SELECT t.name, t.value
		FROM (VALUES ('statement_timeout', '60s'), ('lock_timeout', '10s'), ('idle_in_transaction_session_timeout', '60s'),
			('plan_cache_mode', 'force_generic_plan')) t(name, value)
		WHERE NOT EXISTS (
			SELECT FROM pg_db_role_setting d
			JOIN pg_roles r ON r.oid = d.setrole AND r.rolname = session_user
			CROSS JOIN unnest(d.setconfig) entry
			WHERE d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
			  AND starts_with(entry, t.name || '='))
	LOOP
		EXECUTE format('ALTER ROLE %I IN DATABASE %I SET %I = %L', session_user, current_database(), s.name, s.value);
	END LOOP;
END $$`

// setConnectionDefaults sets what every connection has. Poolers accept these parameters.
func setConnectionDefaults(config *pgx.ConnConfig) {
	config.RuntimeParams["application_name"] = "labelwright"
	config.RuntimeParams["timezone"] = "UTC"
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
}

// connectTo opens one connection. It ignores the settings of a pool in url.
func connectTo(ctx context.Context, url string) (*pgx.Conn, error) {
	pool, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, CheckURL(url)
	}
	config := pool.ConnConfig
	setConnectionDefaults(config)
	config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // works with a pooler
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, explainConnection(&config.Config, err)
	}
	return conn, nil
}

// hasPooler reports whether a pooler is between this program and the server: it gives its
// clients other process ids than the server has.
func hasPooler(ctx context.Context, config *pgx.ConnConfig) (bool, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, explainConnection(&config.Config, err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var pid uint32
	err = conn.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid != conn.PgConn().PID(), err
}

// configureForPooler avoids prepared statements, which a pooler may run on a connection
// that has not prepared them.
func configureForPooler(config *pgx.ConnConfig, url string) {
	if !strings.Contains(url, "default_query_exec_mode") {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
}

// beginWithSettings begins a transaction that has connectionSettings, even on a connection that
// the pooler opened before the role had them.
func beginWithSettings(options pgx.TxOptions) string {
	words := []string{"begin"}
	if options.IsoLevel != "" {
		words = append(words, "isolation level", string(options.IsoLevel))
	}
	sql := strings.Join(append(words, string(options.AccessMode)), " ")
	for _, s := range connectionSettings {
		sql += "; set local " + s.name + " = '" + s.value + "'"
	}
	return sql
}
