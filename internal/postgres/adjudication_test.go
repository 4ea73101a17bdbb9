package postgres

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

func TestAdjudicate_UpdatesReport(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement("gold")
	list, err := env.findDisagreements(t.Context(), p, "one")
	if err != nil || len(list) != 1 {
		t.Fatalf("%d disputes, %v", len(list), err)
	}
	d := list[0]
	if d.Item != "item-1" || len(d.Fields) != 1 || d.Fields[0].Field != "helpful" || !slices.Equal(d.TiedFields, []string{"helpful"}) || d.LabelCount != 2 {
		t.Errorf("the dispute is %+v", d)
	}
	before, err := env.DataVersion(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := env.adjudicate(env.admin, p, d.ItemID, unhelpfulDecision); err != nil {
		t.Fatal(err)
	}
	if after, err := env.DataVersion(t.Context(), p); err != nil || after == before {
		t.Errorf("the report is not made anew: %+v, %v", after, err)
	}
	data, err := env.ReportData(t.Context(), env.admin.ID, p, "")
	if err != nil || !maps.Equal(data.Adjudicated[d.ItemID], unhelpfulSubmission.Answers.Values) || len(data.Adjudicated) != 1 {
		t.Fatalf("the gold is %v, %v", data.Adjudicated, err)
	}
	r, err := report.Build(data, report.BuildOptions{Resamples: 20})
	i := slices.IndexFunc(r.Consensus, func(s report.ConsensusResult) bool { return s.ItemID == d.ItemID && s.Field == "helpful" })
	if err != nil || r.Consensus[i].Method != report.Adjudicated || *r.Consensus[i].Value != 0 {
		t.Errorf("the consensus is %+v, %v", r.Consensus[i], err)
	}
	decisions, err := env.currentDecisions(t.Context(), p)
	if s := decisions[d.ItemID]; err != nil || len(decisions) != 1 || s.DecidedBy != "Name of admin@example.org" || s.HasNewerLabels {
		t.Errorf("settled as %+v, %v", decisions, err)
	}
	if n := env.queryInt(`SELECT count(*) FROM audit WHERE action = 'project.adjudicate' AND account_id = $1`, env.admin.ID); n != 1 {
		t.Errorf("%d lines in the trail", n)
	}
}

func TestAdjudicate_Again_Replaces(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement("anew")
	item := project.ItemID(env.queryInt(`SELECT min(id) FROM items`))
	if err := env.adjudicate(env.admin, p, item, unhelpfulDecision); err != nil {
		t.Fatal(err)
	}
	if _, ok := errors.AsType[protocol.Problems](env.adjudicate(env.admin, p, item, helpfulDecision)); !ok {
		t.Error("it was decided anew without a reason")
	}
	revised := helpfulDecision
	revised.Reason, revised.Cause = "The step it offers is one.", labeling.AmbiguousItem
	if err := env.adjudicate(env.admin, p, item, revised); err != nil {
		t.Fatal(err)
	}
	c, err := env.AdjudicationItem(t.Context(), env.admin.ID, p, item)
	if err != nil || len(c.History) != 2 || c.History[0].DecisionNo != 2 || c.History[0].Reason != revised.Reason || c.History[1].Answers["helpful"] != 0 {
		t.Errorf("the history is %+v, %v", c.History, err)
	}
	if n := env.queryInt(`SELECT count(*) FROM adjudications a JOIN adjudications b ON b.id = a.replaces WHERE a.n = 2 AND b.n = 1 AND cardinality(a.settles) = 2`); n != 1 {
		t.Error("the later one does not point to the earlier")
	}
	for _, change := range []string{`UPDATE adjudications SET reason = 'x'`, `DELETE FROM adjudications`} {
		if _, err := env.pool.Exec(t.Context(), change); err == nil {
			t.Errorf("%s was possible", change)
		}
	}
	data, err := env.ReportData(t.Context(), env.admin.ID, p, "")
	if err != nil || data.Adjudicated[item]["helpful"] != 1 {
		t.Errorf("the gold is %v, %v", data.Adjudicated, err)
	}
}

// A lead who labels in a batch sees nobody else's answers, and settles nothing,
// until it is closed and what they have open is sent.
func TestAdjudicate_OwnBatch_Forbidden(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("mixed", 2)
	if _, _, err := env.AddMember(t.Context(), env.admin.ID, p, account.NewAccount{Email: lead.Email, Role: account.Lead}); err != nil {
		t.Fatal(err)
	}
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(emails, lead.Email), Overlap: 3})
	env.submitAllWith(accounts[0].ID, helpfulSubmission)
	env.submitAllWith(accounts[1].ID, unhelpfulSubmission)
	token := env.openItem(lead)
	screen, err := env.LabelingScreen(t.Context(), lead.ID, token)
	if err != nil {
		t.Fatal(err)
	}
	checkBlind := func(when string, want int) {
		t.Helper()
		blind, err := blindedItems(t.Context(), env.pool, lead.ID, p.ID)
		if err != nil || len(blind) != want {
			t.Errorf("%s %v stay closed, %v", when, blind, err)
		}
		if err := env.adjudicate(lead, p, screen.ItemID, helpfulDecision); (want > 0) != errors.Is(err, fault.Forbidden) {
			t.Errorf("%s: %v", when, err)
		}
	}
	checkBlind("while it is open", 2)
	if blind, err := blindedItems(t.Context(), env.pool, env.admin.ID, p.ID); err != nil || len(blind) != 0 {
		t.Errorf("to another %v stay closed, %v", blind, err)
	}
	if err := env.CloseBatch(t.Context(), env.admin.ID, p, "one"); err != nil {
		t.Fatal(err)
	}
	checkBlind("with one item still before them", 1)
	if _, err := env.Submit(t.Context(), lead.ID, token, helpfulSubmission); err != nil {
		t.Fatal(err)
	}
	checkBlind("once all is sent", 0)
}

