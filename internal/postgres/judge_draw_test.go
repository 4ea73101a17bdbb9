package postgres

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// newJudgedProject creates a project of n items. Two annotators have labeled ten of them in a closed
// batch, and find every third unhelpful. A judge finds every fourth unhelpful.
func (env testEnv) newJudgedProject(n int) (project.Project, []string, []account.Account) {
	env.t.Helper()
	emails, annotators := env.newAnnotators(2)
	p := env.newProject("test", n)
	b := env.newBatch(p, project.BatchSpec{Name: "first", Annotators: emails, Overlap: 2, Sample: project.Sample{Count: 10}, Seed: 3})
	for _, a := range annotators {
		env.submitEach(a, func(token string) labeling.Submission {
			if env.itemOf(token)%3 == 0 {
				return unhelpfulSubmission
			}
			return helpfulSubmission
		})
	}
	env.closeBatch(p, b)
	items, err := env.ItemsBySourceID(env.t.Context(), p.ID)
	if err != nil {
		env.t.Fatal(err)
	}
	var judgments []importer.ItemAnswers
	for i := range n {
		item := items[fmt.Sprintf("item-%d", i+1)]
		answer := 1
		if i%4 == 0 {
			answer = 0
		}
		judgments = append(judgments, importer.ItemAnswers{ItemID: item.ID, Values: map[string]int{"helpful": answer}})
	}
	if err := env.AddJudge(env.t.Context(), env.admin.ID, p, "judge v1", judgments); err != nil {
		env.t.Fatal(err)
	}
	return p, emails, annotators
}

func (env testEnv) mustPropose(p project.Project, d project.JudgeDraw) report.LabelProposal {
	env.t.Helper()
	proposal, err := env.ProposeLabels(env.t.Context(), env.admin.ID, p, d)
	if err != nil {
		env.t.Fatal(err)
	}
	return proposal
}

func TestProposeLabels_DrawsUnlabeledItemsByGain(t *testing.T) {
	env := newTestEnv(t)
	p, _, _ := env.newJudgedProject(60)
	proposal := env.mustPropose(p, project.JudgeDraw{Judge: "judge v1", Size: 20})
	if len(proposal.Candidates) != 50 || proposal.Labeled != 10 || len(proposal.Items) != 20 || proposal.Seed == 0 || proposal.LastLabelID == 0 || proposal.Digest == "" {
		t.Fatalf("%d of %d candidates after %d labels, draw %+v", len(proposal.Items), len(proposal.Candidates), proposal.Labeled, proposal.JudgeDraw)
	}
	probability := map[int]float64{} // by the judge's answer
	for i, item := range proposal.Items {
		if i > 0 && item.Gain > proposal.Items[i-1].Gain {
			t.Errorf("gains are not in descending order: %v", proposal.Items)
		}
		if item.Title == "" || item.SourceID == "" || item.Field != "helpful" || item.Reason == "none" {
			t.Errorf("item %+v", item)
		}
		probability[item.Answer] = item.Probability
		env.checkCount(0, `annotations WHERE item_id = $1`, item.ItemID)
	}
	if probability[0] <= probability[1] || probability[0] > 1 {
		t.Errorf("probabilities by the judge's answer %v; the rare answer 0 should have the larger one", probability)
	}
	again := env.mustPropose(p, proposal.JudgeDraw)
	if !slices.Equal(again.Items, proposal.Items) {
		t.Error("the same draw gives other items")
	}
	if other := env.mustPropose(p, project.JudgeDraw{Judge: "judge v1", Field: "helpful", Size: 20, Seed: proposal.Seed + 1}); slices.Equal(other.Items, proposal.Items) {
		t.Error("another seed gives the same items")
	}
	if all := env.mustPropose(p, project.JudgeDraw{Judge: "judge v1", Size: 500}); len(all.Items) != 50 || all.Items[0].Probability != 1 {
		t.Errorf("%d of 50 items, the first with probability %v", len(all.Items), all.Items[0].Probability)
	}
}

func TestProposeLabels_Refused(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newJudgedProject(20)
	for name, c := range map[string]struct {
		draw  project.JudgeDraw
		actor account.ID
		want  error
	}{
		"no size":       {project.JudgeDraw{Judge: "judge v1"}, env.admin.ID, fault.Invalid},
		"no judge":      {project.JudgeDraw{Size: 5}, env.admin.ID, fault.Invalid},
		"unknown judge": {project.JudgeDraw{Judge: "judge v2", Size: 5}, env.admin.ID, fault.NotFound},
		"unknown field": {project.JudgeDraw{Judge: "judge v1", Field: "x", Size: 5}, env.admin.ID, fault.NotFound},
		"annotator":     {project.JudgeDraw{Judge: "judge v1", Size: 5}, annotators[0].ID, fault.NotFound},
		"other digest":  {project.JudgeDraw{Judge: "judge v1", Size: 5, Seed: 1, Digest: "00"}, env.admin.ID, project.ErrDrawChanged},
	} {
		_, err := env.ProposeLabels(t.Context(), c.actor, p, c.draw)
		checkErrorIs(t, name, err, c.want)
	}
}

