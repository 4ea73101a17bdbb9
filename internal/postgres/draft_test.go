package postgres

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

func TestDraft_Saved_RestoresInput(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("draft", 3), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	annotatorID, token := accounts[0].ID, env.openItem(accounts[0])
	env.advanceClock(1)
	draft := labeling.Submission{ActiveMS: 4000, Answers: protocol.Answers{Values: map[string]int{"helpful": 0}, Note: "half a thou"}}
	save := func(version int64, s labeling.Submission) {
		t.Helper()
		if err := env.SaveDraft(t.Context(), annotatorID, token, version, s); err != nil {
			t.Fatal(err)
		}
	}
	save(2, draft)
	save(1, helpfulSubmission) // late on the way: an older one never replaces a newer
	s, err := env.LabelingScreen(t.Context(), annotatorID, token)
	if err != nil {
		t.Fatal(err)
	}
	if s.Draft.Note != "half a thou" || s.Draft.Values["helpful"] != 0 || len(s.Draft.Values) != 1 || s.DraftVersion != 2 || s.ActiveMS != 4000 {
		t.Errorf("the draft came back as %+v, version %d, %d ms", s.Draft, s.DraftVersion, s.ActiveMS)
	}
	if _, err := env.Submit(t.Context(), annotatorID, token, helpfulSubmission); err != nil {
		t.Fatal(err)
	}
	if n := env.queryInt(`SELECT count(*) FROM drafts`); n != 0 {
		t.Error("the draft outlived its submit")
	}
	if err := env.SaveDraft(t.Context(), annotatorID, token, 9, draft); !errors.Is(err, fault.Conflict) {
		t.Errorf("a draft after the submit: %v", err)
	}
}

// A tab says which version it works from. What another tab has kept since stays,
// and the time counts either way.
func TestDraft_OlderPage_KeepsNewer(t *testing.T) {
	for name, c := range map[string]struct {
		tab           string
		version, from int64
		note          string
		kept          string
		newer         bool
	}{
		"the same tab goes on":                             {"a", 12, 10, "more", "more", false},
		"the same tab, whose answer was lost":              {"a", 12, 0, "more", "more", false},
		"the same tab, late on its way":                    {"a", 9, 0, "less", "first", false},
		"another tab that saw it":                          {"b", 12, 10, "more", "more", false},
		"another tab that did not":                         {"b", 12, 0, "other", "first", true},
		"another tab with the same":                        {"b", 12, 0, "first", "first", false},
		"another tab that tells the time":                  {"b", 0, 10, "", "first", false},
		"another tab that tells the time, and did not see": {"b", 0, 0, "", "first", true},
	} {
		t.Run(name, func(t *testing.T) {
			env := newTestEnv(t)
			emails, accounts := env.newAnnotators(1)
			env.newBatch(env.newProject("newer", 1), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
			annotatorID, token := accounts[0].ID, env.openItem(accounts[0])
			env.advanceClock(1)
			save := func(tab string, version, from int64, note string) error {
				return env.SaveDraft(t.Context(), annotatorID, token, version, labeling.Submission{Tab: tab, DraftVersion: from, ActiveMS: 20_000,
					Answers: protocol.Answers{Values: map[string]int{}, Note: note}})
			}
			if err := save("a", 10, 0, "first"); err != nil {
				t.Fatal(err)
			}
			newer, isNewer := errors.AsType[NewerDraftError](save(c.tab, c.version, c.from, c.note))
			if isNewer != c.newer || isNewer && newer.Version != 10 {
				t.Errorf("the tab is told of a newer draft: %v, %+v", isNewer, newer)
			}
			s, err := env.LabelingScreen(t.Context(), annotatorID, token)
			if err != nil || s.Draft.Note != c.kept {
				t.Errorf("kept is %q, %v; want %q", s.Draft.Note, err, c.kept)
			}
			if want := map[string]int64{"a": 20_000, "b": 40_000}[c.tab]; s.ActiveMS != want {
				t.Errorf("%d ms are kept, want %d", s.ActiveMS, want)
			}
		})
	}
}

func TestDraft_NoSession_KeepsNewer(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("unsigned", 3), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	annotatorID, token := accounts[0].ID, env.openItem(accounts[0])
	withNote := func(text string) labeling.Submission {
		return labeling.Submission{Answers: protocol.Answers{Note: text}}
	}
	save := func(version int64, text, want string) {
		t.Helper()
		if err := env.SaveSignedOutForm(t.Context(), token, version, withNote(text)); err != nil {
			t.Fatal(err)
		}
		s, err := env.LabelingScreen(t.Context(), annotatorID, token)
		if err != nil || s.Draft.Note != want {
			t.Errorf("kept %q, %v; want %q", s.Draft.Note, err, want)
		}
	}
	save(0, "sent when the session was over", "sent when the session was over")
	save(0, "from an old page", "sent when the session was over")
	save(1<<40, "from a stranger", "sent when the session was over")
	save(1, "from the page that showed the draft", "from the page that showed the draft")
}

// What is kept of a form does not outlive its item, however late it comes.
func TestDraft_DuringSubmit_Deleted(t *testing.T) {
	env := newTestEnv(t)
	_, _, _, _, token := env.newStartedBatch()
	err := env.runWhileLocked(func(tx pgx.Tx) error {
		a, err := lockAssignment(t.Context(), tx, token)
		if err != nil {
			return err
		}
		return insertAnnotation(t.Context(), tx, a, helpfulSubmission)
	}, func() error {
		return errors.Join(env.SaveFormAsDraft(t.Context(), token, helpfulSubmission), env.SaveSignedOutForm(t.Context(), token, 0, helpfulSubmission))
	})
	if n := env.queryInt(`SELECT count(*) FROM drafts`); err != nil || n != 0 {
		t.Errorf("%d drafts are left, %v", n, err)
	}
}

func TestActiveTime_TwoTabs_Added(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("two-tabs", 5), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, BreakMinutes: 5})
	annotatorID, token := accounts[0].ID, env.openItem(accounts[0])
	env.advanceClock(2)
	saveTime := func(tab string, version, ms int64) {
		t.Helper()
		if err := env.SaveDraft(t.Context(), annotatorID, token, version, labeling.Submission{Tab: tab, ActiveMS: ms, Answers: helpfulSubmission.Answers}); err != nil {
			t.Fatal(err)
		}
	}
	saveTime("a", 5, 30_000)
	saveTime("b", 6, 20_000)
	saveTime("a", 4, 25_000) // late on its way
	if s, err := env.LabelingScreen(t.Context(), annotatorID, token); err != nil || s.ActiveMS != 50_000 || s.DraftVersion != 6 {
		t.Errorf("the screen knows %d ms, version %d, %v", s.ActiveMS, s.DraftVersion, err)
	}
	final := helpfulSubmission
	final.Tab, final.ActiveMS = "a", 40_000
	if _, err := env.Submit(t.Context(), annotatorID, token, final); err != nil {
		t.Fatal(err)
	}
	if n := env.queryInt(`SELECT active_ms FROM annotations`); n != 60_000 {
		t.Errorf("%d ms are stored, want 60000", n)
	}
	token = env.openItem(accounts[0])
	final.ActiveMS = 3_600_000
	if _, err := env.Submit(t.Context(), annotatorID, token, final); err != nil {
		t.Fatal(err)
	}
	if n := env.queryInt(`SELECT active_ms FROM annotations ORDER BY id DESC LIMIT 1`); n > 60_000 {
		t.Errorf("%d ms are stored of an item that was open for a moment", n)
	}
}
