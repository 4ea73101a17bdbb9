package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/api"
)

// serverFlags say which server makes the operations of a command.
type serverFlags struct {
	Server    string `env:"LABELWRIGHT_SERVER" placeholder:"URL" help:"Server that the command works on, over HTTPS with a token, instead of a database."`
	TokenFile string `placeholder:"FILE" help:"File with the API token for --server. Default: the environment variable LABELWRIGHT_TOKEN."`
	Token     string `hidden:"" env:"LABELWRIGHT_TOKEN"`
}

// defaultBaseURL is the address of the site in links, unless a command names another.
const defaultBaseURL = "http://127.0.0.1:8080"

func (f serverFlags) client() (*api.Client, error) {
	token := f.Token
	if f.TokenFile != "" {
		text, err := os.ReadFile(f.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("read the token: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	if token == "" {
		return nil, usageError{errors.New("--server needs a token: name its file with --token-file, or set LABELWRIGHT_TOKEN")}
	}
	client, err := api.NewClient(f.Server, token)
	if err != nil {
		return nil, usageError{err}
	}
	return client, nil
}

// withClient runs work with the operations of the server that --server names, else of an API in
// this process.
func (c *cli) withClient(ctx context.Context, work func(*api.Client) error) error {
	return c.useClient(ctx, c.withExistingDB, work)
}

// withNewClient is withClient for the commands that come first: it creates the schema in an empty
// database.
func (c *cli) withNewClient(ctx context.Context, work func(*api.Client) error) error {
	return c.useClient(ctx, c.withDB, work)
}

func (c *cli) useClient(ctx context.Context, withDB func(context.Context, func(*postgres.DB) error) error,
	work func(*api.Client) error) error {
	if c.Server == "" {
		return withDB(ctx, func(db *postgres.DB) error { return asInputError(work(c.newLocalClient(ctx, db))) })
	}
	if c.As != "" {
		return usageError{errors.New("--as is for a database. On a server, the account of the token acts")}
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	return asInputError(work(client))
}

// newLocalClient returns the operations of an API in this process. A report is computed while the
// command waits; exports are written by the command itself.
func (c *cli) newLocalClient(ctx context.Context, db *postgres.DB) *api.Client {
	return api.NewLocalClient(api.Config{DB: db, Log: slog.Default(),
		Report: func(ctx context.Context, actorID account.ID, p project.Project, choice postgres.ReportChoice) (
			*report.Report, error) {
			data, err := db.ReportData(ctx, actorID, p, choice.Batch)
			if err != nil {
				return nil, err
			}
			r, err := report.Build(data, report.BuildOptions{Column: choice.Column, Epsilon: &choice.Epsilon})
			return &r, err
		},
		SendExport: func(http.ResponseWriter, *http.Request, account.ID, project.Project, postgres.ExportID) error {
			return errors.New("exports in the background need a server")
		},
		InvitationLink: func(token string) string {
			return cmp.Or(c.linkBase, defaultBaseURL) + "/invitations/" + token
		},
		RequestID: func(*http.Request) string { return "" },
		ClientIP:  func(*http.Request) string { return "" },
		OnDenial:  func(*http.Request, string) {},
	}, actor(ctx))
}
