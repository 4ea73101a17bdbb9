package postgres

import (
	"errors"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

func TestUpload_OtherAccount_NotFound(t *testing.T) {
	env := newTestEnv(t)
	p, other := env.newProject("one", 0), env.newProject("two", 0)
	lead := env.newUser("lead@example.org", account.Lead)
	replaced := env.stageUpload(lead, p, "a.csv", "query,answer\nQ?,first\n")
	token := env.stageUpload(lead, p, "b.csv", "query,answer\nQ?,second\n")
	previews, err := env.PreviewUpload(t.Context(), lead, p, token)
	if err != nil || len(previews) != 1 {
		t.Fatal(previews, err)
	}
	if u := previews[0]; u.FileName != "b.csv" || u.ItemCount != 1 || u.Items[0].Content["answer"].Text != "second" {
		t.Errorf("upload = %+v", u)
	}
	for name, c := range map[string]struct {
		account account.Account
		project project.Project
		token   string
	}{
		"replaced upload": {lead, p, replaced},
		"other account":   {env.admin, p, token},
		"other project":   {lead, other, token},
	} {
		_, err := env.PreviewUpload(t.Context(), c.account, c.project, c.token)
		checkErrorIs(t, name, err, fault.NotFound)
		checkErrorIs(t, name, env.ImportUpload(t.Context(), c.account, c.project, c.token), fault.NotFound)
	}
}

func (env testEnv) stageUpload(a account.Account, p project.Project, name, content string) (token string) {
	env.t.Helper()
	token, err := env.StageUpload(env.t.Context(), a.ID, p, name, strings.NewReader(content))
	if err != nil {
		env.t.Fatal(err)
	}
	return token
}

// A file that cannot be read as it is stays, is read in another way, and imported. The project
// keeps that way.
func TestUpload_OtherReading_Imported(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	lead := env.newUser("lead@example.org", account.Lead)
	p, err := env.CreateProject(ctx, lead, project.Spec{Key: "pilot", Title: "Pilot", Protocol: "empathy"})
	if err != nil {
		t.Fatal(err)
	}
	token, err := env.ReceiveUpload(ctx, lead.ID, p, "calls.jsonl",
		strings.NewReader(`{"in":["I lost my keys."],"out":{"text":"That is annoying."}}`))
	if err != nil {
		t.Fatal(err)
	}
	_, isInvalid := errors.AsType[importer.FileErrors](env.ReadUpload(ctx, lead, p, token, importer.Options{}, nil))
	if !isInvalid {
		t.Error("the rows were read without a mapping")
	}
	checkErrorIs(t, "import with errors", env.ImportUpload(ctx, lead, p, token), fault.Conflict)
	if r, err := env.UploadReading(ctx, lead, p, token); err != nil || len(r.Record) != 2 ||
		r.Record[0].Children[0].Path != "in[0]" || r.Record[0].Children[0].Value != "I lost my keys." {
		t.Errorf("reading = %+v, %v", r, err)
	}
	o, err := importer.Reading{Mapping: "user_statement=in[0]\r\nresponse=out.text"}.Options()
	if err != nil {
		t.Fatal(err)
	}
	checkErrorIs(t, "of another account", env.ReadUpload(ctx, env.admin, p, token, o, nil), fault.NotFound)
	if err := env.ReadUpload(ctx, lead, p, token, o, nil); err != nil {
		t.Fatal(err)
	}
	previews, err := env.PreviewUpload(ctx, lead, p, token)
	if err != nil || previews[0].ItemCount != 1 ||
		previews[0].Items[0].Content["response"].Text != "That is annoying." {
		t.Fatalf("preview = %+v, %v", previews, err)
	}
	if err := env.ImportUpload(ctx, lead, p, token); err != nil {
		t.Fatal(err)
	}
	if last, err := env.LastImportReading(ctx, p); err != nil ||
		last.Mapping != "user_statement=in[0]\nresponse=out.text\n" {
		t.Errorf("the project keeps %+v, %v", last, err)
	}
}

func TestUpload_Expired_Deleted(t *testing.T) {
	env := newTestEnv(t)
	env.stageUpload(env.admin, env.newProject("one", 0), "a.csv", "query,answer\nQ?,A.\n")
	for _, c := range []struct{ hours, want int }{{23, 1}, {25, 0}} {
		env.execSQL(`UPDATE uploads SET created_at = now() - make_interval(hours => $1)`, c.hours)
		if err := env.DeleteExpired(t.Context()); err != nil {
			t.Fatal(err)
		}
		env.checkCount(c.want, `uploads`)
		env.checkCount(c.want, `upload_chunks`)
	}
}

const ragRecord = `{"record_id":"r1","query":"Why?","answer":"Because.","chunks":[{"chunk_id":"a","doc_id":"d","chunk_rank":1,"text":"A."},{"chunk_id":"b","doc_id":"d","chunk_rank":2,"text":"B."}],"context_set":["A.","B."]}` + "\n"

func TestUpload_ThreeProjects_FilledTogether(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	lead := env.newUser("lead@example.org", account.Lead)
	projects, err := env.CreateProjects(ctx, lead, project.RAGSpecs(project.Spec{Key: "study", Title: "Study"}))
	if err != nil {
		t.Fatal(err)
	}
	first := projects[0]
	if shared, err := env.SharedImports(ctx, lead, first); err != nil || len(shared) != 2 ||
		!shared[0].CreatedTogether || !shared[1].CreatedTogether {
		t.Fatalf("shared imports = %+v, %v", shared, err)
	}
	token := env.stageUpload(lead, first, "rag.jsonl", ragRecord)
	checkErrorIs(t, "a project without records", env.ReadUpload(ctx, lead, first, token, importer.Options{},
		[]project.Project{{Title: "Empathy"}}), fault.Conflict)
	if err := env.ReadUpload(ctx, lead, first, token, importer.Options{}, projects[1:]); err != nil {
		t.Fatal(err)
	}
	previews, err := env.PreviewUpload(ctx, lead, first, token)
	if err != nil || len(previews) != 3 || previews[0].ItemCount != 2 || previews[1].ItemCount != 1 ||
		previews[2].ItemCount != 1 {
		t.Fatalf("previews = %+v, %v", previews, err)
	}
	env.execSQL(`INSERT INTO imports (project_id, sha256, file_name, item_count) SELECT $1, sha256, file_name, 1
		FROM uploads`, projects[2].ID)
	if err := env.ImportUpload(ctx, lead, first, token); !errors.Is(err, ErrAlreadyImported) {
		t.Errorf("one project has the file: %v", err)
	}
	env.checkCount(0, `items`)
	env.execSQL(`UPDATE imports SET sha256 = 'another file'`)
	if err := env.ImportUpload(ctx, lead, first, token); err != nil {
		t.Fatal(err)
	}
	env.checkCount(4, `items WHERE record_id = 'r1'`)
	env.checkCount(0, `upload_targets`)
}
