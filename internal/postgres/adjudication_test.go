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
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/sheet"
)

// disputed makes a project of three items that two annotators have labelled:
// they part on the first, and agree on the rest.
func (w world) disputed(key string) (project.Project, []account.Account) {
	w.t.Helper()
	emails, accounts := w.annotators(2)
	p := w.project(key, 3)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2})
	first := int64(w.count(`SELECT min(id) FROM items WHERE project_id = $1`, p.ID))
	for i, a := range accounts {
		for token := w.begin(a); token != ""; {
			s := good
			if w.count(`SELECT item_id FROM assignments WHERE token = $1`, token) == int(first) && i == 1 {
				s = unhelpful
			}
			next, err := w.Submit(w.t.Context(), a.ID, token, s)
			if err != nil {
				w.t.Fatal(err)
			}
			token = next
		}
	}
	return p, accounts
}

// decide settles an item as it stands now.
func (w world) decide(by account.Account, p project.Project, itemID int64, d labeling.Decision) error {
	w.t.Helper()
	c, err := w.Case(w.t.Context(), by.ID, p, itemID)
	if err != nil {
		return err
	}
	return w.Adjudicate(w.t.Context(), by.ID, p, itemID, Sight{Seen: c.Seen(), Stands: c.Stands()}, d)
}

var helpful, notHelpful = labeling.Decision{Answers: good.Answers}, labeling.Decision{Answers: unhelpful.Answers}

