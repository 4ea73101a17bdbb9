package main

import (
	"errors"
	"fmt"

	"github.com/labelwright/labelwright/internal/postgres"
)

type migrateCommand struct {
	Up     migrateUp     `cmd:"" help:"Update the schema, and publish the built-in protocols."`
	Down   migrateDown   `cmd:"" help:"Revert the latest schema version, and delete its data."`
	Status migrateStatus `cmd:"" help:"Show the schema version."`
}

type (
	migrateUp   struct{}
	migrateDown struct {
		Yes bool `required:"" help:"Confirm that the data of the latest schema version is deleted."`
	}
	migrateStatus struct{}
)

// Run updates the schema.
func (migrateUp) Run(c *cli, s streams, ctx runContext) error {
	return c.withDatabaseURL(ctx, func(url string) error {
		if err := postgres.MigrateUp(ctx, url); err != nil {
			return err
		}
		return printStatus(s, url)
	})
}

// Run reverts the latest schema version.
func (migrateDown) Run(c *cli, s streams, ctx runContext) error {
	return c.withDatabaseURL(ctx, func(url string) error {
		if err := postgres.MigrateDown(url); err != nil {
			return err
		}
		return printStatus(s, url)
	})
}

// Run prints the schema version.
func (migrateStatus) Run(c *cli, s streams, ctx runContext) error {
	return c.withDatabaseURL(ctx, func(url string) error { return printStatus(s, url) })
}

func printStatus(s streams, url string) error {
	version, isDirty, err := postgres.MigrationStatus(url)
	if err != nil {
		return err
	}
	if isDirty {
		return fmt.Errorf("the migration to schema version %d failed halfway. Restore a backup, or repair the schema by hand", version)
	}
	fmt.Fprintf(s.out, "Schema version %d.\n", version)
	return nil
}

func (c *cli) withDatabaseURL(ctx runContext, work func(url string) error) (err error) {
	b, err := c.findDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	return work(b.migrateURL)
}
