package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/golang-migrate/migrate/v4"
	"github.com/golang-migrate/migrate/v4/source/iofs"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/migrations"
)

// MigrateUp creates the database roles, applies all migrations to the database at url and those of River,
// creates missing partitions and publishes the built-in protocols. Other processes that do
// the same wait.
func MigrateUp(ctx context.Context, url string) error {
	up := func() error {
		err := withMigrations(ctx, url, func(m *migrate.Migrate, s SchemaState) error {
			if s.IsDirty || s.Version > s.Latest {
				return s.Check()
			}
			return m.Up()
		})
		if err != nil {
			return err
		}
		return migrateJobs(ctx, url)
	}
	err := up()
	for attempt := 1; attempt < 5 && isConcurrentRoleChange(err); attempt++ {
		err = up()
	}
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	db, err := Open(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	return errors.Join(db.publishBuiltin(ctx), db.restorePartitions(ctx))
}

// MigrateDown reverts the last migration.
func MigrateDown(ctx context.Context, url string) error {
	err := withMigrations(ctx, url, func(m *migrate.Migrate, s SchemaState) error {
		if s.IsDirty || s.Version > s.Latest {
			return s.Check()
		}
		return m.Steps(-1)
	})
	if err != nil {
		return fmt.Errorf("revert the last migration: %w", err)
	}
	return nil
}

// ForceVersion records that the schema has a version, and that it is not dirty. It changes
// no table.
func ForceVersion(ctx context.Context, url string, version int) error {
	if latest := latestMigration(); version < 1 || version > latest {
		return fault.Invalid.Errorf("There is no schema version %d. Choose one from 1 to %d.", version, latest)
	}
	err := withMigrations(ctx, url, func(m *migrate.Migrate, _ SchemaState) error { return m.Force(version) })
	if err != nil {
		return fmt.Errorf("record the schema version: %w", err)
	}
	return nil
}

// MigrationStatus returns the state of the schema in the database at url.
func MigrationStatus(ctx context.Context, url string) (s SchemaState, err error) {
	err = withMigrations(ctx, url, func(_ *migrate.Migrate, state SchemaState) error {
		s = state
		return nil
	})
	return s, err
}

// maxMigrationTime is how long a process waits for another one that migrates.
const maxMigrationTime = time.Hour

func withMigrations(ctx context.Context, url string, fn func(*migrate.Migrate, SchemaState) error) (err error) {
	source, err := iofs.New(migrations.FS, ".")
	if err != nil {
		return err
	}
	conn, err := connectTo(ctx, url)
	if err != nil {
		return err
	}
	m, err := migrate.NewWithInstance("iofs", source, "labelwright", &migrationDriver{ctx: ctx, conn: conn})
	if err != nil {
		return errors.Join(err, conn.Close(ctx))
	}
	m.LockTimeout = maxMigrationTime
	defer func() {
		_, closeErr := m.Close()
		err = errors.Join(err, closeErr)
	}()
	s, err := schemaState(ctx, conn)
	if err != nil {
		return err
	}
	if err := fn(m, s); !errors.Is(err, migrate.ErrNoChange) {
		return err
	}
	return nil
}

// SchemaKey identifies the schema that MigrateUp creates: it changes with the
// migrations, those of River and the built-in protocols.
func SchemaKey() string {
	hash := sha256.New()
	hash.Write([]byte(createRoles + grantRights))
	files, _ := migrations.FS.ReadDir(".")
	for _, file := range files {
		text, _ := migrations.FS.ReadFile(file.Name())
		hash.Write(text)
	}
	if jobs, err := newJobMigrator(); err == nil {
		fmt.Fprintln(hash, jobs.AllVersions())
	}
	for _, p := range protocol.Builtin() {
		fmt.Fprintln(hash, p.Source, constraints(p))
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
