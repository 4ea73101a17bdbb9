package postgres

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// newDisagreement makes a project of three items that two annotators have labelled:
// they part on the first, and agree on the rest.
func (env testEnv) newDisagreement(key string) (project.Project, []account.Account) {
	env.t.Helper()
	emails, accounts := env.newAnnotators(2)
	p := env.newProject(key, 3)
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2})
	first := int64(env.queryInt(`SELECT min(id) FROM items WHERE project_id = $1`, p.ID))
	for i, a := range accounts {
		for token := env.openItem(a); token != ""; {
			s := helpfulSubmission
			if env.queryInt(`SELECT item_id FROM assignments WHERE token = $1`, token) == int(first) && i == 1 {
				s = unhelpfulSubmission
			}
			next, err := env.Submit(env.t.Context(), a.ID, token, s)
			if err != nil {
				env.t.Fatal(err)
			}
			token = next
		}
	}
	return p, accounts
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

var helpfulDecision, unhelpfulDecision = labeling.Decision{Answers: helpfulSubmission.Answers}, labeling.Decision{Answers: unhelpfulSubmission.Answers}

func TestAdjudicate_UpdatesReport(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement("gold")
	list, err := env.Disagreements(t.Context(), p, "one")
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
	data, err := env.ReportData(t.Context(), p, "")
	if err != nil || !maps.Equal(data.Adjudicated[d.ItemID], unhelpfulSubmission.Answers.Values) || len(data.Adjudicated) != 1 {
		t.Fatalf("the gold is %v, %v", data.Adjudicated, err)
	}
	r, err := report.Build(data, report.BuildOptions{Resamples: 20})
	i := slices.IndexFunc(r.Consensus, func(s report.ConsensusResult) bool { return s.ItemID == d.ItemID && s.Field == "helpful" })
	if err != nil || r.Consensus[i].Method != report.Adjudicated || *r.Consensus[i].Value != 0 {
		t.Errorf("the consensus is %+v, %v", r.Consensus[i], err)
	}
	decisions, err := env.CurrentDecisions(t.Context(), p)
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
	data, err := env.ReportData(t.Context(), p, "")
	if err != nil || data.Adjudicated[item]["helpful"] != 1 {
		t.Errorf("the gold is %v, %v", data.Adjudicated, err)
	}
}

func TestRaterEffects_OmitDecisions(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement("unseen")
	if err := env.adjudicate(env.admin, p, project.ItemID(env.queryInt(`SELECT min(id) FROM items`)), unhelpfulDecision); err != nil {
		t.Fatal(err)
	}
	if err := env.CloseBatch(t.Context(), env.admin.ID, p, "one"); err != nil {
		t.Fatal(err)
	}
	d, err := env.RaterEffectData(t.Context(), RaterEffectProject{ID: p.ID, Key: p.Key, ProtocolVersionID: p.ProtocolVersionID})
	if err != nil || len(d.Labels) != 6 || len(d.Adjudicated) != 0 {
		t.Errorf("%d labels, gold %v, %v", len(d.Labels), d.Adjudicated, err)
	}
}

