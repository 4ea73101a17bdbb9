package postgres

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// itemMeasures are the measures of an item, in the report or in item_states.
type itemMeasures struct {
	ItemID            project.ItemID
	LabelCount        int
	Disagreement      float64
	TotalDisagreement float64
	MaxDistance       int
	DisagreeingFields []string
	TiedFields        []string
}

// findDisagreements finds the disagreements as the report does.
func (env testEnv) findDisagreements(ctx context.Context, p project.Project, batch string) ([]report.DisagreementItem, error) {
	if err := env.requireBatch(ctx, p.ID, batch); err != nil {
		return nil, err
	}
	labels, err := collectAll[disagreementLabel](env.pool.Query(ctx, `
		SELECT n.id, n.item_id, i.source_id, n.account_id, n.answers AS values
		FROM current_annotations n
		JOIN batches b ON b.id = n.batch_id
		JOIN items i ON i.id = n.item_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND ($3 = '' OR b.name = $3) AND n.kind = 'work'`,
		p.ProtocolVersionID, p.ID, batch))
	if err != nil {
		return nil, err
	}
	return report.FindDisagreements(buildDisagreementData(p.Protocol, labels))
}

type disagreementLabel struct {
	ID        int64
	ItemID    project.ItemID
	SourceID  string
	AccountID account.ID
	Values    map[string]int
}

// buildDisagreementData builds the input for disagreements; account ids replace
// pseudonyms.
func buildDisagreementData(p protocol.Protocol, labels []disagreementLabel) study.Data {
	d, seen := study.Data{Protocol: p}, map[project.ItemID]bool{}
	for _, l := range labels {
		d.Labels = append(d.Labels, study.Label{ID: l.ID, ItemID: l.ItemID, Annotator: strconv.FormatInt(int64(l.AccountID), 10), Kind: study.Work, Values: l.Values})
		if !seen[l.ItemID] {
			seen[l.ItemID] = true
			d.Items = append(d.Items, study.ItemData{ID: l.ItemID, SourceID: l.SourceID})
		}
	}
	return d
}

// reportMeasures returns the items on which annotators disagree as the report measures them.
func (env testEnv) reportMeasures(p project.Project) []itemMeasures {
	env.t.Helper()
	found, err := env.findDisagreements(env.t.Context(), p, "")
	if err != nil {
		env.t.Fatal(err)
	}
	measures := []itemMeasures{}
	for _, d := range found {
		m := itemMeasures{ItemID: d.ItemID, LabelCount: d.LabelCount, Disagreement: d.MeanDistance(), TotalDisagreement: d.TotalDistance(), TiedFields: append([]string{}, slices.Sorted(slices.Values(d.TiedFields))...)}
		slices.SortStableFunc(d.Fields, func(a, b report.FieldDisagreement) int {
			if a.MeanDistance == b.MeanDistance {
				return compareText(a.Field, b.Field)
			}
			return 0
		})
		for _, f := range d.Fields {
			m.DisagreeingFields = append(m.DisagreeingFields, f.Field)
		}
		m.MaxDistance = d.Fields[0].MaxDistance
		measures = append(measures, m)
	}
	return measures
}

func compareText(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}

// storedMeasures returns the same from item_states.
func (env testEnv) storedMeasures(p project.Project) []itemMeasures {
	env.t.Helper()
	env.mustMeasure()
	measures, err := collectAll[itemMeasures](env.pool.Query(env.t.Context(), `
		SELECT s.item_id, s.label_count, s.disagreement, s.total_disagreement, s.max_distance, s.disagreeing_fields,
		       ARRAY (SELECT f FROM unnest(s.tied_fields) f ORDER BY f COLLATE "C") AS tied_fields
		FROM item_states s
		WHERE s.project_id = $1 AND s.disagreement > 0
		ORDER BY s.disagreement DESC, s.total_disagreement DESC, s.item_id`, p.ID))
	if err != nil {
		env.t.Fatal(err)
	}
	return measures
}

