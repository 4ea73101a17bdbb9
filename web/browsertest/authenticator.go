package browsertest

import (
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/webauthn"
)

// An Authenticator is a simulated device with passkeys.
type Authenticator struct {
	tab Tab
	id  webauthn.AuthenticatorID
}

// AddAuthenticator adds a device to the tab that keeps passkeys and verifies its user.
func (b Tab) AddAuthenticator() Authenticator {
	b.Helper()
	sendCommand(b, webauthn.Enable, webauthn.EnableParams{})
	added := sendCommand(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{Protocol: webauthn.AuthenticatorProtocolCtap2,
			Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true, HasUserVerification: true,
			IsUserVerified: true, AutomaticPresenceSimulation: true}})
	return Authenticator{b, added.AuthenticatorID}
}

// ClearCookies makes the browser forget who is signed in.
func (b Tab) ClearCookies() {
	b.Helper()
	sendCommand(b, network.ClearBrowserCookies, cdp.Empty{})
}

// Count returns the number of passkeys.
func (a Authenticator) Count() int {
	a.tab.Helper()
	return len(sendCommand(a.tab, webauthn.GetCredentials,
		webauthn.GetCredentialsParams{AuthenticatorID: a.id}).Credentials)
}

// SetVerified lets the verification of the user succeed or fail.
func (a Authenticator) SetVerified(verified bool) {
	a.tab.Helper()
	sendCommand(a.tab, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: a.id,
		IsUserVerified: verified})
}
