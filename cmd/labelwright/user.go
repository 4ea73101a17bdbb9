package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/api"
)

type userCommand struct {
	Add     userAdd     `cmd:"" help:"Add a user, and print an invitation link."`
	List    userList    `cmd:"" help:"List all users."`
	Address userAddress `cmd:"" help:"Change the email address of a user."`
	Role    userRole    `cmd:"" help:"Change the role of a user."`
	Disable userDisable `cmd:"" help:"Disable an account."`
	Enable  userEnable  `cmd:"" help:"Enable a disabled account."`
	Reset   userReset   `cmd:"" help:"Create a link with which a user sets a new password."`
	Export  userExport  `cmd:"" help:"Print everything that is stored about a user."`
	Erase   userErase   `cmd:"" help:"Erase the personal data of a user. Labels stay."`

	ResetSecondFactor userResetSecondFactor `cmd:"" help:"Remove the second factor of a user who lost it."`
}

type userAdd struct {
	Email          string `help:"Email address. Required without --csv."`
	Name           string `help:"Name. Required without --csv."`
	Role           string `enum:"admin,lead,viewer,annotator," default:"" help:"Role: admin, lead, viewer or annotator. Required without --csv; with it, the role of lines without one."`
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
	hint, err := c.useSite(u.invitationSite)
	if err != nil {
		return err
	}
	if u.CSV != "" {
		return u.addListed(c, s, ctx, hint)
	}
	if u.Role == "" {
		return usageError{errors.New("--role is missing. Choose admin, lead or annotator")}
	}
	user, err := account.NewAccount{Email: u.Email, Name: u.Name, Role: account.Role(u.Role)}.Check()
	if err != nil {
		return usageError{err}
	}
	if u.PasswordStdin {
		return u.addWithPassword(c, s, ctx, user)
	}
	return c.withNewClient(ctx, func(client *api.Client) error {
		invitation, err := api.CreateAccount.Call(ctx, client,
			api.BodyInput[api.NewAccount]{Body: api.NewAccount(user)})
		if err != nil {
			return err
		}
		return u.show(s, invitation, "Send this link to %s. It works once, within 72 hours:\n\n  %s\n%s", user.Email,
			invitation.Link, hint)
	})
}

// addWithPassword adds a user with the password on standard input. A password is not sent to a
// server: there the user chooses it.
func (u userAdd) addWithPassword(c *cli, s streams, ctx runContext, user account.NewAccount) error {
	if c.Server != "" {
		return usageError{errors.New("--password-stdin is for a database. On a server, the user chooses a password with the link")}
	}
	text, err := io.ReadAll(io.LimitReader(s.in, 4096))
	if err != nil {
		return fmt.Errorf("read the password: %w", err)
	}
	hash, err := account.HashPassword(ctx, "", strings.TrimRight(string(text), "\r\n"),
		account.Owner{Name: u.Name, Email: u.Email})
	if err != nil {
		return asInputError(err)
	}
	return c.withDB(ctx, func(db *postgres.DB) error {
		if _, err := db.CreateAccount(ctx, actor(ctx).ID, user, hash); err != nil {
			return err
		}
		return u.show(s, map[string]any{"email": user.Email, "role": user.Role}, "")
	})
}

// addListed adds the users of a file, and prints their links.
func (u userAdd) addListed(c *cli, s streams, ctx runContext, hint string) error {
	if u.Email != "" || u.Name != "" || u.PasswordStdin {
		return usageError{errors.New("--csv cannot be combined with --email, --name or --password-stdin")}
	}
	users, err := readUserList(s, u.CSV, cmp.Or(account.Role(u.Role), account.Annotator), account.Roles)
	if err != nil {
		return err
	}
	body := api.NewAccounts{}
	for _, user := range users {
		body.Accounts = append(body.Accounts, api.NewAccount(user))
	}
	return c.withNewClient(ctx, func(client *api.Client) error {
		list, err := api.CreateAccounts.Call(ctx, client, api.BodyInput[api.NewAccounts]{Body: body})
		if err != nil || u.Format == "json" {
			return printUnless(adviseOnFile(err, noUserAdded), s, list)
		}
		return printLinks(s, list, hint)
	})
}

const noUserAdded = "No user was added. Fix the file and run the command again"

// readUserList reads the users of a file. All errors are named by line.
func readUserList(s streams, path string, defaultRole account.Role, roles []account.Role) ([]account.NewAccount,
	error) {
	content, err := readImport(s, path)
	if err != nil {
		return nil, err
	}
	users, err := importer.ReadUsers(filepath.Base(path), string(content), defaultRole, roles)
	return users, adviseOnFile(err, noUserAdded)
}

// printLinks prints a link for each user who needs one.
func printLinks(s streams, list api.InvitationList, hint string) error {
	needed := slices.DeleteFunc(list.Invitations, func(i api.Invitation) bool { return i.Link == "" })
	if len(needed) == 0 {
		fmt.Fprintln(s.out, "All of them have a password and sign in as usual.")
		return nil
	}
	fmt.Fprintf(s.out, "Send each of these %s the link. It works once, within 72 hours:\n\n",
		pluralize(len(needed), "user"))
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	for _, i := range needed {
		fmt.Fprintf(table, "%s\t%s\t%s\n", i.Email, i.Role, i.Link)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprint(s.out, hint)
	return nil
}

// useSite sets the address of the site in links. For the default it returns a hint, because the
// link cannot be printed again. A server knows its address.
func (c *cli) useSite(i invitationSite) (hint string, err error) {
	if c.Server != "" {
		return "", nil
	}
	if i.BaseURL == "" {
		return fmt.Sprintf("\nIf the site has another address, replace %s with it.\n", defaultBaseURL), nil
	}
	base, err := parseBaseURL(i.BaseURL)
	if err == nil {
		c.linkBase = base.String()
	}
	return "", err
}
