package postgres

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
)

// testEnv is a database with an admin. Its methods fail the test on errors.
type testEnv struct {
	t *testing.T
	*DB
	admin account.Account
}

func newTestEnv(t *testing.T) testEnv {
	t.Helper()
	t.Parallel()
	require.Time(t)
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
	id, err := env.CreateAccount(env.t.Context(), env.admin.ID, account.NewAccount{Email: email, Name: "Name of " +
		email, Role: role}, "")
	if err != nil {
		env.t.Fatal(err)
	}
	a, err := env.Account(env.t.Context(), id)
	if err != nil {
		env.t.Fatal(err)
	}
	return a
}

// newAnnotators creates n annotators and returns their addresses and accounts.
func (env testEnv) newAnnotators(n int) (emails []string, accounts []account.Account) {
	env.t.Helper()
	for i := range n {
		a := env.newUser(fmt.Sprintf("a%d@example.org", i+1), account.Annotator)
		emails, accounts = append(emails, a.Email), append(accounts, a)
	}
	return emails, accounts
}

const testInstructions = "Answers cite sources as [1]."

// newProject creates a project with n items of the protocol rag-generation.
func (env testEnv) newProject(key string, n int) project.Project {
	env.t.Helper()
	return env.newProjectWith("rag-generation", key, n)
}

// newProjectWith returns a project with a protocol that has the items of rag-generation.
func (env testEnv) newProjectWith(protocol, key string, n int) project.Project {
	env.t.Helper()
	p, err := env.CreateProject(env.t.Context(), env.admin, project.Spec{Key: key, Title: "Project " + key,
		Protocol: protocol, Instructions: testInstructions})
	if err != nil {
		env.t.Fatal(err)
	}
	env.addItems(p, 0, n)
	return p
}

// addItems adds n items to a project that has from items.
func (env testEnv) addItems(p project.Project, from, n int) {
	env.t.Helper()
	items := make([]project.Item, n)
	for i := range items {
		items[i] = project.Item{SourceID: fmt.Sprintf("item-%d", from+i+1), Facts: protocol.Facts{},
			Content: project.Content{
				"query":  {Text: fmt.Sprintf("Question %d?", from+i+1)},
				"answer": {Text: "An answer."},
			}}
	}
	file := File{Name: "items.jsonl", SHA256: [32]byte{byte(from), byte(from >> 8), byte(n)}}
	if err := env.Import(env.t.Context(), env.admin.ID, p, file, items); err != nil {
		env.t.Fatal(err)
	}
}

// addReferences adds n calibration items with helpfulSubmission as the reference answer.
func (env testEnv) addReferences(p project.Project, n int) {
	env.t.Helper()
	rows := make([]importer.ReferenceRow, n)
	for i := range rows {
		rows[i] = importer.ReferenceRow{
			Item: project.Item{SourceID: fmt.Sprintf("c%d", i+1), Facts: protocol.Facts{}, Content: project.Content{
				"query": {Text: fmt.Sprintf("Trial %d?", i+1)}, "answer": {Text: "An answer."}}},
			Reference: labeling.Reference{Answers: helpfulSubmission.Answers,
				Reasons: map[string]string{protocol.NoteKey: "It fits."}},
		}
	}
	if err := env.ImportReferences(env.t.Context(), env.admin.ID, p, File{Name: "c.jsonl",
		SHA256: [32]byte{9, byte(n)}}, rows); err != nil {
		env.t.Fatal(err)
	}
}

// newBatch opens a batch whose annotators have read its instructions and guide.
func (env testEnv) newBatch(p project.Project, spec project.BatchSpec) project.Batch {
	env.t.Helper()
	spec.FewerCalibration = "A test."
	b, err := env.OpenBatch(env.t.Context(), env.admin.ID, p, spec)
	if err != nil {
		env.t.Fatal(err)
	}
	env.execSQL(`
		INSERT INTO reading_acknowledgments (project_id, account_id, document, version)
		SELECT r.project_id, ba.account_id, r.document, r.version
		FROM batch_annotators ba JOIN required_reading r ON r.batch_id = ba.batch_id
		WHERE r.document <> 'content_warning'
		ON CONFLICT DO NOTHING`)
	return b
}

// newBatchFor creates annotators, a project and a batch. The batch is named "one", and
// every annotator labels every item unless spec says otherwise.
func (env testEnv) newBatchFor(annotators, items int, spec project.BatchSpec) (project.Project, project.Batch,
	[]account.Account) {
	env.t.Helper()
	emails, accounts := env.newAnnotators(annotators)
	spec.Name, spec.Annotators = "one", emails
	if spec.Overlap == 0 {
		spec.Overlap = annotators
	}
	p := env.newProject("test", items)
	return p, env.newBatch(p, spec), accounts
}

// newStartedBatch creates a batch whose first annotator has submitted one item and
// opened the next.
func (env testEnv) newStartedBatch() (p project.Project, b project.Batch, annotator account.Account, submitted,
	open string) {
	env.t.Helper()
	p, b, annotators := env.newBatchFor(3, 4, project.BatchSpec{Overlap: 2, BreakMinutes: 5})
	submitted = env.openItem(annotators[0])
	return p, b, annotators[0], submitted, env.mustSubmit(annotators[0], submitted, helpfulSubmission)
}

// newDisagreement creates a project of three items that two annotators have labeled. They
// disagree on whether the first item is helpful.
func (env testEnv) newDisagreement() (project.Project, []account.Account) {
	env.t.Helper()
	p, _, annotators := env.newBatchFor(2, 3, project.BatchSpec{})
	env.submitAll(annotators[0], helpfulSubmission)
	env.submitEach(annotators[1], func(token string) labeling.Submission {
		if env.itemOf(token) == env.firstItem(p) {
			return unhelpfulSubmission
		}
		return helpfulSubmission
	})
	return p, annotators
}

// newCalibrationBatch creates a batch of three annotators with a calibration set, hidden
// duplicates and a content warning.
func (env testEnv) newCalibrationBatch() (project.Project, project.Batch, []account.Account) {
	env.t.Helper()
	emails, annotators := env.newAnnotators(3)
	p := env.newProject("test", 24)
	env.updateProject(p, `content_warning = 'Sad texts.', support_url = 'https://support.example/'`)
	env.addReferences(p, 4)
	return p, env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 3, DuplicateCount: 3,
		CalibrationCount: 4}), annotators
}

func checkEqual(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
