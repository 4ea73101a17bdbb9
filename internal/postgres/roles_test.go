package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/protocol"
)

// requireRoles skips a test if the login of an external test server may not create roles.
func requireRoles(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var isOwner bool
	if err := conn.QueryRow(t.Context(), `SELECT tableowner = $1 FROM pg_tables
		WHERE tablename = 'annotations'`, OwnerRole).Scan(&isOwner); err != nil {
		t.Fatal(err)
	}
	if !isOwner && os.Getenv("TEST_DATABASE_URL") == "" {
		t.Fatal("the schema of the private server has another owner")
	}
	if !isOwner {
		t.Skip("The login of TEST_DATABASE_URL may not create roles, so tests of roles do not run there.")
	}
}

func (env testEnv) requireRoles() {
	env.t.Helper()
	requireRoles(env.t, env.pool.Config().ConnString())
}

// newDatabaseAs returns a connection of a role to a new database.
func newDatabaseAs(t *testing.T, role string) *pgx.Conn {
	t.Helper()
	t.Parallel()
	url := pgtest.New(t)
	requireRoles(t, url)
	return connectAs(t, url, role)
}

func connectAs(t *testing.T, databaseURL, role string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), urlAs(t, databaseURL, role))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func urlAs(t *testing.T, databaseURL, role string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(role)
	return u.String()
}

func checkDenied(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), statement)
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.Code != "42501" {
		t.Errorf("got %v, want permission denied: %s", err, statement)
	}
}

