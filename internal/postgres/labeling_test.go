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

func TestAnnotationsAreOnlyEverAdded(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	w.open(w.project("kept", 3), project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	if _, err := w.Submit(t.Context(), accounts[0].ID, w.begin(accounts[0]), good); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`UPDATE annotations SET note = 'other'`, `DELETE FROM annotations`,
		`UPDATE audit SET action = 'nothing'`, `DELETE FROM audit`, `TRUNCATE audit`,
		`UPDATE protocol_revisions SET definition = ''`,
	} {
		if _, err := w.pool.Exec(t.Context(), statement); err == nil {
			t.Errorf("%s was let through", statement)
		}
	}
}

func TestAnotherPersonsItemDoesNotExist(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	w.open(w.project("mine", 3), project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	token, stranger := w.begin(accounts[0]), accounts[1].ID
	_, screen := w.Screen(t.Context(), stranger, token)
	_, submit := w.Submit(t.Context(), stranger, token, good)
	_, aside := w.SetAside(t.Context(), stranger, token, labeling.Aside{Reason: labeling.Distressing})
	for what, err := range map[string]error{
		"Screen": screen, "Submit": submit, "SetAside": aside,
		"SaveDraft": w.SaveDraft(t.Context(), stranger, token, 1, good),
		"TakeBreak": w.TakeBreak(t.Context(), stranger, token),
	} {
		_, absent := w.Submit(t.Context(), stranger, "no-such-token", good)
		if !errors.Is(err, fault.NotFound) || fault.Message(err) != fault.Message(absent) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestProblemsStoreNothing(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	w.open(w.project("strict", 3), project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	token := w.begin(accounts[0])
	bad := labeling.Submission{Answers: protocol.Answers{Values: map[string]int{"helpful": 7}}}
	_, err := w.Submit(t.Context(), accounts[0].ID, token, bad)
	problems, ok := errors.AsType[protocol.Problems](err)
	if !ok || len(problems) != 5 {
		t.Fatalf("got %v", err)
	}
	if n := w.count(`SELECT count(*) FROM annotations`); n != 0 {
		t.Errorf("%d annotations were stored", n)
	}
	if again := w.begin(accounts[0]); again != token {
		t.Error("the item is not open any more")
	}
}

func TestADraftComesBackAsItWasTyped(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	w.open(w.project("draft", 3), project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	me, token := accounts[0].ID, w.begin(accounts[0])
	w.past(1)
	typed := labeling.Submission{ActiveMS: 4000, Answers: protocol.Answers{Values: map[string]int{"helpful": 0}, Note: "half a thou"}}
	save := func(version int64, s labeling.Submission) {
		t.Helper()
		if err := w.SaveDraft(t.Context(), me, token, version, s); err != nil {
			t.Fatal(err)
		}
	}
	save(2, typed)
	save(1, good) // late on the way: an older one never replaces a newer
	s, err := w.Screen(t.Context(), me, token)
	if err != nil {
		t.Fatal(err)
	}
	if s.Draft.Note != "half a thou" || s.Draft.Values["helpful"] != 0 || len(s.Draft.Values) != 1 || s.Version != 2 || s.ActiveMS != 4000 {
		t.Errorf("the draft came back as %+v, version %d, %d ms", s.Draft, s.Version, s.ActiveMS)
	}
	if _, err := w.Submit(t.Context(), me, token, good); err != nil {
		t.Fatal(err)
	}
	if n := w.count(`SELECT count(*) FROM drafts`); n != 0 {
		t.Error("the draft outlived its submit")
	}
	if err := w.SaveDraft(t.Context(), me, token, 9, typed); !errors.Is(err, fault.Conflict) {
		t.Errorf("a draft after the submit: %v", err)
	}
}

// A tab says which version it works from. What another tab has kept since stays,
// and the time counts either way.
func TestADraftOfAnOlderPageNeverReplacesANewerOne(t *testing.T) {
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
			w := newWorld(t)
			emails, accounts := w.annotators(1)
			w.open(w.project("newer", 1), project.Handout{Name: "one", Annotators: emails, Overlap: 1})
			me, token := accounts[0].ID, w.begin(accounts[0])
			w.past(1)
			save := func(tab string, version, from int64, note string) error {
				return w.SaveDraft(t.Context(), me, token, version, labeling.Submission{Tab: tab, From: from, ActiveMS: 20_000,
					Answers: protocol.Answers{Values: map[string]int{}, Note: note}})
			}
			if err := save("a", 10, 0, "first"); err != nil {
				t.Fatal(err)
			}
			newer, is := errors.AsType[NewerDraft](save(c.tab, c.version, c.from, c.note))
			if is != c.newer || is && newer.Version != 10 {
				t.Errorf("the tab is told of a newer draft: %v, %+v", is, newer)
			}
			s, err := w.Screen(t.Context(), me, token)
			if err != nil || s.Draft.Note != c.kept {
				t.Errorf("kept is %q, %v; want %q", s.Draft.Note, err, c.kept)
			}
			if want := map[string]int64{"a": 20_000, "b": 40_000}[c.tab]; s.ActiveMS != want {
				t.Errorf("%d ms are kept, want %d", s.ActiveMS, want)
			}
		})
	}
}

func TestABreakIsDueAfterSoManyItems(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	w.open(w.project("rest", 10), project.Handout{Name: "one", Annotators: emails, Overlap: 1, BreakEvery: 3, BreakMinutes: 5})
	me := accounts[0].ID
	for round := range 2 {
		token := w.begin(accounts[0])
		for i := range 3 {
			if token == "" {
				t.Fatalf("round %d: a break after %d items", round, i)
			}
			var err error
			if token, err = w.Submit(t.Context(), me, token, good); err != nil {
				t.Fatal(err)
			}
		}
		if token != "" {
			t.Fatal("no break after three items")
		}
		rest, err := w.Break(t.Context(), me)
		if err != nil || !rest.Due || rest.EndsAt.Sub(rest.StartedAt).Round(time.Second) != 5*time.Minute {
			t.Fatalf("%+v, %v", rest, err)
		}
		if round == 0 {
			w.rested()
		}
		if _, err := w.GoOn(t.Context(), me); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.count(`SELECT count(*) FROM annotations WHERE since_break = (position - 1) % 3`); n != 6 {
		t.Errorf("%d of 6 annotations know how many items came since the break", n)
	}
	w.step(accounts[0])
	if n := w.count(`SELECT since_break FROM annotations WHERE position = 7`); n != 3 {
		t.Errorf("after a break that was not taken, %d items came since the last", n)
	}
	if n := w.count(`SELECT count(*) FROM breaks WHERE taken`); n != 1 {
		t.Errorf("%d breaks count as taken, want the one whose time passed", n)
	}
}

// rested lets the time of every break under way pass.
func (w world) rested() {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), `UPDATE breaks SET ends_at = clock_timestamp() WHERE left_at IS NULL`); err != nil {
		w.t.Fatal(err)
	}
}

func TestABreakIsDueAfterSoManyMinutes(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	p := w.project("minutes", 10)
	w.set(p, `break_after = 20`)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1, BreakMinutes: 5})
	me := accounts[0].ID
	w.step(accounts[0])
	w.past(25)
	token, err := w.Submit(t.Context(), me, w.begin(accounts[0]), good)
	if rest, none := w.Break(t.Context(), me); err != nil || token != "" || none != nil || !rest.Due {
		t.Fatalf("no break after 25 minutes: %q, %v, %v", token, err, none)
	}
	if n := w.count(`SELECT max(sitting_minutes) FROM annotations`); n != 25 {
		t.Errorf("the annotation was made after %d minutes, want 25", n)
	}
}

