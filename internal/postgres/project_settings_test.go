package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

func (env testEnv) reloadProject(p project.Project) project.Project {
	env.t.Helper()
	p, err := env.Project(env.t.Context(), env.admin, p.Key)
	if err != nil {
		env.t.Fatal(err)
	}
	return p
}

func (env testEnv) setInstructions(p project.Project, text string) {
	env.t.Helper()
	if err := env.SetInstructions(env.t.Context(), env.admin.ID, p, text); err != nil {
		env.t.Fatal(err)
	}
}

func TestOpenBatch_RAGProject_NeedsInstructions(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("rag", 2)
	env.setInstructions(p, "")
	spec := project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1}
	_, err := env.OpenBatch(t.Context(), env.admin.ID, p, spec)
	checkErrorIs(t, "open without instructions", err, fault.Conflict)
	env.setInstructions(p, "Cite as [1].")
	env.newBatch(p, spec)
	checkErrorIs(t, "remove the instructions of an open batch", env.SetInstructions(t.Context(), env.admin.ID, p, " "),
		fault.Conflict)
}

func TestRequiredReading_EachDocument_InOrder(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	p, b, annotators := env.newBatchFor(1, 3, project.BatchSpec{})
	env.execSQL(`DELETE FROM reading_acknowledgments`)
	if err := env.setWarning(p, "Sad texts.", "https://support.example/"); err != nil {
		t.Fatal(err)
	}
	env.setInstructions(p, "Cite as [2].")
	token := env.openItem(annotators[0])
	id := annotators[0].ID
	for i, want := range []project.RequiredDocument{project.ContentWarningDocument, project.InstructionsDocument,
		project.GuideDocument} {
		r, err := env.RequiredReading(ctx, id, b.ID)
		if err != nil || r.Document != want || r.DocumentNo != i+1 || r.Documents != 3 {
			t.Fatalf("document %d = %+v, %v; want %s", i+1, r, err, want)
		}
		if mustRead, err := env.MustRead(ctx, id, token); err != nil || !mustRead {
			t.Errorf("%s: must read = %v, %v", want, mustRead, err)
		}
		if s, err := env.LabelingScreen(ctx, id, token); err != nil || !s.MustRead || s.Content != nil {
			t.Errorf("%s: the item has content before it is read: %v, %v", want, s.Content, err)
		}
		checkErrorIs(t, "acknowledge an old version", env.AcknowledgeReading(ctx, id, b.ID, want, r.Version-1),
			fault.Conflict)
		if err := env.AcknowledgeReading(ctx, id, b.ID, want, r.Version); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := env.LabelingScreen(ctx, id, token); err != nil || s.MustRead || s.Content == nil {
		t.Errorf("after reading: must read = %v, content %v, %v", s.MustRead, s.Content, err)
	}
	env.setInstructions(p, "Cite as [3].")
	if r, err := env.RequiredReading(ctx, id, b.ID); err != nil || r.Document != project.InstructionsDocument ||
		r.LastReadAt == nil {
		t.Errorf("changed instructions: %+v, %v", r, err)
	}
	env.setInstructions(p, "Cite as [3].")
	if got := env.reloadProject(p).InstructionsVersion; got != 3 {
		t.Errorf("version = %d, want 3", got)
	}
	checkErrorIs(t, "another account", env.AcknowledgeReading(ctx, env.admin.ID, b.ID, project.GuideDocument, 0),
		fault.NotFound)
}

func TestRequiredTexts_EveryVersion_IsKept(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("texts", 0)
	env.setInstructions(p, "One.")
	env.setInstructions(p, "Two.")
	got, err := collectColumn[string](env.pool.Query(t.Context(), `SELECT content FROM required_texts
		WHERE project_id = $1 AND document = 'instructions' ORDER BY version`, p.ID))
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, got, []string{testInstructions, "One.", "Two."})
}

