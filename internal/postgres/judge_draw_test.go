package postgres

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/judging"
)

// newJudgedProject creates a project of n items. Two annotators have labeled ten of them in a closed
// batch, and find every third unhelpful. A judge finds every fourth unhelpful.
func (env testEnv) newJudgedProject(n int) (project.Project, []string, []account.Account) {
	env.t.Helper()
	emails, annotators := env.newAnnotators(2)
	p := env.newProject("test", n)
	b := env.newBatch(p, project.BatchSpec{Name: "first", Annotators: emails, Overlap: 2,
		Sample: project.Sample{Count: 10}, Seed: 3})
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

func (env testEnv) mustPropose(p project.Project, d project.JudgeDraw) judging.Proposal {
	env.t.Helper()
	proposal, err := env.ProposeLabels(env.t.Context(), env.admin.ID, p, d)
	if err != nil {
		env.t.Fatal(err)
	}
	return proposal
}

func TestProposeLabels_Random_UnlabeledItems(t *testing.T) {
	env := newTestEnv(t)
	p, _, _ := env.newJudgedProject(60)
	proposal := env.mustPropose(p, project.JudgeDraw{Judge: "judge v1", By: project.DrawAtRandom, Size: 20})
	if proposal.Candidates != 50 || len(proposal.Items) != 20 || proposal.Seed == 0 || proposal.Digest == "" {
		t.Fatalf("%d of %d candidates, draw %+v", len(proposal.Items), proposal.Candidates, proposal.JudgeDraw)
	}
	for _, item := range proposal.Items {
		if item.Title == "" || item.SourceID == "" {
			t.Errorf("item %+v", item)
		}
		env.checkCount(0, `annotations WHERE item_id = $1`, item.ItemID)
	}
	if again := env.mustPropose(p, proposal.JudgeDraw); !slices.Equal(again.ItemIDs(), proposal.ItemIDs()) {
		t.Error("the same draw gives other items")
	}
	if other := env.mustPropose(p, project.JudgeDraw{Judge: "judge v1", By: project.DrawAtRandom, Size: 20,
		Seed: proposal.Seed + 1}); slices.Equal(other.ItemIDs(), proposal.ItemIDs()) {
		t.Error("another seed gives the same items")
	}
	drawn := map[project.ItemID]int{}
	for seed := range int64(200) {
		for _, id := range (&judging.Proposal{Items: env.mustPropose(p, project.JudgeDraw{Judge: "judge v1",
			By: project.DrawAtRandom, Size: 20, Seed: seed + 1}).Items}).ItemIDs() {
			drawn[id]++
		}
	}
	for id, n := range drawn { // 80 expected; 5 standard errors
		if n < 45 || n > 115 {
			t.Errorf("item %d is in %d of 200 draws of 20 of 50", id, n)
		}
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
		"no size":  {project.JudgeDraw{Judge: "judge v1", By: project.DrawAtRandom}, env.admin.ID, fault.Invalid},
		"no judge": {project.JudgeDraw{Size: 5, By: project.DrawAtRandom}, env.admin.ID, fault.Invalid},
		"no order": {project.JudgeDraw{Judge: "judge v1", Size: 5}, env.admin.ID, fault.Invalid},
		"unknown judge": {project.JudgeDraw{Judge: "judge v2", Size: 5, By: project.DrawAtRandom}, env.admin.ID,
			fault.NotFound},
		"annotator": {project.JudgeDraw{Judge: "judge v1", Size: 5, By: project.DrawAtRandom}, annotators[0].ID,
			fault.NotFound},
		"other digest": {project.JudgeDraw{Judge: "judge v1", Size: 5, By: project.DrawAtRandom, Seed: 1,
			Digest: "00"}, env.admin.ID, project.ErrDrawChanged},
		"one judge": {project.JudgeDraw{Judge: "judge v1", Size: 5, By: project.DrawByDisagreement}, env.admin.ID,
			fault.Conflict},
	} {
		_, err := env.ProposeLabels(t.Context(), c.actor, p, c.draw)
		checkErrorIs(t, name, err, c.want)
	}
}

// TestOpenBatch_DrawByDisagreement_KeptOut opens a batch with the items on which judges differ. Its labels are marked,
// and count in no
// comparison with judges.
func TestOpenBatch_DrawByDisagreement_KeptOut(t *testing.T) {
	env := newTestEnv(t)
	p, emails, annotators := env.newJudgedProject(60)
	items, err := env.ItemsBySourceID(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	var judgments []importer.ItemAnswers
	for i := range 60 {
		judgments = append(judgments, importer.ItemAnswers{ItemID: items[fmt.Sprintf("item-%d", i+1)].ID,
			Values: map[string]int{"helpful": 1}, Rationale: fmt.Sprint("Reason ", i)})
	}
	if err := env.AddJudge(t.Context(), env.admin.ID, p, "judge v2", judgments); err != nil {
		t.Fatal(err)
	}
	before, err := report.CompareJudges(env.reportData(p, ""), report.BuildOptions{Resamples: 20})
	if err != nil {
		t.Fatal(err)
	}
	shown := env.mustPropose(p, project.JudgeDraw{Judge: "judge v1", By: project.DrawByDisagreement, Size: 12})
	for _, item := range shown.Items {
		if item.Distance != 1 || item.Answers[0]["helpful"] != 0 {
			t.Errorf("judges do not differ on %+v", item)
		}
	}
	b := env.newBatch(p, project.BatchSpec{Name: "next", Annotators: emails, Overlap: 1, Draw: &shown.JudgeDraw})
	if isDrawn, err := env.IsDrawnByDisagreement(t.Context(), b.ID); err != nil || !isDrawn ||
		b.Items != len(shown.Items) {
		t.Errorf("drawn by disagreement is %t, %v; %d items", isDrawn, err, b.Items)
	}
	for _, a := range annotators {
		env.submitEach(a, func(string) labeling.Submission { return helpfulSubmission })
	}
	data := env.reportData(p, "")
	after, err := report.CompareJudges(data, report.BuildOptions{Resamples: 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(data.KeptOut) != len(shown.Items) || after[0].KeptOut != len(shown.Items) {
		t.Errorf("%d and %d items are kept out, want %d", len(data.KeptOut), after[0].KeptOut, len(shown.Items))
	}
	for j := range after {
		after[j].KeptOut = 0
	}
	checkEqual(t, after, before)
	for _, f := range after[1].Fields {
		for _, d := range f.Disagreements {
			if !strings.HasPrefix(d.Rationale, "Reason ") {
				t.Errorf("no reason of the judge: %+v", d)
			}
		}
	}
	if _, err := env.ProposeLabels(t.Context(), env.admin.ID, p, shown.JudgeDraw); !errors.Is(err,
		project.ErrDrawChanged) && !errors.Is(err, fault.Conflict) {
		t.Errorf("the draw is still possible: %v", err)
	}
}
