// Package account knows people: their roles, passwords and invitations.
package account

import (
	"net/mail"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Role says what somebody is here to do.
type Role string

// The roles. A lead sees the projects they are a member of; an admin all.
const (
	Admin     Role = "admin"
	Lead      Role = "lead"
	Annotator Role = "annotator"
)

// Roles lists every role, for forms and commands.
var Roles = []Role{Annotator, Lead, Admin}

// Leads reports whether r may lead projects.
func (r Role) Leads() bool { return r == Lead || r == Admin }

// Administers reports whether r may manage accounts and protocols.
func (r Role) Administers() bool { return r == Admin }

// An Account is one person's standing here. Name and Email identify the
// person: they are for that person's own pages and for admins.
type Account struct {
	ID       int64
	Role     Role
	Name     string
	Email    string
	Disabled bool
	Joined   bool // has chosen a password
	Epoch    int  // sessions of earlier epochs are over
}

// A Person is whom an account is made for.
type Person struct {
	Email string
	Name  string
	Role  Role
}

// Check returns p tidied of outer space, or a fault that says what is missing.
func (p Person) Check() (Person, error) {
	p.Name, p.Email = strings.TrimSpace(p.Name), strings.TrimSpace(p.Email)
	if n := utf8.RuneCountInString(p.Name); n == 0 || n > 100 {
		return p, fault.Invalid.Says("Please give a name of 1 to 100 characters.")
	}
	address, err := mail.ParseAddress(p.Email)
	if err != nil || address.Address != p.Email || len(p.Email) > 254 {
		return p, fault.Invalid.Says("“%s” is not an e-mail address.", p.Email)
	}
	switch p.Role {
	case Admin, Lead, Annotator:
		return p, nil
	}
	return p, fault.Invalid.Says("“%s” is not a role. Choose admin, lead or annotator.", p.Role)
}
