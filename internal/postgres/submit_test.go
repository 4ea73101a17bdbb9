package postgres

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

func TestAnnotations_Change_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("kept", 3), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	if _, err := env.Submit(t.Context(), accounts[0].ID, env.openItem(accounts[0]), helpfulSubmission); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`UPDATE annotations SET note = 'other'`, `DELETE FROM annotations`,
		`UPDATE audit SET action = 'nothing'`, `DELETE FROM audit`, `TRUNCATE audit`,
		`UPDATE protocol_revisions SET definition = ''`,
	} {
		if _, err := env.pool.Exec(t.Context(), statement); err == nil {
			t.Errorf("%s was let through", statement)
		}
	}
}

func TestItem_NotOwn_NotFound(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	env.newBatch(env.newProject("mine", 3), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	token, otherID := env.openItem(accounts[0]), accounts[1].ID
	_, screenErr := env.LabelingScreen(t.Context(), otherID, token)
	_, submitErr := env.Submit(t.Context(), otherID, token, helpfulSubmission)
	_, skipErr := env.Skip(t.Context(), otherID, token, labeling.Skip{Reason: labeling.Distressing})
	for what, err := range map[string]error{
		"Screen": screenErr, "Submit": submitErr, "SetAside": skipErr,
		"SaveDraft": env.SaveDraft(t.Context(), otherID, token, 1, helpfulSubmission),
		"TakeBreak": env.StartBreak(t.Context(), otherID, token),
	} {
		_, absentErr := env.Submit(t.Context(), otherID, "no-such-token", helpfulSubmission)
		if !errors.Is(err, fault.NotFound) || fault.Message(err) != fault.Message(absentErr) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestSubmit_Invalid_NotStored(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("strict", 3), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	token := env.openItem(accounts[0])
	invalid := labeling.Submission{Answers: protocol.Answers{Values: map[string]int{"helpful": 7}}}
	_, err := env.Submit(t.Context(), accounts[0].ID, token, invalid)
	problems, ok := errors.AsType[protocol.Problems](err)
	if !ok || len(problems) != 5 {
		t.Fatalf("got %v", err)
	}
	if n := env.queryInt(`SELECT count(*) FROM annotations`); n != 0 {
		t.Errorf("%d annotations were stored", n)
	}
	if again := env.openItem(accounts[0]); again != token {
		t.Error("the item is not open any more")
	}
}

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

func TestBreak_AfterItems_IsDue(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("rest", 10), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, BreakEvery: 3, BreakMinutes: 5})
	annotatorID := accounts[0].ID
	for round := range 2 {
		token := env.openItem(accounts[0])
		for i := range 3 {
			if token == "" {
				t.Fatalf("round %d: a break after %d items", round, i)
			}
			var err error
			if token, err = env.Submit(t.Context(), annotatorID, token, helpfulSubmission); err != nil {
				t.Fatal(err)
			}
		}
		if token != "" {
			t.Fatal("no break after three items")
		}
		brk, err := env.CurrentBreak(t.Context(), annotatorID)
		if err != nil || !brk.Planned || brk.ScheduledEndAt.Sub(brk.StartedAt).Round(time.Second) != 5*time.Minute {
			t.Fatalf("%+v, %v", brk, err)
		}
		if round == 0 {
			env.expireBreaks()
		}
		if _, err := env.EndBreak(t.Context(), annotatorID); err != nil {
			t.Fatal(err)
		}
	}
	if n := env.queryInt(`SELECT count(*) FROM annotations WHERE since_break = (position - 1) % 3`); n != 6 {
		t.Errorf("%d of 6 annotations know how many items came since the break", n)
	}
	env.submitItem(accounts[0])
	if n := env.queryInt(`SELECT since_break FROM annotations WHERE position = 7`); n != 3 {
		t.Errorf("after a break that was not taken, %d items came since the last", n)
	}
	if n := env.queryInt(`SELECT count(*) FROM breaks WHERE taken`); n != 1 {
		t.Errorf("%d breaks count as taken, want the one whose time passed", n)
	}
}

// expireBreaks lets the time of every break under way pass.
func (env testEnv) expireBreaks() {
	env.t.Helper()
	if _, err := env.pool.Exec(env.t.Context(), `UPDATE breaks SET ends_at = clock_timestamp() WHERE left_at IS NULL`); err != nil {
		env.t.Fatal(err)
	}
}

func TestBreak_AfterMinutes_IsDue(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("minutes", 10)
	env.updateProject(p, `break_after = 20`)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, BreakMinutes: 5})
	annotatorID := accounts[0].ID
	env.submitItem(accounts[0])
	env.advanceClock(25)
	token, err := env.Submit(t.Context(), annotatorID, env.openItem(accounts[0]), helpfulSubmission)
	if brk, breakErr := env.CurrentBreak(t.Context(), annotatorID); err != nil || token != "" || breakErr != nil || !brk.Planned {
		t.Fatalf("no break after 25 minutes: %q, %v, %v", token, err, breakErr)
	}
	if n := env.queryInt(`SELECT max(sitting_minutes) FROM annotations`); n != 25 {
		t.Errorf("the annotation was made after %d minutes, want 25", n)
	}
}

