// Package passkey adds passkeys and signs users in with them, with WebAuthn.
package passkey

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// A Site adds and checks the passkeys of a site.
type Site struct{ site *webauthn.WebAuthn }

// New returns the passkeys of the site at base, or nil where browsers offer none: they need https and a name, or
// localhost.
func New(base *url.URL) *Site {
	host := base.Hostname()
	if net.ParseIP(host) != nil || base.Scheme != "https" && host != "localhost" {
		return nil
	}
	site, err := webauthn.New(&webauthn.Config{RPID: host, RPDisplayName: "Labelwright",
		RPOrigins: []string{base.Scheme + "://" + base.Host}})
	if err != nil {
		return nil
	}
	return &Site{site}
}

// An Attempt is what a browser was asked. Its session stores it until the answer.
type Attempt struct {
	Name     string               `json:"name,omitempty"` // of a passkey that is added
	NextPath string               `json:"next,omitempty"` // of a sign-in
	Data     webauthn.SessionData `json:"data"`
}

// A user is an account as the library knows it.
type user account.PasskeyUser

func (u user) WebAuthnID() []byte          { return u.Handle }
func (u user) WebAuthnName() string        { return u.Email }
func (u user) WebAuthnDisplayName() string { return u.Name }

func (u user) WebAuthnCredentials() (credentials []webauthn.Credential) {
	for _, p := range u.Passkeys {
		var c webauthn.Credential
		if err := json.Unmarshal(p.Credential, &c); err != nil {
			continue // is not accepted
		}
		c.Authenticator.SignCount = uint32(p.SignCount) // stored from one
		credentials = append(credentials, c)
	}
	return credentials
}

// BeginAdd returns what a browser is asked to add a passkey, as JSON. The device must verify the user.
func (s *Site) BeginAdd(u account.PasskeyUser) (options string, a Attempt, err error) {
	creation, data, err := s.site.BeginRegistration(user(u),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired}),
		webauthn.WithExclusions(webauthn.Credentials(user(u).WebAuthnCredentials()).CredentialDescriptors()))
	if err != nil {
		return "", a, err
	}
	text, err := json.Marshal(creation.Response)
	return string(text), Attempt{Data: *data}, err
}

// FinishAdd returns the passkey that a browser made for an attempt.
func (s *Site) FinishAdd(u account.PasskeyUser, a Attempt, answer string) (p account.Passkey, err error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return p, refuse(err)
	}
	credential, err := s.site.CreateCredential(user(u), a.Data, parsed)
	if err != nil {
		return p, refuse(err)
	}
	return fromCredential(*credential)
}

// BeginSignIn returns what a browser is asked to sign in, as JSON: for a passkey of a user, or for any without one.
func (s *Site) BeginSignIn(u *account.PasskeyUser) (options string, a Attempt, err error) {
	var assertion *protocol.CredentialAssertion
	var data *webauthn.SessionData
	verified := webauthn.WithUserVerification(protocol.VerificationRequired)
	if u == nil {
		assertion, data, err = s.site.BeginDiscoverableLogin(verified)
	} else {
		assertion, data, err = s.site.BeginLogin(user(*u), verified)
	}
	if err != nil {
		return "", a, err
	}
	text, err := json.Marshal(assertion.Response)
	return string(text), Attempt{Data: *data}, err
}

// FinishSignIn returns the user who signs in, and the passkey with its new count. find returns the user who has a
// passkey.
func (s *Site) FinishSignIn(a Attempt, answer string,
	find func(credentialID []byte) (account.PasskeyUser, error)) (u account.PasskeyUser, p account.Passkey, err error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return u, p, refuse(err)
	}
	if u, err = find(parsed.RawID); err != nil {
		return u, p, err
	}
	var credential *webauthn.Credential
	if len(a.Data.UserID) > 0 {
		credential, err = s.site.ValidateLogin(user(u), a.Data, parsed)
	} else {
		_, credential, err = s.site.ValidatePasskeyLogin(
			func(_, _ []byte) (webauthn.User, error) { return user(u), nil }, a.Data, parsed)
	}
	if err != nil {
		return u, p, refuse(err)
	}
	p, err = fromCredential(*credential)
	return u, p, err
}

func fromCredential(c webauthn.Credential) (p account.Passkey, err error) {
	p = account.Passkey{CredentialID: c.ID, SignCount: int64(c.Authenticator.SignCount)}
	c.Attestation = webauthn.CredentialAttestation{} // is not asked for
	p.Credential, err = json.Marshal(c)
	return p, err
}

// refuse returns what users see of an answer that is not valid, for a reason that is for the log.
func refuse(reason error) error {
	return fmt.Errorf("%w (%w)", fault.SignedOut.Errorf("The passkey was not accepted. Try again."), reason)
}
