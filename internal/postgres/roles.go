package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The database roles. MigrateUp creates them if it may, and uses them if it can act as
// OwnerRole. Otherwise the role of the URL owns and does everything.
const (
	OwnerRole    = "labelwright_owner"    // owns the schema; migrations run as this role
	AppRole      = "labelwright_app"      // the server and commands: adds to append-only tables, never changes them
	ReadOnlyRole = "labelwright_readonly" // reads everything but names and sign-in data, for dashboards
)

// setRole acts as role $1 if the login may: until the end of the transaction if $2, else of
// the connection.
const setRole = `
	SELECT set_config('role', r.rolname, $2)
	FROM pg_roles r
	WHERE r.rolname = $1 AND r.rolname <> current_user
	  AND pg_has_role(session_user, r.oid, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET'
	  ELSE 'MEMBER' END)`

// actAsAppRole prepares a connection of the server. It is not for the connections of a
// pooler, which other clients use, too.
func actAsAppRole(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, setRole, AppRole, false)
	return err
}

// CanChangeHistory reports whether this connection may change append-only tables: the roles
// are missing, or the login may not act as AppRole.
func (db *DB) CanChangeHistory(ctx context.Context) (can bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT has_table_privilege('audit_log', 'UPDATE, DELETE, TRUNCATE')`).Scan(&can)
	return can, err
}

// prepareRoles creates missing roles, and lets the transaction act as the owner of the
// schema, as far as the login may.
func prepareRoles(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, createRoles+";"+transferOwnership); err != nil {
		return fmt.Errorf("create the database roles; .github/SECURITY.md has the SQL that an administrator runs instead: %w", err)
	}
	_, err := tx.Exec(ctx, setRole, OwnerRole, true)
	return err
}

// isConcurrentRoleChange reports whether another process created or changed a role at the
// same time. Roles belong to the server, so no lock of a database prevents that.
func isConcurrentRoleChange(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgErr.Code == "42710" || pgErr.ConstraintName == "pg_authid_rolname_index" ||
		pgErr.Message == "tuple concurrently updated")
}

// createRoles creates the missing roles and lets the owner create tables. The roles have
// no password, so that no client can sign in as one of them over the network.
const createRoles = `
DO $$
DECLARE
	me      pg_roles;
	missing text;
BEGIN
	SELECT * INTO me FROM pg_roles WHERE rolname = current_user;
	-- Only the owner of the database can let another role create schemas.
	IF me.rolsuper OR me.rolcreaterole AND EXISTS (
		SELECT FROM pg_database WHERE datname = current_database() AND pg_has_role(current_user, datdba, 'USAGE')) THEN
		FOREACH missing IN ARRAY ARRAY['labelwright_owner', 'labelwright_app', 'labelwright_readonly'] LOOP
			CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = missing);
			EXECUTE format('CREATE ROLE %I %s', missing, CASE missing WHEN 'labelwright_owner' THEN 'NOLOGIN' ELSE 'LOGIN' END);
			EXECUTE format('ALTER ROLE %I SET timezone = ''UTC''', missing);
			IF missing = 'labelwright_app' THEN
				ALTER ROLE labelwright_app SET statement_timeout = '60s';
				ALTER ROLE labelwright_app SET lock_timeout = '10s';
				ALTER ROLE labelwright_app SET idle_in_transaction_session_timeout = '60s';
			ELSIF missing = 'labelwright_readonly' THEN
				ALTER ROLE labelwright_readonly SET default_transaction_read_only = on;
				ALTER ROLE labelwright_readonly SET statement_timeout = '5min';
			END IF;
			IF NOT me.rolsuper THEN
				EXECUTE format('GRANT %I TO %I', missing, me.rolname);
			END IF;
		END LOOP;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'labelwright_owner' AND pg_has_role(current_user, oid, 'USAGE')) THEN
		RETURN;
	END IF;
	IF NOT has_database_privilege('labelwright_owner', current_database(), 'CREATE') THEN
		EXECUTE format('GRANT CREATE ON DATABASE %I TO labelwright_owner', current_database());
	END IF;
	IF NOT has_schema_privilege('labelwright_owner', 'public', 'CREATE') THEN
		GRANT CREATE ON SCHEMA public TO labelwright_owner;
	END IF;
	-- PostgreSQL 14 lets every role create tables.
	IF has_schema_privilege('public', 'public', 'CREATE') AND me.rolsuper THEN
		GRANT CREATE ON SCHEMA public TO labelwright_owner;
		REVOKE CREATE ON SCHEMA public FROM PUBLIC;
	END IF;
END $$`

// transferOwnership gives a schema that was created before the roles to the owner.
const transferOwnership = `
DO $$
DECLARE
	statement text;