// newScaleBatch opens a batch of the empathy protocol for all annotators.
func (env testEnv) newScaleBatch(annotators, items int) (project.Project, []account.Account) {
	env.t.Helper()
	emails, accounts := env.newAnnotators(annotators)
	p, err := env.CreateProject(env.t.Context(), env.admin, project.Spec{Key: "scale", Title: "Scale", Protocol: "empathy"})
	if err != nil {
		env.t.Fatal(err)
	}
	list := make([]project.Item, items)
	for i := range list {
		list[i] = project.Item{SourceID: string(rune('a' + i)), Facts: protocol.Facts{}, Content: project.Content{
			"user_statement": {Text: "I lost my job."}, "response": {Text: "That must be hard."}}}
	}
	if err := env.Import(env.t.Context(), env.admin.ID, p, File{Name: "s.jsonl"}, list); err != nil {
		env.t.Fatal(err)
	}
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: annotators, Seed: 3})
	return p, accounts
}

// randomScores returns a valid answer to an item of the empathy protocol.
func randomScores(random *rand.Rand) labeling.Submission {
	values := map[string]int{}
	for _, field := range []string{"emotion", "validation", "helpfulness", "safety", "overall"} {
		values[field] = 1 + random.IntN(5)
	}
	return labeling.Submission{ActiveMS: 1, Answers: protocol.Answers{Values: values, Note: "A reason."}}
}

func TestItemStates_RandomLabels_EqualReport(t *testing.T) {
	env := newTestEnv(t)
	random := rand.New(rand.NewPCG(1, 2))
	p, annotators := env.newScaleBatch(4, 12)
	for _, a := range annotators {
		env.submitEach(a, func(string) labeling.Submission { return randomScores(random) })
		want := env.reportMeasures(p)
		slices.SortStableFunc(want, func(a, b itemMeasures) int {
			if a.Disagreement == b.Disagreement && a.TotalDisagreement == b.TotalDisagreement {
				return int(a.ItemID - b.ItemID)
			}
			return 0
		})
		if diff := cmp.Diff(want, env.storedMeasures(p)); diff != "" {
			t.Fatalf("item_states differ from the report (-report +stored):\n%s", diff)
		}
	}
}

// mustMeasure brings item_states up to date.
func (env testEnv) mustMeasure() {
	env.t.Helper()
	if err := env.measureAll(env.t.Context()); err != nil {
		env.t.Fatal(err)
	}
}

func (env testEnv) stateOf(id project.ItemID) string {
	env.t.Helper()
	env.mustMeasure()
	return query[string](env, `SELECT state FROM item_states WHERE item_id = $1`, id)
}

func TestItemStates_Steps(t *testing.T) {
	env := newTestEnv(t)
	emails, annotators := env.newAnnotators(2)
	p := env.newProject("test", 2)
	item := env.firstItem(p)
	checkState := func(want string) {
		t.Helper()
		if got := env.stateOf(item); got != want {
			t.Errorf("state %s, want %s", got, want)
		}
	}
	checkState("unassigned")
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2})
	checkState("in_progress")
	env.submitAll(annotators[0], helpfulSubmission)
	checkState("in_progress")
	env.submitAll(annotators[1], unhelpfulSubmission)
	checkState("disagreement")
	if err := env.adjudicate(env.admin, p, item, labeling.Decision{Answers: helpfulSubmission.Answers, Reason: "It helps."}); err != nil {
		t.Fatal(err)
	}
	checkState("adjudicated")
}

func TestItemStates_ConcurrentSubmits_CountBoth(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(4, 1, project.BatchSpec{})
	item := env.firstItem(p)
	var wg sync.WaitGroup
	for i, a := range annotators {
		token := env.openItem(a)
		wg.Go(func() {
			if _, err := env.Submit(t.Context(), a.ID, token, newSubmission(i%2)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	env.mustMeasure()
	env.checkCount(1, `item_states WHERE item_id = $1 AND label_count = 4 AND state = 'disagreement' AND disagreeing_fields = '{helpful}' AND tied_fields = '{helpful}'`, item)
}

// An action on the items with a disagreement finds those of the last label, too.
func TestSelectItems_LastLabel_IsMeasured(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreement()
	f := project.ItemFilter{State: project.ItemDisagreement}
	ids, err := env.selectBatchItems(t.Context(), 0, p, query[string](env, `SELECT name FROM batches`), f)
	if err != nil || len(ids) != 1 || ids[0] != env.firstItem(p) {
		t.Errorf("items %v, %v; want %d", ids, err, env.firstItem(p))
	}
}
