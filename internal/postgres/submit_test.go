package postgres

import (
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
)

func TestSubmit_Invalid_NotStored(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(1, 3, project.BatchSpec{})
	token := env.openItem(annotators[0])
	invalid := labeling.Submission{Answers: protocol.Answers{Values: map[string]int{"helpful": 7}}}
	_, err := env.Submit(t.Context(), annotators[0].ID, token, invalid)
	if problems, ok := errors.AsType[protocol.Problems](err); !ok || len(problems) != 5 {
		t.Fatalf("got %v, want 5 problems", err)
	}
	env.checkCount(0, `annotations`)
	if again := env.openItem(annotators[0]); again != token {
		t.Error("the item is no longer open")
	}
}

func TestSubmit_Twice_StoresOnce(t *testing.T) {
	env := newTestEnv(t)
	items := 120
	if require.FullSize() {
		items = 500
	}
	_, _, annotators := env.newBatchFor(2, items, project.BatchSpec{Seed: 3})
	var wg sync.WaitGroup
	for _, a := range annotators {
		wg.Go(func() {
			for token := env.openItem(a); token != ""; {
				token = env.submitConcurrently(a, token, 2)
			}
		})
	}
	wg.Wait()
	env.checkCount(2*items, `annotations`)
	env.checkCount(0, `assignments WHERE state <> 'submitted'`)
}

func TestSubmit_40Annotators_KeepsOverlap(t *testing.T) {
	env := newTestEnv(t)
	items, overlap := 120, 3
	if require.FullSize() {
		items = 300
	}
	_, b, annotators := env.newBatchFor(40, items, project.BatchSpec{Overlap: overlap, Seed: 7})
	var wg sync.WaitGroup
	for _, a := range annotators {
		wg.Go(func() {
			token, err := env.OpenNext(t.Context(), a.ID, 0)
			for err == nil && token != "" {
				result, submitErr := env.Submit(t.Context(), a.ID, token, helpfulSubmission)
				token, err = result.NextToken, submitErr
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	env.checkCount(items, `(
		SELECT item_id FROM annotations WHERE batch_id = $1
		GROUP BY item_id HAVING count(*) = $2 AND count(DISTINCT account_id) = $2) exact`, b.ID, overlap)
	env.checkCount(items*overlap, `annotations`)
	env.checkCount(0, `slots WHERE account_id IS NULL`)
}

func TestSubmit_OnBreak_Refused(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(1, 5, project.BatchSpec{BreakMinutes: 5})
	annotator, token := annotators[0], env.openItem(annotators[0])
	if err := env.StartBreak(t.Context(), annotator.ID, token); err != nil {
		t.Fatal(err)
	}
	_, submitErr := env.Submit(t.Context(), annotator.ID, token, helpfulSubmission)
	checkErrorIs(t, "submit", submitErr, labeling.ErrOnBreak)
	_, skipErr := env.Skip(t.Context(), annotator.ID, token, labeling.Skip{Reason: labeling.Distressing})
	checkErrorIs(t, "skip", skipErr, labeling.ErrOnBreak)
	env.mustSaveDraft(annotator, token, 1, helpfulSubmission)
	env.endBreak(annotator)
	env.mustSubmit(annotator, token, helpfulSubmission)
}

func TestSubmit_BreakStarts_Refused(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotator, _, token := env.newStartedBatch()
	err := env.runWhileLocked(func(tx pgx.Tx) error {
		a, err := lockAssignment(t.Context(), tx, token)
		if err != nil {
			return err
		}
		return startBreakBefore(t.Context(), tx, a)
	}, func() error {
		_, err := env.Submit(t.Context(), annotator.ID, token, helpfulSubmission)
		return err
	})
	checkErrorIs(t, "submit", err, labeling.ErrOnBreak)
}

// Tokens of other annotators and unknown tokens give the same error.
func TestAssignment_OtherAnnotator_NotFound(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(2, 3, project.BatchSpec{Overlap: 1})
	token, otherID := env.openItem(annotators[0]), annotators[1].ID
	_, unknownErr := env.Submit(t.Context(), otherID, "no-such-token", helpfulSubmission)
	_, screenErr := env.LabelingScreen(t.Context(), otherID, token)
	_, submitErr := env.Submit(t.Context(), otherID, token, helpfulSubmission)
	_, skipErr := env.Skip(t.Context(), otherID, token, labeling.Skip{Reason: labeling.Distressing})
	for method, err := range map[string]error{
		"LabelingScreen": screenErr, "Submit": submitErr, "Skip": skipErr,
		"SaveDraft":  env.SaveDraft(t.Context(), otherID, token, 1, helpfulSubmission),
		"StartBreak": env.StartBreak(t.Context(), otherID, token),
	} {
		if !errors.Is(err, fault.NotFound) || fault.Message(err) != fault.Message(unknownErr) {
			t.Errorf("%s: got %v, want %v", method, err, unknownErr)
		}
	}
}
