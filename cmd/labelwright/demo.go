package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
)

type demoCommand struct {
	Addr string `default:"127.0.0.1:8080" help:"Address to listen on."`
}

// demoUsers are the accounts of the demo: an admin, a lead and three annotators.
var demoUsers = []account.NewAccount{
	{Email: "admin@demo.example", Name: "Ada Admin", Role: account.Admin},
	{Email: "lead@demo.example", Name: "Lena Lead", Role: account.Lead},
	{Email: "anna@demo.example", Name: "Anna Annotator", Role: account.Annotator},
	{Email: "ben@demo.example", Name: "Ben Annotator", Role: account.Annotator},
	{Email: "cleo@demo.example", Name: "Cleo Annotator", Role: account.Annotator},
}

// Run serves the samples on a private PostgreSQL, which is temporary unless a data
// folder is given.
func (d demoCommand) Run(c *cli, s streams, ctx runContext) (err error) {
	c.DatabaseURL = ""
	if c.DataDir == "" {
		if c.DataDir, err = makeDemoDir(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, local.Remove(context.WithoutCancel(ctx), c.DataDir)) }()
	}
	fmt.Fprintln(s.out, "Starting a private PostgreSQL and importing the sample projects …")
	return c.serveDatabase(ctx, serveCommand{Addr: d.Addr, Migrate: true}, func(ctx context.Context, db *postgres.DB,
		base *url.URL) error {
		password, err := prepareDemo(ctx, db)
		if err != nil {
			return fmt.Errorf("import the sample projects: %w", err)
		}
		printDemo(s, base, password, c.DataDir)
		return nil
	})
}

const demoPrefix = "labelwright-demo-"

// makeDemoDir makes a temporary data folder, and removes those of demos that crashed.
func makeDemoDir(ctx context.Context) (string, error) {
	leftovers, _ := filepath.Glob(filepath.Join(os.TempDir(), demoPrefix+"*"))
	for _, dir := range leftovers {
		_ = local.Remove(ctx, dir) // a running demo keeps its folder
	}
	dir, err := os.MkdirTemp("", demoPrefix)
	if err != nil {
		return "", fmt.Errorf("make a temporary folder: %w", err)
	}
	if os.Geteuid() != 0 {
		return dir, nil
	}
	return dir, os.Chmod(dir, 0o755) //nolint:gosec // PostgreSQL does not run as root, and its user needs access
}

// prepareDemo imports the samples into an empty database, and gives all accounts a new password.
func prepareDemo(ctx context.Context, db *postgres.DB) (password string, err error) {
	password = "demo " + strings.ToLower(rand.Text()[:4]+" "+rand.Text()[:4]+" "+rand.Text()[:4])
	hash, err := account.HashPassword(ctx, "", password, account.Owner{})
	if err != nil {
		return "", err
	}
	empty, err := db.HasNoAccounts(ctx)
	if err != nil {
		return "", err
	}
	for _, p := range demoUsers {
		if err := addDemoUser(ctx, db, p, hash); err != nil {
			return "", err
		}
	}
	if empty {
		err = fillDemo(ctx, db)
	}
	return password, err
}

func addDemoUser(ctx context.Context, db *postgres.DB, user account.NewAccount, hash string) error {
	_, err := db.CreateAccount(ctx, 0, user, hash)
	if !errors.Is(err, fault.Conflict) {
		return err
	}
	a, err := db.AccountByEmail(ctx, user.Email)
	if err != nil {
		return err
	}
	return db.SetPassword(ctx, 0, a.ID, hash)
}

func printDemo(s streams, base *url.URL, password, dir string) {
	fmt.Fprintf(s.out, "\nSign in with one of these accounts and the password “%s”:\n\n", password)
	for _, p := range demoUsers {
		fmt.Fprintf(s.out, "  %-20s %s\n", p.Email, p.Role)
	}
	fmt.Fprintf(s.out, "\nTo run commands on this demo, add --data-dir %s\nTo stop it, press Ctrl-C.\n\nLabelwright is ready at %s\n", dir, base)
}