// TestOpenBatch_Draw_IsStored opens a batch with the items that were shown, and reads its design in
// the report.
func TestOpenBatch_Draw_IsStored(t *testing.T) {
	env := newTestEnv(t)
	p, emails, annotators := env.newJudgedProject(60)
	shown := env.mustPropose(p, project.JudgeDraw{Judge: "judge v1", Field: "helpful", Size: 12})
	b := env.newBatch(p, project.BatchSpec{Name: "next", Annotators: emails, Overlap: 1, Draw: &shown.JudgeDraw})
	if b.Items != 12 {
		t.Errorf("%d items, want 12", b.Items)
	}
	for _, item := range shown.Items {
		env.checkCount(1, `batch_items WHERE batch_id = $1 AND item_id = $2`, b.ID, item.ItemID)
		env.checkCount(1, `judge_draw_items WHERE item_id = $1 AND probability = $2 AND is_drawn`, item.ItemID, item.Probability)
	}
	env.checkCount(1, `judge_draws WHERE batch_id = $1 AND field = 'helpful' AND seed = $2 AND item_count = 12 AND candidate_count = 50 AND created_by = $3`, b.ID, shown.Seed, env.admin.ID)
	env.checkCount(50, `judge_draw_items`)
	env.checkCount(1, `audit_log WHERE action = 'judge.draw' AND (detail ->> 'candidates')::int = 50`)
	env.checkRejected(`UPDATE judge_draw_items SET probability = 0.5`)
	env.checkRejected(`DELETE FROM judge_draws`)

	want := project.BatchDraw{Judge: "judge v1", Field: "helpful", Items: 12, Candidates: 50, Seed: shown.Seed}
	if draw, err := env.BatchDraw(t.Context(), b.ID); err != nil || draw == nil || *draw != want {
		t.Errorf("draw %+v, %v; want %+v", draw, err, want)
	}
	if draw, err := env.BatchDraw(t.Context(), 1); err != nil || draw != nil {
		t.Errorf("a batch without a draw has %+v, %v", draw, err)
	}
	if design := env.designOf(p); design != nil {
		t.Errorf("a design without drawn labels: %+v", design)
	}
	for _, a := range annotators {
		env.submitAll(a, helpfulSubmission)
	}
	design := env.designOf(p)
	if design == nil || design.Drawn != 12 || design.Before != 10 || design.Uncovered != 0 || design.Unused != 0 || !slices.Equal(design.Batches, []string{"next"}) || design.Effective < 5 || design.Effective > 22 {
		t.Fatalf("design %+v", design)
	}
	data := env.reportData(p, "")
	total := 0.0
	for _, item := range data.Draws[0].Items {
		total += item.Probability
	}
	if len(data.Draws) != 1 || data.Draws[0].Batch != "next" || data.Draws[0].Judge != "judge v1" || math.Abs(total-12) > 1e-9 {
		t.Errorf("%d draws, probabilities with the sum %v", len(data.Draws), total)
	}
}

// designOf returns the design of the estimate of the field helpful.
func (env testEnv) designOf(p project.Project) *report.Design {
	env.t.Helper()
	judges, err := report.CompareJudges(env.reportData(p, ""), report.BuildOptions{Seed: 1, Resamples: 10})
	if err != nil {
		env.t.Fatal(err)
	}
	for _, f := range judges[0].Fields {
		if f.Field == "helpful" {
			return f.Estimate.Design
		}
	}
	return nil
}

// TestOpenBatch_Draw_OnlyAsShown changes the project between the draw and the batch.
func TestOpenBatch_Draw_OnlyAsShown(t *testing.T) {
	env := newTestEnv(t)
	p, emails, annotators := env.newJudgedProject(40)
	env.newBatch(p, project.BatchSpec{Name: "second", Annotators: emails, Overlap: 2, Sample: project.Sample{Count: 5}, Seed: 1})
	shown := env.mustPropose(p, project.JudgeDraw{Judge: "judge v1", Size: 10})
	open := func(name string, spec project.BatchSpec) error {
		spec.Name, spec.Annotators, spec.Overlap, spec.FewerCalibration = name, emails, 1, "A test."
		_, err := env.OpenBatch(t.Context(), env.admin.ID, p, spec)
		return err
	}
	checkErrorIs(t, "a sample of the draw", open("a", project.BatchSpec{Draw: &shown.JudgeDraw, Sample: project.Sample{Count: 5}}), fault.Invalid)
	checkErrorIs(t, "chosen items", open("b", project.BatchSpec{Draw: &shown.JudgeDraw, ItemIDs: []project.ItemID{shown.Items[0].ItemID}}), fault.Invalid)
	env.submitAll(annotators[0], helpfulSubmission) // labels since the draw do not change it
	if err := open("next", project.BatchSpec{Draw: &shown.JudgeDraw}); err != nil {
		t.Error("labels of an open batch change the draw:", err)
	}
	err := open("again", project.BatchSpec{Draw: &shown.JudgeDraw})
	if problems, isList := errors.AsType[project.FormProblems](err); !isList || !errors.Is(problems[0].Err, project.ErrDrawChanged) {
		t.Errorf("the drawn items are in a batch: %v, want %v", err, project.ErrDrawChanged)
	}
}
