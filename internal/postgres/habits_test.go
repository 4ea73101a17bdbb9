package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/project"
)

func TestAnnotatorsSeeTheirHabitsOnlyWhereTheProjectAllowsAndOfClosedBatches(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	p := w.project("shown", 3)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2})
	for _, a := range accounts {
		w.labelAll(a.ID, good)
	}
	mine := func() []HabitProject {
		t.Helper()
		list, err := w.HabitProjects(t.Context(), accounts[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if list := mine(); len(list) != 0 {
		t.Errorf("nobody allowed it, and there is %+v", list)
	}
	if err := w.ShowHabits(t.Context(), w.admin.ID, p, true); err != nil {
		t.Fatal(err)
	}
	if shown, err := w.HabitsShown(t.Context(), p); !shown || err != nil {
		t.Errorf("shown: %v, %v", shown, err)
	}
	list := mine()
	if len(list) != 1 || list[0].Closed != 0 || list[0].Pseudonym == "" {
		t.Fatalf("there is %+v", list)
	}
	if d, err := w.HabitData(t.Context(), list[0]); err != nil || len(d.Labels) != 0 {
		t.Errorf("%d labels of an open batch, %v", len(d.Labels), err)
	}
	before, _ := w.Reach(t.Context(), list[0].Project())
	if err := w.CloseBatch(t.Context(), w.admin.ID, p, "one"); err != nil {
		t.Fatal(err)
	}
	if d, err := w.HabitData(t.Context(), mine()[0]); err != nil || len(d.Labels) != 6 || mine()[0].Closed != 1 {
		t.Errorf("%d labels of a closed batch, %v", len(d.Labels), err)
	}
	if after, _ := w.Reach(t.Context(), list[0].Project()); after == before {
		t.Error("what was made before the batch closed would still be shown")
	}
	if list, _ := w.HabitProjects(t.Context(), w.admin.ID); len(list) != 0 {
		t.Errorf("the lead is no annotator of it: %+v", list)
	}
}