// A lead who labels in a batch sees nobody else's answers, and settles nothing,
// until it is closed and what they have open is sent.
func TestAdjudicate_OwnBatch_Forbidden(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("mixed", 2)
	if err := env.AddLead(t.Context(), env.admin.ID, p, lead.ID); err != nil {
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
		blind, err := env.BlindedItems(t.Context(), p, lead.ID)
		if err != nil || len(blind) != want {
			t.Errorf("%s %v stay closed, %v", when, blind, err)
		}
		if err := env.adjudicate(lead, p, screen.ItemID, helpfulDecision); (want > 0) != errors.Is(err, fault.Forbidden) {
			t.Errorf("%s: %v", when, err)
		}
	}
	checkBlind("while it is open", 2)
	if blind, err := env.BlindedItems(t.Context(), p, env.admin.ID); err != nil || len(blind) != 0 {
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

func TestImportDecisions_AllOrNone(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement("file")
	scope, err := env.AdjudicationScope(t.Context(), p)
	if err != nil || len(scope.Items) != 3 || len(scope.Items["item-1"].Values) != 2 || scope.Adjudicators["admin@example.org"].ID != env.admin.ID {
		t.Fatalf("%+v, %v", scope, err)
	}
	first := importer.AdjudicationRow{ItemID: scope.Items["item-1"].ItemID, AccountID: env.admin.ID, Decision: helpfulDecision}
	second := importer.AdjudicationRow{ItemID: scope.Items["item-2"].ItemID, Decision: unhelpfulDecision} // against all, and no reason
	if _, err := env.ImportAdjudications(t.Context(), p, "d.csv", []importer.AdjudicationRow{first, second}); !errors.Is(err, fault.Conflict) {
		t.Errorf("one that may not be stored: %v", err)
	}
	if n := env.queryInt(`SELECT count(*) FROM adjudications`); n != 0 {
		t.Errorf("%d decisions are stored", n)
	}
	second.Cause, second.Reason = labeling.AnnotatorMistake, "It repeats the question."
	for want := range 2 {
		first.Reason = "By the second guide."
		replaced, err := env.ImportAdjudications(t.Context(), p, "d.csv", []importer.AdjudicationRow{first, second})
		if err != nil || replaced != 2*want {
			t.Errorf("%d anew, want %d: %v", replaced, 2*want, err)
		}
	}
	if n := env.queryInt(`SELECT count(*) FROM adjudications WHERE account_id IS NULL`); n != 2 {
		t.Errorf("%d decisions name nobody, want 2", n)
	}
}

// selectChecks are the CHECKs of a version's partition, without those that every
// partition of its table has.
const selectChecks = `
	SELECT coalesce(string_agg(conname || ' ' || pg_get_constraintdef(oid), chr(10) ORDER BY conname), 'none')
	FROM pg_constraint
	WHERE conrelid = ($1 || $2::text)::regclass AND contype = 'c' AND coninhcount = 0`

// checkSameConstraints requires every version's gold to be kept to what its annotations are.
func (env testEnv) checkSameConstraints(when string) {
	env.t.Helper()
	rows, err := collectAll[struct{ ID int }](env.pool.Query(env.t.Context(), `SELECT id FROM protocol_versions`))
	if err != nil || len(rows) < 5 {
		env.t.Fatalf("%d versions, %v", len(rows), err)
	}
	for _, v := range rows {
		var annotationChecks, adjudicationChecks string
		err := errors.Join(env.pool.QueryRow(env.t.Context(), selectChecks, "annotations_", fmt.Sprint(v.ID)).Scan(&annotationChecks),
			env.pool.QueryRow(env.t.Context(), selectChecks, "adjudications_", fmt.Sprint(v.ID)).Scan(&adjudicationChecks))
		if err != nil || annotationChecks != adjudicationChecks || len(annotationChecks) < 500 {
			env.t.Errorf("%s, version %d is kept to\n%s\nand its gold to\n%s\n%v", when, v.ID, annotationChecks, adjudicationChecks, err)
		}
	}
}

func TestAdjudications_BadRow_Refused(t *testing.T) {
	env := newTestEnv(t)
	env.checkSameConstraints("as published")
	p, _ := env.newDisagreement("refused")
	for constraintName, answers := range map[string]string{
		"helpful_scale":                `{"proper_action": 1, "response_on_topic": 1, "helpful": 2, "incomplete": 0, "unsafe_content": 0}`,
		"helpful_given":                `{"proper_action": 1, "response_on_topic": 1, "incomplete": 0, "unsafe_content": 0}`,
		"known_answers":                `{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0, "mood": 1}`,
		"over some annotations":        "",
		"anew with a reason":           "",
		"adjudications_item_id_facts_": "",
	} {
		decisionNo, annotationIDs, facts := 1, "{1}", `{}`
		switch constraintName {
		case "over some annotations":
			annotationIDs = "{}"
		case "anew with a reason":
			decisionNo = 2
		case "adjudications_item_id_facts_":
			facts = `{"other": true}`
		}
		if answers == "" {
			answers = `{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0}`
		}
		_, err := env.pool.Exec(t.Context(), `
			INSERT INTO adjudications (protocol_version_id, revision, project_id, item_id, n, answers, facts, settles)
			SELECT $1, $2, $3, min(id), $4, $5::jsonb, $6::jsonb, $7::bigint[] FROM items`,
			p.ProtocolVersionID, p.Protocol.Revision, p.ID, decisionNo, answers, facts, annotationIDs)
		pgErr, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || !(pgErr.ConstraintName == constraintName || constraintName == "adjudications_item_id_facts_" && pgErr.Code == "23503") {
			t.Errorf("%s: %v", constraintName, err)
		}
	}
}

// A database of an earlier version has published protocols already.
func TestMigrateUp_AddsOldChecks(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	db, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	env := testEnv{t: t, DB: db}
	for env.queryInt(`SELECT count(*) FROM pg_class WHERE relname = 'adjudications'`) > 0 {
		if err := MigrateDown(url); err != nil {
			t.Fatal(err)
		}
	}
	if err := MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	env.checkSameConstraints("after an upgrade")
}
