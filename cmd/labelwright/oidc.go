package main

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/oidc"
)

// oidcFlags are the settings of the optional sign-in through a company.
type oidcFlags struct {
	Issuer       string            `name:"oidc-issuer" env:"LABELWRIGHT_OIDC_ISSUER" placeholder:"URL" help:"OpenID Connect provider through which users sign in, such as https://login.example.org/realms/company. Without it, users sign in with passwords."`
	ClientID     string            `name:"oidc-client-id" env:"LABELWRIGHT_OIDC_CLIENT_ID" placeholder:"ID" help:"Client that is registered at the provider, with the callback BASE-URL/sign-in/oidc/callback."`
	ClientSecret string            `name:"oidc-client-secret" env:"LABELWRIGHT_OIDC_CLIENT_SECRET" placeholder:"SECRET" help:"Secret of the client. Set the environment variable: other users of this machine can read command lines."`
	CompanyName  string            `name:"oidc-name" env:"LABELWRIGHT_OIDC_NAME" default:"your company" placeholder:"NAME" help:"Name of the provider on the button 'Sign in with NAME'."`
	Only         bool              `name:"oidc-only" env:"LABELWRIGHT_OIDC_ONLY" help:"Refuse passwords. Only the first admin sets one."`
	CreateRole   string            `name:"oidc-create" env:"LABELWRIGHT_OIDC_CREATE" default:"" enum:",annotator,viewer,lead" placeholder:"ROLE" help:"Create an account with this role for users who have none: annotator, viewer or lead. Default: refuse them."`
	Groups       map[string]string `name:"oidc-groups" env:"LABELWRIGHT_OIDC_GROUPS" mapsep:"," placeholder:"GROUP=ROLE,…" help:"Roles by the claim groups, such as labels-admins=admin,labels-leads=lead. Each sign-in sets the role; without a group it is annotator. The last admin stays one."`
}

// newProvider returns the company's sign-in of the site at base, or nil without an issuer.
func (f oidcFlags) newProvider(base *url.URL) (*oidc.Provider, error) {
	if f.Issuer == "" {
		if f.Only {
			return nil, usageError{errors.New("--oidc-only needs --oidc-issuer")}
		}
		return nil, nil
	}
	issuer, err := url.Parse(f.Issuer)
	if err != nil || issuer.Host == "" ||
		issuer.Scheme != "https" && (issuer.Scheme != "http" || base.Scheme == "https") {
		return nil, usageError{fmt.Errorf(
			"--oidc-issuer %q is not an address. Use one such as https://login.example.org", f.Issuer)}
	}
	if f.ClientID == "" {
		return nil, usageError{errors.New("--oidc-issuer needs --oidc-client-id")}
	}
	c := oidc.Config{Issuer: f.Issuer, ClientID: f.ClientID, ClientSecret: f.ClientSecret, Name: f.CompanyName,
		Only: f.Only, Create: account.Role(f.CreateRole), Groups: map[string]account.Role{}}
	for group, role := range f.Groups {
		if c.Groups[group] = account.Role(role); !slices.Contains(account.Roles, c.Groups[group]) {
			return nil, usageError{fmt.Errorf("--oidc-groups: %q is not a role. Use annotator, lead or admin", role)}
		}
	}
	return oidc.New(c), nil
}

// parseRoles returns the roles that --second-factor names.
func parseRoles(names []string) (roles []account.Role, err error) {
	for _, name := range names {
		role := account.Role(strings.TrimSpace(name))
		if !slices.Contains(account.Roles, role) {
			return nil, usageError{fmt.Errorf("--second-factor: %q is not a role. Use annotator, lead or admin", name)}
		}
		roles = append(roles, role)
	}
	return roles, nil
}
