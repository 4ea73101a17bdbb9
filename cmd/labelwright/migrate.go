package main

import (
	"errors"
	"fmt"

	"github.com/labelwright/labelwright/internal/postgres"
)

type migrateCommand struct {
	Up     migrateUp     `cmd:"" help:"Bring the schema up to date and publish the built-in protocols."`
	Down   migrateDown   `cmd:"" help:"Take the last step of the schema back. Whatever that step added is lost."`
	Status migrateStatus `cmd:"" help:"Say at which step the schema stands."`
}

type (
	migrateUp   struct{}
	migrateDown struct {
		Yes bool `help:"Yes, lose what the last step added." required:""`
	}
	migrateStatus struct{}
)

// Run brings the schema up to date.
func (migrateUp) Run(c *cli, s streams, ctx runContext) error {
	return c.withDatabaseURL(ctx, func(url string) error {
		if err := postgres.MigrateUp(ctx, url); err != nil {
			return err
		}
		return printStatus(s, url)
	})
}

// Run takes the last step back.
func (migrateDown) Run(c *cli, s streams, ctx runContext) error {
	return c.withDatabaseURL(ctx, func(url string) error {
		if err := postgres.MigrateDown(url); err != nil {
			return err
		}
		return printStatus(s, url)
	})
}

// Run says at which step the schema stands.
func (migrateStatus) Run(c *cli, s streams, ctx runContext) error {
	return c.withDatabaseURL(ctx, func(url string) error { return printStatus(s, url) })
}

func printStatus(s streams, url string) error {
	version, broken, err := postgres.MigrationStatus(url)
	if err != nil {
		return err
	}
	if broken {
		return fmt.Errorf("step %d of the schema broke off in the middle: restore a backup, or mend it by hand", version)
	}
	fmt.Fprintf(s.out, "The schema stands at step %d.\n", version)
	return nil
}

func (c *cli) withDatabaseURL(ctx runContext, work func(url string) error) (err error) {
	b, err := c.findDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	return work(b.url)
}
