package web

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/web/problem"
)

// A proxyExample is a configuration in .github/deploy, and what the tests change in it.
type proxyExample struct {
	file      string
	changes   []string // old and new texts; ADDR is the address of the proxy, and NODE that of the server
	belowPath []string // likewise
	around    string   // configuration of the program, with %s for the file
	args      []string // DIR is its folder, and FILE the configuration
}

var proxyExamples = map[string]proxyExample{
	"nginx": {
		file: "nginx.conf",
		changes: []string{"listen 443 ssl", "listen ADDR", "127.0.0.1:8080", "NODE",
			"ssl_certificate /etc/ssl/labels.example.org.pem;", "", "ssl_certificate_key /etc/ssl/labels.example.org.key;", ""},
		belowPath: []string{"location / {", "location /labels/ {"},
		around:    "daemon off; master_process off; pid nginx.pid; user root; events {} http { access_log off; %s }",
		args:      []string{"-p", "DIR", "-c", "FILE", "-e", "stderr"},
	},
	"caddy": {
		file:      "Caddyfile",
		changes:   []string{"\nlabels.example.org {", "\nhttp://ADDR {", "127.0.0.1:8080", "NODE"},
		belowPath: []string{"reverse_proxy ", "reverse_proxy /labels/* "},
		around:    "{\nadmin off\n}\n%s",
		args:      []string{"run", "--adapter", "caddyfile", "--config", "FILE"},
	},
	"haproxy": {
		file:      "haproxy.cfg",
		changes:   []string{"bind :80", "bind ADDR", "10.0.0.11:8080", "NODE", "10.0.0.12:8080", "NODE"},
		belowPath: []string{"default_backend nodes", "use_backend nodes if { path_beg /labels/ }"},
		around:    "%s",
		args:      []string{"-db", "-f", "FILE"},
	},
}

// startBehind starts another server on the database behind a proxy with the configuration of this repository.
func (env testEnv) startBehind(t *testing.T, name, base string) testEnv {
	t.Helper()
	example, program, dir := proxyExamples[name], require.Program(t, name), t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := &url.URL{Scheme: "http", Host: listener.Addr().String(), Path: base}
	env.T, env.baseURL = t, address.String()
	env.server = newServer(env.db, Config{BaseURL: address, TrustedProxies: 1,
		Log: slog.New(slog.NewTextHandler(errorLogWriter{t}, nil))})
	server := httptest.NewServer(env.server)
	t.Cleanup(func() { env.server.Drain(); server.Close() })
	text, err := os.ReadFile("../.github/deploy/" + example.file)
	if err != nil {
		t.Fatal(err)
	}
	config, changes := string(text), example.changes
	if base != "" {
		changes = slices.Concat(changes, example.belowPath)
	}
	for change := range slices.Chunk(changes, 2) {
		if !strings.Contains(config, change[0]) {
			t.Fatalf("%s has no %q", example.file, change[0])
		}
		config = strings.ReplaceAll(config, change[0], change[1])
	}
	file := filepath.Join(dir, "proxy.conf")
	insert := strings.NewReplacer("ADDR", address.Host, "NODE", server.Listener.Addr().String(), "DIR", dir,
		"FILE", file)
	config = insert.Replace(fmt.Sprintf(example.around, config))
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, arg := range example.args {
		args = append(args, insert.Replace(arg))
	}
	cmd := exec.Command(program, args...)
	var log bytes.Buffer
	cmd.WaitDelay = time.Second
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir), &log, &log
	_ = listener.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s: %s", name, log.String())
		}
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		response, err := http.Get(env.baseURL + "/healthz")
		if err == nil {
			_ = response.Body.Close()
			if err = fmt.Errorf("%s", response.Status); response.StatusCode == http.StatusOK {
				return env
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not ready after a minute: %v", name, err)
		}
	}
}

// Behind each proxy, at the root and below a path: redirects and cookies stay on the site, forms are of its host,
// events come at once, uploads have the limit of the server, and clients cannot choose their address.
func TestProxyExamples_Work(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 1)
	token := env.newToken(lead, leadScopes).token
	for name := range proxyExamples {
		for _, base := range []string{"", "/labels"} {
			t.Run(name+base, func(t *testing.T) {
				env := env.startBehind(t, name, base)
				b := env.newBrowser()
				location := b.get("/inbox").checkStatus(http.StatusSeeOther).header.Get("Location")
				if !strings.HasPrefix(location, base+"/sign-in") {
					t.Errorf("redirected to %s", location)
				}
				form := url.Values{"email": {lead.Email}, "password": {password}}
				b.request(http.MethodPost, "/sign-in", form.Encode(), map[string]string{
					"Content-Type": formContentType, "Origin": strings.TrimSuffix(env.baseURL, base),
					"X-Forwarded-For": "198.51.100.7"}).checkRedirect(base + "/")
				client := query[string](env, `SELECT client_address FROM identity.sign_ins ORDER BY id DESC LIMIT 1`)
				if client != "127.0.0.1" {
					t.Errorf("signed in from %s", client)
				}
				b.get("/projects/p").checkStatus(http.StatusOK).FindFirst("a[href^='" + base + "/projects/p/']")
				events := make(chan bool, 1)
				stream := b.openStream("/inbox/events")
				go func() { events <- waitForLine(stream, "retry: 5000") }()
				select {
				case isThere := <-events:
					if !isThere {
						t.Error("the stream ended")
					}
				case <-time.After(10 * time.Second):
					t.Error("events are held back")
				}
				for size, want := range map[int]int{49 << 20: 422, 51 << 20: 413} {
					c := apiClient{env, token}
					response := c.send("POST", "/projects/p/items", strings.Repeat("\n", size), asLines...)
					check[problem.Details](response, want)
				}
			})
		}
	}
}