// past moves everything that sessions remember so many minutes back.
func (w world) past(minutes int) {
	w.t.Helper()
	for _, statement := range []string{
		`UPDATE members SET sat_down_at = sat_down_at - make_interval(mins => $1), seen_at = seen_at - make_interval(mins => least($1, 29))`,
		`UPDATE assignments SET opened_at = opened_at - make_interval(mins => $1), closed_at = closed_at - make_interval(mins => $1)`,
		`UPDATE drafts SET saved_at = saved_at - make_interval(mins => $1)`,
	} {
		if _, err := w.pool.Exec(w.t.Context(), statement, minutes); err != nil {
			w.t.Fatal(err)
		}
	}
}

// set changes what a project decides about sessions.
func (w world) set(p project.Project, what string) {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), `UPDATE projects SET `+what+` WHERE id = $1`, p.ID); err != nil {
		w.t.Fatal(err)
	}
}

func TestNothingIsTakenWhileABreakIsUnderWay(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	w.open(w.project("pause", 5), project.Handout{Name: "one", Annotators: emails, Overlap: 1, BreakMinutes: 5})
	me, token := accounts[0].ID, w.begin(accounts[0])
	if err := w.TakeBreak(t.Context(), me, token); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Submit(t.Context(), me, token, good); !errors.Is(err, labeling.Resting) {
		t.Errorf("a submit in a break: %v", err)
	}
	if _, err := w.SetAside(t.Context(), me, token, labeling.Aside{Reason: labeling.Distressing}); !errors.Is(err, labeling.Resting) {
		t.Errorf("setting aside in a break: %v", err)
	}
	if err := w.SaveDraft(t.Context(), me, token, 1, good); err != nil {
		t.Errorf("what is typed in a break is lost: %v", err)
	}
	if _, err := w.GoOn(t.Context(), me); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Submit(t.Context(), me, token, good); err != nil {
		t.Errorf("after the break: %v", err)
	}
}