func TestWhatALeadSettlesIsTheItemsGold(t *testing.T) {
	w := newWorld(t)
	p, _ := w.disputed("gold")
	list, err := w.Disputes(t.Context(), p, "one")
	if err != nil || len(list) != 1 {
		t.Fatalf("%d disputes, %v", len(list), err)
	}
	d := list[0]
	if d.Item != "item-1" || len(d.Fields) != 1 || d.Fields[0].Field != "helpful" || !slices.Equal(d.Tied, []string{"helpful"}) || d.Labels != 2 {
		t.Errorf("the dispute is %+v", d)
	}
	before, err := w.Reach(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.decide(w.admin, p, d.ItemID, notHelpful); err != nil {
		t.Fatal(err)
	}
	if after, err := w.Reach(t.Context(), p); err != nil || after == before {
		t.Errorf("the report is not made anew: %+v, %v", after, err)
	}
	data, err := w.ReportData(t.Context(), p, "")
	if err != nil || !maps.Equal(data.Gold[d.ItemID], unhelpful.Answers.Values) || len(data.Gold) != 1 {
		t.Fatalf("the gold is %v, %v", data.Gold, err)
	}
	r, err := report.Make(data, report.Options{Resamples: 20})
	i := slices.IndexFunc(r.Consensus, func(s report.Settled) bool { return s.ItemID == d.ItemID && s.Field == "helpful" })
	if err != nil || r.Consensus[i].How != report.Adjudicated || *r.Consensus[i].Value != 0 {
		t.Errorf("the consensus is %+v, %v", r.Consensus[i], err)
	}
	settled, err := w.Settlements(t.Context(), p)
	if s := settled[d.ItemID]; err != nil || len(settled) != 1 || s.Who != "Name of admin@example.org" || s.Newer {
		t.Errorf("settled as %+v, %v", settled, err)
	}
	if n := w.count(`SELECT count(*) FROM audit WHERE action = 'project.adjudicate' AND account_id = $1`, w.admin.ID); n != 1 {
		t.Errorf("%d lines in the trail", n)
	}
}

func TestALaterDecisionReplacesTheEarlierAndPointsToIt(t *testing.T) {
	w := newWorld(t)
	p, _ := w.disputed("anew")
	item := int64(w.count(`SELECT min(id) FROM items`))
	if err := w.decide(w.admin, p, item, notHelpful); err != nil {
		t.Fatal(err)
	}
	if _, ok := errors.AsType[protocol.Problems](w.decide(w.admin, p, item, helpful)); !ok {
		t.Error("it was decided anew without a reason")
	}
	anew := helpful
	anew.Reason, anew.Cause = "The step it offers is one.", labeling.AmbiguousItem
	if err := w.decide(w.admin, p, item, anew); err != nil {
		t.Fatal(err)
	}
	c, err := w.Case(t.Context(), w.admin.ID, p, item)
	if err != nil || len(c.History) != 2 || c.History[0].N != 2 || c.History[0].Reason != anew.Reason || c.History[1].Answers["helpful"] != 0 {
		t.Errorf("the history is %+v, %v", c.History, err)
	}
	if n := w.count(`SELECT count(*) FROM adjudications a JOIN adjudications b ON b.id = a.replaces WHERE a.n = 2 AND b.n = 1 AND cardinality(a.settles) = 2`); n != 1 {
		t.Error("the later one does not point to the earlier")
	}
	for _, change := range []string{`UPDATE adjudications SET reason = 'x'`, `DELETE FROM adjudications`} {
		if _, err := w.pool.Exec(t.Context(), change); err == nil {
			t.Errorf("%s was possible", change)
		}
	}
	data, err := w.ReportData(t.Context(), p, "")
	if err != nil || data.Gold[item]["helpful"] != 1 {
		t.Errorf("the gold is %v, %v", data.Gold, err)
	}
}

func TestAnnotatorsNeverLearnWhatWasSettled(t *testing.T) {
	w := newWorld(t)
	p, _ := w.disputed("unseen")
	if err := w.decide(w.admin, p, int64(w.count(`SELECT min(id) FROM items`)), notHelpful); err != nil {
		t.Fatal(err)
	}
	if err := w.CloseBatch(t.Context(), w.admin.ID, p, "one"); err != nil {
		t.Fatal(err)
	}
	d, err := w.HabitData(t.Context(), HabitProject{ID: p.ID, Key: p.Key, ProtocolVersionID: p.ProtocolVersionID})
	if err != nil || len(d.Labels) != 6 || len(d.Gold) != 0 {
		t.Errorf("%d labels, gold %v, %v", len(d.Labels), d.Gold, err)
	}
}

// A lead who labels in a batch sees nobody else's answers, and settles nothing,
// until it is closed and what they have open is sent.
func TestALeadWhoLabelsInAnOpenBatchMayNotSettleIt(t *testing.T) {
	w := newWorld(t)
	lead := w.person("lead@example.org", account.Lead)
	emails, accounts := w.annotators(2)
	p := w.project("mixed", 2)
	if err := w.AddLead(t.Context(), w.admin.ID, p, lead.ID); err != nil {
		t.Fatal(err)
	}
	w.open(p, project.Handout{Name: "one", Annotators: append(emails, lead.Email), Overlap: 3})
	w.labelAll(accounts[0].ID, good)
	w.labelAll(accounts[1].ID, unhelpful)
	token := w.begin(lead)
	screen, err := w.Screen(t.Context(), lead.ID, token)
	if err != nil {
		t.Fatal(err)
	}
	closedTo := func(when string, want int) {
		t.Helper()
		blind, err := w.BlindItems(t.Context(), p, lead.ID)
		if err != nil || len(blind) != want {
			t.Errorf("%s %v stay closed, %v", when, blind, err)
		}
		if err := w.decide(lead, p, screen.ItemID, helpful); (want > 0) != errors.Is(err, fault.Forbidden) {
			t.Errorf("%s: %v", when, err)
		}
	}
	closedTo("while it is open", 2)
	if blind, err := w.BlindItems(t.Context(), p, w.admin.ID); err != nil || len(blind) != 0 {
		t.Errorf("to another %v stay closed, %v", blind, err)
	}
	if err := w.CloseBatch(t.Context(), w.admin.ID, p, "one"); err != nil {
		t.Fatal(err)
	}
	closedTo("with one item still before them", 1)
	if _, err := w.Submit(t.Context(), lead.ID, token, good); err != nil {
		t.Fatal(err)
	}
	closedTo("once all is sent", 0)
}

func TestNothingIsDecidedOverWhatALeadHasNotSeen(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	p := w.project("sight", 1)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2})
	item := int64(w.count(`SELECT min(id) FROM items`))
	if err := w.decide(w.admin, p, item, helpful); !errors.Is(err, fault.Conflict) {
		t.Errorf("an item that nobody labelled: %v", err)
	}
	w.labelAll(accounts[0].ID, good)
	c, err := w.Case(t.Context(), w.admin.ID, p, item)
	if err != nil || c.Missing != 1 {
		t.Fatalf("%d missing, %v", c.Missing, err)
	}
	w.labelAll(accounts[1].ID, unhelpful)
	if err := w.Adjudicate(t.Context(), w.admin.ID, p, item, Sight{c.Seen(), c.Stands()}, helpful); !errors.Is(err, fault.Conflict) {
		t.Errorf("over an answer that came in meanwhile: %v", err)
	}
	if err := w.Adjudicate(t.Context(), w.admin.ID, p, item+1000, Sight{}, helpful); !errors.Is(err, fault.NotFound) {
		t.Errorf("an item that is not there: %v", err)
	}
	c, _ = w.Case(t.Context(), w.admin.ID, p, item)
	var won sync.Map
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			err := w.Adjudicate(t.Context(), w.admin.ID, p, item, Sight{c.Seen(), c.Stands()}, helpful)
			if err == nil || !errors.Is(err, fault.Conflict) {
				won.Store(i, err)
			}
		})
	}
	wait.Wait()
	n := 0
	won.Range(func(_, _ any) bool { n++; return true })
	if stored := w.count(`SELECT count(*) FROM adjudications`); n != 1 || stored != 1 {
		t.Errorf("of eight at once %d decided, and %d decisions are stored", n, stored)
	}
}

