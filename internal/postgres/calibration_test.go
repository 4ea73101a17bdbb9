package postgres

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

func TestCalibration_BeforeWork(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("first", 6)
	env.addReferences(p, 3)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, CalibrationCount: 3})
	annotator := accounts[0]
	if b.CalibrationCount != 3 || b.Items != 6 || b.Slots != 6 {
		t.Errorf("the batch stands at %+v", b)
	}
	if got := env.submitCalibration(annotator, helpfulSubmission); len(got) != 3 {
		t.Errorf("%d calibration items", len(got))
	}
	if token := env.openItem(annotator); token != "" {
		t.Error("there is work before the result was looked at")
	}
	overview, err := env.WorkOverview(t.Context(), annotator.ID)
	if err != nil || len(overview.Batches) != 1 || !overview.Batches[0].NeedsCalibrationReview {
		t.Errorf("the step is %+v, %v", overview, err)
	}
	for range 2 {
		if err := env.StartWork(t.Context(), annotator.ID, b.ID); err != nil {
			t.Fatal(err)
		}
	}
	env.submitAll(annotator)
	if got, err := env.Batch(t.Context(), p.ID, "one"); err != nil || got.Submitted != 6 {
		t.Errorf("the batch stands at %+v, %v", got, err)
	}
	if n := env.queryInt(`SELECT count(*) FROM assignments WHERE kind = 'work' AND position <= 3`); n != 0 {
		t.Error("work stands before calibration")
	}
}

func TestCalibration_Done_ShowsBias(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("result", 2)
	env.addReferences(p, 4)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, CalibrationCount: project.UseDefault})
	annotator := accounts[0]
	if _, err := env.CalibrationResult(t.Context(), annotator.ID, b.ID); !errors.Is(err, fault.NotFound) {
		t.Errorf("a result before the end: %v", err)
	}
	env.submitCalibration(annotator, unhelpfulSubmission)
	c, err := env.CalibrationResult(t.Context(), annotator.ID, b.ID)
	if err != nil || len(c.Items) != 4 || !slices.Equal(c.MissedFields, []string{"helpful"}) {
		t.Fatalf("%+v, %v", c, err)
	}
	bias := c.Biases[slices.IndexFunc(c.Biases, func(l labeling.Bias) bool { return l.Field.Key == "helpful" })]
	if bias.Mean != -1 || bias.FarCount != 4 || bias.N != 4 {
		t.Errorf("the lean is %+v", bias)
	}
	if i := c.Items[0]; !i.Answered || i.Own.Values["helpful"] != 0 || i.Reference.Values["helpful"] != 1 || i.Reasons[protocol.NoteKey] != "It fits." {
		t.Errorf("the item is shown as %+v", i)
	}
}

func TestCalibration_MissPolicies(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(3)
	policies := []labeling.MissPolicy{labeling.MissContinue, labeling.MissRetake, labeling.MissWait}
	for i, policy := range policies {
		p := env.newProject(fmt.Sprintf("miss-%d", i), 2)
		env.addReferences(p, 8)
		env.setMissPolicy(p, policy)
		b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails[i : i+1], Overlap: 1, CalibrationCount: 8, Seed: 4})
		annotator := accounts[i]
		first := env.submitCalibration(annotator, unhelpfulSubmission)
		if err := env.StartWork(t.Context(), annotator.ID, b.ID); !errors.Is(err, fault.Conflict) {
			t.Errorf("%s: work without reading the section: %v", policy, err)
		}
		if err := env.MarkSectionRead(t.Context(), annotator.ID, b.ID, "proper_action"); !errors.Is(err, fault.NotFound) {
			t.Errorf("%s: a section that nobody asked to read: %v", policy, err)
		}
		if err := env.MarkSectionRead(t.Context(), annotator.ID, b.ID, "helpful"); err != nil {
			t.Fatal(err)
		}
		startErr, retakeErr := env.StartWork(t.Context(), annotator.ID, b.ID), env.RetakeCalibration(t.Context(), annotator.ID, b.ID)
		if (startErr == nil) != (policy == labeling.MissContinue) || (retakeErr == nil) != (policy == labeling.MissRetake) {
			t.Errorf("%s: begin %v, again %v", policy, startErr, retakeErr)
		}
		switch policy {
		case labeling.MissRetake:
			if second := env.submitCalibration(annotator, helpfulSubmission); slices.Equal(first, second) || len(second) != len(first) {
				t.Errorf("the second time is in the order of the first: %v", second)
			}
			if err := env.StartWork(t.Context(), annotator.ID, b.ID); err != nil {
				t.Error(err)
			}
		case labeling.MissWait:
			if err := env.OverrideCalibration(t.Context(), env.admin.ID, p, b.ID, annotator.ID, " "); !errors.Is(err, fault.Invalid) {
				t.Errorf("let go on without a reason: %v", err)
			}
			if err := env.OverrideCalibration(t.Context(), env.admin.ID, p, b.ID, annotator.ID, "We talked."); err != nil {
				t.Error(err)
			}
		}
		if env.openItem(annotator) == "" {
			t.Errorf("%s: there is no work in the end", policy)
		}
	}
}

func TestCalibration_MidBatch_Again(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(1)
	p := env.newProject("middle", 10)
	env.addReferences(p, 2)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, CalibrationCount: 2, DuplicateCount: 2})
	annotator := accounts[0]
	env.submitCalibration(annotator, helpfulSubmission)
	if err := env.StartWork(t.Context(), annotator.ID, b.ID); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		env.submitItem(annotator)
	}
	if err := env.RequestRetake(t.Context(), env.admin.ID, p, b, annotator.ID); err != nil {
		t.Fatal(err)
	}
	if err := env.RequestRetake(t.Context(), env.admin.ID, p, b, annotator.ID); !errors.Is(err, fault.Conflict) {
		t.Errorf("asked twice: %v", err)
	}
	env.submitItem(annotator) // what was open is finished first
	env.submitCalibration(annotator, helpfulSubmission)
	if token := env.openItem(annotator); token != "" {
		t.Error("work goes on before the result was looked at")
	}
	if err := env.StartWork(t.Context(), annotator.ID, b.ID); err != nil {
		t.Fatal(err)
	}
	env.submitAll(annotator)
	if n := env.queryInt(`SELECT count(*) FROM annotations n JOIN assignments a ON a.id = n.assignment_id WHERE a.kind = 'calibration'`); n != 4 {
		t.Errorf("%d calibration answers, want 4", n)
	}
	if n := env.queryInt(`SELECT count(*) FROM assignments WHERE kind <> 'calibration'`); n != 12 {
		t.Errorf("%d items of work and duplicates, want 12", n)
	}
}
