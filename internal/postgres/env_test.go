package postgres

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
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

// addReferences gives n calibration items to a project, whose reference is good.
func (env testEnv) addReferences(p project.Project, n int) {
	env.t.Helper()
	items := make([]importer.ReferenceRow, n)
	for i := range items {
		items[i] = importer.ReferenceRow{
			Item: project.Item{SourceID: fmt.Sprintf("c%d", i+1), Facts: protocol.Facts{}, Content: project.Content{
				"query": {Text: fmt.Sprintf("Trial %d?", i+1)}, "answer": {Text: "An answer."}}},
			Reference: labeling.Reference{Answers: helpfulSubmission.Answers, Reasons: map[string]string{protocol.NoteKey: "It fits."}},
		}
	}
	if err := env.ImportReferences(env.t.Context(), env.admin.ID, p, File{Name: "c.jsonl", SHA256: [32]byte{9, byte(n)}}, items); err != nil {
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

// newDisagreement makes a project of three items that two annotators have labelled:
// they part on the first, and agree on the rest.
func (env testEnv) newDisagreement(key string) (project.Project, []account.Account) {
	env.t.Helper()
	emails, accounts := env.newAnnotators(2)
	p := env.newProject(key, 3)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2})
	first := int64(env.queryInt(`SELECT min(id) FROM items WHERE project_id = $1`, p.ID))
	for i, a := range accounts {
		for token := env.openItem(a); token != ""; {
			s := helpfulSubmission
			if env.queryInt(`SELECT item_id FROM assignments WHERE token = $1`, token) == int(first) && i == 1 {
				s = unhelpfulSubmission
			}
			next, err := env.submit(env.t.Context(), a.ID, token, s)
			if err != nil {
				env.t.Fatal(err)
			}
			token = next
		}
	}
	return p, accounts
}

// newCalibrationBatch makes a project whose annotators go through a set, meet items
// twice, and set some aside.
func (env testEnv) newCalibrationBatch(key string) (project.Project, project.Batch, []account.Account) {
	env.t.Helper()
	emails, accounts := env.newAnnotators(3)
	p := env.newProject(key, 24)
	env.updateProject(p, `warning = 'Sad texts.', support_url = 'https://support.example/'`)
	env.addReferences(p, 4)
	return p, env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 3, DuplicateCount: 3, CalibrationCount: 4}), accounts
}

// newStartedBatch is a batch of one annotator, with one item answered and the next one open.
func (env testEnv) newStartedBatch() (project.Project, project.Batch, account.Account, string, string) {
	env.t.Helper()
	emails, accounts := env.newAnnotators(3)
	p := env.newProject("race", 4)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, BreakMinutes: 5})
	first := env.openItem(accounts[0])
	next, err := env.submit(env.t.Context(), accounts[0].ID, first, helpfulSubmission)
	if err != nil {
		env.t.Fatal(err)
	}
	return p, b, accounts[0], first, next
}

// checkEqual fails the test unless got is want.
func checkEqual(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// submit submits an item and returns the token of the next one.
func (env testEnv) submit(ctx context.Context, accountID account.ID, token string, s labeling.Submission) (nextToken string, err error) {
	result, err := env.Submit(ctx, accountID, token, s)
	return result.NextToken, err
}