// The trigger append_only makes a table append-only for the application, also in a later
// migration: the tables, and their partitions, come from the catalog.
func TestAppRole_AppendOnlyTables_CannotChange(t *testing.T) {
	conn := newDatabaseAs(t, AppRole)
	type table struct {
		Name, Column string
		IsPartition  bool
	}
	tables, err := collectAll[table](conn.Query(t.Context(), `
		SELECT c.oid::regclass::text AS name, quote_ident(min(a.attname)) AS column, c.relispartition AS is_partition
		FROM pg_trigger g
		JOIN pg_class c ON c.oid = g.tgrelid
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		AND a.attidentity = ''
		WHERE g.tgname = 'append_only'
		GROUP BY c.oid
		ORDER BY 1`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, table := range tables {
		if !table.IsPartition {
			names = append(names, table.Name)
			mustExec(t, conn, `SELECT FROM `+table.Name)
		}
		checkDenied(t, conn, fmt.Sprintf(`UPDATE %s SET %s = %[2]s`, table.Name, table.Column))
		for _, statement := range []string{`DELETE
			FROM %s`, `TRUNCATE %s`, `TRUNCATE %s CASCADE`, `ALTER TABLE %s DISABLE TRIGGER ALL`, `DROP TABLE %s`} {
			checkDenied(t, conn, fmt.Sprintf(statement, table.Name))
		}
	}
	checkEqual(t, names, []string{"adjudications", "annotations", "announcement_acknowledgments", "announcements",
		"audit_chain", "audit_log", "erased_rows", "erasures", "judgments", "project_versions", "protocol_revisions",
		"required_texts", "seals", "work_notices"})
	if partitions := len(tables) - len(names); partitions < 2*len(protocol.Builtin()) {
		t.Errorf("%d partitions, want two of each protocol", partitions)
	}
}

func TestAppRole_OtherStatements_Denied(t *testing.T) {
	conn := newDatabaseAs(t, AppRole)
	mustExec(t, conn, `CREATE TEMPORARY TABLE log (LIKE audit_log)`)
	for _, statement := range []string{
		`UPDATE current_adjudications SET reason = ''`,
		`INSERT INTO audit_chain VALUES (1, 1, '')`, `UPDATE audit_chain_end
			SET hash = ''`, `DELETE FROM schema_migrations`,
		`CREATE TRIGGER chained AFTER INSERT ON log FOR EACH ROW EXECUTE FUNCTION append_to_audit_chain()`,
		`CREATE TABLE other ()`, `CREATE SCHEMA other`, `TRUNCATE projects`,
		`SET session_replication_role = replica`, `SET ROLE labelwright_owner`, `ALTER ROLE labelwright_app SUPERUSER`,
	} {
		checkDenied(t, conn, statement)
	}
}

// The server acts as the application's role even if its login may do more.
func TestOpen_PrivilegedLogin_ActsAsAppRole(t *testing.T) {
	env := newTestEnv(t)
	env.requireRoles()
	if role := query[string](env, `SELECT current_user::text`); role != AppRole {
		t.Errorf("acts as %s, want %s", role, AppRole)
	}
}

func TestPublish_AsAppRole_CreatesPartitions(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	requireRoles(t, url)
	db, err := Open(t.Context(), urlAs(t, url, AppRole))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	p := readCopy(t, "0")
	if err := db.Publish(t.Context(), 0, p); err != nil {
		t.Fatal(err)
	}
	owners, err := collectColumn[string](db.pool.Query(t.Context(), `
		SELECT pg_get_userbyid(c.relowner)::text
		FROM protocol_versions v
		JOIN pg_class c ON c.relname IN ('annotations_' || v.id, 'adjudications_' || v.id)
		WHERE v.key = $1`, p.Key))
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, owners, []string{OwnerRole, OwnerRole})
}

// create_partitions runs with the rights of the owner, so it must not run any other SQL.
func TestCreatePartitions_OtherSQL_Refused(t *testing.T) {
	conn := newDatabaseAs(t, AppRole)
	create := func(condition *string) error {
		_, err := conn.Exec(t.Context(), `SELECT create_partitions(3001, ARRAY['odd "name"'], ARRAY[$1])`, condition)
		return err
	}
	for _, condition := range []string{
		`TRUE); DROP TABLE audit_chain; --`, `TRUE; TRUE`, `TRUE -- `, `TRUE /* x */`, `TRUE, CHECK (TRUE)`,
		`pg_sleep(1) IS NULL`, `set_config('role', 'none', false) IS NULL`, `note = (SELECT 'x')`, `pg_temp.evil(note)`,
		`has_unique_elements(unsure)`,
		`note = E'\''`, `note = 'a\'`, `note = $$x$$`, `"note" = 'a'`,
	} {
		if err := create(&condition); err == nil || !strings.Contains(err.Error(), "not the condition of a rule") {
			t.Errorf("got %v for %s", err, condition)
		}
	}
	if err := create(nil); err == nil {
		t.Error("NULL is accepted")
	}
	valid := `note = E'\u0027 -- ; /*'`
	if err := create(&valid); err != nil {
		t.Errorf("a valid condition is refused: %v", err)
	}
	other := `TRUE`
	if err := create(&other); err != nil {
		t.Error(err)
	}
	var rules string
	if err := conn.QueryRow(t.Context(), `SELECT prosrc FROM pg_proc
		WHERE proname = 'check_rules_3001'`).Scan(&rules); err != nil || !strings.Contains(rules, valid) {
		t.Errorf("the rules of a version were replaced: %v\n%s", err, rules)
	}
}

func TestReadOnlyRole_SeesNoIdentity(t *testing.T) {
	conn := newDatabaseAs(t, ReadOnlyRole)
	for _, table := range []string{"annotations", "current_annotations", "adjudications", "judgments", "projects",
		"members", "items"} {
		mustExec(t, conn, `SELECT FROM `+table)
	}
	mustExec(t, conn, `SET default_transaction_read_only = off`)
	for _, statement := range []string{
		`SELECT FROM identity.users`, `SELECT FROM
			identity.invitations`, `SELECT FROM sessions`, `SELECT
				FROM accounts`, `SELECT FROM uploads`, `SELECT FROM upload_chunks`, `SELECT FROM export_chunks`,
		`INSERT INTO projects (key) VALUES ('x')`, `UPDATE projects
			SET title = 'x'`, `DELETE FROM slots`, `TRUNCATE annotations`,
		`SELECT create_partitions(3001, ARRAY['x'], ARRAY['TRUE'])`,
	} {
		checkDenied(t, conn, statement)
	}
}

// A schema that was created before the roles is given to the owner.
func TestMigrateUp_SchemaOfAnotherRole_TakesOver(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	requireRoles(t, url)
	login, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = login.Close(context.Background()) })
	mustExec(t, login, `CREATE ROLE former_owner`)
	mustExec(t, login, `REASSIGN OWNED BY labelwright_owner TO former_owner`)
	if err := MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	owners, err := collectColumn[string](login.Query(t.Context(), `
		SELECT DISTINCT pg_get_userbyid(relowner)::text FROM pg_class WHERE relnamespace IN ('public'::regnamespace,
		'identity'::regnamespace)`))
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, owners, []string{OwnerRole})
	mustExec(t, connectAs(t, url, AppRole), `SELECT FROM identity.users`)
	checkDenied(t, connectAs(t, url, AppRole), `DELETE FROM annotations`)
	mustExec(t, login, `DROP OWNED BY former_owner`)
	mustExec(t, login, `DROP ROLE former_owner`)
}

// checkActsAs checks which roles own the schema and run the server.
func checkActsAs(t *testing.T, url, owner, app string) {
	t.Helper()
	db, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	env := testEnv{t: t, DB: db}
	got := query[string](env, `SELECT tableowner || ' ' || current_user FROM pg_tables
		WHERE tablename = 'annotations_1'`)
	if got != owner+" "+app {
		t.Errorf("owner and server are %q, want %s %s", got, owner, app)
	}
	can, err := db.CanChangeHistory(t.Context())
	if err != nil || can != (owner == app) {
		t.Errorf("can change history: %v, %v", can, err)
	}
}

