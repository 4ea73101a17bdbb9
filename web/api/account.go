package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
)

// An Account is an account of the server.
type Account struct {
	ID              account.ID         `json:"id"`
	Email           string             `json:"email"`
	Name            string             `json:"name"`
	Role            account.Role       `json:"role" enum:"admin,lead,viewer,annotator"`
	Status          account.UserStatus `json:"status" enum:"active,invited,disabled"`
	HasSecondFactor bool               `json:"has_second_factor" doc:"Signing in also needs a code of an authenticator app, or a passkey."`
	version         int
}

func (a Account) objectVersion() int { return a.version }

func newAccount(a account.Account) Account {
	return Account{ID: a.ID, Email: a.Email, Name: a.Name, Role: a.Role, Status: a.Status(),
		HasSecondFactor: a.HasSecondFactor()}
}

// An AccountList lists accounts.
type AccountList struct {
	Accounts []Account `json:"accounts"`
}

// A NewAccount is an account to create.
type NewAccount struct {
	Email string       `json:"email" minLength:"3" maxLength:"254" format:"email"`
	Name  string       `json:"name" minLength:"1" maxLength:"100"`
	Role  account.Role `json:"role" enum:"admin,lead,viewer,annotator"`
}

// NewAccounts is the body that creates accounts.
type NewAccounts struct {
	Accounts []NewAccount `json:"accounts" minItems:"1" maxItems:"500"`
}

// An AccountChange is the body that changes an account.
type AccountChange struct {
	Role     *account.Role `json:"role,omitempty" enum:"admin,lead,viewer,annotator"`
	Email    *string       `json:"email,omitempty" maxLength:"254" doc:"Where the user signs in and gets mail. Links that were sent to the old address stop working."`
	Disabled *bool         `json:"disabled,omitempty" doc:"A disabled account is signed out everywhere, and its tokens stop working."`
}

// An AccountErasure is the body that erases an account.
type AccountErasure struct {
	WithNotes bool `json:"with_notes,omitempty" doc:"Also what the user wrote: notes, comments, questions, answers, messages and reasons. Stored exports and reports of their projects are deleted."`
}

// An Erasure is what is kept of an erasure.
type Erasure struct {
	ID postgres.ErasureID `json:"id"`
}

// An Invitation is a link with which a user sets a password.
type Invitation struct {
	Email     string       `json:"email"`
	Role      account.Role `json:"role" enum:"admin,lead,viewer,annotator"`
	Link      string       `json:"link" doc:"Works once, until expires_at. It is not shown again: a repeated response has an empty link."`
	ExpiresAt time.Time    `json:"expires_at"`
}

func (a *API) newInvitation(i postgres.Invitation) Invitation {
	return Invitation{i.Email, i.Role, a.InvitationLink(i.Token),
		time.Now().UTC().Add(account.InvitationLifetime).Truncate(time.Second)}
}

// forStorage returns the invitation without its link, which sets a password.
func (i Invitation) forStorage() any {
	i.Link = ""
	return i
}

// An InvitationList lists invitations.
type InvitationList struct {
	Invitations []Invitation `json:"invitations"`
}

// forStorage returns the list without the links.
func (l InvitationList) forStorage() any {
	return InvitationList{mapped(l.Invitations, func(i Invitation) Invitation { return i.forStorage().(Invitation) })}
}

// An AccountPath is the input of an operation on an account.
type AccountPath struct {
	Account string `path:"account" maxLength:"254" doc:"Id or email address of the account." example:"7"`
}

// An AccountBody is the input of an operation on an account with a body.
type AccountBody[B any] struct {
	AccountPath
	Body B
}

