package postgres

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

func TestAdjudicate_UpdatesReport(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	list := env.storedMeasures(p)
	if len(list) != 1 {
		t.Fatalf("%d disagreements, want 1", len(list))
	}
	d := list[0]
	if !slices.Equal(d.DisagreeingFields, []string{"helpful"}) || !slices.Equal(d.TiedFields, []string{"helpful"}) ||
		d.LabelCount != 2 {
		t.Errorf("disagreement = %+v", d)
	}
	before := env.reportVersion(p)
	if err := env.adjudicate(env.admin, p, d.ItemID, unhelpfulDecision); err != nil {
		t.Fatal(err)
	}
	if env.reportVersion(p) == before {
		t.Error("the report does not change")
	}
	data := env.reportData(p, "")
	checkEqual(t, data.Adjudicated, map[project.ItemID]map[string]int{d.ItemID: unhelpfulSubmission.Answers.Values})
	consensus, err := env.ItemConsensus(t.Context(), env.admin.ID, p, []project.ItemID{d.ItemID})
	if c := consensus[d.ItemID].Fields["helpful"]; err != nil || c.Method != stats.Adjudicated || c.Value != 0 ||
		c.Labels == 0 {
		t.Errorf("consensus = %+v, %v", c, err)
	}
	decisions, err := env.CurrentDecisions(t.Context(), env.admin.ID, p, []project.ItemID{d.ItemID})
	if s := decisions[d.ItemID]; err != nil || len(decisions) != 1 || s.DecidedBy != env.admin.Name ||
		s.HasNewerLabels {
		t.Errorf("decisions = %+v, %v", decisions, err)
	}
	env.checkCount(1, `audit_log WHERE action = 'project.adjudicate' AND account_id = $1`, env.admin.ID)
}

func TestAdjudicate_Again_Replaces(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	itemID := env.firstItem(p)
	if err := env.adjudicate(env.admin, p, itemID, unhelpfulDecision); err != nil {
		t.Fatal(err)
	}
	if _, ok := errors.AsType[protocol.Problems](env.adjudicate(env.admin, p, itemID, helpfulDecision)); !ok {
		t.Error("accepted a revised decision without a reason")
	}
	revised := helpfulDecision
	revised.Reason, revised.Cause = "The step it offers is one.", labeling.AmbiguousItem
	if err := env.adjudicate(env.admin, p, itemID, revised); err != nil {
		t.Fatal(err)
	}
	item, err := env.AdjudicationItem(t.Context(), env.admin.ID, p, itemID)
	if err != nil || len(item.History) != 2 || item.History[0].DecisionNo != 2 ||
		item.History[0].Reason != revised.Reason || item.History[1].Answers["helpful"] != 0 {
		t.Errorf("history = %+v, %v", item.History, err)
	}
	env.checkCount(1, `adjudications new JOIN adjudications old ON old.id = new.replaces_id
		WHERE new.decision_no = 2 AND old.decision_no = 1 AND cardinality(new.annotation_ids) = 2`)
	if data := env.reportData(p, ""); data.Adjudicated[itemID]["helpful"] != 1 {
		t.Errorf("adjudicated = %v, want the revised decision", data.Adjudicated)
	}
}

// A lead who labels in a batch must not see other answers or adjudicate until the batch
// is closed and their own open item is submitted.
func TestAdjudicate_OwnBatch_Forbidden(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, annotators := env.newAnnotators(2)
	p := env.newProject("test", 2)
	env.addLead(p, lead)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(emails, lead.Email), Overlap: 3})
	env.submitAll(annotators[0], helpfulSubmission)
	env.submitAll(annotators[1], unhelpfulSubmission)
	token := env.openItem(lead)
	itemID := env.itemOf(token)
	checkBlinded := func(when string, want int) {
		t.Helper()
		blinded, err := blindedItems(t.Context(), env.pool, lead.ID, p.ID)
		if err != nil || len(blinded) != want {
			t.Errorf("%s: blinded items %v, %v; want %d", when, blinded, err, want)
		}
		if err := env.adjudicate(lead, p, itemID, helpfulDecision); (want > 0) != errors.Is(err, fault.Forbidden) {
			t.Errorf("%s: adjudicate: %v", when, err)
		}
	}
	checkBlinded("batch open", 2)
	if blinded, err := blindedItems(t.Context(), env.pool, env.admin.ID, p.ID); err != nil || len(blinded) != 0 {
		t.Errorf("admin: blinded items %v, %v; want none", blinded, err)
	}
	env.closeBatch(p, b)
	checkBlinded("batch closed, own item open", 1)
	env.mustSubmit(lead, token, helpfulSubmission)
	checkBlinded("all submitted", 0)
}

func TestAdjudicate_Stale_Conflict(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(2, 1, project.BatchSpec{})
	itemID := env.firstItem(p)
	checkErrorIs(t, "item without labels", env.adjudicate(env.admin, p, itemID, helpfulDecision), fault.Conflict)
	env.submitAll(annotators[0], helpfulSubmission)
	seen, err := env.AdjudicationItem(t.Context(), env.admin.ID, p, itemID)
	if err != nil || seen.MissingLabels != 1 {
		t.Fatalf("%d missing labels, %v; want 1", seen.MissingLabels, err)
	}
	env.submitAll(annotators[1], unhelpfulSubmission)
	decide := func(id project.ItemID, seen SeenVersion) error {
		return env.Adjudicate(t.Context(), env.admin.ID, p, id, seen, helpfulDecision)
	}
	checkErrorIs(t, "newer label", decide(itemID, seenVersion(seen)), fault.Conflict)
	checkErrorIs(t, "unknown item", decide(itemID+1000, SeenVersion{}), fault.NotFound)
	if seen, err = env.AdjudicationItem(t.Context(), env.admin.ID, p, itemID); err != nil {
		t.Fatal(err)
	}
	var decided atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			switch err := decide(itemID, seenVersion(seen)); {
			case err == nil:
				decided.Add(1)
			case !errors.Is(err, fault.Conflict):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := decided.Load(); n != 1 {
		t.Errorf("%d of 8 concurrent decisions succeeded, want 1", n)
	}
	env.checkCount(1, `adjudications`)
}
