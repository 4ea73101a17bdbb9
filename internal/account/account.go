// Package account defines accounts: roles, passwords and tokens.
package account

import (
	"net/mail"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// An ID identifies an account.
type ID int64

// A Role determines what an account may do.
type Role string

// The roles. A viewer reads the reports of projects of which they are a member, without annotators and items. A lead
// sees projects of which they are a member, an admin sees all.
const (
	Admin     Role = "admin"
	Lead      Role = "lead"
	Annotator Role = "annotator"
	Viewer    Role = "viewer"
)

// Roles lists every role, for forms and commands.
var Roles = []Role{Annotator, Viewer, Lead, Admin}

// MemberRoles lists the roles of a member of a project.
var MemberRoles = []Role{Annotator, Viewer, Lead}

// CanLead reports whether r may lead projects.
func (r Role) CanLead() bool { return r == Lead || r == Admin }

// CanView reports whether r may read the reports of projects.
func (r Role) CanView() bool { return r == Viewer || r.CanLead() }

// IsAdmin reports whether r may manage accounts and protocols.
func (r Role) IsAdmin() bool { return r == Admin }

// An Account is a user. Name and Email identify the user: only the user and admins may
// see them.
type Account struct {
	ID       ID
	Role     Role
	Name     string
	Email    string
	Disabled bool
	Joined   bool // has set a password, or signed in through the company

	HasPassword      bool
	HasAuthenticator bool // an app that shows codes, which signing in also needs
	HasPasskey       bool // counts as a second factor, where passkeys are used
}

// HasSecondFactor reports whether signing in needs more than a password.
func (a Account) HasSecondFactor() bool { return a.HasAuthenticator || a.HasPasskey }

// A UserStatus is whether an account can sign in.
type UserStatus string

// The statuses.
const (
	StatusActive   UserStatus = "active"
	StatusInvited  UserStatus = "invited" // has not set a password
	StatusDisabled UserStatus = "disabled"
)

// Status returns whether the account can sign in.
func (a Account) Status() UserStatus {
	switch {
	case a.Disabled:
		return StatusDisabled
	case !a.Joined:
		return StatusInvited
	}
	return StatusActive
}

// Owner returns the account as the owner of its password.
func (a Account) Owner() Owner { return Owner{a.Name, a.Email} }

// A UserChange is a change of an account. Missing fields stay.
type UserChange struct {
	Role     *Role
	Disabled *bool
	Email    *string // where the user signs in and gets mail
}

// The limits of what an account has.
const (
	MaxName  = 100 // characters
	MaxEmail = 254 // bytes
)

// A NewAccount is the input for creating an account.
type NewAccount struct {
	Email string
	Name  string
	Role  Role
}

// Check returns a without surrounding spaces, or what is wrong with it.
func (a NewAccount) Check() (NewAccount, error) {
	var err error
	if a.Name, err = CheckName(a.Name); err != nil {
		return a, err
	}
	if a.Email, err = CheckEmail(a.Email); err != nil {
		return a, err
	}
	if !slices.Contains(Roles, a.Role) {
		return a, fault.Invalid.Errorf("“%s” is not a role. Choose admin, lead, viewer or annotator.", a.Role)
	}
	return a, nil
}

// CheckEmail returns an email address without surrounding spaces, or what is wrong with it.
func CheckEmail(email string) (string, error) {
	problem := fault.Invalid.Errorf("“%s” is not an email address.", email)
	email, err := plaintext.ReadLine(email, 1, MaxEmail, problem)
	if err != nil {
		return email, err
	}
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > MaxEmail {
		return email, problem
	}
	return email, nil
}

// CheckName returns the name of a user without surrounding spaces, or what is wrong with it.
func CheckName(name string) (string, error) {
	return plaintext.ReadLine(name, 1, MaxName, fault.Invalid.Errorf("Enter a name of 1 to 100 characters."))
}

// A MailKind is what a mail is about.
type MailKind string

// The kinds.
const (
	MailInvitation MailKind = "invitation"
	MailPassword   MailKind = "password" // that its recipient asked for
	MailAddress    MailKind = "address"  // goes to a new address, with a link that takes it
	MailNewWork    MailKind = "new_work" // a batch
	MailAnswer     MailKind = "answer"   // to a question
	MailDigest     MailKind = "digest"   // of a lead's inbox

	MailAddressChanged MailKind = "address_changed" // goes to the old address
)
