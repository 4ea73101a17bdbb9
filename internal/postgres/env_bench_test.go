package postgres_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// startServer starts a durable PostgreSQL.
func startServer(b *testing.B) *local.Server {
	dir, err := os.MkdirTemp("", "labelwright-bench-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	os.Chmod(dir, 0o755)
	s, err := local.Start(b.Context(), local.Options{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Skipf("needs a PostgreSQL: %v", err)
	}
	b.Cleanup(func() { s.Stop(context.Background()) })
	return s
}

// openMigrated migrates and opens the database at url. tracer may be nil.
func openMigrated(b *testing.B, url string, tracer pgx.QueryTracer) *postgres.DB {
	if err := postgres.MigrateUp(b.Context(), url); err != nil {
		b.Fatal(err)
	}
	db, err := postgres.OpenTraced(b.Context(), url, tracer)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	return db
}

// newAnnotators creates n annotators. passwordHash may be empty.
func newAnnotators(b *testing.B, db *postgres.DB, n int, passwordHash string) (emails []string, ids []account.ID) {
	for i := range n {
		email := fmt.Sprintf("b%d@example.org", i)
		id, err := db.CreateAccount(b.Context(), 0, account.NewAccount{Email: email, Name: email,
			Role: account.Annotator}, passwordHash)
		if err != nil {
			b.Fatal(err)
		}
		emails, ids = append(emails, email), append(ids, id)
	}
	return emails, ids
}

// newBatch opens a batch of n items that every annotator labels.
func newBatch(b *testing.B, db *postgres.DB, n int, emails []string) {
	p, err := db.CreateProject(b.Context(), account.Account{Role: account.Admin}, project.Spec{Key: "long",
		Title: "Long", Protocol: "rag-generation", Instructions: "Cite as [1]."})
	if err != nil {
		b.Fatal(err)
	}
	items := make([]project.Item, n)
	for i := range items {
		items[i] = project.Item{SourceID: strconv.Itoa(i), Facts: protocol.Facts{}, Content: project.Content{
			"query": {Text: "How do I renew a book?"}, "answer": {Text: strings.Repeat("Bring it to the desk. ", 20)}}}
	}
	if err := db.Import(b.Context(), 0, p, postgres.File{Name: "long.jsonl"}, items); err != nil {
		b.Fatal(err)
	}
	if _, err := db.OpenBatch(b.Context(), 0, p, project.BatchSpec{Name: "long", Annotators: emails,
		Overlap: len(emails), Seed: 1, FewerCalibration: "A test."}); err != nil {
		b.Fatal(err)
	}
}
