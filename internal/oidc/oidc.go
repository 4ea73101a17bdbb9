// Package oidc lets users sign in through their company, with OpenID Connect: the authorization code flow with PKCE.
package oidc

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	coreoidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// A Config describes the provider and what it decides.
type Config struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	Name         string                  // as users know it
	Create       account.Role            // of accounts that the first sign-in creates; empty: none is created
	Groups       map[string]account.Role // roles by group; empty: groups decide nothing
	GroupsClaim  string                  // where the groups of a user are; empty: groups
	Domains      []string                // of the addresses that it speaks for; empty: all
}

// A Provider signs users in. It finds the addresses of the provider when they are first needed, so that the server
// starts while the provider is down.
type Provider struct {
	Config
	found  atomic.Pointer[coreoidc.Provider]
	client *http.Client
}

// New returns a provider.
func New(c Config) *Provider {
	return &Provider{Config: c, client: &http.Client{Timeout: 10 * time.Second}}
}

// An Attempt is a sign-in that has begun. The browser's session stores it until the user returns.
type Attempt struct {
	Issuer   string `json:"issuer"`
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"` // of PKCE
	NextPath string `json:"next"`     // where the user goes afterwards
}

// Begin returns the address where the user signs in, and the attempt. A user who is signed in already is asked again.
func (p *Provider) Begin(ctx context.Context, callback, nextPath string,
	again bool) (address string, a Attempt, err error) {
	_, flow, err := p.discover(ctx, callback)
	if err != nil {
		return "", a, err
	}
	a = Attempt{Issuer: p.Issuer, State: account.NewToken(), Nonce: account.NewToken(),
		Verifier: oauth2.GenerateVerifier(), NextPath: nextPath}
	options := []oauth2.AuthCodeOption{coreoidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)}
	if again {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"))
	}
	return flow.AuthCodeURL(a.State, options...), a, nil
}

// Finish exchanges the code that the user returned with, and returns who the user is. It returns fault.SignedOut if
// anything about the answer is not as it must be.
func (p *Provider) Finish(ctx context.Context, callback string, a Attempt,
	answer url.Values) (user account.ExternalIdentity, err error) {
	state, code, issuer := answer.Get("state"), answer.Get("code"), answer.Get("iss")
	if a.State == "" || subtle.ConstantTimeCompare([]byte(a.State), []byte(state)) != 1 || code == "" {
		return user, p.refuse(errors.New("the state differs, or there is no code"))
	}
	if issuer != "" && issuer != p.Issuer { // RFC 9207: the code of one provider is not sent to another
		return user, p.refuse(errors.New("the answer is of another provider"))
	}
	provider, flow, err := p.discover(ctx, callback)
	if err != nil {
		return user, err
	}
	ctx = coreoidc.ClientContext(ctx, p.client)
	token, err := flow.Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response.StatusCode < 500 {
			return user, p.refuse(fmt.Errorf("the code is refused: %s", refused.ErrorCode))
		}
		return user, p.unavailable(err)
	}
	text, _ := token.Extra("id_token").(string)
	verified, err := provider.VerifierContext(ctx, &coreoidc.Config{ClientID: p.ClientID}).Verify(ctx, text)
	if err != nil {
		return user, p.refuse(err)
	}
	if subtle.ConstantTimeCompare([]byte(a.Nonce), []byte(verified.Nonce)) != 1 {
		return user, p.refuse(errors.New("the nonce differs"))
	}
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
		Name     string `json:"name"`
	}
	var all map[string]any
	if err := errors.Join(verified.Claims(&claims), verified.Claims(&all)); err != nil {
		return user, p.refuse(err)
	}
	if !claims.Verified || claims.Email == "" {
		return user, fault.SignedOut.Errorf("%s has not verified your email address. Verify it there, then try again.",
			p.Name)
	}
	if !p.speaksFor(claims.Email) {
		return user, fault.SignedOut.Errorf("%s does not sign in users with the address “%s” here. Ask an admin.",
			p.Name, claims.Email)
	}
	groups, _ := all[cmp.Or(p.GroupsClaim, "groups")].([]any)
	return account.ExternalIdentity{Provider: p.Name, Issuer: verified.Issuer, Subject: verified.Subject,
		Email: claims.Email, Name: cmp.Or(claims.Name, claims.Email), Role: p.roleOf(groups)}, nil
}

// speaksFor reports whether the provider may say who has an address: it could sign in as anyone otherwise.
func (p *Provider) speaksFor(email string) bool {
	domain := email[strings.LastIndexByte(email, '@')+1:]
	return len(p.Domains) == 0 ||
		slices.ContainsFunc(p.Domains, func(d string) bool { return strings.EqualFold(d, domain) })
}

// roleOf returns the highest role of the groups, or an annotator's without one.
func (p *Provider) roleOf(groups []any) account.Role {
	if len(p.Groups) == 0 {
		return ""
	}
	role := account.Annotator
	for _, group := range groups {
		name, _ := group.(string)
		if r, ok := p.Groups[name]; ok && slices.Index(account.Roles, r) > slices.Index(account.Roles, role) {
			role = r
		}
	}
	return role
}

// discover returns the addresses of the provider.
func (p *Provider) discover(ctx context.Context, callback string) (*coreoidc.Provider, oauth2.Config, error) {
	provider := p.found.Load()
	if provider == nil {
		var err error
		if provider, err = coreoidc.NewProvider(coreoidc.ClientContext(ctx, p.client), p.Issuer); err != nil {
			return nil, oauth2.Config{}, p.unavailable(err)
		}
		p.found.Store(provider)
	}
	flow := oauth2.Config{ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: provider.Endpoint(),
		RedirectURL: callback, Scopes: []string{coreoidc.ScopeOpenID, "email", "profile"}}
	// A guess would send the code twice, which is valid once.
	var supported struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := provider.Claims(&supported); err != nil {
		return nil, flow, p.unavailable(err)
	}
	flow.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if p.ClientSecret == "" || supported.Methods != nil && !slices.Contains(supported.Methods, "client_secret_basic") {
		flow.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return provider, flow, nil
}

// refuse returns what users see of a sign-in that failed for a reason, which is for the log.
func (p *Provider) refuse(reason error) error {
	return fmt.Errorf("%w (%w)", fault.SignedOut.Errorf(
		"You are not signed in: the answer of %s is not valid. Try again.", p.Name), reason)
}

func (p *Provider) unavailable(reason error) error {
	return fmt.Errorf("%w (%w)", fault.Unavailable.Errorf("%s does not answer. Try again in a minute.", p.Name), reason)
}