func TestArchiveProject_Archived_IsReadOnly(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	p, b, annotators := env.newBatchFor(2, 4, project.BatchSpec{})
	token := env.openItem(annotators[0])
	next := env.mustSubmit(annotators[0], token, helpfulSubmission)
	checkErrorIs(t, "archive with an open batch", env.ArchiveProject(ctx, env.admin.ID, p, ""), fault.Conflict)
	if err := env.CloseBatch(ctx, env.admin.ID, p, b.Name, project.BatchClosing{Reason: "done"}); err != nil {
		t.Fatal(err)
	}
	if err := env.ArchiveProject(ctx, env.admin.ID, p, "The study ended."); err != nil {
		t.Fatal(err)
	}
	if projects, err := env.Projects(ctx, env.admin); err != nil || len(projects) != 0 {
		t.Errorf("%d current projects, %v", len(projects), err)
	}
	if projects, err := env.ArchivedProjects(ctx, env.admin); err != nil || len(projects) != 1 {
		t.Errorf("%d archived projects, %v", len(projects), err)
	}
	for name, change := range map[string]func() error{
		"archive again": func() error { return env.ArchiveProject(ctx, env.admin.ID, p, "") },
		"rename":        func() error { return env.RenameProject(ctx, env.admin.ID, p, "Other") },
		"instructions":  func() error { return env.SetInstructions(ctx, env.admin.ID, p, "Other.") },
		"settings":      func() error { return env.setWarning(p, "Sad.", "https://support.example/") },
		"open batch": func() error {
			_, err := env.OpenBatch(ctx, env.admin.ID, p, project.BatchSpec{Name: "two",
				Annotators: []string{annotators[0].Email}, Overlap: 1, FewerCalibration: "A test."})
			return err
		},
		"import": func() error {
			return env.Import(ctx, env.admin.ID, p, File{Name: "x.jsonl", SHA256: [32]byte{77}},
				[]project.Item{{SourceID: "x", Content: project.Content{"query": {Text: "?"}}}})
		},
		"add member": func() error {
			_, err := env.AddMember(ctx, env.admin.ID, p, account.NewAccount{Email: "new@example.org", Name: "New",
				Role: account.Annotator})
			return err
		},
		"remove member": func() error {
			_, err := env.RemoveMember(ctx, env.admin.ID, p,
				annotators[0].Email)
			return err
		},
	} {
		checkErrorIs(t, name, change(), fault.Conflict)
	}
	if _, err := env.Submit(ctx, annotators[0].ID, next, helpfulSubmission); err == nil {
		t.Error("an item of an archived project was submitted")
	}
	if err := env.UnarchiveProject(ctx, env.admin.ID, p); err != nil {
		t.Fatal(err)
	}
	if err := env.RenameProject(ctx, env.admin.ID, p, "Other"); err != nil {
		t.Errorf("rename after unarchiving: %v", err)
	}
}

func TestSettings_OtherLead_NotFound(t *testing.T) {
	env := newTestEnv(t)
	p, other := env.newProject("mine", 0), env.newUser("other@example.org", account.Lead)
	for name, err := range map[string]error{
		"rename":       env.RenameProject(t.Context(), other.ID, p, "Theirs"),
		"instructions": env.SetInstructions(t.Context(), other.ID, p, "Theirs."),
		"archive":      env.ArchiveProject(t.Context(), other.ID, p, ""),
		"unarchive":    env.UnarchiveProject(t.Context(), other.ID, p),
	} {
		checkErrorIs(t, name, err, fault.NotFound)
	}
}

func TestCreateProject_Copy_TakesSettings(t *testing.T) {
	env := newTestEnv(t)
	source := env.newProject("source", 1)
	env.updateProject(source, `daily_item_limit = 7, miss_policy = 'wait', content_warning = 'Sad.', support_url = 'https://support.example/'`)
	created, err := env.CreateProject(t.Context(), env.admin, project.Spec{Key: "copy", Title: "Copy",
		CopyFrom: "source"})
	if err != nil {
		t.Fatal(err)
	}
	settings, err := env.SessionSettings(t.Context(), created.ID)
	if err != nil {
		t.Fatal(err)
	}
	if settings.DailyItemLimit != 7 || settings.MissPolicy != "wait" || created.Instructions != testInstructions ||
		created.ContentWarning != "Sad." || created.ProtocolVersionID != source.ProtocolVersionID ||
		created.Items != 0 {
		t.Errorf("copy = %+v, %+v", created, settings)
	}
}

