package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func TestADaysLimitIsKeptByTheServer(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	p := w.project("day", 10)
	w.set(p, `day_items = 3`)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	w.finish(accounts[0])
	if n := w.count(`SELECT count(*) FROM annotations`); n != 3 {
		t.Errorf("%d items were given on one day, want 3", n)
	}
	step, err := w.Step(t.Context(), accounts[0].ID)
	if err != nil || step.Shares[0].Limit != labeling.DayIsFull {
		t.Errorf("the step is %+v, %v", step, err)
	}
	w.past(24 * 60)
	if w.begin(accounts[0]) == "" {
		t.Error("nothing is given on the next day")
	}
}

func TestASittingsLimitIsKeptUntilSomebodyWasAway(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	p := w.project("sitting", 10)
	w.set(p, `sitting_minutes = 60`)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	w.step(accounts[0])
	token := w.begin(accounts[0])
	w.past(61)
	if next, err := w.Submit(t.Context(), accounts[0].ID, token, good); err != nil || next != "" {
		t.Errorf("after an hour: %q, %v", next, err)
	}
	if w.begin(accounts[0]) != "" {
		t.Error("the sitting goes on after an hour")
	}
	w.past(29)
	w.past(29)
	if w.begin(accounts[0]) == "" {
		t.Error("nothing is given after a long rest")
	}
}

func TestAbandonedWorkGoesBackAndIsFoundAgain(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	p := w.project("left", 1)
	w.set(p, `return_after = 30`)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	first, second := accounts[0], accounts[1]
	token := w.begin(first)
	half := labeling.Submission{Tab: "a", Answers: good.Answers}
	half.Answers.Note = "half a thought"
	if err := w.SaveDraft(t.Context(), first.ID, token, 1, half); err != nil {
		t.Fatal(err)
	}
	if w.begin(second) != "" {
		t.Fatal("the item was given away at once")
	}
	leave := func() {
		t.Helper()
		if _, err := w.pool.Exec(t.Context(), `UPDATE slots SET claimed_at = claimed_at - interval '31 minutes'`); err != nil {
			t.Fatal(err)
		}
		w.past(31)
	}
	leave()
	if n, err := w.ReturnAbandoned(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d went back, %v", n, err)
	}
	if s, err := w.Screen(t.Context(), first.ID, token); err != nil || s.Draft.Note != "half a thought" {
		t.Errorf("the page left open: %+v, %v", s.Draft, err)
	}
	if again := w.begin(first); again != token {
		t.Errorf("coming back leads to %q", again)
	}
	leave()
	other := w.begin(second) // nobody has to sweep first
	if other == "" {
		t.Fatal("the item does not go to somebody else")
	}
	if _, err := w.Submit(t.Context(), first.ID, token, good); !errors.Is(err, labeling.GoneOn) {
		t.Errorf("too late: %v", err)
	}
	if _, err := w.Screen(t.Context(), first.ID, token); !errors.Is(err, labeling.GoneOn) {
		t.Errorf("looking too late: %v", err)
	}
	if _, err := w.Submit(t.Context(), second.ID, other, good); err != nil {
		t.Error(err)
	}
}

func TestASubmitAfterTheItemWentBackIsTakenWhileItsSlotIsFree(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	w.open(w.project("late", 1), project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	token := w.begin(accounts[0])
	if _, err := w.pool.Exec(t.Context(), `UPDATE slots SET claimed_at = claimed_at - interval '2 days'`); err != nil {
		t.Fatal(err)
	}
	if n, err := w.ReturnAbandoned(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d went back, %v", n, err)
	}
	if _, err := w.Submit(t.Context(), accounts[0].ID, token, good); err != nil {
		t.Fatal(err)
	}
	if n := w.count(`SELECT count(*) FROM slots WHERE account_id = $1`, accounts[0].ID); n != 1 {
		t.Error("the label holds no slot")
	}
	if w.begin(accounts[1]) != "" {
		t.Error("the item is given once too often")
	}
}

func TestWhatIsSetAsideGoesWhereTheProjectSays(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	for choice, want := range map[labeling.AsideNext]struct{ mine, others bool }{
		labeling.ToSomebody: {false, true}, labeling.ToMeLater: {true, false}, labeling.ToNobody: {false, false},
	} {
		p := w.project("aside-"+string(choice), 1)
		w.set(p, `aside_next = '`+string(choice)+`'`)
		b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1})
		token, err := w.Begin(t.Context(), accounts[0].ID, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		next, err := w.SetAside(t.Context(), accounts[0].ID, token, labeling.Aside{Reason: labeling.Unclear, Word: "why?"})
		if err != nil || (next != "") != want.mine {
			t.Errorf("%s: next is %q, %v", choice, next, err)
		}
		if other, err := w.Begin(t.Context(), accounts[1].ID, b.ID); err != nil || (other != "") != want.others {
			t.Errorf("%s: somebody else gets %q, %v", choice, other, err)
		}
		if got, err := w.Batch(t.Context(), p.ID, "one"); err != nil || got.Submitted != 0 || got.Slots != 1 {
			t.Errorf("%s: the batch stands at %+v", choice, got)
		}
		if choice != labeling.ToMeLater {
			continue
		}
		if _, err := w.SetAside(t.Context(), accounts[0].ID, next, labeling.Aside{Reason: labeling.Distressing}); err != nil {
			t.Fatal(err)
		}
		if other, err := w.Begin(t.Context(), accounts[1].ID, b.ID); err != nil || other == "" {
			t.Errorf("set aside twice, it goes to nobody: %v", err)
		}
	}
}