func TestAdjudicate_Stale_Conflict(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("sight", 1)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2})
	item := project.ItemID(env.queryInt(`SELECT min(id) FROM items`))
	if err := env.adjudicate(env.admin, p, item, helpfulDecision); !errors.Is(err, fault.Conflict) {
		t.Errorf("an item that nobody labelled: %v", err)
	}
	env.submitAllWith(accounts[0].ID, helpfulSubmission)
	c, err := env.AdjudicationItem(t.Context(), env.admin.ID, p, item)
	if err != nil || c.MissingLabels != 1 {
		t.Fatalf("%d missing, %v", c.MissingLabels, err)
	}
	env.submitAllWith(accounts[1].ID, unhelpfulSubmission)
	if err := env.Adjudicate(t.Context(), env.admin.ID, p, item, SeenVersion{c.LastAnnotationID(), c.CurrentDecisionNo()}, helpfulDecision); !errors.Is(err, fault.Conflict) {
		t.Errorf("over an answer that came in meanwhile: %v", err)
	}
	if err := env.Adjudicate(t.Context(), env.admin.ID, p, item+1000, SeenVersion{}, helpfulDecision); !errors.Is(err, fault.NotFound) {
		t.Errorf("an item that is not there: %v", err)
	}
	c, _ = env.AdjudicationItem(t.Context(), env.admin.ID, p, item)
	var successes sync.Map
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			err := env.Adjudicate(t.Context(), env.admin.ID, p, item, SeenVersion{c.LastAnnotationID(), c.CurrentDecisionNo()}, helpfulDecision)
			if err == nil || !errors.Is(err, fault.Conflict) {
				successes.Store(i, err)
			}
		})
	}
	wg.Wait()
	n := 0
	successes.Range(func(_, _ any) bool { n++; return true })
	if stored := env.queryInt(`SELECT count(*) FROM adjudications`); n != 1 || stored != 1 {
		t.Errorf("of eight at once %d decided, and %d decisions are stored", n, stored)
	}
}
