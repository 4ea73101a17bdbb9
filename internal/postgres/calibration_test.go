package postgres

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sheet"
)

// references gives n calibration items to a project, whose reference is good.
func (w world) references(p project.Project, n int) {
	w.t.Helper()
	items := make([]sheet.Referenced, n)
	for i := range items {
		items[i] = sheet.Referenced{
			Item: project.Item{SourceID: fmt.Sprintf("c%d", i+1), Facts: protocol.Facts{}, Content: project.Content{
				"query": {Text: fmt.Sprintf("Trial %d?", i+1)}, "answer": {Text: "An answer."}}},
			Reference: labeling.Reference{Answers: good.Answers, Why: map[string]string{protocol.Note: "It fits."}},
		}
	}
	if err := w.ImportReferences(w.t.Context(), w.admin.ID, p, File{Name: "c.jsonl", SHA256: [32]byte{9, byte(n)}}, items); err != nil {
		w.t.Fatal(err)
	}
}

func (w world) after(p project.Project, choice labeling.AfterMiss) {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), `UPDATE projects SET after_miss = $2 WHERE id = $1`, p.ID, choice); err != nil {
		w.t.Fatal(err)
	}
}

// unhelpful says of everything that it does not help.
var unhelpful = labeling.Submission{ActiveMS: 1000, Answers: protocol.Answers{Values: func() map[string]int {
	values := maps.Clone(good.Answers.Values)
	values["helpful"] = 0
	return values
}()}}

// calibrate answers a whole calibration set, and returns its items in order.
func (w world) calibrate(a account.Account, s labeling.Submission) (items []int64) {
	w.t.Helper()
	for token := w.begin(a); token != ""; {
		screen, err := w.Screen(w.t.Context(), a.ID, token)
		if err != nil || !screen.Calibration || screen.Done != len(items) {
			w.t.Fatalf("not a calibration item: %+v, %v", screen.Assignment, err)
		}
		items = append(items, screen.ItemID)
		if token, err = w.Submit(w.t.Context(), a.ID, token, s); err != nil {
			w.t.Fatal(err)
		}
	}
	return items
}

func TestNoWorkComesBeforeCalibration(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	p := w.project("first", 6)
	w.references(p, 3)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1, Calibration: 3})
	me := accounts[0]
	if b.Calibration != 3 || b.Items != 6 || b.Slots != 6 {
		t.Errorf("the batch stands at %+v", b)
	}
	if got := w.calibrate(me, good); len(got) != 3 {
		t.Errorf("%d calibration items", len(got))
	}
	if token := w.begin(me); token != "" {
		t.Error("there is work before the result was looked at")
	}
	step, err := w.Step(t.Context(), me.ID)
	if err != nil || len(step.Shares) != 1 || !step.Shares[0].Calibrated {
		t.Errorf("the step is %+v, %v", step, err)
	}
	for range 2 {
		if err := w.BeginWork(t.Context(), me.ID, b.ID); err != nil {
			t.Fatal(err)
		}
	}
	w.finish(me)
	if got, err := w.Batch(t.Context(), p.ID, "one"); err != nil || got.Submitted != 6 {
		t.Errorf("the batch stands at %+v, %v", got, err)
	}
	if n := w.count(`SELECT count(*) FROM assignments WHERE kind = 'work' AND position <= 3`); n != 0 {
		t.Error("work stands before calibration")
	}
}

func TestTheResultShowsOwnAndReferenceAndTheLean(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	p := w.project("result", 2)
	w.references(p, 4)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1, Calibration: project.AsPlanned})
	me := accounts[0]
	if _, err := w.Calibration(t.Context(), me.ID, b.ID); !errors.Is(err, fault.NotFound) {
		t.Errorf("a result before the end: %v", err)
	}
	w.calibrate(me, unhelpful)
	c, err := w.Calibration(t.Context(), me.ID, b.ID)
	if err != nil || len(c.Items) != 4 || !slices.Equal(c.Missed, []string{"helpful"}) {
		t.Fatalf("%+v, %v", c, err)
	}
	lean := c.Leans[slices.IndexFunc(c.Leans, func(l labeling.Lean) bool { return l.Field.Key == "helpful" })]
	if lean.Mean != -1 || lean.Far != 4 || lean.N != 4 {
		t.Errorf("the lean is %+v", lean)
	}
	if i := c.Items[0]; !i.Answered || i.Own.Values["helpful"] != 0 || i.Reference.Values["helpful"] != 1 || i.Why[protocol.Note] != "It fits." {
		t.Errorf("the item is shown as %+v", i)
	}
}

