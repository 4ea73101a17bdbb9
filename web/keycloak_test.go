package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/oidc"
	"github.com/labelwright/labelwright/internal/require"
)

// companyRealm is a realm of Keycloak with a user in a group, and one whose address is not verified.
const companyRealm = `{"realm": "company", "enabled": true, "sslRequired": "none",
	"groups": [{"name": "label-leads"}],
	"users": [
		{"username": "ann", "email": "ann@example.org", "emailVerified": true, "enabled": true, "firstName": "Ann",
			"lastName": "Lee", "credentials": [{"type": "password", "value": "pw-of-ann"}], "groups": ["/label-leads"]},
		{"username": "ben", "email": "ben@example.org", "emailVerified": false, "enabled": true, "firstName": "Ben",
			"lastName": "Lee", "credentials": [{"type": "password", "value": "pw-of-ben"}]}],
	"clients": [{"clientId": "labelwright", "secret": "a secret", "enabled": true, "publicClient": false,
		"standardFlowEnabled": true, "redirectUris": ["*"], "attributes": {"pkce.code.challenge.method": "S256"},
		"protocolMappers": [{"name": "groups", "protocol": "openid-connect",
			"protocolMapper": "oidc-group-membership-mapper", "config": {"claim.name": "groups", "full.path": "false",
				"id.token.claim": "true"}}]}]}`

// A keycloak is a running Keycloak, from the folder that LABELWRIGHT_KEYCLOAK names.
type keycloak struct {
	*testing.T
	address string
	log     *os.File
}

func startKeycloak(t *testing.T) keycloak {
	t.Helper()
	folder := os.Getenv("LABELWRIGHT_KEYCLOAK")
	if folder == "" {
		require.Missing(t, "keycloak", "LABELWRIGHT_KEYCLOAK does not name the folder of a Keycloak.")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	imports := filepath.Join(folder, "data", "import")
	if err := os.MkdirAll(imports, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(imports, "company.json"), []byte(companyRealm), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "keycloak.log"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	command := exec.CommandContext(ctx, filepath.Join(folder, "bin", "kc.sh"), "start-dev", "--import-realm",
		"--http-host=127.0.0.1", fmt.Sprint("--http-port=", port), "--db=dev-mem")
	command.Env = append(os.Environ(), "KC_BOOTSTRAP_ADMIN_USERNAME=admin", "KC_BOOTSTRAP_ADMIN_PASSWORD=admin")
	command.Stdout, command.Stderr = log, log
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = command.Wait(); _ = log.Close() })
	k := keycloak{T: t, address: fmt.Sprint("http://127.0.0.1:", port), log: log}
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(time.Second) {
		response, err := http.Get(k.issuer() + "/.well-known/openid-configuration")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return k
			}
		}
		if time.Now().After(end) {
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("Keycloak does not answer: %s", text)
		}
	}
}

func (k keycloak) issuer() string { return k.address + "/realms/company" }

// signIn fills in Keycloak's form at location, and returns the query with which the browser returns.
func (k keycloak) signIn(location, user string) url.Values {
	k.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		k.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	response, err := client.Get(location)
	if err != nil {
		k.Fatal(err)
	}
	document, err := html.Parse(response.Body)
	if err != nil {
		k.Fatal(err)
	}
	form := cascadia.Query(document, cascadia.MustCompile("#kc-form-login"))
	if form == nil {
		k.Fatalf("Keycloak shows no form at %s: %d", location, response.StatusCode)
	}
	action := ""
	for _, a := range form.Attr {
		if a.Key == "action" {
			action = a.Val
		}
	}
	response, err = client.PostForm(action, url.Values{"username": {user}, "password": {"pw-of-" + user}})
	if err != nil {
		k.Fatal(err)
	}
	returned, err := response.Location()
	if err != nil {
		text, _ := io.ReadAll(response.Body)
		k.Fatalf("Keycloak does not sign %s in: %d %s", user, response.StatusCode, text)
	}
	return returned.Query()
}

// administer sends a request of Keycloak's administrator, and decodes the answer.
func (k keycloak) administer(method, path, body string, answer any) {
	k.Helper()
	response, err := http.PostForm(k.address+"/realms/master/protocol/openid-connect/token", url.Values{
		"grant_type": {"password"}, "client_id": {"admin-cli"}, "username": {"admin"}, "password": {"admin"}})
	if err != nil {
		k.Fatal(err)
	}
	var token struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&token); err != nil {
		k.Fatal(err)
	}
	request, err := http.NewRequestWithContext(k.Context(), method, k.address+"/admin/realms/company"+path,
		strings.NewReader(body))
	if err != nil {
		k.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token.AccessToken)
	request.Header.Set("Content-Type", "application/json")
	if response, err = http.DefaultClient.Do(request); err != nil || response.StatusCode >= 300 {
		k.Fatalf("%s %s: %v %v", method, path, response, err)
	}
	if answer != nil {
		if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
			k.Fatal(err)
		}
	}
}

// TestCompanySignIn_Keycloak signs in through a real Keycloak: the group gives the role, a user who leaves it loses the
// role, an address that is not verified and answers that are replayed sign nobody in.
func TestCompanySignIn_Keycloak_RoleByGroup(t *testing.T) {
	env, k := newTestEnv(t), startKeycloak(t)
	env.newUser("admin@example.org", account.Admin)
	server := env.startWithProvider(k.issuer(), oidc.Config{Create: account.Annotator,
		Groups: map[string]account.Role{"label-leads": account.Lead}})
	begin := func(b browser, user string) url.Values {
		return k.signIn(b.get("/sign-in/oidc?next=/account").checkRedirect(k.issuer()+
			"/protocol/openid-connect/auth"), user)
	}
	roleOf := func(email string) account.Role {
		return account.Role(query[string](env, `SELECT a.role FROM accounts a JOIN identity.users u ON u.account_id = a.id
			WHERE u.email = $1`, email))
	}
	b := server.newBrowser()
	returned := begin(b, "ann")
	server.newBrowser().returnFrom(returned).checkStatus(http.StatusUnprocessableEntity) // of another browser
	b.returnFrom(returned).checkRedirect("/labels/account")
	b.get("/account").checkStatus(http.StatusOK).checkContains("Ann Lee")
	if role := roleOf("ann@example.org"); role != account.Lead {
		t.Errorf("the group gives the role %s", role)
	}
	b.returnFrom(returned).checkStatus(http.StatusUnprocessableEntity) // replayed
	server.newBrowser().returnFrom(begin(server.newBrowser(), "ben")).checkStatus(http.StatusUnprocessableEntity)
	unverified := server.newBrowser()
	unverified.returnFrom(begin(unverified, "ben")).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"has not verified your email address")

	var users, groups []struct{ ID string }
	k.administer(http.MethodGet, "/users?username=ann", "", &users)
	k.administer(http.MethodGet, "/groups", "", &groups)
	k.administer(http.MethodDelete, "/users/"+users[0].ID+"/groups/"+groups[0].ID, "", nil)
	again := server.newBrowser()
	again.returnFrom(begin(again, "ann")).checkRedirect("/labels/account")
	if role := roleOf("ann@example.org"); role != account.Annotator {
		t.Errorf("without the group, the role is %s", role)
	}
}
