package postgres

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// addReferences gives n calibration items to a project, whose reference is good.
func (env testEnv) addReferences(p project.Project, n int) {
	env.t.Helper()
	items := make([]importer.ReferenceRow, n)
	for i := range items {
		items[i] = importer.ReferenceRow{
			Item: project.Item{SourceID: fmt.Sprintf("c%d", i+1), Facts: protocol.Facts{}, Content: project.Content{
				"query": {Text: fmt.Sprintf("Trial %d?", i+1)}, "answer": {Text: "An answer."}}},
			Reference: labeling.Reference{Answers: helpfulSubmission.Answers, Reasons: map[string]string{protocol.NoteKey: "It fits."}},
		}
	}
	if err := env.ImportReferences(env.t.Context(), env.admin.ID, p, File{Name: "c.jsonl", SHA256: [32]byte{9, byte(n)}}, items); err != nil {
		env.t.Fatal(err)
	}
}

func (env testEnv) setMissPolicy(p project.Project, policy labeling.MissPolicy) {
	env.t.Helper()
	if _, err := env.pool.Exec(env.t.Context(), `UPDATE projects SET after_miss = $2 WHERE id = $1`, p.ID, policy); err != nil {
		env.t.Fatal(err)
	}
}

// unhelpfulSubmission says of everything that it does not help.
var unhelpfulSubmission = labeling.Submission{ActiveMS: 1000, Answers: protocol.Answers{Values: func() map[string]int {
	values := maps.Clone(helpfulSubmission.Answers.Values)
	values["helpful"] = 0
	return values
}()}}

// submitCalibration answers a whole calibration set, and returns its items in order.
func (env testEnv) submitCalibration(a account.Account, s labeling.Submission) (items []project.ItemID) {
	env.t.Helper()
	for token := env.openItem(a); token != ""; {
		screen, err := env.LabelingScreen(env.t.Context(), a.ID, token)
		if err != nil || !screen.IsCalibration || screen.CompletedItems != len(items) {
			env.t.Fatalf("not a calibration item: %+v, %v", screen.Assignment, err)
		}
		items = append(items, screen.ItemID)
		if token, err = env.Submit(env.t.Context(), a.ID, token, s); err != nil {
			env.t.Fatal(err)
		}
	}
	return items
}

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

func TestReference_Invalid_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("kept-to", 3)
	env.addReferences(p, 1)
	refs, err := env.References(t.Context(), p.ID)
	if err != nil || len(refs) != 1 || refs[0].Reasons[protocol.NoteKey] != "It fits." {
		t.Fatalf("%+v, %v", refs, err)
	}
	invalid := labeling.Reference{Answers: protocol.Answers{Values: map[string]int{"helpful": 3}}}
	if _, ok := errors.AsType[protocol.Problems](env.SetReference(t.Context(), env.admin.ID, p, refs[0].ID, invalid)); !ok {
		t.Error("answers that nobody could give were taken")
	}
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	item := project.ItemID(env.queryInt(`SELECT min(item_id) FROM batch_items`))
	if err := env.SetReference(t.Context(), env.admin.ID, p, item, refs[0].Reference); !errors.Is(err, fault.Conflict) {
		t.Errorf("an item handed out became one of calibration: %v", err)
	}
}
