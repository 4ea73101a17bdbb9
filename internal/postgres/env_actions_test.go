package postgres

import (
	"errors"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// helpfulSubmission and unhelpfulSubmission are valid answers to items of newProject that
// differ in one field.
var helpfulSubmission, unhelpfulSubmission = newSubmission(1), newSubmission(0)

var helpfulDecision, unhelpfulDecision = labeling.Decision{Answers: helpfulSubmission.Answers},
	labeling.Decision{Answers: unhelpfulSubmission.Answers}

func newSubmission(helpful int) labeling.Submission {
	return labeling.Submission{ActiveMS: 1000, Answers: protocol.Answers{Values: map[string]int{
		"proper_action": 1, "response_on_topic": 1, "helpful": helpful, "incomplete": 0, "unsafe_content": 0}}}
}

// openItem opens the next item of an annotator. It returns "" if there is none.
func (env testEnv) openItem(a account.Account) string {
	env.t.Helper()
	token, err := env.OpenNext(env.t.Context(), a.ID, 0)
	if err != nil {
		env.t.Fatal(err)
	}
	return token
}

// mustSubmit submits an open item and returns the next one.
func (env testEnv) mustSubmit(a account.Account, token string, s labeling.Submission) (next string) {
	env.t.Helper()
	result, err := env.Submit(env.t.Context(), a.ID, token, s)
	if err != nil || result.AlreadySubmitted {
		env.t.Fatalf("got %+v, error %v, want a new annotation", result, err)
	}
	return result.NextToken
}

// submitItem opens and submits one item, and ends the break after it. It reports whether
// there was an item.
func (env testEnv) submitItem(a account.Account) bool {
	env.t.Helper()
	token := env.openItem(a)
	if token == "" {
		return false
	}
	env.mustSubmit(a, token, helpfulSubmission)
	env.endBreak(a)
	return true
}

// submitAll submits all remaining items of an annotator and returns their number.
func (env testEnv) submitAll(a account.Account, s labeling.Submission) int {
	env.t.Helper()
	return env.submitEach(a, func(string) labeling.Submission { return s })
}

// submitEach is like submitAll with different answers for each item.
func (env testEnv) submitEach(a account.Account, answer func(token string) labeling.Submission) (n int) {
	env.t.Helper()
	for token := env.openItem(a); token != ""; token = env.openItem(a) {
		env.mustSubmit(a, token, answer(token))
		env.endBreak(a)
		n++
	}
	return n
}

// submitInTurns has annotators submit one item each until no item is left. Afterwards
// each has an equal share.
func (env testEnv) submitInTurns(annotators []account.Account) {
	env.t.Helper()
	for hasMore := true; hasMore; {
		hasMore = false
		for _, a := range annotators {
			hasMore = env.submitItem(a) || hasMore
			env.resolveCalibration(a)
		}
	}
}

// submitConcurrently submits the same item n times in parallel. All must return the same
// next item.
func (env testEnv) submitConcurrently(a account.Account, token string, n int) (next string) {
	env.t.Helper()
	results := make([]labeling.SubmitResult, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			var err error
			if results[i], err = env.Submit(env.t.Context(), a.ID, token, helpfulSubmission); err != nil {
				env.t.Error(err)
			}
		})
	}
	wg.Wait()
	repeated := 0
	for _, result := range results {
		if result.NextToken != results[0].NextToken || result.Differs {
			env.t.Errorf("got different results: %+v", results)
		}
		if result.AlreadySubmitted {
			repeated++
		}
	}
	if repeated != n-1 {
		env.t.Errorf("%d of %d submits report an item submitted before, want all but one", repeated, n)
	}
	return results[0].NextToken
}

