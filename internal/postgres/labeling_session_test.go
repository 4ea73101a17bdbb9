package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func TestDailyLimit_StopsWork(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("day", 10)
	env.updateProject(p, `day_items = 3`)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	env.submitAll(accounts[0])
	if n := env.queryInt(`SELECT count(*) FROM annotations`); n != 3 {
		t.Errorf("%d items were given on one day, want 3", n)
	}
	overview, err := env.WorkOverview(t.Context(), accounts[0].ID)
	if err != nil || overview.Batches[0].Limit != labeling.DailyLimit {
		t.Errorf("the step is %+v, %v", overview, err)
	}
	env.advanceClock(24 * 60)
	if env.openItem(accounts[0]) == "" {
		t.Error("nothing is given on the next day")
	}
}

func TestSessionLimit_StopsWork(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("sitting", 10)
	env.updateProject(p, `sitting_minutes = 60`)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	env.submitItem(accounts[0])
	token := env.openItem(accounts[0])
	env.advanceClock(61)
	if next, err := env.Submit(t.Context(), accounts[0].ID, token, helpfulSubmission); err != nil || next != "" {
		t.Errorf("after an hour: %q, %v", next, err)
	}
	if env.openItem(accounts[0]) != "" {
		t.Error("the sitting goes on after an hour")
	}
	env.advanceClock(29)
	env.advanceClock(29)
	if env.openItem(accounts[0]) == "" {
		t.Error("nothing is given after a long rest")
	}
}

func TestRelease_Abandoned_Reclaimable(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("left", 1)
	env.updateProject(p, `return_after = 30`)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	first, second := accounts[0], accounts[1]
	token := env.openItem(first)
	partial := labeling.Submission{Tab: "a", Answers: helpfulSubmission.Answers}
	partial.Answers.Note = "half a thought"
	if err := env.SaveDraft(t.Context(), first.ID, token, 1, partial); err != nil {
		t.Fatal(err)
	}
	if env.openItem(second) != "" {
		t.Fatal("the item was given away at once")
	}
	abandon := func() {
		t.Helper()
		if _, err := env.pool.Exec(t.Context(), `UPDATE slots SET claimed_at = claimed_at - interval '31 minutes'`); err != nil {
			t.Fatal(err)
		}
		env.advanceClock(31)
	}
	abandon()
	if n, err := env.ReleaseAbandoned(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d went back, %v", n, err)
	}
	if s, err := env.LabelingScreen(t.Context(), first.ID, token); err != nil || s.Draft.Note != "half a thought" {
		t.Errorf("the page left open: %+v, %v", s.Draft, err)
	}
	if again := env.openItem(first); again != token {
		t.Errorf("coming back leads to %q", again)
	}
	abandon()
	other := env.openItem(second) // nobody has to sweep first
	if other == "" {
		t.Fatal("the item does not go to somebody else")
	}
	if _, err := env.Submit(t.Context(), first.ID, token, helpfulSubmission); !errors.Is(err, labeling.ErrReassigned) {
		t.Errorf("too late: %v", err)
	}
	if _, err := env.LabelingScreen(t.Context(), first.ID, token); !errors.Is(err, labeling.ErrReassigned) {
		t.Errorf("looking too late: %v", err)
	}
	if _, err := env.Submit(t.Context(), second.ID, other, helpfulSubmission); err != nil {
		t.Error(err)
	}
}

