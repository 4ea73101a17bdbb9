package web

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
)

// A testProvider is an OpenID Connect provider. It checks what a real one checks: client, callback, PKCE, and that a
// code is used once.
type testProvider struct {
	*testing.T
	*httptest.Server
	key    *rsa.PrivateKey
	isDown atomic.Bool
	codes  map[string]providerCode
}

// A providerCode is what a code was given for.
type providerCode struct {
	challenge, callback string
	claims              map[string]any
}

func newTestProvider(t *testing.T) *testProvider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &testProvider{T: t, key: key, codes: map[string]providerCode{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// ServeHTTP answers discovery, requests for the keys, and those for a token.
func (p *testProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	answer := map[string]any{}
	switch {
	case p.isDown.Load():
		w.WriteHeader(http.StatusBadGateway)
	case r.URL.Path == "/.well-known/openid-configuration":
		answer = map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize",
			"token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"}}
	case r.URL.Path == "/keys":
		answer["keys"] = []map[string]any{{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "one",
			"n": encodeSegment(p.key.N.Bytes()), "e": encodeSegment(big.NewInt(int64(p.key.E)).Bytes())}}
	case r.URL.Path == "/token":
		given, exists := p.codes[r.FormValue("code")]
		delete(p.codes, r.FormValue("code"))
		id, encoded, _ := r.BasicAuth()
		secret, _ := url.QueryUnescape(encoded) // as RFC 6749, section 2.3.1 says
		verifier := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if !exists || id != "labelwright" || secret != "a secret" || encodeSegment(verifier[:]) != given.challenge ||
			r.FormValue("redirect_uri") != given.callback {
			w.WriteHeader(http.StatusBadRequest)
			answer["error"] = "invalid_grant"
			break
		}
		answer = map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": p.sign(given.claims)}
	default:
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func encodeSegment(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// sign returns an ID token. The claim "forged" makes the signature that of another text.
func (p *testProvider) sign(claims map[string]any) string {
	text, err := json.Marshal(claims)
	if err != nil {
		p.Error(err)
	}
	payload := encodeSegment([]byte(`{"alg":"RS256","kid":"one"}`)) + "." + encodeSegment(text)
	signed := payload
	if claims["forged"] != nil {
		signed += "x"
	}
	hash := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, p.key, crypto.SHA256, hash[:])
	if err != nil {
		p.Error(err)
	}
	return payload + "." + encodeSegment(signature)
}

// authorize signs a user in at the provider: it returns the query with which the browser returns.
func (p *testProvider) authorize(location string, changes map[string]any) url.Values {
	p.Helper()
	u, err := url.Parse(location)
	if err != nil {
		p.Fatal(err)
	}
	q := u.Query()
	if q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" || !strings.Contains(q.Get("scope"),
		"openid") {
		p.Errorf("request %s", location)
	}
	claims := map[string]any{"iss": p.URL, "aud": q.Get("client_id"), "exp": time.Now().Add(time.Minute).Unix(),
		"iat": time.Now().Unix(), "nonce": q.Get("nonce"), "email_verified": true, "name": "Ann"}
	maps.Copy(claims, changes)
	code := account.NewToken()
	p.codes[code] = providerCode{q.Get("code_challenge"), q.Get("redirect_uri"), claims}
	return url.Values{"code": {code}, "state": {q.Get("state")}}
}
