package postgres

import (
	"maps"
	"sync"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// helpfulSubmission is a submission that the generation protocol accepts.
var helpfulSubmission = labeling.Submission{ActiveMS: 1000, Answers: protocol.Answers{Values: map[string]int{
	"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0}}}

// unhelpfulSubmission says of everything that it does not help.
var unhelpfulSubmission = labeling.Submission{ActiveMS: 1000, Answers: protocol.Answers{Values: func() map[string]int {
	values := maps.Clone(helpfulSubmission.Answers.Values)
	values["helpful"] = 0
	return values
}()}}

var helpfulDecision, unhelpfulDecision = labeling.Decision{Answers: helpfulSubmission.Answers}, labeling.Decision{Answers: unhelpfulSubmission.Answers}

// openItem opens the next item of an annotator.
func (env testEnv) openItem(a account.Account) string {
	env.t.Helper()
	token, err := env.OpenNext(env.t.Context(), a.ID, 0)
	if err != nil {
		env.t.Fatal(err)
	}
	return token
}

// submitItem labels one item, and reports whether there was one.
func (env testEnv) submitItem(a account.Account) bool {
	env.t.Helper()
	token := env.openItem(a)
	if token == "" {
		return false
	}
	_, err := env.Submit(env.t.Context(), a.ID, token, helpfulSubmission)
	if err == nil {
		_, err = env.EndBreak(env.t.Context(), a.ID)
	}
	if err != nil {
		env.t.Fatal(err)
	}
	return true
}

// submitAll labels whatever an annotator is given, going on through every break,
// until nothing is left.
func (env testEnv) submitAll(a account.Account) {
	env.t.Helper()
	for env.submitItem(a) {
	}
}

// submitAllWith has an annotator label everything that is left for them.
func (env testEnv) submitAllWith(accountID account.ID, s labeling.Submission) (n int) {
	env.t.Helper()
	for {
		token, err := env.OpenNext(env.t.Context(), accountID, 0)
		if err != nil || token == "" {
			return n
		}
		if _, err := env.Submit(env.t.Context(), accountID, token, s); err != nil {
			env.t.Fatal(err)
		}
		n++
	}
}

// submitConcurrently submits the same thing several times in parallel; all must be
// sent to the same next item.
func (env testEnv) submitConcurrently(accountID account.ID, token string, times int) string {
	next := make([]string, times)
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() {
			var err error
			if next[i], err = env.submit(env.t.Context(), accountID, token, helpfulSubmission); err != nil {
				env.t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, n := range next {
		if n != next[0] {
			env.t.Errorf("sent to different items: %q", next)
		}
	}
	return next[0]
}

// submitCalibration answers a whole calibration set, and returns its items in order.
func (env testEnv) submitCalibration(a account.Account, s labeling.Submission) (items []project.ItemID) {
	env.t.Helper()
	for token := env.openItem(a); token != ""; {
		screen, err := env.LabelingScreen(env.t.Context(), a.ID, token)
		if err != nil || !screen.IsCalibration || screen.CompletedItems != len(items) {
			env.t.Fatalf("not a calibration item: %+v, %v", screen.Assignment, err)
		}
		items = append(items, screen.ItemID)
		if token, err = env.submit(env.t.Context(), a.ID, token, s); err != nil {
			env.t.Fatal(err)
		}
	}
	return items
}

// resolveCalibration begins the work of an annotator who is through a calibration set.
func (env testEnv) resolveCalibration(a account.Account) {
	env.t.Helper()
	env.execSQL(`UPDATE calibration_runs SET settled_at = clock_timestamp() WHERE account_id = $1 AND done_at IS NOT NULL AND settled_at IS NULL`, a.ID)
}

// takeBreakBefore takes a break before an open item, and goes on.
func (env testEnv) takeBreakBefore(token string, a account.Account) {
	env.t.Helper()
	if err := env.StartBreak(env.t.Context(), a.ID, token); err != nil {
		env.t.Fatal(err)
	}
	if _, err := env.EndBreak(env.t.Context(), a.ID); err != nil {
		env.t.Fatal(err)
	}
}

// reopenItem opens an item once more that its annotator flagged.
func (env testEnv) reopenItem(p project.Project, b project.Batch, a account.Account, token string) {
	env.t.Helper()
	if err := env.RequestCorrection(env.t.Context(), a.ID, token, "I meant no"); err != nil {
		env.t.Fatal(err)
	}
	corrections, err := env.CorrectionRequests(env.t.Context(), b.ID)
	if err != nil || len(corrections) != 1 {
		env.t.Fatal(corrections, err)
	}
	if err := env.AcceptCorrection(env.t.Context(), env.admin.ID, p, b, corrections[0].ID); err != nil {
		env.t.Fatal(err)
	}
}

// adjudicate settles an item as it stands now.
func (env testEnv) adjudicate(actor account.Account, p project.Project, itemID project.ItemID, d labeling.Decision) error {
	env.t.Helper()
	c, err := env.AdjudicationItem(env.t.Context(), actor.ID, p, itemID)
	if err != nil {
		return err
	}
	return env.Adjudicate(env.t.Context(), actor.ID, p, itemID, SeenVersion{LastAnnotationID: c.LastAnnotationID(), DecisionNo: c.CurrentDecisionNo()}, d)
}