func TestTimeIsCountedOnceWithTwoTabs(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	w.open(w.project("two-tabs", 5), project.Handout{Name: "one", Annotators: emails, Overlap: 1, BreakMinutes: 5})
	me, token := accounts[0].ID, w.begin(accounts[0])
	w.past(2)
	report := func(tab string, version, ms int64) {
		t.Helper()
		if err := w.SaveDraft(t.Context(), me, token, version, labeling.Submission{Tab: tab, ActiveMS: ms, Answers: good.Answers}); err != nil {
			t.Fatal(err)
		}
	}
	report("a", 5, 30_000)
	report("b", 6, 20_000)
	report("a", 4, 25_000) // late on its way
	if s, err := w.Screen(t.Context(), me, token); err != nil || s.ActiveMS != 50_000 || s.Version != 6 {
		t.Errorf("the screen knows %d ms, version %d, %v", s.ActiveMS, s.Version, err)
	}
	last := good
	last.Tab, last.ActiveMS = "a", 40_000
	if _, err := w.Submit(t.Context(), me, token, last); err != nil {
		t.Fatal(err)
	}
	if n := w.count(`SELECT active_ms FROM annotations`); n != 60_000 {
		t.Errorf("%d ms are stored, want 60000", n)
	}
	token = w.begin(accounts[0])
	last.ActiveMS = 3_600_000
	if _, err := w.Submit(t.Context(), me, token, last); err != nil {
		t.Fatal(err)
	}
	if n := w.count(`SELECT active_ms FROM annotations ORDER BY id DESC LIMIT 1`); n > 60_000 {
		t.Errorf("%d ms are stored of an item that was open for a moment", n)
	}
}

func TestAMalformedInsertIsRefusedByTheNameOfItsRule(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	w.open(w.project("psql", 1), project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	w.begin(accounts[0])
	insert := func(answers string) error {
		_, err := w.pool.Exec(t.Context(), `
			INSERT INTO annotations (protocol_version_id, revision, assignment_id, batch_id, item_id, account_id, answers)
			SELECT a.protocol_version_id, r.revision, a.id, a.batch_id, a.item_id, a.account_id, $1::jsonb
			FROM assignments a JOIN protocol_revisions r USING (protocol_version_id)`, answers)
		return err
	}
	whole := `{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": %s}`
	for value, constraint := range map[string]string{"2": "unsafe_content_scale", `"0"`: "unsafe_content_scale", `0, "mood": 1`: "known_answers"} {
		if err := insert(fmt.Sprintf(whole, value)); !violates(err, constraint) {
			t.Errorf("%s: %v", value, err)
		}
	}
	if err := insert(fmt.Sprintf(whole, "0")); err != nil {
		t.Error(err)
	}
}

func TestWithoutASessionNothingKeptIsReplaced(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	w.open(w.project("unsigned", 3), project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	me, token := accounts[0].ID, w.begin(accounts[0])
	note := func(text string) labeling.Submission {
		return labeling.Submission{Answers: protocol.Answers{Note: text}}
	}
	keep := func(version int64, text, want string) {
		t.Helper()
		if err := w.KeepUnsigned(t.Context(), token, version, note(text)); err != nil {
			t.Fatal(err)
		}
		s, err := w.Screen(t.Context(), me, token)
		if err != nil || s.Draft.Note != want {
			t.Errorf("kept %q, %v; want %q", s.Draft.Note, err, want)
		}
	}
	keep(0, "sent when the session was over", "sent when the session was over")
	keep(0, "from an old page", "sent when the session was over")
	keep(1<<40, "from a stranger", "sent when the session was over")
	keep(1, "from the page that showed the draft", "from the page that showed the draft")
}
