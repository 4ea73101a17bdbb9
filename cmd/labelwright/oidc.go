package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/oidc"
)

// oidcFlags are the settings of the optional sign-in through a company.
type oidcFlags struct {
	Issuer       string            `name:"oidc-issuer" env:"LABELWRIGHT_OIDC_ISSUER" placeholder:"URL" help:"OpenID Connect provider through which users sign in, such as https://login.example.org/realms/company. Without it, users sign in with passwords."`
	ClientID     string            `name:"oidc-client-id" env:"LABELWRIGHT_OIDC_CLIENT_ID" placeholder:"ID" help:"Client that is registered at the provider, with the callback BASE-URL/sign-in/oidc/callback."`
	ClientSecret string            `name:"oidc-client-secret" env:"LABELWRIGHT_OIDC_CLIENT_SECRET" placeholder:"SECRET" help:"Secret of the client. Set the environment variable: other users of this machine can read command lines."`
	CompanyName  string            `name:"oidc-name" env:"LABELWRIGHT_OIDC_NAME" default:"your company" placeholder:"NAME" help:"Name of the provider on the button 'Sign in with NAME'."`
	Providers    string            `name:"oidc-providers" env:"LABELWRIGHT_OIDC_PROVIDERS" placeholder:"FILE" help:"File with a list of providers (YAML or JSON), instead of one by the other flags."`
	Only         bool              `name:"oidc-only" env:"LABELWRIGHT_OIDC_ONLY" help:"Refuse passwords and passkeys. Only the first admin can set a password."`
	CreateRole   string            `name:"oidc-create" env:"LABELWRIGHT_OIDC_CREATE" default:"" enum:",annotator,viewer,lead" placeholder:"ROLE" help:"Create an account with this role for users who have none: annotator, viewer or lead. Default: refuse them."`
	Groups       map[string]string `name:"oidc-groups" env:"LABELWRIGHT_OIDC_GROUPS" mapsep:"," placeholder:"GROUP=ROLE,…" help:"Roles by the claim groups, such as labels-admins=admin,labels-leads=lead. Each sign-in sets the role; without a group it is annotator. The last admin stays one."`
}

// A providerEntry is a provider in the file of --oidc-providers.
type providerEntry struct {
	Name             string                  `yaml:"name"`
	Issuer           string                  `yaml:"issuer"`
	ClientID         string                  `yaml:"client_id"`
	ClientSecretFile string                  `yaml:"client_secret_file"`
	Domains          []string                `yaml:"domains"`
	GroupsClaim      string                  `yaml:"groups_claim"`
	Roles            map[string]account.Role `yaml:"roles"`
	Create           account.Role            `yaml:"create"`
}

// newProviders returns the providers of the company's sign-in of the site at base.
func (f oidcFlags) newProviders(base *url.URL) (providers []*oidc.Provider, err error) {
	var configs []oidc.Config
	switch {
	case f.Providers != "" && f.Issuer != "":
		return nil, usageError{errors.New("--oidc-providers and --oidc-issuer are both set. Keep one")}
	case f.Providers != "":
		if configs, err = readProviders(f.Providers); err != nil {
			return nil, err
		}
	case f.Issuer != "":
		configs = []oidc.Config{{Issuer: f.Issuer, ClientID: f.ClientID, ClientSecret: f.ClientSecret,
			Name: f.CompanyName, Create: account.Role(f.CreateRole), Groups: map[string]account.Role{}}}
		for group, role := range f.Groups {
			configs[0].Groups[group] = account.Role(role)
		}
	case f.Only:
		return nil, usageError{errors.New("--oidc-only needs --oidc-issuer or --oidc-providers")}
	}
	names, issuers := map[string]bool{}, map[string]bool{}
	for _, c := range configs {
		if err := checkProvider(c, base); err != nil {
			return nil, err
		}
		if names[c.Name] || issuers[c.Issuer] {
			return nil, usageError{fmt.Errorf("two providers have the name %q or the issuer %s", c.Name, c.Issuer)}
		}
		if len(configs) > 1 && len(c.Domains) == 0 {
			return nil, usageError{fmt.Errorf(
				"the provider %q needs domains, a list such as [example.org]: the addresses that it speaks for", c.Name)}
		}
		names[c.Name], issuers[c.Issuer] = true, true
		providers = append(providers, oidc.New(c))
	}
	return providers, nil
}

// readProviders reads the file of --oidc-providers, which is YAML or JSON.
func readProviders(path string) (configs []oidc.Config, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--oidc-providers: %w", err)
	}
	var entries []providerEntry
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&entries); err != nil {
		return nil, usageError{fmt.Errorf("--oidc-providers: %s is not a list of providers: %w", path, err)}
	}
	for _, e := range entries {
		c := oidc.Config{Issuer: e.Issuer, ClientID: e.ClientID, Name: e.Name, Create: e.Create, Groups: e.Roles,
			GroupsClaim: e.GroupsClaim, Domains: e.Domains}
		if e.ClientSecretFile != "" {
			file := e.ClientSecretFile
			if !filepath.IsAbs(file) {
				file = filepath.Join(filepath.Dir(path), file)
			}
			secret, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("--oidc-providers: %w", err)
			}
			c.ClientSecret = strings.TrimRight(string(secret), "\r\n")
		}
		configs = append(configs, c)
	}
	return configs, nil
}

// checkProvider returns what is wrong with the settings of a provider.
func checkProvider(c oidc.Config, base *url.URL) error {
	issuer, err := url.Parse(c.Issuer)
	isSafe := err == nil && (issuer.Scheme == "https" || issuer.Scheme == "http" && base.Scheme == "http")
	switch {
	case !isSafe || issuer.Host == "":
		return usageError{fmt.Errorf("the issuer %q (--oidc-issuer) is not an address. Use one such as https://login.example.org",
			c.Issuer)}
	case c.ClientID == "":
		return usageError{fmt.Errorf("the issuer %s needs a client id (--oidc-client-id)", c.Issuer)}
	case c.Name == "":
		return usageError{fmt.Errorf("the issuer %s needs a name", c.Issuer)}
	case c.Create == account.Admin || c.Create != "" && !slices.Contains(account.Roles, c.Create):
		return usageError{fmt.Errorf("the first sign-in cannot create accounts with the role %q. Use annotator, viewer or lead",
			c.Create)}
	}
	for _, role := range c.Groups {
		if !slices.Contains(account.Roles, role) {
			return usageError{fmt.Errorf("a group has the role %q (--oidc-groups). Use annotator, viewer, lead or admin", role)}
		}
	}
	return nil
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