// What MigrateUp does with the roles depends on what its login may do. The cases are in
// order: the roles belong to the server, and the second case creates them.
func TestMigrateUp_ByRightsOfLogin(t *testing.T) {
	t.Parallel()
	pgtest.New(t) // skips or fails without PostgreSQL
	s := startEmptyServer(t)
	for _, c := range []struct{ login, options, owner, app string }{
		{"plain", "", "plain", "plain"},
		{"creator", "CREATEROLE", OwnerRole, AppRole},
		{"stranger", "", "stranger", "stranger"},
		{"member", "IN ROLE labelwright_owner, labelwright_app", OwnerRole, AppRole},
	} {
		admin := connectAs(t, s.URL("postgres"), local.Role)
		mustExec(t, admin, `CREATE ROLE `+c.login+` LOGIN `+c.options)
		mustExec(t, admin, `CREATE DATABASE of_`+c.login+` OWNER `+c.login)
		url := s.Address().URL(c.login, "of_"+c.login)
		for range 2 { // again changes nothing
			if err := MigrateUp(t.Context(), url); err != nil {
				t.Fatalf("%s: %v", c.login, err)
			}
		}
		checkActsAs(t, url, c.owner, c.app)
	}
	// An administrator makes a login a member later: the schema goes to the owner.
	mustExec(t, connectAs(t, s.URL("postgres"), local.Role), `GRANT labelwright_owner, labelwright_app TO plain`)
	url := s.Address().URL("plain", "of_plain")
	if err := MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	checkActsAs(t, url, OwnerRole, AppRole)
}

// A login that may create roles, but does not own the database, cannot give it to them.
func TestMigrateUp_CreatorInOtherDatabase_WorksWithoutRoles(t *testing.T) {
	t.Parallel()
	pgtest.New(t) // skips or fails without PostgreSQL
	s := startEmptyServer(t)
	login := newLoginOfOtherDatabase(t, s, "CREATEROLE")
	mustExec(t, connectAs(t, s.URL("shared"), local.Role), `GRANT CREATE ON DATABASE shared TO guest; GRANT CREATE ON
		SCHEMA public TO guest`)
	if err := MigrateUp(t.Context(), login); err != nil {
		t.Fatal(err)
	}
	checkActsAs(t, login, "guest", "guest")
}

// An administrator runs the SQL of SECURITY.md for a login that has no rights.
func TestMigrateUp_AfterDocumentedSQL_UsesRoles(t *testing.T) {
	t.Parallel()
	pgtest.New(t) // skips or fails without PostgreSQL
	text, err := os.ReadFile("../../.github/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```sql\n")
	sql, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("SECURITY.md has no SQL")
	}
	s := startEmptyServer(t)
	login := newLoginOfOtherDatabase(t, s, "")
	if err := MigrateUp(t.Context(), login); err == nil {
		t.Fatal("a login without rights has created the schema")
	}
	admin := connectAs(t, s.URL("shared"), local.Role)
	mustExec(t, admin, strings.NewReplacer("LOGIN_OF_MIGRATIONS", "guest", "NAME_OF_DATABASE", "shared").Replace(sql))
	if err := MigrateUp(t.Context(), login); err != nil {
		t.Fatal(err)
	}
	checkActsAs(t, login, OwnerRole, AppRole)
	// The second login, which has no other rights.
	checkDenied(t, connectAs(t, s.URL("shared"), AppRole), `SET ROLE labelwright_owner`)
	checkActsAs(t, s.Address().URL(AppRole, "shared"), OwnerRole, AppRole)
}

// newLoginOfOtherDatabase creates the login guest, and the database shared of another role.
// It returns the URL of the database for guest.
func newLoginOfOtherDatabase(t *testing.T, s *local.Server, options string) (url string) {
	t.Helper()
	admin := connectAs(t, s.URL("postgres"), local.Role)
	mustExec(t, admin, `CREATE ROLE guest LOGIN `+options)
	mustExec(t, admin, `CREATE DATABASE shared`)
	return s.Address().URL("guest", "shared")
}

// startEmptyServer starts a server without the roles. Roles belong to a server, so the
// databases of pgtest share them.
func startEmptyServer(t *testing.T) *local.Server {
	t.Helper()
	if os.Getenv("TEST_DATABASE_URL") != "" {
		t.Skip("With TEST_DATABASE_URL, tests do not start a PostgreSQL on this machine.")
	}
	dir, err := os.MkdirTemp("", "labelwright-roles-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { // the account of the server enters it
		t.Fatal(err)
	}
	s, err := local.Start(t.Context(), local.Options{Dir: dir, Volatile: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	// A private server accepts its own roles only; the tests add logins.
	admin := connectAs(t, s.URL("postgres"), local.Role)
	mustExec(t, admin, `DO $$ BEGIN EXECUTE format('COPY (SELECT ''local all all trust'') TO %L', current_setting('hba_file')); END $$`)
	mustExec(t, admin, `SELECT pg_reload_conf()`)
	return s
}
