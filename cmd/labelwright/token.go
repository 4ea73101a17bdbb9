package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
)

type tokenCommand struct {
	Create tokenCreate `cmd:"" help:"Create an API token for an account, and print it."`
	List   tokenList   `cmd:"" help:"List the API tokens of an account."`
	Revoke tokenRevoke `cmd:"" help:"Revoke an API token."`
}

type tokenCreate struct {
	Account string          `required:"" placeholder:"EMAIL" help:"Email address of the account whose rights the token has. Annotators have the scope label only."`
	Name    string          `required:"" help:"Where the token is used, such as “nightly export”."`
	Scope   []account.Scope `required:"" enum:"label,read,judge,manage,export,admin" help:"What the token may do, separated by commas: label, read, judge, manage, export or admin."`
	Project []string        `placeholder:"KEY" help:"Projects that the token reaches, separated by commas. Default: all that the account leads, now and later."`
	Days    int             `default:"90" help:"Days until the token expires, up to 366."`
	resultFlags
}

// Run prints a new token. It cannot be printed again.
func (t tokenCreate) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		owner, err := db.AccountByEmail(ctx, t.Account)
		if err != nil {
			return err
		}
		token, err := db.CreateAPIToken(ctx, actor(ctx).ID, owner.ID, account.NewAPIToken{Name: t.Name, Scopes: t.Scope,
			Projects: t.Project, Days: t.Days})
		if err != nil {
			return err
		}
		fmt.Fprintln(s.err, "The token is not printed again:")
		return t.print(s, map[string]any{"token": token}, "%s\n", token)
	})
}

type tokenList struct {
	Account string `required:"" placeholder:"EMAIL" help:"Email address."`
	Format  string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// A tokenEntry is a token in the JSON output.
type tokenEntry struct {
	ID          account.APITokenID `json:"id"`
	Name        string             `json:"name"`
	Prefix      string             `json:"prefix"`
	Scopes      []account.Scope    `json:"scopes"`
	AllProjects bool               `json:"all_projects"`
	Projects    []string           `json:"projects"`
	CreatedAt   time.Time          `json:"created_at"`
	ExpiresAt   time.Time          `json:"expires_at"`
	LastUsedAt  *time.Time         `json:"last_used_at"`
	RevokedAt   *time.Time         `json:"revoked_at"`
}

// Run prints the tokens of an account.
func (t tokenList) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		owner, err := db.AccountByEmail(ctx, t.Account)
		if err != nil {
			return err
		}
		tokens, err := db.APITokens(ctx, actor(ctx).ID, owner.ID)
		if err != nil {
			return err
		}
		if t.Format == "json" {
			entries := make([]tokenEntry, len(tokens))
			for i, k := range tokens {
				entries[i] = tokenEntry{k.ID, k.Name, k.Prefix, k.Scopes, k.AllProjects, k.Projects, k.CreatedAt.UTC(),
					k.ExpiresAt.UTC(), k.LastUsedAt, k.RevokedAt}
			}
			return printJSON(s.out, map[string]any{"tokens": entries})
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tNAME\tTOKEN\tSCOPES\tEXPIRES\tLAST USED\tSTATUS")
		for _, k := range tokens {
			fmt.Fprintf(table, "%d\t%s\t%s…\t%v\t%s\t%s\t%s\n", k.ID, k.Name, k.Prefix, k.Scopes,
				k.ExpiresAt.UTC().Format(time.DateOnly), formatOptionalTime(k.LastUsedAt), tokenStatus(k))
		}
		return table.Flush()
	})
}

func formatOptionalTime(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func tokenStatus(t account.APIToken) string {
	switch {
	case t.RevokedAt != nil:
		return "revoked"
	case !t.IsActive(time.Now()):
		return "expired"
	}
	return "active"
}

type tokenRevoke struct {
	ID account.APITokenID `arg:"" help:"Id of the token, as the list has it."`
	resultFlags
}

// Run revokes a token.
func (t tokenRevoke) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		if _, err := db.RevokeAPIToken(ctx, actor(ctx), t.ID); err != nil {
			return err
		}
		return t.print(s, map[string]any{"id": t.ID, "status": "revoked"},
			"Revoked token %d. Requests with it are refused from now on.\n", t.ID)
	})
}
