package postgres

import (
	"context"
	"errors"
	"io"

	"github.com/golang-migrate/migrate/v4/database"
	"github.com/jackc/pgx/v5"
)

// lockMigrations lets one process at a time change the schema. The lock belongs to the
// transaction, so that it cannot stay behind on a connection of a pooler. A migration may
// run for long, and other nodes wait for it.
const lockMigrations = `
	SET LOCAL statement_timeout = 0;
	SET LOCAL lock_timeout = 0;
	SET LOCAL idle_in_transaction_session_timeout = 0;
	SELECT pg_advisory_xact_lock(hashtextextended('labelwright migrations', 0))`

// A migrationDriver runs migrations for golang-migrate, all of them in one transaction. One
// that fails or is interrupted leaves no trace, and each step works through a pooler.
type migrationDriver struct {
	ctx  context.Context // golang-migrate passes none
	conn *pgx.Conn
	tx   pgx.Tx // nil unless locked
	err  error  // the first error since Lock
}

// Lock begins the transaction, and waits until no other process changes the schema. The
// transaction acts as the owner of the schema.
func (d *migrationDriver) Lock() (err error) {
	if d.tx, err = d.conn.Begin(d.ctx); err != nil {
		return err
	}
	_, err = d.tx.Exec(d.ctx, lockMigrations)
	if err == nil {
		err = prepareRoles(d.ctx, d.tx)
	}
	if err != nil {
		return errors.Join(err, d.tx.Rollback(d.ctx))
	}
	return nil
}

// Unlock ends the transaction. It stores the migrations if all of them succeeded.
func (d *migrationDriver) Unlock() error {
	if d.err != nil {
		return d.tx.Rollback(context.WithoutCancel(d.ctx))
	}
	if _, err := d.tx.Exec(d.ctx, grantRights); err != nil {
		return errors.Join(err, d.tx.Rollback(context.WithoutCancel(d.ctx)))
	}
	return d.tx.Commit(d.ctx)
}

// Run executes the statements of a migration.
func (d *migrationDriver) Run(migration io.Reader) error {
	text, err := io.ReadAll(migration)
	if err != nil {
		return err
	}
	return d.exec(string(text))
}

// SetVersion stores the version of the schema.
func (d *migrationDriver) SetVersion(version int, dirty bool) error {
	err := d.exec(`
		CREATE TABLE IF NOT EXISTS schema_migrations (version bigint PRIMARY KEY, dirty boolean NOT NULL);
		DELETE FROM schema_migrations`)
	if err != nil || version == database.NilVersion {
		return err
	}
	return d.exec(`INSERT INTO schema_migrations (version, dirty) VALUES ($1, $2)`, version, dirty)
}

// Version returns the version of the schema.
func (d *migrationDriver) Version() (version int, dirty bool, err error) {
	var q querier = d.conn
	if d.tx != nil {
		q = d.tx
	}
	s, err := schemaState(d.ctx, q)
	if s.Version == 0 {
		s.Version = database.NilVersion
	}
	return s.Version, s.IsDirty, err
}

// Close disconnects.
func (d *migrationDriver) Close() error { return d.conn.Close(context.WithoutCancel(d.ctx)) }

// Open and Drop complete the interface. Neither is called: there is a connection already,
// and no command deletes a database.
func (d *migrationDriver) Open(string) (database.Driver, error) {
	return nil, errors.ErrUnsupported
}

// Drop returns an error.
func (d *migrationDriver) Drop() error { return errors.ErrUnsupported }

func (d *migrationDriver) exec(sql string, args ...any) error {
	_, err := d.tx.Exec(d.ctx, sql, args...)
	d.err = errors.Join(d.err, err)
	return err
}