func TestDecisionsOfAFileAreStoredAllOrNone(t *testing.T) {
	w := newWorld(t)
	p, _ := w.disputed("file")
	docket, err := w.Docket(t.Context(), p)
	if err != nil || len(docket.Items) != 3 || len(docket.Items["item-1"].Values) != 2 || docket.Leads["admin@example.org"].ID != w.admin.ID {
		t.Fatalf("%+v, %v", docket, err)
	}
	one := sheet.Adjudicated{ItemID: docket.Items["item-1"].ItemID, By: w.admin.ID, Decision: helpful}
	two := sheet.Adjudicated{ItemID: docket.Items["item-2"].ItemID, Decision: notHelpful} // against all, and no reason
	if _, err := w.ImportAdjudications(t.Context(), p, "d.csv", []sheet.Adjudicated{one, two}); !errors.Is(err, fault.Conflict) {
		t.Errorf("one that may not be stored: %v", err)
	}
	if n := w.count(`SELECT count(*) FROM adjudications`); n != 0 {
		t.Errorf("%d decisions are stored", n)
	}
	two.Cause, two.Reason = labeling.AnnotatorMistake, "It repeats the question."
	for want := range 2 {
		one.Reason = "By the second guide."
		anew, err := w.ImportAdjudications(t.Context(), p, "d.csv", []sheet.Adjudicated{one, two})
		if err != nil || anew != 2*want {
			t.Errorf("%d anew, want %d: %v", anew, 2*want, err)
		}
	}
	if n := w.count(`SELECT count(*) FROM adjudications WHERE account_id IS NULL`); n != 2 {
		t.Errorf("%d decisions name nobody, want 2", n)
	}
}

// checksOf are the CHECKs of a version's partition, without those that every
// partition of its table has.
const checksOf = `
	SELECT coalesce(string_agg(conname || ' ' || pg_get_constraintdef(oid), chr(10) ORDER BY conname), 'none')
	FROM pg_constraint
	WHERE conrelid = ($1 || $2::text)::regclass AND contype = 'c' AND coninhcount = 0`

// keptAlike requires every version's gold to be kept to what its annotations are.
func (w world) keptAlike(when string) {
	w.t.Helper()
	rows, err := many[struct{ ID int }](w.pool.Query(w.t.Context(), `SELECT id FROM protocol_versions`))
	if err != nil || len(rows) < 5 {
		w.t.Fatalf("%d versions, %v", len(rows), err)
	}
	for _, v := range rows {
		var labels, gold string
		err := errors.Join(w.pool.QueryRow(w.t.Context(), checksOf, "annotations_", fmt.Sprint(v.ID)).Scan(&labels),
			w.pool.QueryRow(w.t.Context(), checksOf, "adjudications_", fmt.Sprint(v.ID)).Scan(&gold))
		if err != nil || labels != gold || len(labels) < 500 {
			w.t.Errorf("%s, version %d is kept to\n%s\nand its gold to\n%s\n%v", when, v.ID, labels, gold, err)
		}
	}
}

func TestGoldIsKeptToTheRulesOfAnnotations(t *testing.T) {
	w := newWorld(t)
	w.keptAlike("as published")
	p, _ := w.disputed("refused")
	for broken, answers := range map[string]string{
		"helpful_scale":                `{"proper_action": 1, "response_on_topic": 1, "helpful": 2, "incomplete": 0, "unsafe_content": 0}`,
		"helpful_given":                `{"proper_action": 1, "response_on_topic": 1, "incomplete": 0, "unsafe_content": 0}`,
		"known_answers":                `{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0, "mood": 1}`,
		"over some annotations":        "",
		"anew with a reason":           "",
		"adjudications_item_id_facts_": "",
	} {
		n, settles, facts := 1, "{1}", `{}`
		switch broken {
		case "over some annotations":
			settles = "{}"
		case "anew with a reason":
			n = 2
		case "adjudications_item_id_facts_":
			facts = `{"other": true}`
		}
		if answers == "" {
			answers = `{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0, "unsafe_content": 0}`
		}
		_, err := w.pool.Exec(t.Context(), `
			INSERT INTO adjudications (protocol_version_id, revision, project_id, item_id, n, answers, facts, settles)
			SELECT $1, $2, $3, min(id), $4, $5::jsonb, $6::jsonb, $7::bigint[] FROM items`,
			p.ProtocolVersionID, p.Protocol.Revision, p.ID, n, answers, facts, settles)
		refusal, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || !(refusal.ConstraintName == broken || broken == "adjudications_item_id_facts_" && refusal.Code == "23503") {
			t.Errorf("%s: %v", broken, err)
		}
	}
}

// A database of an earlier version has published protocols already.
func TestVersionsPublishedEarlierGetTheirGold(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	db, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	w := world{t: t, DB: db}
	for w.count(`SELECT count(*) FROM pg_class WHERE relname = 'adjudications'`) > 0 {
		if err := MigrateDown(url); err != nil {
			t.Fatal(err)
		}
	}
	if err := MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	w.keptAlike("after an upgrade")
}
