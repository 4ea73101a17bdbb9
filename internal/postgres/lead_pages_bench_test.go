package postgres_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/project"
)

// leadPages are the pages that a lead opens most, in the project of newLargeProject.
var leadPages = map[string]string{
	"inbox":            "/inbox",
	"projects":         "/projects",
	"project":          "/projects/large",
	"board":            "/projects/large/batches/large",
	"board-running":    "/projects/large/batches/second",
	"progress":         "/projects/large/batches/large/progress",
	"change-batch":     "/projects/large/batches/second/change",
	"items":            "/projects/large/items",
	"items-word":       "/projects/large/items?q=scarce",
	"items-typed":      "/projects/large/items?q=gard",
	"items-two-words":  "/projects/large/items?q=question+scarce",
	"items-annotator":  "/projects/large/items?annotator=A3",
	"items-answer":     "/projects/large/items?answer=emotion%3D1",
	"items-complete":   "/projects/large/items?state=complete",
	"items-batch":      "/projects/large/items?batch=second",
	"disagreements":    "/projects/large/disagreements",
	"adjudication":     "/projects/large/adjudication",
	"annotator":        "/projects/large/annotators/A3",
	"member":           "/projects/large/members/A3",
	"members":          "/projects/large/members",
	"new-batch":        "/projects/large/batches/new",
	"references":       "/projects/large/references",
	"questions":        "/projects/large/questions",
	"project-audit":    "/projects/large/audit-log",
	"project-settings": "/projects/large/settings",
}

// BenchmarkLeadPages reads the pages of a lead and the first page of an annotator from
// "labelwright serve", in a project with a million items and three million labels, and reports
// the 95th percentile of each in milliseconds. Run it with
//
//	go test ./internal/postgres -run '^$' -bench LeadPages -benchtime 1x -timeout 2h
func BenchmarkLeadPages(b *testing.B) {
	db, _, url := newLargeProject(b)
	s := &benchServer{databaseURL: url, db: db}
	lead, err := db.AccountByEmail(b.Context(), "lead@example.org")
	if err != nil {
		b.Fatal(err)
	}
	s.baseURL = s.serve(b)
	client := s.signIn(b, lead.ID)
	time.Sleep(30 * time.Second) // the state of the batches is computed
	for name, path := range leadPages {
		b.ReportMetric(measure(b, func() error { return getPage(client, s.baseURL+path) }), "p95-ms-"+name)
	}
	annotator, err := db.AccountByEmail(b.Context(), "b3@example.org")
	if err != nil {
		b.Fatal(err)
	}
	client = s.signIn(b, annotator.ID)
	b.ReportMetric(measure(b, func() error { return getPage(client, s.baseURL+"/work") }), "p95-ms-work")
	b.ReportMetric(0, "ns/op")
}

func getPage(client *http.Client, url string) error {
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d, %w", url, response.StatusCode, err)
	}
	return nil
}

// newLargeProject creates a project as testdata/large_project.sql describes it.
// LABELWRIGHT_BENCH_DATABASE names a database that has it already.
func newLargeProject(b *testing.B) (db *postgres.DB, p project.Project, url string) {
	if url = os.Getenv("LABELWRIGHT_BENCH_DATABASE"); url == "" {
		url = startServer(b).URL(local.Database)
	}
	db = openMigrated(b, url, nil)
	p, err := db.Project(b.Context(), account.Account{Role: account.Admin}, "large")
	if err == nil {
		return db, p, url
	}
	newAnnotators(b, db, 20, "")
	leadID, err := db.CreateAccount(b.Context(), 0, account.NewAccount{Email: "lead@example.org", Name: "Lead",
		Role: account.Lead}, "")
	if err != nil {
		b.Fatal(err)
	}
	if p, err = db.CreateProject(b.Context(), account.Account{ID: leadID, Role: account.Lead},
		project.Spec{Key: "large", Title: "Large", Protocol: "empathy"}); err != nil {
		b.Fatal(err)
	}
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	for _, statement := range readStatements(b, "testdata/large_project.sql") {
		if _, err := conn.Exec(b.Context(), statement); err != nil {
			b.Fatalf("%.60s: %v", statement, err)
		}
	}
	return db, p, url
}

// readStatements returns the statements of a file. All lines of a statement but the first
// are indented, or end without a semicolon.
func readStatements(b *testing.B, file string) (statements []string) {
	content, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	var statement strings.Builder
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	for i, line := range lines {
		statement.WriteString(line + "\n")
		if strings.HasSuffix(line, ";") && (i == len(lines)-1 || !strings.HasPrefix(lines[i+1], " ")) {
			statements = append(statements, statement.String())
			statement.Reset()
		}
	}
	return statements
}