// advanceClock moves everything that sessions remember so many minutes back.
func (env testEnv) advanceClock(minutes int) {
	env.t.Helper()
	for _, statement := range []string{
		`UPDATE members SET sat_down_at = sat_down_at - make_interval(mins => $1), seen_at = seen_at - make_interval(mins => least($1, 29))`,
		`UPDATE assignments SET opened_at = opened_at - make_interval(mins => $1), closed_at = closed_at - make_interval(mins => $1)`,
		`UPDATE drafts SET saved_at = saved_at - make_interval(mins => $1)`,
	} {
		if _, err := env.pool.Exec(env.t.Context(), statement, minutes); err != nil {
			env.t.Fatal(err)
		}
	}
}

// updateProject changes what a project decides about sessions.
func (env testEnv) updateProject(p project.Project, assignments string) {
	env.t.Helper()
	if _, err := env.pool.Exec(env.t.Context(), `UPDATE projects SET `+assignments+` WHERE id = $1`, p.ID); err != nil {
		env.t.Fatal(err)
	}
}

func TestSubmit_OnBreak_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("pause", 5), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, BreakMinutes: 5})
	annotatorID, token := accounts[0].ID, env.openItem(accounts[0])
	if err := env.StartBreak(t.Context(), annotatorID, token); err != nil {
		t.Fatal(err)
	}
	if _, err := env.Submit(t.Context(), annotatorID, token, helpfulSubmission); !errors.Is(err, labeling.ErrOnBreak) {
		t.Errorf("a submit in a break: %v", err)
	}
	if _, err := env.Skip(t.Context(), annotatorID, token, labeling.Skip{Reason: labeling.Distressing}); !errors.Is(err, labeling.ErrOnBreak) {
		t.Errorf("setting aside in a break: %v", err)
	}
	if err := env.SaveDraft(t.Context(), annotatorID, token, 1, helpfulSubmission); err != nil {
		t.Errorf("what is typed in a break is lost: %v", err)
	}
	if _, err := env.EndBreak(t.Context(), annotatorID); err != nil {
		t.Fatal(err)
	}
	if _, err := env.Submit(t.Context(), annotatorID, token, helpfulSubmission); err != nil {
		t.Errorf("after the break: %v", err)
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

func TestInsert_Bad_NamesConstraint(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	env.newBatch(env.newProject("psql", 1), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	env.openItem(accounts[0])
	insert := func(answers string) error {
		_, err := env.pool.Exec(t.Context(), `
			INSERT INTO annotations (protocol_version_id, revision, assignment_id, batch_id, item_id, account_id, answers)
			SELECT a.protocol_version_id, r.revision, a.id, a.batch_id, a.item_id, a.account_id, $1::jsonb
			FROM assignments a JOIN protocol_revisions r USING (protocol_version_id)`, answers)
		return err
	}
	format := `{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": %s}`
	for value, constraint := range map[string]string{"2": "unsafe_content_scale", `"0"`: "unsafe_content_scale", `0, "mood": 1`: "known_answers"} {
		if err := insert(fmt.Sprintf(format, value)); !violates(err, constraint) {
			t.Errorf("%s: %v", value, err)
		}
	}
	if err := insert(fmt.Sprintf(format, "0")); err != nil {
		t.Error(err)
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