// The operations on accounts.
var (
	ListAccounts = newRead(endpoint{id: "list-accounts", path: "/accounts", tag: "Accounts", scope: account.ScopeAdmin,
		summary: "List all accounts, by name"},
		func(ctx context.Context, a *API, c caller, _ *NoInput) (AccountList, error) {
			accounts, err := a.DB.Accounts(ctx, c.id())
			return AccountList{mapped(accounts, newAccount)}, err
		})

	CreateAccount = newWrite(endpoint{id: "create-account", method: http.MethodPost, path: "/accounts", tag: "Accounts",
		scope:  account.ScopeAdmin,
		status: http.StatusCreated, summary: "Create an account",
		text: "The user is invited by mail if the server sends mail. Otherwise pass on the link."},
		func(ctx context.Context, a *API, c caller, in *BodyInput[NewAccount]) (Invitation, error) {
			id, err := a.DB.CreateAccount(ctx, c.id(), account.NewAccount(in.Body), "")
			if err != nil {
				return Invitation{}, err
			}
			return a.inviteAccount(ctx, c, id)
		})

	CreateAccounts = newWrite(endpoint{id: "create-accounts", method: http.MethodPost, path: "/invitations",
		tag: "Accounts", scope: account.ScopeAdmin,
		status: http.StatusCreated, summary: "Create several accounts", text: "All of them, or none."},
		func(ctx context.Context, a *API, c caller, in *BodyInput[NewAccounts]) (InvitationList, error) {
			invitations, err := a.DB.CreateAccounts(ctx, c.id(), mapped(in.Body.Accounts,
				func(n NewAccount) account.NewAccount { return account.NewAccount(n) }))
			return InvitationList{mapped(invitations, a.newInvitation)}, err
		})

	ShowAccount = newRead(endpoint{id: "show-account", path: "/accounts/{account}", tag: "Accounts",
		scope: account.ScopeAdmin, summary: "Show an account"},
		func(ctx context.Context, a *API, c caller, in *AccountPath) (Account, error) {
			id, err := a.findAccount(ctx, c, in.Account)
			if err != nil {
				return Account{}, err
			}
			return a.showAccount(ctx, c, id)
		})

	ChangeAccount = newWrite(endpoint{id: "change-account", object: postgres.VersionedAccount, method: http.MethodPatch,
		path: "/accounts/{account}",
		tag:  "Accounts", scope: account.ScopeAdmin, summary: "Change the role or the address of an account, disable or enable it",
		text: "What is missing in the body stays. The user is signed out everywhere. The last active admin cannot be changed."},
		func(ctx context.Context, a *API, c caller, in *AccountBody[AccountChange]) (Account, error) {
			id, err := a.findAccount(ctx, c, in.Account)
			if err != nil {
				return Account{}, err
			}
			if err := a.DB.ChangeAccount(ctx, c.id(), id, account.UserChange{Role: in.Body.Role,
				Disabled: in.Body.Disabled, Email: in.Body.Email}); err != nil {
				return Account{}, err
			}
			return a.showAccount(ctx, c, id)
		})

	InviteAccount = newWrite(endpoint{id: "invite-account", method: http.MethodPost,
		path: "/accounts/{account}/invitation", tag: "Accounts",
		scope: account.ScopeAdmin, status: http.StatusCreated,
		summary: "Create a link with which a user sets a new password",
		text:    "Earlier links stop working. The password stays until the link is used."},
		func(ctx context.Context, a *API, c caller, in *AccountPath) (Invitation, error) {
			id, err := a.findAccount(ctx, c, in.Account)
			if err != nil {
				return Invitation{}, err
			}
			return a.inviteAccount(ctx, c, id)
		})

	ResetSecondFactor = newWrite(endpoint{id: "reset-second-factor", method: http.MethodPost,
		path: "/accounts/{account}/second-factor/reset", tag: "Accounts", scope: account.ScopeAdmin,
		summary: "Remove the second factor of a user who lost it",
		text:    "The user is signed out everywhere, and the tokens of the account are revoked."},
		func(ctx context.Context, a *API, c caller, in *AccountPath) (Account, error) {
			id, err := a.findAccount(ctx, c, in.Account)
			if err == nil {
				err = a.DB.ResetSecondFactor(ctx, c.id(), id)
			}
			if err != nil {
				return Account{}, err
			}
			return a.showAccount(ctx, c, id)
		})
)

// An AccountExport has all that is stored about a user.
type AccountExport struct {
	Sections []postgres.AccountSection `json:"sections" doc:"Without those that are empty."`
}

// ExportAccount returns all that is stored about a user.
var ExportAccount = newRead(endpoint{id: "export-account", path: "/accounts/{account}/export", tag: "Accounts",
	scope: account.ScopeAdmin, summary: "Export everything about a user",
	text: "The account, sign-ins, memberships, labels, notes, questions, hours and entries of the audit log. Personal reasons for skipping stay private."},
	func(ctx context.Context, a *API, c caller, in *AccountPath) (e AccountExport, err error) {
		id, err := a.findAccount(ctx, c, in.Account)
		if err == nil {
			e.Sections, err = a.DB.ExportAccount(ctx, c.id(), id)
		}
		return e, err
	})

// EraseAccount erases the personal data of a user.
var EraseAccount = newWrite(endpoint{id: "erase-account", method: http.MethodPost, path: "/accounts/{account}/erasure",
	tag: "Accounts", scope: account.ScopeAdmin, summary: "Erase the personal data of a user",
	text: "The name, the address, sign-ins, tokens and drafts are deleted. Labels stay under the pseudonym. It cannot be undone."},
	func(ctx context.Context, a *API, c caller, in *AccountBody[AccountErasure]) (e Erasure, err error) {
		id, err := a.findAccount(ctx, c, in.Account)
		if err == nil {
			e.ID, err = a.DB.EraseUser(ctx, c.id(), id, in.Body.WithNotes)
		}
		return e, err
	})

// findAccount returns the account with an id or an email address. Only an admin learns which
// addresses have one.
func (a *API) findAccount(ctx context.Context, c caller, name string) (account.ID, error) {
	if strings.Contains(name, "@") && c.Account.Role.IsAdmin() {
		found, err := a.DB.AccountByEmail(ctx, name)
		return found.ID, err
	}
	id, _ := strconv.ParseInt(name, 10, 64)
	return account.ID(id), nil
}

func (a *API) showAccount(ctx context.Context, c caller, id account.ID) (Account, error) {
	found, err := a.DB.UserAccount(ctx, c.id(), id)
	shown := newAccount(found.Account)
	shown.version = found.Version
	return shown, err
}

func (a *API) inviteAccount(ctx context.Context, c caller, id account.ID) (Invitation, error) {
	found, err := a.DB.UserAccount(ctx, c.id(), id)
	if err != nil {
		return Invitation{}, err
	}
	token, err := a.DB.Invite(ctx, c.id(), id)
	return a.newInvitation(postgres.Invitation{Email: found.Email, Role: found.Role, Token: token}), err
}

// requireAllProjects returns an error for a token that is limited to projects.
func (c caller) requireAllProjects(action string) error {
	if c.AllProjects {
		return nil
	}
	return fault.Forbidden.Errorf("This token is limited to projects, so it cannot %s.", action)
}