func TestAfterAMissTheProjectsChoiceHolds(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(3)
	choices := []labeling.AfterMiss{labeling.GoOn, labeling.Again, labeling.Wait}
	for i, choice := range choices {
		p := w.project(fmt.Sprintf("miss-%d", i), 2)
		w.references(p, 8)
		w.after(p, choice)
		b := w.open(p, project.Handout{Name: "one", Annotators: emails[i : i+1], Overlap: 1, Calibration: 8, Seed: 4})
		me := accounts[i]
		first := w.calibrate(me, unhelpful)
		if err := w.BeginWork(t.Context(), me.ID, b.ID); !errors.Is(err, fault.Conflict) {
			t.Errorf("%s: work without reading the section: %v", choice, err)
		}
		if err := w.ReadSection(t.Context(), me.ID, b.ID, "proper_action"); !errors.Is(err, fault.NotFound) {
			t.Errorf("%s: a section that nobody asked to read: %v", choice, err)
		}
		if err := w.ReadSection(t.Context(), me.ID, b.ID, "helpful"); err != nil {
			t.Fatal(err)
		}
		begin, again := w.BeginWork(t.Context(), me.ID, b.ID), w.TakeAgain(t.Context(), me.ID, b.ID)
		if (begin == nil) != (choice == labeling.GoOn) || (again == nil) != (choice == labeling.Again) {
			t.Errorf("%s: begin %v, again %v", choice, begin, again)
		}
		switch choice {
		case labeling.Again:
			if second := w.calibrate(me, good); slices.Equal(first, second) || len(second) != len(first) {
				t.Errorf("the second time is in the order of the first: %v", second)
			}
			if err := w.BeginWork(t.Context(), me.ID, b.ID); err != nil {
				t.Error(err)
			}
		case labeling.Wait:
			if err := w.LetGoOn(t.Context(), w.admin.ID, p, b.ID, me.ID, " "); !errors.Is(err, fault.Invalid) {
				t.Errorf("let go on without a reason: %v", err)
			}
			if err := w.LetGoOn(t.Context(), w.admin.ID, p, b.ID, me.ID, "We talked."); err != nil {
				t.Error(err)
			}
		}
		if w.begin(me) == "" {
			t.Errorf("%s: there is no work in the end", choice)
		}
	}
}

func TestTheSetCanBeRunAgainInTheMiddleOfABatch(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	p := w.project("middle", 10)
	w.references(p, 2)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1, Calibration: 2, Duplicates: 2})
	me := accounts[0]
	w.calibrate(me, good)
	if err := w.BeginWork(t.Context(), me.ID, b.ID); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		w.step(me)
	}
	if err := w.AskAgain(t.Context(), w.admin.ID, p, b, me.ID); err != nil {
		t.Fatal(err)
	}
	if err := w.AskAgain(t.Context(), w.admin.ID, p, b, me.ID); !errors.Is(err, fault.Conflict) {
		t.Errorf("asked twice: %v", err)
	}
	w.step(me) // what was open is finished first
	w.calibrate(me, good)
	if token := w.begin(me); token != "" {
		t.Error("work goes on before the result was looked at")
	}
	if err := w.BeginWork(t.Context(), me.ID, b.ID); err != nil {
		t.Fatal(err)
	}
	w.finish(me)
	if n := w.count(`SELECT count(*) FROM annotations n JOIN assignments a ON a.id = n.assignment_id WHERE a.kind = 'calibration'`); n != 4 {
		t.Errorf("%d calibration answers, want 4", n)
	}
	if n := w.count(`SELECT count(*) FROM assignments WHERE kind <> 'calibration'`); n != 12 {
		t.Errorf("%d items of work and duplicates, want 12", n)
	}
}

func TestAReferenceIsKeptToTheProtocol(t *testing.T) {
	w := newWorld(t)
	emails, _ := w.annotators(1)
	p := w.project("kept-to", 3)
	w.references(p, 1)
	refs, err := w.References(t.Context(), p.ID)
	if err != nil || len(refs) != 1 || refs[0].Why[protocol.Note] != "It fits." {
		t.Fatalf("%+v, %v", refs, err)
	}
	bad := labeling.Reference{Answers: protocol.Answers{Values: map[string]int{"helpful": 3}}}
	if _, ok := errors.AsType[protocol.Problems](w.SetReference(t.Context(), w.admin.ID, p, refs[0].ID, bad)); !ok {
		t.Error("answers that nobody could give were taken")
	}
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	item := int64(w.count(`SELECT min(item_id) FROM batch_items`))
	if err := w.SetReference(t.Context(), w.admin.ID, p, item, refs[0].Reference); !errors.Is(err, fault.Conflict) {
		t.Errorf("an item handed out became one of calibration: %v", err)
	}
}
