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

// A testEnv is a database with people and a project in it.
type testEnv struct {
	t *testing.T
	*DB
	admin account.Account
}

func newTestEnv(t *testing.T) testEnv {
	t.Helper()
	t.Parallel()
	db, err := Open(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	env := testEnv{t: t, DB: db}
	env.admin = env.newUser("admin@example.org", account.Admin)
	return env
}

func (env testEnv) newUser(email string, role account.Role) account.Account {
	env.t.Helper()
	id, err := env.CreateAccount(env.t.Context(), env.admin.ID, account.NewAccount{Email: email, Name: "Name of " + email, Role: role}, "")
	if err != nil {
		env.t.Fatal(err)
	}
	a, err := env.Account(env.t.Context(), id)
	if err != nil {
		env.t.Fatal(err)
	}
	return a
}

// newAnnotators adds n annotators and returns their addresses and accounts.
func (env testEnv) newAnnotators(n int) (emails []string, accounts []account.Account) {
	env.t.Helper()
	for i := range n {
		a := env.newUser(fmt.Sprintf("a%d@example.org", i+1), account.Annotator)
		emails, accounts = append(emails, a.Email), append(accounts, a)
	}
	return emails, accounts
}

// newProject makes a project with n items of the generation protocol.
func (env testEnv) newProject(key string, n int) project.Project {
	env.t.Helper()
	p, err := env.CreateProject(env.t.Context(), env.admin, project.ProjectSpec{Key: key, Title: "Project " + key, Protocol: "rag-generation"})
	if err != nil {
		env.t.Fatal(err)
	}
	env.addItems(p, 0, n)
	return p
}

func (env testEnv) addItems(p project.Project, from, n int) {
	env.t.Helper()
	items := make([]project.Item, n)
	for i := range items {
		items[i] = project.Item{SourceID: fmt.Sprintf("item-%d", from+i+1), Facts: protocol.Facts{}, Content: project.Content{
			"query":  {Text: fmt.Sprintf("Question %d?", from+i+1)},
			"answer": {Text: "An answer."},
		}}
	}
	file := File{Name: "items.jsonl", SHA256: [32]byte{byte(from), byte(from >> 8), byte(n)}}
	if err := env.Import(env.t.Context(), env.admin.ID, p, file, items); err != nil {
		env.t.Fatal(err)
	}
}

func (env testEnv) newBatch(p project.Project, spec project.BatchSpec) project.Batch {
	env.t.Helper()
	b, err := env.OpenBatch(env.t.Context(), env.admin.ID, p, spec)
	if err != nil {
		env.t.Fatal(err)
	}
	return b
}

// openItem opens the next item of an annotator.
func (env testEnv) openItem(a account.Account) string {
	env.t.Helper()
	token, err := env.OpenNext(env.t.Context(), a.ID, 0)
	if err != nil {
		env.t.Fatal(err)
	}
	return token
}

// helpfulSubmission is a submission that the generation protocol accepts.
var helpfulSubmission = labeling.Submission{ActiveMS: 1000, Answers: protocol.Answers{Values: map[string]int{
	"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0}}}

// queryInt returns the number that a query of one number gives.
func (env testEnv) queryInt(sql string, args ...any) (n int) {
	env.t.Helper()
	if err := env.pool.QueryRow(env.t.Context(), sql, args...).Scan(&n); err != nil {
		env.t.Fatal(err)
	}
	return n
}
