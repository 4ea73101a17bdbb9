package postgres

import (
	"fmt"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// Spot checks are agreed items only, each drawn once, and lead to one another. Their errors count for each annotator
// and field.
func TestSpotChecks_CountCorrections(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(2, 12, project.BatchSpec{})
	disputed := map[project.ItemID]bool{}
	for i, a := range annotators {
		n := 0
		env.submitEach(a, func(token string) labeling.Submission {
			if n++; i == 0 && n <= 2 { // the other annotator answers otherwise
				disputed[query[project.ItemID](env, `SELECT item_id FROM assignments WHERE token = $1`, token)] = true
				return unhelpfulSubmission
			}
			return helpfulSubmission
		})
	}
	for _, want := range []int{6, 4} {
		if n, err := env.DrawSpotChecks(t.Context(), env.admin.ID, p, 6); err != nil || n != want {
			t.Fatalf("drew %d, %v; want %d", n, err, want)
		}
	}
	if _, err := env.DrawSpotChecks(t.Context(), env.admin.ID, p, 6); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a draw without agreed items: %v", err)
	}
	filter := project.ItemFilter{SpotCheckOnly: true}
	ids, err := env.SelectItems(t.Context(), env.admin.ID, p, filter)
	if err != nil || len(ids) != 10 {
		t.Fatalf("items = %v, %v; want 10", ids, err)
	}
	current := ids[0]
	for n := range ids {
		if disputed[current] {
			t.Errorf("item %d has a disagreement", current)
		}
		neighbor, err := env.DisagreementNeighbor(t.Context(), env.admin.ID, p, filter, current)
		if isLast := n == len(ids)-1; err != nil || (neighbor.Next == 0) != isLast {
			t.Fatalf("check %d of %d: next %+v, %v", n+1, len(ids), neighbor, err)
		}
		d := labeling.Decision{Answers: helpfulSubmission.Answers}
		if n < 2 {
			d = labeling.Decision{Answers: unhelpfulSubmission.Answers, Cause: labeling.AnnotatorMistake, Reason: "No."}
		}
		item, err := env.AdjudicationItem(t.Context(), env.admin.ID, p, current)
		if err != nil {
			t.Fatal(err)
		}
		if err := env.Adjudicate(t.Context(), env.admin.ID, p, current,
			SeenVersion{LastAnnotationID: item.LastAnnotationID()}, d); err != nil {
			t.Fatal(err)
		}
		current = neighbor.Next
	}
	r, err := env.SpotChecks(t.Context(), env.admin.ID, p)
	if err != nil || r.Drawn != 10 || r.Corrected.Hits != 2 || r.Corrected.Total != 10 {
		t.Fatalf("spot checks = %+v, %v", r, err)
	}
	got := ""
	for _, rate := range append(r.Fields, r.Annotators...) {
		got += fmt.Sprintf("%d/%d on %d, ", rate.Wrong.Hits, rate.Wrong.Total, rate.Wrong.Interval.Units)
	}
	// Two annotators gave each of the five answers to ten items; that to "helpful" is wrong on two.
	if want := "0/20 on 10, 0/20 on 10, 4/20 on 10, 0/20 on 10, 0/20 on 10, 2/50 on 10, 2/50 on 10, "; got != want {
		t.Errorf("rates %s want %s", got, want)
	}
}

// One label agrees with nothing.
func TestSpotChecks_SingleLabels_NotDrawn(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(1, 4, project.BatchSpec{})
	env.submitAll(annotators[0], helpfulSubmission)
	if n, err := env.DrawSpotChecks(t.Context(), env.admin.ID, p, 2); fault.KindOf(err) != fault.Conflict {
		t.Errorf("drew %d, %v", n, err)
	}
}