func TestCreateProjects_TakenKey_CreatesNone(t *testing.T) {
	env := newTestEnv(t)
	env.newProject("study-generation", 0)
	specs := project.RAGSpecs(project.Spec{Key: "study", Title: "Study"})
	_, err := env.CreateProjects(t.Context(), env.admin, specs)
	checkErrorIs(t, "a key is taken", err, fault.Conflict)
	if projects, err := env.Projects(t.Context(), env.admin); err != nil || len(projects) != 1 {
		t.Errorf("%d projects, %v; want 1", len(projects), err)
	}
	key, err := env.ProposeKey(t.Context(), "Study", "retrieval", "grounding", "generation")
	if err != nil || key != "study-2" {
		t.Errorf("proposed key = %q, %v", key, err)
	}
}

func TestSetMemberRole_OnlyLead_Stays(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	lead, other := env.newUser("lead@example.org", account.Lead), env.newUser("other@example.org", account.Lead)
	p, err := env.CreateProject(ctx, lead, project.Spec{Key: "mine", Title: "Mine", Protocol: "empathy"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = env.SetMemberRole(ctx, lead.ID, p, lead.Email, account.Annotator)
	checkErrorIs(t, "the only lead", err, fault.Conflict)
	if _, err := env.AddMember(ctx, lead.ID, p, account.NewAccount{Email: other.Email, Name: "Other",
		Role: account.Annotator}); err != nil {
		t.Fatal(err)
	}
	if _, err := env.SetMemberRole(ctx, lead.ID, p, other.Email, account.Lead); err != nil {
		t.Fatal(err)
	}
	if _, err := env.SetMemberRole(ctx, other.ID, p, lead.Email, account.Annotator); err != nil {
		t.Fatal(err)
	}
	_, err = env.SetMemberRole(ctx, lead.ID, p, lead.Email, account.Lead)
	checkErrorIs(t, "no lead any more", err, fault.NotFound)
}

func TestSetTextFormats_ShownEverywhere(t *testing.T) {
	env := newTestEnv(t)
	ctx := t.Context()
	p, b, annotators := env.newBatchFor(1, 3, project.BatchSpec{})
	key := p.Protocol.Unit.Parts[0].Key
	checkErrorIs(t, "an unknown part", env.SetTextFormats(ctx, env.admin.ID, p,
		map[string]protocol.TextFormat{"nothing": "text"}), fault.Invalid)
	checkErrorIs(t, "an unknown format", env.SetTextFormats(ctx, env.admin.ID, p,
		map[string]protocol.TextFormat{key: "html"}), fault.Invalid)
	checkErrorIs(t, "an annotator", env.SetTextFormats(ctx, annotators[0].ID, p, nil), fault.NotFound)
	for range 2 { // the second changes nothing
		if err := env.SetTextFormats(ctx, env.admin.ID, p,
			map[string]protocol.TextFormat{key: protocol.FormatCode}); err != nil {
			t.Fatal(err)
		}
	}
	screen, err := env.LabelingScreen(ctx, annotators[0].ID, env.openItem(annotators[0]))
	if err != nil {
		t.Fatal(err)
	}
	inBatch, err := env.batchProtocol(ctx, p.ID, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]protocol.Protocol{"project": env.reloadProject(p).Protocol,
		"labeling screen": screen.Protocol, "batch": inBatch} {
		if got.Unit.Parts[0].Format != protocol.FormatCode {
			t.Errorf("%s: format %q", name, got.Unit.Parts[0].Format)
		}
	}
	if n := env.queryInt(`SELECT count(*) FROM audit_log WHERE action = 'project.set_text_formats'`); n != 1 {
		t.Errorf("%d audit entries", n)
	}
}
