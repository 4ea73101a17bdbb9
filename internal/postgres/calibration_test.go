package postgres

import (
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// newCalibratingAnnotator creates a batch with a calibration set of n items for one
// annotator.
func (env testEnv) newCalibratingAnnotator(items, n, duplicates int) (project.Project, project.Batch, account.Account) {
	env.t.Helper()
	emails, annotators := env.newAnnotators(1)
	p := env.newProject("test", items)
	env.addReferences(p, n)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, CalibrationCount: n,
		DuplicateCount: duplicates, Seed: 4})
	return p, b, annotators[0]
}

func TestCalibration_BeforeWork(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator := env.newCalibratingAnnotator(6, 3, 0)
	if b.CalibrationCount != 3 || b.Items != 6 || b.LabelsWanted != 6 {
		t.Errorf("batch = %+v", b)
	}
	if items := env.submitCalibration(annotator, helpfulSubmission); len(items) != 3 {
		t.Errorf("%d calibration items, want 3", len(items))
	}
	overview, err := env.WorkOverview(t.Context(), annotator.ID)
	if err != nil || len(overview.Batches) != 1 || !overview.Batches[0].NeedsCalibrationReview {
		t.Errorf("overview = %+v, %v", overview, err)
	}
	for range 2 {
		env.startWork(annotator, b)
	}
	env.submitAll(annotator, helpfulSubmission)
	if got, err := env.Batch(t.Context(), 0, p.ID, "one"); err != nil || got.LabelsGiven != 6 {
		t.Errorf("batch = %+v, %v", got, err)
	}
	env.checkCount(0, `assignments WHERE kind = 'work' AND sequence_no <= 3`)
}

func TestCalibrationResult_ShowsBias(t *testing.T) {
	env := newTestEnv(t)
	_, b, annotator := env.newCalibratingAnnotator(2, 4, 0)
	_, err := env.CalibrationResult(t.Context(), annotator.ID, b.ID)
	checkErrorIs(t, "before completion", err, fault.NotFound)
	env.submitCalibration(annotator, unhelpfulSubmission)
	result, err := env.CalibrationResult(t.Context(), annotator.ID, b.ID)
	if err != nil || len(result.Items) != 4 || !slices.Equal(result.MissedFields, []string{"helpful"}) {
		t.Fatalf("result = %+v, %v", result, err)
	}
	bias := result.Biases[slices.IndexFunc(result.Biases, func(b labeling.Bias) bool {
		return b.Field.Key == "helpful"
	})]
	if bias.Mean != -1 || bias.FarCount != 4 || bias.N != 4 {
		t.Errorf("bias = %+v", bias)
	}
	if item := result.Items[0]; !item.Answered || item.Own.Values["helpful"] != 0 ||
		item.Reference.Values["helpful"] != 1 || item.Reasons[protocol.NoteKey] != "It fits." {
		t.Errorf("item = %+v", item)
	}
}

func TestCalibration_DefaultCount_UsesReferences(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("test", 2)
	env.addReferences(p, 4)
	if b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1,
		CalibrationCount: project.UseDefault}); b.CalibrationCount != 4 {
		t.Errorf("%d calibration items, want 4", b.CalibrationCount)
	}
}

