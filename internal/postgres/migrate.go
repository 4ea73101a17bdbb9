package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/golang-migrate/migrate/v4"
	migratepgx "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/migrations"
)

// MigrateUp creates the database roles, applies all migrations to the database at url,
// creates missing partitions and publishes the built-in protocols.
func MigrateUp(ctx context.Context, url string) error {
	if err := prepareRoles(ctx, url); err != nil {
		return fmt.Errorf("create the database roles: %w", err)
	}
	err := withMigrations(url, func(m *migrate.Migrate) error { return m.Up() })
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	if err := execAsOwner(ctx, url, grantRights); err != nil {
		return fmt.Errorf("grant rights to the database roles: %w", err)
	}
	db, err := Open(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.publishBuiltin(ctx); err != nil {
		return err
	}
	return db.restorePartitions(ctx)
}

// MigrateDown reverts the last migration.
func MigrateDown(url string) error {
	err := withMigrations(url, func(m *migrate.Migrate) error { return m.Steps(-1) })
	if err != nil {
		return fmt.Errorf("revert the last migration: %w", err)
	}
	return nil
}

// MigrationStatus returns the schema version, 0 for an empty database. Dirty reports
// that the last migration failed halfway.
func MigrationStatus(url string) (version uint, dirty bool, err error) {
	err = withMigrations(url, func(m *migrate.Migrate) error {
		version, dirty, err = m.Version()
		if errors.Is(err, migrate.ErrNilVersion) {
			return nil
		}
		return err
	})
	return version, dirty, err
}

func withMigrations(url string, fn func(*migrate.Migrate) error) (err error) {
	source, err := iofs.New(migrations.FS, ".")
	if err != nil {
		return err
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	conn := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(actAs(OwnerRole)))
	driver, err := migratepgx.WithInstance(conn, &migratepgx.Config{MigrationsTable: "schema_migrations"})
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	m, err := migrate.NewWithInstance("iofs", source, "pgx5", driver)
	if err != nil {
		return errors.Join(err, driver.Close())
	}
	defer func() {
		_, closeErr := m.Close()
		err = errors.Join(err, closeErr)
	}()
	if err := fn(m); !errors.Is(err, migrate.ErrNoChange) {
		return err
	}
	return nil
}

// SchemaKey identifies the schema that MigrateUp creates: it changes with the
// migrations and the built-in protocols.
func SchemaKey() string {
	hash := sha256.New()
	hash.Write([]byte(createRoles + grantRights))
	files, _ := migrations.FS.ReadDir(".")
	for _, file := range files {
		text, _ := migrations.FS.ReadFile(file.Name())
		hash.Write(text)
	}
	for _, p := range protocol.Builtin() {
		fmt.Fprintln(hash, p.Source, constraints(p))
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
