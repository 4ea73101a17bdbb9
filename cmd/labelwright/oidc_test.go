package main

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

// The example of the manual is read, as YAML and as JSON.
func TestReadProviders_ExampleOfManual(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile(filepath.Join("..", "..", "web", "manual", "en", "admins.md"))
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```yaml\n(- name: .*?)```").FindSubmatch(manual)
	if example == nil {
		t.Fatal("the manual has no example of providers")
	}
	const json = `[{"name": "Example Inc.", "issuer": "https://login.example.org/realms/company", "client_id": "labelwright",
		"client_secret_file": "company.secret", "roles": {"labels-leads": "lead"}}]`
	for text, count := range map[string]int{string(example[1]): 2, json: 1} {
		dir := t.TempDir()
		path := filepath.Join(dir, "providers")
		files := map[string]string{"providers": text, "company.secret": "s3cret\n", "partner.secret": "x"}
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		providers, err := oidcFlags{Providers: path, Only: true}.newProviders(&url.URL{Scheme: "https", Host: "x"})
		if err != nil || len(providers) != count {
			t.Fatalf("%d providers, %v", len(providers), err)
		}
		if p := providers[0]; p.ClientSecret != "s3cret" || p.Groups["labels-leads"] != account.Lead || p.Create != "" {
			t.Errorf("%+v", p.Config)
		}
		if p := providers[count-1]; count == 2 && (p.GroupsClaim != "teams" || p.Create != account.Annotator) {
			t.Errorf("%+v", p.Config)
		}
	}
}

func TestNewProviders_Mistakes_AreNamed(t *testing.T) {
	t.Parallel()
	const one = "{name: A, issuer: 'https://a.example', client_id: x"
	base := &url.URL{Scheme: "https", Host: "x"}
	for text, want := range map[string]string{
		"[" + one + ", secret: y}]": "field secret not found",
		"name: A":                   "is not a list of providers",
		"[" + one + ", domains: [a.example]}, " + one + "}]":            `two providers have the name "A"`,
		"[" + one + "}, " + one + "}]":                                  `"A" needs domains`,
		"[" + one + ", create: admin}]":                                 `with the role "admin"`,
		"[" + one + ", roles: {x: boss}}]":                              `a group has the role "boss"`,
		"[{issuer: 'https://a.example', client_id: x}]":                 "needs a name",
		"[{name: A, issuer: 'https://a.example'}]":                      "needs a client id",
		"[{name: A, issuer: 'http://a.example', client_id: x}]":         "is not an address",
		"[" + one + ", client_secret_file: none}]":                      "no such file",
		"[" + strings.Replace(one, "name: A, ", "name: '', ", 1) + "}]": "needs a name",
	} {
		path := filepath.Join(t.TempDir(), "providers.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := oidcFlags{Providers: path}.newProviders(base)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, f := range []oidcFlags{{Only: true}, {Providers: "x", Issuer: "https://a.example"}, {Providers: "none"}} {
		if _, err := f.newProviders(base); err == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
	single, err := oidcFlags{Issuer: "https://a.example", ClientID: "x", CompanyName: "A",
		Groups: map[string]string{"g": "viewer"}}.newProviders(base)
	if err != nil || len(single) != 1 || single[0].Groups["g"] != account.Viewer {
		t.Errorf("one provider by flags: %v", err)
	}
}