BEGIN
	IF NOT EXISTS (
		SELECT FROM pg_class c JOIN pg_roles r ON r.rolname = 'labelwright_owner'
		WHERE c.oid = to_regclass('public.schema_migrations') AND c.relowner <> r.oid AND pg_has_role(current_user, r.oid, 'USAGE')) THEN
		RETURN;
	END IF;
	FOR statement IN
		SELECT format('ALTER SCHEMA %I OWNER TO labelwright_owner', nspname) FROM pg_namespace WHERE nspname IN ('identity', 'river')
		UNION ALL
		SELECT format('ALTER TABLE %s OWNER TO labelwright_owner', c.oid::regclass)
		FROM pg_class c
		WHERE c.relnamespace IN ('public'::regnamespace, to_regnamespace('identity'), to_regnamespace('river')) AND c.relkind IN ('r', 'p', 'v', 'S')
		  AND NOT EXISTS (
		      SELECT FROM pg_depend d -- sequences of columns have the owner of their table
		      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND (d.deptype = 'e' OR c.relkind = 'S' AND d.deptype IN ('a', 'i')))
		UNION ALL
		SELECT format('ALTER TYPE %s OWNER TO labelwright_owner', t.oid::regtype)
		FROM pg_type t
		WHERE t.typnamespace = to_regnamespace('river') AND t.typtype = 'e'
		UNION ALL
		SELECT format('ALTER ROUTINE %s OWNER TO labelwright_owner', p.oid::regprocedure)
		FROM pg_proc p
		WHERE p.pronamespace IN ('public'::regnamespace, to_regnamespace('river'))
		  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
	LOOP
		EXECUTE statement;
	END LOOP;
END $$`

// grantRights gives the roles their rights on each table: the application may add to a
// table with the trigger append_only, without choosing times, and change all others. It
// changes only what is different, because concurrent changes fail.
const grantRights = `
DO $$
DECLARE
	t record;
BEGIN
	IF current_user <> 'labelwright_owner' THEN
		RETURN;
	END IF;
	FOR t IN
		SELECT r.oid::regclass AS relation, r.role, r.rights
		FROM (
			SELECT c.oid, c.relacl, roles.role, CASE
			       WHEN c.relispartition THEN NULL -- the rights on its table count
			       WHEN roles.role = 'labelwright_app' THEN CASE
			            WHEN c.relkind = 'S' THEN 'USAGE'
			            WHEN c.relname IN ('claimable_slots', 'reclaimable_slots') THEN 'SELECT, UPDATE' -- to lock slots
			            WHEN c.relkind = 'v' OR c.relname IN ('schema_migrations', 'river_migration', 'audit_chain', 'audit_chain_end', 'seals', 'erasures', 'erased_rows') THEN 'SELECT'
			            WHEN EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid AND g.tgname = 'append_only') THEN 'SELECT' -- to add, see below
			            ELSE 'DELETE, INSERT, SELECT, UPDATE' END
			       WHEN n.nspname = 'public' AND c.relkind <> 'S'
			            AND c.relname NOT IN ('accounts', 'sessions', 'sign_in_attempts', 'uploads', 'upload_targets', 'upload_chunks', 'export_chunks') THEN 'SELECT' END AS rights
			FROM pg_class c
			JOIN pg_namespace n ON n.oid = c.relnamespace
			CROSS JOIN (VALUES ('labelwright_app'), ('labelwright_readonly')) roles(role)
			WHERE n.nspname IN ('public', 'identity', 'river') AND c.relkind IN ('r', 'p', 'v', 'S') AND c.relowner = 'labelwright_owner'::regrole) r
		WHERE r.rights IS DISTINCT FROM (
			SELECT string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type COLLATE "C")
			FROM aclexplode(r.relacl) a WHERE a.grantee = r.role::regrole)
	LOOP
		EXECUTE format('REVOKE ALL ON %s FROM %I', t.relation, t.role);
		IF t.rights IS NOT NULL THEN
			EXECUTE format('GRANT %s ON %s TO %I', t.rights, t.relation, t.role);
		END IF;
	END LOOP;
	FOR t IN
		SELECT nspname FROM pg_namespace
		WHERE nspname IN ('identity', 'river') AND NOT has_schema_privilege('labelwright_app', oid, 'USAGE')
	LOOP
		EXECUTE format('GRANT USAGE ON SCHEMA %I TO labelwright_app', t.nspname);
	END LOOP;
	-- The ids and times of what is added to a table for ever are those of the database. An
	-- annotation has the opening time of its assignment.
	FOR t IN
		SELECT c.oid::regclass AS relation, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
		FROM pg_class c
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attidentity = '' AND a.attgenerated = ''
		LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
		WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition AND c.relowner = 'labelwright_owner'::regrole
		  AND c.relname NOT IN ('audit_chain', 'seals', 'erasures', 'erased_rows')
		  AND EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid AND g.tgname = 'append_only')
		  AND (a.attname = 'opened_at' OR d.oid IS NULL OR pg_get_expr(d.adbin, d.adrelid) !~ '^(now|clock_timestamp|nextval)[(]')
		GROUP BY c.oid
		HAVING NOT bool_and(EXISTS (
			SELECT FROM aclexplode(a.attacl) g WHERE g.grantee = 'labelwright_app'::regrole AND g.privilege_type = 'INSERT'))
	LOOP
		EXECUTE format('GRANT INSERT (%s) ON %s TO labelwright_app', t.columns, t.relation);
	END LOOP;
	FOR t IN
		SELECT p.oid::regprocedure AS function FROM pg_proc p
		WHERE p.proname IN ('create_partitions', 'erase_items', 'erase_user') AND p.pronamespace = 'public'::regnamespace
		  AND NOT has_function_privilege('labelwright_app', p.oid, 'EXECUTE')
	LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO labelwright_app', t.function);
	END LOOP;
END $$`
