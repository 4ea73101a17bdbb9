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

// durable starts a PostgreSQL that keeps what it acknowledges.
func durable(b *testing.B) *local.Server {
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

// migrated opens the database at an address, with our schema; watch, if given,
// sees its statements.
func migrated(b *testing.B, address string, watch pgx.QueryTracer) *postgres.DB {
	if err := postgres.MigrateUp(b.Context(), address); err != nil {
		b.Fatal(err)
	}
	db, err := postgres.OpenTraced(b.Context(), address, watch)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	return db
}

// people adds n annotators, with a password where its hash is given.
func people(b *testing.B, db *postgres.DB, n int, hash string) (emails []string, ids []int64) {
	for i := range n {
		email := fmt.Sprintf("b%d@example.org", i)
		id, err := db.AddPerson(b.Context(), 0, account.Person{Email: email, Name: email, Role: account.Annotator}, hash)
		if err != nil {
			b.Fatal(err)
		}
		emails, ids = append(emails, email), append(ids, id)
	}
	return emails, ids
}

// longBatch hands n items of the generation protocol to everybody.
func longBatch(b *testing.B, db *postgres.DB, n int, emails []string) {
	p, err := db.CreateProject(b.Context(), account.Account{Role: account.Admin}, project.Draft{Key: "long", Title: "Long", Protocol: "rag-generation"})
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
	if _, err := db.OpenBatch(b.Context(), 0, p, project.Handout{Name: "long", Annotators: emails, Overlap: len(emails), Seed: 1}); err != nil {
		b.Fatal(err)
	}
}