// submitCalibration submits a whole calibration set and returns its items in order.
func (env testEnv) submitCalibration(a account.Account, s labeling.Submission) (items []project.ItemID) {
	env.t.Helper()
	env.submitEach(a, func(token string) labeling.Submission {
		screen := env.screen(a, token)
		if !screen.IsCalibration || screen.CompletedItems != len(items) {
			env.t.Fatalf("item %d is not a calibration item: %+v", len(items)+1, screen.Assignment)
		}
		items = append(items, screen.ItemID)
		return s
	})
	return items
}

func (env testEnv) screen(a account.Account, token string) LabelingScreen {
	env.t.Helper()
	s, err := env.LabelingScreen(env.t.Context(), a.ID, token)
	if err != nil {
		env.t.Fatal(err)
	}
	return s
}

func (env testEnv) mustSaveDraft(a account.Account, token string, version int64, s labeling.Submission) {
	env.t.Helper()
	if err := env.SaveDraft(env.t.Context(), a.ID, token, version, s); err != nil {
		env.t.Fatal(err)
	}
}

func (env testEnv) skipItem(a account.Account, token string, s labeling.Skip) (next string) {
	env.t.Helper()
	next, err := env.Skip(env.t.Context(), a.ID, token, s)
	if err != nil {
		env.t.Fatal(err)
	}
	return next
}

// takeBreakBefore starts a break before an open item and ends it.
func (env testEnv) takeBreakBefore(a account.Account, token string) {
	env.t.Helper()
	if err := env.StartBreak(env.t.Context(), a.ID, token); err != nil {
		env.t.Fatal(err)
	}
	env.endBreak(a)
}

// endBreak ends a break, if the annotator has one.
func (env testEnv) endBreak(a account.Account) {
	env.t.Helper()
	if _, err := env.EndBreak(env.t.Context(), a.ID); err != nil {
		env.t.Fatal(err)
	}
}

// startWork starts the work of an annotator who has completed the calibration set.
func (env testEnv) startWork(a account.Account, b project.Batch) {
	env.t.Helper()
	if err := env.StartWork(env.t.Context(), a.ID, b.ID); err != nil {
		env.t.Fatal(err)
	}
}

// reopenItem has an annotator request a correction and the admin reopen the item.
func (env testEnv) reopenItem(p project.Project, b project.Batch, a account.Account, token string) {
	env.t.Helper()
	if err := env.RequestCorrection(env.t.Context(), a.ID, token, "I meant no"); err != nil {
		env.t.Fatal(err)
	}
	requests, err := env.CorrectionRequests(env.t.Context(), env.admin.ID, b.ID)
	if err == nil {
		err = env.AcceptCorrection(env.t.Context(), env.admin.ID, p, b, requests[0].ID)
	}
	if err != nil {
		env.t.Fatal(err)
	}
}

// adjudicate decides an item as it is stored now.
func (env testEnv) adjudicate(actor account.Account, p project.Project, itemID project.ItemID,
	d labeling.Decision) error {
	env.t.Helper()
	item, err := env.AdjudicationItem(env.t.Context(), actor.ID, p, itemID)
	if err != nil {
		return err
	}
	return env.Adjudicate(env.t.Context(), actor.ID, p, itemID, seenVersion(item), d)
}

func seenVersion(item AdjudicationItem) SeenVersion {
	return SeenVersion{LastAnnotationID: item.LastAnnotationID(), DecisionNo: item.CurrentDecisionNo()}
}

func (env testEnv) closeBatch(p project.Project, b project.Batch) {
	env.t.Helper()
	if err := env.CloseBatch(env.t.Context(), env.admin.ID, p, b.Name,
		project.BatchClosing{Reason: "done"}); err != nil {
		env.t.Fatal(err)
	}
}

// withNote returns answers that consist of a note.
func withNote(note string) labeling.Submission {
	return labeling.Submission{Answers: protocol.Answers{Values: map[string]int{}, Note: note}}
}

// checkErrorIs checks that an action failed with an error of a kind.
func checkErrorIs(t *testing.T, action string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", action, err, want)
	}
}