func TestSubmit_Released_TakesFreeSlot(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	env.newBatch(env.newProject("late", 1), project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	token := env.openItem(accounts[0])
	if _, err := env.pool.Exec(t.Context(), `UPDATE slots SET claimed_at = claimed_at - interval '2 days'`); err != nil {
		t.Fatal(err)
	}
	if n, err := env.ReleaseAbandoned(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d went back, %v", n, err)
	}
	if _, err := env.Submit(t.Context(), accounts[0].ID, token, helpfulSubmission); err != nil {
		t.Fatal(err)
	}
	if n := env.queryInt(`SELECT count(*) FROM slots WHERE account_id = $1`, accounts[0].ID); n != 1 {
		t.Error("the label holds no slot")
	}
	if env.openItem(accounts[1]) != "" {
		t.Error("the item is given once too often")
	}
}

func TestSkip_Policy_DecidesNext(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	for policy, want := range map[labeling.SkipPolicy]struct{ mine, others bool }{
		labeling.SkipReassign: {false, true}, labeling.SkipReturnLater: {true, false}, labeling.SkipDrop: {false, false},
	} {
		p := env.newProject("aside-"+string(policy), 1)
		env.updateProject(p, `aside_next = '`+string(policy)+`'`)
		b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
		token, err := env.OpenNext(t.Context(), accounts[0].ID, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		next, err := env.Skip(t.Context(), accounts[0].ID, token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"})
		if err != nil || (next != "") != want.mine {
			t.Errorf("%s: next is %q, %v", policy, next, err)
		}
		if other, err := env.OpenNext(t.Context(), accounts[1].ID, b.ID); err != nil || (other != "") != want.others {
			t.Errorf("%s: somebody else gets %q, %v", policy, other, err)
		}
		if got, err := env.Batch(t.Context(), p.ID, "one"); err != nil || got.Submitted != 0 || got.Slots != 1 {
			t.Errorf("%s: the batch stands at %+v", policy, got)
		}
		if policy != labeling.SkipReturnLater {
			continue
		}
		if _, err := env.Skip(t.Context(), accounts[0].ID, next, labeling.Skip{Reason: labeling.Distressing}); err != nil {
			t.Fatal(err)
		}
		if other, err := env.OpenNext(t.Context(), accounts[1].ID, b.ID); err != nil || other == "" {
			t.Errorf("set aside twice, it goes to nobody: %v", err)
		}
	}
}

func TestCorrection_KeepsBothAnswers(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("slip", 5)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	annotator := accounts[0]
	token := env.openItem(annotator)
	next, err := env.Submit(t.Context(), annotator.ID, token, helpfulSubmission)
	if err != nil {
		t.Fatal(err)
	}
	if err := env.RequestCorrection(t.Context(), annotator.ID, next, "not sent yet"); !errors.Is(err, fault.Conflict) {
		t.Errorf("flagging what is open: %v", err)
	}
	for range 2 {
		if err := env.RequestCorrection(t.Context(), annotator.ID, token, "I meant no"); err != nil {
			t.Fatal(err)
		}
	}
	corrections, err := env.CorrectionRequests(t.Context(), b.ID)
	if err != nil || len(corrections) != 1 || corrections[0].Message != "I meant no" {
		t.Fatalf("%+v, %v", corrections, err)
	}
	if err := env.AcceptCorrection(t.Context(), env.admin.ID, p, b, corrections[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := env.AcceptCorrection(t.Context(), env.admin.ID, p, b, corrections[0].ID); !errors.Is(err, fault.Conflict) {
		t.Errorf("settled twice: %v", err)
	}
	reopened, err := env.Submit(t.Context(), annotator.ID, next, helpfulSubmission) // what is open comes first
	if err != nil || reopened == token {
		t.Fatal(reopened, err)
	}
	if s, err := env.LabelingScreen(t.Context(), annotator.ID, reopened); err != nil || s.Draft.Values["helpful"] != 1 {
		t.Errorf("the form comes back as %+v, %v", s.Draft, err)
	}
	if _, err := env.Submit(t.Context(), annotator.ID, token, helpfulSubmission); !errors.Is(err, fault.NotFound) {
		t.Errorf("the old address: %v", err)
	}
	if _, err := env.Submit(t.Context(), annotator.ID, reopened, unhelpfulSubmission); err != nil {
		t.Fatal(err)
	}
	env.submitAll(annotator)
	if n := env.queryInt(`
		SELECT count(*) FROM annotations new JOIN annotations old ON old.id = new.replaces
		WHERE new.attempt = 2 AND old.attempt = 1 AND new.assignment_id = old.assignment_id`); n != 1 {
		t.Error("the new answers do not point to the old")
	}
	current := 0
	err = env.Snapshot(t.Context(), env.admin.ID, p, func(s Snapshot) error {
		for a, err := range s.Annotations(t.Context(), ExportWork) {
			if err != nil {
				return err
			}
			if a.Current {
				current++
			}
		}
		return nil
	})
	if n := env.queryInt(`SELECT count(*) FROM annotations`); err != nil || n != 6 || current != 5 {
		t.Errorf("%d of %d annotations are current, %v", current, n, err)
	}
}

func TestContentWarning_Changed_Shown(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("warned", 2)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	s, err := env.SessionSettings(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.SupportURL = "https://support.example/"
	for _, text := range []string{"Sad texts.", "Sad and angry texts."} {
		s.ContentWarning = text
		if err := env.UpdateSessionSettings(t.Context(), env.admin.ID, p, s); err != nil {
			t.Fatal(err)
		}
		if got, err := env.ContentWarning(t.Context(), accounts[0].ID, b.ID); err != nil || got.Text != text {
			t.Errorf("the warning to read is %q, %v", got.Text, err)
		}
		if err := env.AcknowledgeBatchWarning(t.Context(), accounts[0].ID, b.ID); err != nil {
			t.Fatal(err)
		}
		if got, err := env.ContentWarning(t.Context(), accounts[0].ID, b.ID); err != nil || got.Text != "" {
			t.Errorf("what was read is shown again: %q, %v", got.Text, err)
		}
	}
	if _, err := env.pool.Exec(t.Context(), `UPDATE warnings_read SET day = day - 1`); err != nil {
		t.Fatal(err)
	}
	if got, err := env.ContentWarning(t.Context(), accounts[0].ID, b.ID); err != nil || got.Text == "" {
		t.Errorf("the next day nothing is to read: %v", err)
	}
}

func TestOpenBatch_SensitiveProject_NeedsSupportLink(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("sensitive", 2)
	s, err := env.SessionSettings(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	setWarning := func(warning, support string) error {
		s.ContentWarning, s.SupportURL = warning, support
		return env.UpdateSessionSettings(t.Context(), env.admin.ID, p, s)
	}
	if err := setWarning("Sad texts.", ""); err != nil {
		t.Fatal(err)
	}
	spec := project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1}
	if _, err := env.OpenBatch(t.Context(), env.admin.ID, p, spec); !errors.Is(err, fault.Conflict) {
		t.Errorf("a batch is opened without a support link: %v", err)
	}
	if err := setWarning("Sad texts.", "https://support.example/"); err != nil {
		t.Fatal(err)
	}
	env.newBatch(p, spec)
	if err := setWarning("Sad texts.", ""); !errors.Is(err, fault.Invalid) {
		t.Errorf("the support link goes while a batch is open: %v", err)
	}
	if err := setWarning("", ""); err != nil {
		t.Errorf("without a warning: %v", err)
	}
	if err := setWarning("Sad again.", ""); !errors.Is(err, fault.Invalid) {
		t.Errorf("a warning comes without a support link while a batch is open: %v", err)
	}
}
