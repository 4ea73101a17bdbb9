package main

import (
	"errors"

	"github.com/labelwright/labelwright/internal/postgres"
)

type migrateCommand struct {
	Up     migrateUp     `cmd:"" help:"Update the schema, and publish the built-in protocols."`
	Down   migrateDown   `cmd:"" help:"Revert the latest schema version, and delete its data."`
	Status migrateStatus `cmd:"" help:"Show the schema version."`
	Force  migrateForce  `cmd:"" help:"Record the schema version after a repair, without changing a table."`
}

type (
	migrateUp   struct{ resultFlags }
	migrateDown struct {
		Yes bool `required:"" help:"Confirm that the data of the latest schema version is deleted."`
		resultFlags
	}
	migrateStatus struct{ resultFlags }
	migrateForce  struct {
		Version int `arg:"" help:"The version that the schema has now."`
		resultFlags
	}
)

// Run updates the schema.
func (m migrateUp) Run(c *cli, s streams, ctx runContext) error {
	return c.withDatabaseURL(ctx, func(url string) error {
		if err := postgres.MigrateUp(ctx, url); err != nil {
			return err
		}
		return m.printStatus(s, ctx, url)
	})
}

// Run reverts the latest schema version.
func (m migrateDown) Run(c *cli, s streams, ctx runContext) error {
	return c.withDatabaseURL(ctx, func(url string) error {
		if err := postgres.MigrateDown(ctx, url); err != nil {
			return err
		}
		return m.printStatus(s, ctx, url)
	})
}

// Run prints the schema version.
func (m migrateStatus) Run(c *cli, s streams, ctx runContext) error {
	return c.withDatabaseURL(ctx, func(url string) error { return m.printStatus(s, ctx, url) })
}

// Run records the schema version.
func (f migrateForce) Run(c *cli, s streams, ctx runContext) error {
	return c.withDatabaseURL(ctx, func(url string) error {
		if err := postgres.ForceVersion(ctx, url, f.Version); err != nil {
			return err
		}
		return f.printStatus(s, ctx, url)
	})
}

func (f resultFlags) printStatus(s streams, ctx runContext, url string) error {
	schema, err := postgres.MigrationStatus(ctx, url)
	if err != nil {
		return err
	}
	err = f.print(s, map[string]any{"version": schema.Version, "latest": schema.Latest, "dirty": schema.IsDirty},
		"Schema version %d of %d.\n", schema.Version, schema.Latest)
	if err != nil {
		return err
	}
	if schema.IsDirty {
		return schema.Check()
	}
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
