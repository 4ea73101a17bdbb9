package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.yaml.in/yaml/v3"

	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/require"
)

// settingName matches the name of a setting.
var settingName = regexp.MustCompile(`LABELWRIGHT_[A-Z_]+`)

// A composeFile is what the test reads of docker-compose.yml.
type composeFile struct {
	Services map[string]struct {
		Command         []string
		Environment     map[string]string
		StopGracePeriod string `yaml:"stop_grace_period"`
	}
	Configs map[string]struct{ Content string }
}

// readCompose reads docker-compose.yml as Compose passes it on: $$ is a dollar sign, and variables have their defaults.
func readCompose(t *testing.T) (c composeFile) {
	t.Helper()
	text, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	const dollar = "\x00"
	expanded := os.Expand(strings.ReplaceAll(string(text), "$$", dollar), func(name string) string {
		_, value, _ := strings.Cut(name, ":-")
		return value
	})
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(expanded, dollar, "$")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCompose_Services_Start starts the processes of docker-compose.yml as the file says: roles, migrations, the server
// and a backup, with passwords of any characters in files.
func TestCompose_Services_Start(t *testing.T) {
	t.Parallel()
	require.Program(t, "psql")
	require.Program(t, "bash")
	compose := readCompose(t)
	server := pgtest.NewRestartable(t, func(context.Context, string) error { return nil })
	config, err := pgx.ParseConfig(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	admin, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.WithoutCancel(t.Context()))
	for _, sql := range []string{
		`DO $$ BEGIN EXECUTE format('COPY (SELECT unnest(ARRAY[''local all ' || current_user ||
			' trust'', ''local all all scram-sha-256''])) TO %L', current_setting('hba_file')); END $$`,
		`SELECT pg_reload_conf()`,
	} {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	local := strings.NewReplacer("/run/secrets/", dir+"/", "/backups", dir+"/backups",
		"host=db port=5432", "host="+config.Host+" port=5432", "dbname=labelwright", "dbname="+config.Database)
	for name, text := range map[string]string{"owner": `p@ss/w#rd%41 '\`, "app": "another one\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	roles := exec.CommandContext(t.Context(), "bash", "-c", local.Replace(compose.Configs["roles"].Content))
	roles.Env = append(os.Environ(), "PGHOST="+config.Host, "POSTGRES_USER="+config.User,
		"POSTGRES_DB="+config.Database)
	if out, err := roles.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command := func(service string, args ...string) *exec.Cmd {
		s := compose.Services[service]
		args = append(strings.Fields(local.Replace(strings.Join(s.Command, " "))), args...)
		c := exec.CommandContext(t.Context(), os.Args[0], args...)
		c.Env = append(os.Environ(), runCommandEnv+"=1")
		for name, value := range s.Environment {
			c.Env = append(c.Env, name+"="+local.Replace(value))
		}
		return c
	}
	if out, err := command("migrate").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	app := &serverProcess{Cmd: command("app", "serve", "--addr", "127.0.0.1:0")}
	app.Stdout, app.Stderr = &app.stdout, &app.stderr
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.stop() })
	waitForOutput(t, &app.stdout, &app.stderr, `Create one at\s+(http://localhost:8080/setup/\S+)`)
	waitForOutput(t, &app.stdout, &app.stderr, `Labelwright is ready at (http://localhost:8080)`)
	if log := app.stderr.contents(); strings.Contains(log, "may change annotations") {
		t.Errorf("the server has the rights of the owner: %s", log)
	}
	daily := command("backup")
	if err := daily.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = daily.Process.Kill(), daily.Wait() })
	waitUntil(t, func() bool {
		files, err := filepath.Glob(filepath.Join(dir, "backups", "*.backup"))
		return err == nil && len(files) == 1
	})
	if compose.Services["app"].StopGracePeriod == "" {
		t.Error("the application has no stop_grace_period")
	}
}

// TestCompose_Settings_AreInExample checks that .env.example names every setting of the server, so that none is
// forgotten where containers are configured.
func TestCompose_Settings_AreInExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	_, help, _ := runCommand(t, "", "serve", "--help")
	for _, name := range settingName.FindAllString(help, -1) {
		switch name {
		case "LABELWRIGHT_ADDR", "LABELWRIGHT_DATA_DIR", "LABELWRIGHT_POSTGRES_BIN", "LABELWRIGHT_MIGRATE",
			"LABELWRIGHT_AS", "LABELWRIGHT_SERVER", "LABELWRIGHT_TOKEN": // fixed in the container, or of commands
			continue
		}
		if !strings.Contains(string(text), name+"=") {
			t.Errorf(".env.example has no %s", name)
		}
	}
}
