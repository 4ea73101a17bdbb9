package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func TestSkip_Policy_DecidesNext(t *testing.T) {
	for policy, want := range map[labeling.SkipPolicy]struct{ own, other bool }{
		labeling.SkipReassign:    {own: false, other: true},
		labeling.SkipReturnLater: {own: true, other: false},
		labeling.SkipDrop:        {own: false, other: false},
	} {
		t.Run(string(policy), func(t *testing.T) {
			env := newTestEnv(t)
			p, _, annotators := env.newBatchFor(2, 1, project.BatchSpec{Overlap: 1, Assignment: project.Pool})
			env.updateProject(p, `skip_policy = '`+string(policy)+`'`)
			next := env.skipItem(annotators[0], env.openItem(annotators[0]), labeling.Skip{Reason: labeling.Unclear,
				Comment: "why?"})
			if (next != "") != want.own {
				t.Errorf("next = %q", next)
			}
			if other := env.openItem(annotators[1]); (other != "") != want.other {
				t.Errorf("other annotator got %q", other)
			}
			if b, err := env.Batch(t.Context(), 0, p.ID, "one"); err != nil || b.LabelsGiven != 0 || b.LabelsWanted != 1 {
				t.Errorf("batch = %+v, %v", b, err)
			}
			if policy != labeling.SkipReturnLater {
				return
			}
			env.skipItem(annotators[0], next, labeling.Skip{Reason: labeling.Distressing})
			if env.openItem(annotators[1]) == "" {
				t.Error("no reassignment after the second skip")
			}
		})
	}
}

func TestSkip_Reassign_GoesToOther(t *testing.T) {
	env := newTestEnv(t)
	_, b, annotators := env.newBatchFor(2, 1, project.BatchSpec{Overlap: 1, Assignment: project.Pool})
	token := env.openItem(annotators[0])
	_, err := env.Skip(t.Context(), annotators[0].ID, token, labeling.Skip{Reason: labeling.Unclear})
	checkErrorIs(t, "unclear without a comment", err, fault.Invalid)
	for range 2 { // the second click changes nothing
		if next := env.skipItem(annotators[0], token, labeling.Skip{Reason: labeling.Unclear,
			Comment: "What is meant?"}); next != "" {
			t.Fatalf("next = %q, want none", next)
		}
	}
	if skips, err := env.SkippedItems(t.Context(), env.admin.ID, b.ID); err != nil || len(skips) != 1 ||
		skips[0].Comment != "What is meant?" || skips[0].SourceID != "item-1" {
		t.Errorf("skipped items = %+v, %v", skips, err)
	}
	if env.openItem(annotators[0]) != "" {
		t.Error("the same annotator got the item again")
	}
	if env.openItem(annotators[1]) == "" {
		t.Error("the other annotator did not get the item")
	}
	_, err = env.Submit(t.Context(), annotators[0].ID, token, helpfulSubmission)
	checkErrorIs(t, "submit after skip", err, fault.Conflict)
}

// Skipping a reopened item leaves its answer current. The item is not reassigned.
func TestSkip_Reopened_KeepsAnswer(t *testing.T) {
	for _, reason := range labeling.SkipReasons {
		t.Run(string(reason), func(t *testing.T) {
			env := newTestEnv(t)
			p, b, annotator, submitted, open := env.newStartedBatch()
			env.reopenItem(p, b, annotator, submitted)
			reopened := env.mustSubmit(annotator, open, helpfulSubmission)
			env.skipItem(annotator, reopened, labeling.Skip{Reason: reason, Comment: "on second thoughts"})
			for _, email := range []string{"a1@example.org", "a2@example.org", "a3@example.org"} {
				a, err := env.AccountByEmail(t.Context(), email)
				if err != nil {
					t.Fatal(err)
				}
				env.submitAll(a, helpfulSubmission)
			}
			env.checkCount(0, `(SELECT FROM annotations WHERE attempt_no = 1 GROUP BY item_id HAVING count(*) <> 2) wrong_overlap`)
			if got, err := env.Batch(t.Context(), 0, p.ID, b.Name); err != nil || got.LabelsGiven != 8 {
				t.Errorf("batch = %+v, %v", got, err)
			}
		})
	}
}

func TestSkip_Duplicate_KeepsSlot(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(2, 20, project.BatchSpec{DuplicateCount: 2})
	annotator := annotators[0]
	for token := env.openItem(annotator); token != ""; token = env.openItem(annotator) {
		if env.isDuplicate(token) {
			env.skipItem(annotator, token, labeling.Skip{Reason: labeling.Distressing})
		} else {
			env.mustSubmit(annotator, token, helpfulSubmission)
		}
	}
	env.checkCount(2, `assignments WHERE state = 'skipped' AND kind = 'duplicate'`)
	env.checkCount(0, `assignments WHERE state = 'skipped' AND kind = 'work'`)
	env.checkCount(20, `slots WHERE batch_id = $1 AND account_id = $2`, b.ID, annotator.ID)
	if got, err := env.Batch(t.Context(), 0, p.ID, "one"); err != nil || got.LabelsGiven != 20 {
		t.Errorf("batch = %+v, %v", got, err)
	}
}
