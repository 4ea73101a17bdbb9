package postgres

import (
	"fmt"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A world is a database with people and a project in it.
type world struct {
	t *testing.T
	*DB
	admin account.Account
}

func newWorld(t *testing.T) world {
	t.Helper()
	t.Parallel()
	db, err := Open(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	w := world{t: t, DB: db}
	w.admin = w.person("admin@example.org", account.Admin)
	return w
}

func (w world) person(email string, role account.Role) account.Account {
	w.t.Helper()
	id, err := w.AddPerson(w.t.Context(), w.admin.ID, account.Person{Email: email, Name: "Name of " + email, Role: role}, "")
	if err != nil {
		w.t.Fatal(err)
	}
	a, err := w.Account(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// annotators adds n annotators and returns their addresses and accounts.
func (w world) annotators(n int) (emails []string, accounts []account.Account) {
	w.t.Helper()
	for i := range n {
		a := w.person(fmt.Sprintf("a%d@example.org", i+1), account.Annotator)
		emails, accounts = append(emails, a.Email), append(accounts, a)
	}
	return emails, accounts
}

// project makes a project with n items of the generation protocol.
func (w world) project(key string, n int) project.Project {
	w.t.Helper()
	p, err := w.CreateProject(w.t.Context(), w.admin, project.Draft{Key: key, Title: "Project " + key, Protocol: "rag-generation"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.fill(p, 0, n)
	return p
}

func (w world) fill(p project.Project, from, n int) {
	w.t.Helper()
	items := make([]project.Item, n)
	for i := range items {
		items[i] = project.Item{SourceID: fmt.Sprintf("item-%d", from+i+1), Facts: protocol.Facts{}, Content: project.Content{
			"query":  {Text: fmt.Sprintf("Question %d?", from+i+1)},
			"answer": {Text: "An answer."},
		}}
	}
	file := File{Name: "items.jsonl", SHA256: [32]byte{byte(from), byte(from >> 8), byte(n)}}
	if err := w.Import(w.t.Context(), w.admin.ID, p, file, items); err != nil {
		w.t.Fatal(err)
	}
}

func (w world) open(p project.Project, h project.Handout) project.Batch {
	w.t.Helper()
	b, err := w.OpenBatch(w.t.Context(), w.admin.ID, p, h)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// begin opens the next item of an annotator.
func (w world) begin(a account.Account) string {
	w.t.Helper()
	token, err := w.Begin(w.t.Context(), a.ID, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// good is a submission that the generation protocol accepts.
var good = labeling.Submission{ActiveMS: 1000, Answers: protocol.Answers{Values: map[string]int{
	"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0}}}

// count returns the number that a query of one number gives.
func (w world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	if err := w.pool.QueryRow(w.t.Context(), sql, args...).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}
