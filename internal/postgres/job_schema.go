package postgres

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// jobSchema is the schema with the tables of River.
const jobSchema = "river"

func newJobMigrator() (*rivermigrate.Migrator[pgx.Tx], error) {
	return rivermigrate.New(riverpgxv5.New(nil), &rivermigrate.Config{Schema: jobSchema,
		Logger: warningsOf(slog.Default())})
}

// warningsOf returns the part of a log that has only warnings and errors: River reports each job and start.
func warningsOf(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

// warnings passes on what an operator has to know.
type warnings struct{ slog.Handler }

// Enabled reports whether records of a level are logged.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// migrateJobs applies River's migrations, each in a transaction: one adds a value to a type that a later one uses.
// Other processes that do the same wait.
func migrateJobs(ctx context.Context, url string) error {
	migrator, err := newJobMigrator()
	if err != nil {
		return err
	}
	conn, err := connectTo(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for isDone := false; !isDone && err == nil; {
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, lockMigrations); err != nil {
				return err
			}
			if err := prepareRoles(ctx, tx); err != nil {
				return err
			}
			//nolint:staticcheck // one version at a time, so that no two share a transaction
			applied, err := migrator.MigrateTx(ctx, tx, rivermigrate.DirectionUp,
				&rivermigrate.MigrateOpts{MaxSteps: 1})
			if err != nil {
				return fmt.Errorf("create the tables of jobs: %w", err)
			}
			isDone = len(applied.Versions) == 0
			_, err = tx.Exec(ctx, grantRights)
			return err
		})
	}
	return err
}
