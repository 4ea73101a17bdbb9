package main

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
)

type userCommand struct {
	Add     userAdd     `cmd:"" help:"Add a user, and print an invitation link."`
	List    userList    `cmd:"" help:"List all users."`
	Role    userRole    `cmd:"" help:"Change the role of a user."`
	Disable userDisable `cmd:"" help:"Disable an account."`
	Enable  userEnable  `cmd:"" help:"Enable a disabled account."`
	Reset   userReset   `cmd:"" help:"Create a link with which a user sets a new password."`
}

type userAdd struct {
	Email          string `help:"Email address. Required without --csv."`
	Name           string `help:"Name. Required without --csv."`
	Role           string `enum:"admin,lead,annotator," default:"" help:"Role: admin, lead or annotator. Required without --csv; with it, the role of lines without one."`
	CSV            string `name:"csv" placeholder:"FILE" help:"Add all users of a file, or none: CSV with the columns email, name and role, or one address per line; - is standard input."`
	PasswordStdin  bool   `help:"Read the password from standard input, instead of an invitation."`
	invitationSite `embed:""`
	resultFlags
}

// An invitationSite is the flag for the address in invitation links.
type invitationSite struct {
	BaseURL string `env:"LABELWRIGHT_BASE_URL" placeholder:"URL" help:"Address of the site, for the invitation link. Default: http://127.0.0.1:8080."`
}

// Run adds an account.
func (u userAdd) Run(c *cli, s streams, ctx runContext) error {
	if u.CSV != "" {
		return u.addListed(c, s, ctx)
	}
	if u.Role == "" {
		return usageError{fmt.Errorf("--role is missing. Choose admin, lead or annotator")}
	}
	user, err := account.NewAccount{Email: u.Email, Name: u.Name, Role: account.Role(u.Role)}.Check()
	if err != nil {
		return usageError{err}
	}
	base, hint, err := u.resolveBaseURL()
	if err != nil {
		return err
	}
	hash, err := u.readPasswordHash(s, ctx)
	if err != nil {
		return err
	}
	return c.withDB(ctx, func(db *postgres.DB) error {
		id, err := db.CreateAccount(ctx, actor(ctx).ID, user, hash)
		if err != nil {
			return err
		}
		if hash != "" {
			return u.print(s, map[string]any{"email": user.Email, "role": user.Role}, "")
		}
		token, err := db.Invite(ctx, actor(ctx).ID, id)
		if err != nil {
			return err
		}
		return u.print(s, map[string]any{"email": user.Email, "role": user.Role, "link": base.String() +
			"/invitations/" + token},
			"Send this link to %s. It works once, within 72 hours:\n\n  %s/invitations/%s\n%s", user.Email, base,
			token, hint)
	})
}

// addListed adds the users of a file, and prints their links.
func (u userAdd) addListed(c *cli, s streams, ctx runContext) error {
	if u.Email != "" || u.Name != "" || u.PasswordStdin {
		return usageError{fmt.Errorf("--csv cannot be combined with --email, --name or --password-stdin")}
	}
	base, hint, err := u.resolveBaseURL()
	if err != nil {
		return err
	}
	users, err := readUserList(s, u.CSV, cmp.Or(account.Role(u.Role), account.Annotator), account.Roles)
	if err != nil {
		return err
	}
	return c.withDB(ctx, func(db *postgres.DB) error {
		invitations, err := db.CreateAccounts(ctx, actor(ctx).ID, users)
		if err != nil {
			return adviseOnFile(err, "No user was added. Fix the file and run the command again")
		}
		return u.printInvitations(s, invitations, base, hint)
	})
}

// readUserList reads the users of a file. All errors are named by line.
func readUserList(s streams, path string, defaultRole account.Role, roles []account.Role) ([]account.NewAccount,
	error) {
	content, err := readImport(s, path)
	if err != nil {
		return nil, err
	}
	users, err := importer.ReadUsers(filepath.Base(path), string(content), defaultRole, roles)
	return users, adviseOnFile(err, "No user was added. Fix the file and run the command again")
}

// printInvitations prints a link for each user.
func (f resultFlags) printInvitations(s streams, invitations []postgres.Invitation, base *url.URL, hint string) error {
	if f.Format == "json" {
		entries := make([]map[string]any, len(invitations))
		for n, i := range invitations {
			entries[n] = map[string]any{"email": i.Email, "role": i.Role, "link": base.String() +
				"/invitations/" + i.Token}
		}
		return printJSON(s.out, map[string]any{"invitations": entries})
	}
	fmt.Fprintf(s.out, "Send each of these %s the link. It works once, within 72 hours:\n\n",
		pluralize(len(invitations), "user"))
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	for _, i := range invitations {
		fmt.Fprintf(table, "%s\t%s\t%s/invitations/%s\n", i.Email, i.Role, base, i.Token)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprint(s.out, hint)
	return nil
}

// resolveBaseURL returns the address of the site. For the default it adds a hint, because
// the link cannot be printed again.
func (i invitationSite) resolveBaseURL() (base *url.URL, hint string, err error) {
	if i.BaseURL != "" {
		base, err = parseBaseURL(i.BaseURL)
		return base, "", err
	}
	base = &url.URL{Scheme: "http", Host: "127.0.0.1:8080"}
	return base, fmt.Sprintf("\nIf the site has another address, replace %s with it.\n", base), nil
}

// readPasswordHash hashes the password on standard input; "" without --password-stdin.
func (u userAdd) readPasswordHash(s streams, ctx runContext) (string, error) {
	if !u.PasswordStdin {
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(s.in, 4096))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	password := strings.TrimRight(string(text), "\r\n")
	return account.HashPassword(ctx, "", password, account.Owner{Name: u.Name, Email: u.Email})
}