func TestCalibration_MissPolicies(t *testing.T) {
	for _, policy := range []labeling.MissPolicy{labeling.MissContinue, labeling.MissRetake, labeling.MissWait} {
		t.Run(string(policy), func(t *testing.T) {
			env := newTestEnv(t)
			p, b, annotator := env.newCalibratingAnnotator(2, 8, 0)
			env.setMissPolicy(p, policy)
			first := env.submitCalibration(annotator, unhelpfulSubmission)
			checkErrorIs(t, "work without reading", env.StartWork(t.Context(), annotator.ID, b.ID), fault.Conflict)
			checkErrorIs(t, "read a section that was not missed", env.MarkSectionRead(t.Context(), annotator.ID, b.ID,
				"proper_action"), fault.NotFound)
			if err := env.MarkSectionRead(t.Context(), annotator.ID, b.ID, "helpful"); err != nil {
				t.Fatal(err)
			}
			startErr, retakeErr := env.StartWork(t.Context(), annotator.ID, b.ID), env.RetakeCalibration(t.Context(),
				annotator.ID, b.ID)
			if (startErr == nil) != (policy == labeling.MissContinue) ||
				(retakeErr == nil) != (policy == labeling.MissRetake) {
				t.Errorf("start: %v, retake: %v", startErr, retakeErr)
			}
			switch policy {
			case labeling.MissRetake:
				if second := env.submitCalibration(annotator, helpfulSubmission); slices.Equal(first, second) ||
					len(second) != len(first) {
					t.Errorf("the retake has the order of the first attempt: %v", second)
				}
				checkErrorIs(t, "work after practice", env.StartWork(t.Context(), annotator.ID, b.ID), fault.Conflict)
				checkErrorIs(t, "retake of practice", env.RetakeCalibration(t.Context(), annotator.ID, b.ID),
					fault.Conflict)
				if err := env.OverrideCalibration(t.Context(), env.admin.ID, p, b.ID, annotator.ID,
					"We talked."); err != nil {
					t.Error(err)
				}
			case labeling.MissWait:
				checkErrorIs(t, "override without a reason", env.OverrideCalibration(t.Context(), env.admin.ID, p, b.ID,
					annotator.ID, " "), fault.Invalid)
				if err := env.OverrideCalibration(t.Context(), env.admin.ID, p, b.ID, annotator.ID,
					"We talked."); err != nil {
					t.Error(err)
				}
			}
			if env.openItem(annotator) == "" {
				t.Error("no work after the calibration")
			}
		})
	}
}

// A retake has items that the annotator has not seen, for as long as there are any. Their
// reference answers were not shown, so it tests. Another annotator starts with the set.
func TestCalibration_Retake_DrawsUnseenItems(t *testing.T) {
	env := newTestEnv(t)
	emails, annotators := env.newAnnotators(2)
	p := env.newProject("unseen", 4)
	env.addReferences(p, 7)
	env.setMissPolicy(p, labeling.MissRetake)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, CalibrationCount: 3, Seed: 4})
	ann := annotators[0]
	seen := map[project.ItemID]bool{}
	for attempt, want := range []int{3, 3, 1} {
		env.submitCalibration(ann, unhelpfulSubmission)
		result, err := env.CalibrationResult(t.Context(), ann.ID, b.ID)
		if err != nil || len(result.Items) != want || result.IsPractice || result.AttemptNo != attempt+1 {
			t.Fatalf("attempt %d: %d items, practice %v, %v", attempt+1, len(result.Items), result.IsPractice, err)
		}
		for _, item := range result.Items {
			if seen[item.ItemID] {
				t.Errorf("attempt %d shows item %d again", attempt+1, item.ItemID)
			}
			seen[item.ItemID] = true
		}
		if attempt == 2 {
			break // one item misses nothing: a miss takes two
		}
		if result.IsLast() {
			t.Errorf("attempt %d counts as the last", attempt+1)
		}
		if err := env.MarkSectionRead(t.Context(), ann.ID, b.ID, "helpful"); err != nil {
			t.Fatal(err)
		}
		if err := env.RetakeCalibration(t.Context(), ann.ID, b.ID); err != nil {
			t.Fatal(err)
		}
	}
	env.startWork(ann, b)
	if n := len(env.submitCalibration(annotators[1], helpfulSubmission)); n != 3 {
		t.Errorf("the other annotator starts with %d items, want the set of 3", n)
	}
}

func TestCalibration_RetakeDuringWork(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator := env.newCalibratingAnnotator(10, 2, 2)
	env.submitCalibration(annotator, helpfulSubmission)
	env.startWork(annotator, b)
	for range 4 {
		env.submitItem(annotator)
	}
	if err := env.RequestRetake(t.Context(), env.admin.ID, p, b, annotator.ID); err != nil {
		t.Fatal(err)
	}
	checkErrorIs(t, "second request", env.RequestRetake(t.Context(), env.admin.ID, p, b, annotator.ID), fault.Conflict)
	env.submitItem(annotator) // the open item comes first
	env.submitCalibration(annotator, helpfulSubmission)
	env.startWork(annotator, b)
	env.submitAll(annotator, helpfulSubmission)
	env.checkCount(4, `annotations n JOIN assignments a ON a.id = n.assignment_id WHERE a.kind = 'calibration'`)
	env.checkCount(12, `assignments WHERE kind <> 'calibration'`)
}
