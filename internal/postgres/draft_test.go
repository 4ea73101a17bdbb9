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
	_, _, annotators := env.newBatchFor(1, 3, project.BatchSpec{})
	annotator, token := annotators[0], env.openItem(annotators[0])
	env.advanceClock(1)
	draft := labeling.Submission{ActiveMS: 4000, Answers: protocol.Answers{Values: map[string]int{"helpful": 0},
		Note: "half a thou"}}
	env.mustSaveDraft(annotator, token, 2, draft)
	env.mustSaveDraft(annotator, token, 1, helpfulSubmission) // arrives late
	s := env.screen(annotator, token)
	if s.Draft.Note != "half a thou" || s.Draft.Values["helpful"] != 0 || len(s.Draft.Values) != 1 ||
		s.DraftVersion != 2 || s.ActiveMS != 4000 {
		t.Errorf("got draft %+v, version %d, %d ms", s.Draft, s.DraftVersion, s.ActiveMS)
	}
	env.mustSubmit(annotator, token, helpfulSubmission)
	env.checkCount(0, `drafts`)
	checkErrorIs(t, "draft after submit", env.SaveDraft(t.Context(), annotator.ID, token, 9, draft), fault.Conflict)
}

// A tab names the version that it started from. A newer draft of another tab is not
// replaced, but the active time always counts.
func TestDraft_SecondTab_KeepsNewer(t *testing.T) {
	for name, c := range map[string]struct {
		tab           string
		version, base int64
		note          string
		want          string
		isStale       bool
	}{
		"same tab":                       {"a", 12, 10, "more", "more", false},
		"same tab, reply lost":           {"a", 12, 0, "more", "more", false},
		"same tab, late":                 {"a", 9, 0, "less", "first", false},
		"second tab, current":            {"b", 12, 10, "more", "more", false},
		"second tab, stale":              {"b", 12, 0, "other", "first", true},
		"second tab, stale, same text":   {"b", 12, 0, "first", "first", false},
		"second tab, time only, current": {"b", 0, 10, "", "first", false},
		"second tab, time only, stale":   {"b", 0, 0, "", "first", true},
	} {
		t.Run(name, func(t *testing.T) {
			env := newTestEnv(t)
			_, _, annotators := env.newBatchFor(1, 1, project.BatchSpec{})
			annotator, token := annotators[0], env.openItem(annotators[0])
			env.advanceClock(1)
			save := func(tab string, version, base int64, note string) error {
				s := withNote(note)
				s.Tab, s.DraftVersion, s.ActiveMS = tab, base, 20_000
				return env.SaveDraft(t.Context(), annotator.ID, token, version, s)
			}
			if err := save("a", 10, 0, "first"); err != nil {
				t.Fatal(err)
			}
			stale, isStale := errors.AsType[NewerDraftError](save(c.tab, c.version, c.base, c.note))
			if isStale != c.isStale || isStale && stale.Version != 10 {
				t.Errorf("stale = %v, newer version %d", isStale, stale.Version)
			}
			s := env.screen(annotator, token)
			if s.Draft.Note != c.want {
				t.Errorf("stored note = %q, want %q", s.Draft.Note, c.want)
			}
			if want := map[string]int64{"a": 20_000, "b": 40_000}[c.tab]; s.ActiveMS != want {
				t.Errorf("stored %d ms, want %d", s.ActiveMS, want)
			}
		})
	}
}

func TestDraft_SignedOut_KeepsNewer(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(1, 3, project.BatchSpec{})
	token := env.openItem(annotators[0])
	for _, c := range []struct {
		version    int64
		note, want string
	}{
		{0, "session expired", "session expired"},
		{0, "older page", "session expired"},
		{1 << 40, "unknown version", "session expired"},
		{1, "page with the draft", "page with the draft"},
	} {
		if err := env.SaveSignedOutForm(t.Context(), token, c.version, withNote(c.note)); err != nil {
			t.Fatal(err)
		}
		if got := env.screen(annotators[0], token).Draft.Note; got != c.want {
			t.Errorf("after %q: stored note = %q, want %q", c.note, got, c.want)
		}
	}
}

func TestDraft_DuringSubmit_Deleted(t *testing.T) {
	env := newTestEnv(t)
	_, _, _, _, token := env.newStartedBatch()
	err := env.runWhileLocked(func(tx pgx.Tx) error {
		a, err := lockAssignment(t.Context(), tx, token)
		if err != nil {
			return err
		}
		sql, args := insertAnnotation(a, helpfulSubmission)
		_, err = tx.Exec(t.Context(), sql, args...)
		return err
	}, func() error {
		return errors.Join(env.SaveFormAsDraft(t.Context(), token, helpfulSubmission),
			env.SaveSignedOutForm(t.Context(), token, 0, helpfulSubmission))
	})
	if err != nil {
		t.Error(err)
	}
	env.checkCount(0, `drafts`)
}

func TestActiveTime_TwoTabs_Added(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(1, 5, project.BatchSpec{BreakMinutes: 5})
	annotator, token := annotators[0], env.openItem(annotators[0])
	env.advanceClock(2)
	withTime := func(tab string, ms int64) labeling.Submission {
		return labeling.Submission{Tab: tab, ActiveMS: ms, Answers: helpfulSubmission.Answers}
	}
	env.mustSaveDraft(annotator, token, 5, withTime("a", 30_000))
	env.mustSaveDraft(annotator, token, 6, withTime("b", 20_000))
	env.mustSaveDraft(annotator, token, 4, withTime("a", 25_000)) // arrives late
	if s := env.screen(annotator, token); s.ActiveMS != 50_000 || s.DraftVersion != 6 {
		t.Errorf("got %d ms, version %d; want 50000 ms, version 6", s.ActiveMS, s.DraftVersion)
	}
	next := env.mustSubmit(annotator, token, withTime("a", 40_000))
	if n := env.queryInt(`SELECT active_ms FROM annotations`); n != 60_000 {
		t.Errorf("stored %d ms, want 60000", n)
	}
	env.mustSubmit(annotator, next, withTime("a", 3_600_000))
	if n := env.queryInt(`SELECT active_ms FROM annotations ORDER BY id DESC LIMIT 1`); n > 60_000 {
		t.Errorf("stored %d ms for an item that was open for a moment", n)
	}
}