func TestALeadReopensAFlaggedItemAndBothAnswersStay(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	p := w.project("slip", 5)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	me := accounts[0]
	token := w.begin(me)
	next, err := w.Submit(t.Context(), me.ID, token, good)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Flag(t.Context(), me.ID, next, "not sent yet"); !errors.Is(err, fault.Conflict) {
		t.Errorf("flagging what is open: %v", err)
	}
	for range 2 {
		if err := w.Flag(t.Context(), me.ID, token, "I meant no"); err != nil {
			t.Fatal(err)
		}
	}
	flags, err := w.Flags(t.Context(), b.ID)
	if err != nil || len(flags) != 1 || flags[0].Says != "I meant no" {
		t.Fatalf("%+v, %v", flags, err)
	}
	if err := w.Reopen(t.Context(), w.admin.ID, p, b, flags[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := w.Reopen(t.Context(), w.admin.ID, p, b, flags[0].ID); !errors.Is(err, fault.Conflict) {
		t.Errorf("settled twice: %v", err)
	}
	again, err := w.Submit(t.Context(), me.ID, next, good) // what is open comes first
	if err != nil || again == token {
		t.Fatal(again, err)
	}
	if s, err := w.Screen(t.Context(), me.ID, again); err != nil || s.Draft.Values["helpful"] != 1 {
		t.Errorf("the form comes back as %+v, %v", s.Draft, err)
	}
	if _, err := w.Submit(t.Context(), me.ID, token, good); !errors.Is(err, fault.NotFound) {
		t.Errorf("the old address: %v", err)
	}
	if _, err := w.Submit(t.Context(), me.ID, again, unhelpful); err != nil {
		t.Fatal(err)
	}
	w.finish(me)
	if n := w.count(`
		SELECT count(*) FROM annotations new JOIN annotations old ON old.id = new.replaces
		WHERE new.attempt = 2 AND old.attempt = 1 AND new.assignment_id = old.assignment_id`); n != 1 {
		t.Error("the new answers do not point to the old")
	}
	current := 0
	err = w.Snapshot(t.Context(), p, func(s Snapshot) error {
		for a, err := range s.Annotations(t.Context(), Work) {
			if err != nil {
				return err
			}
			if a.Current {
				current++
			}
		}
		return nil
	})
	if n := w.count(`SELECT count(*) FROM annotations`); err != nil || n != 6 || current != 5 {
		t.Errorf("%d of %d annotations are current, %v", current, n, err)
	}
}

func TestAChangedWarningIsReadAnew(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	p := w.project("warned", 2)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	s, err := w.SessionOf(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.SupportURL = "https://support.example/"
	for _, text := range []string{"Sad texts.", "Sad and angry texts."} {
		s.Warning = text
		if err := w.SetSession(t.Context(), w.admin.ID, p, s); err != nil {
			t.Fatal(err)
		}
		if got, err := w.Warning(t.Context(), accounts[0].ID, b.ID); err != nil || got.Text != text {
			t.Errorf("the warning to read is %q, %v", got.Text, err)
		}
		if err := w.ReadWarningOf(t.Context(), accounts[0].ID, b.ID); err != nil {
			t.Fatal(err)
		}
		if got, err := w.Warning(t.Context(), accounts[0].ID, b.ID); err != nil || got.Text != "" {
			t.Errorf("what was read is shown again: %q, %v", got.Text, err)
		}
	}
	if _, err := w.pool.Exec(t.Context(), `UPDATE warnings_read SET day = day - 1`); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Warning(t.Context(), accounts[0].ID, b.ID); err != nil || got.Text == "" {
		t.Errorf("the next day nothing is to read: %v", err)
	}
}

func TestWhereTextsAreWarnedOfNobodyWorksWithoutSomebodyToTalkTo(t *testing.T) {
	w := newWorld(t)
	emails, _ := w.annotators(1)
	p := w.project("sensitive", 2)
	s, err := w.SessionOf(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	set := func(warning, support string) error {
		s.Warning, s.SupportURL = warning, support
		return w.SetSession(t.Context(), w.admin.ID, p, s)
	}
	if err := set("Sad texts.", ""); err != nil {
		t.Fatal(err)
	}
	h := project.Handout{Name: "one", Annotators: emails, Overlap: 1}
	if _, err := w.OpenBatch(t.Context(), w.admin.ID, p, h); !errors.Is(err, fault.Conflict) {
		t.Errorf("a batch is opened without a support link: %v", err)
	}
	if err := set("Sad texts.", "https://support.example/"); err != nil {
		t.Fatal(err)
	}
	w.open(p, h)
	if err := set("Sad texts.", ""); !errors.Is(err, fault.Invalid) {
		t.Errorf("the support link goes while a batch is open: %v", err)
	}
	if err := set("", ""); err != nil {
		t.Errorf("without a warning: %v", err)
	}
	if err := set("Sad again.", ""); !errors.Is(err, fault.Invalid) {
		t.Errorf("a warning comes without a support link while a batch is open: %v", err)
	}
}
