package postgres

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// itemMeasures are the measures of an item, from its labels or in item_states.
type itemMeasures struct {
	ItemID            project.ItemID
	LabelCount        int
	Disagreement      float64
	TotalDisagreement float64
	MaxDistance       int
	DisagreeingFields []string
	TiedFields        []string
}

// labeledMeasures computes the measures of the items on which annotators disagree from the labels: of every
// field the mean and the largest distance between two answers, and whether it has no consensus.
func (env testEnv) labeledMeasures(p project.Project) []itemMeasures {
	env.t.Helper()
	labels, err := collectAll[struct {
		ItemID project.ItemID
		Values map[string]int
	}](env.pool.Query(env.t.Context(), `
		SELECT n.item_id, n.answers AS values
		FROM current_annotations n
		JOIN batches b ON b.id = n.batch_id
		WHERE b.project_id = $1 AND n.kind = 'work'`, p.ID))
	if err != nil {
		env.t.Fatal(err)
	}
	answers := map[project.ItemID][]map[string]int{}
	for _, l := range labels {
		answers[l.ItemID] = append(answers[l.ItemID], l.Values)
	}
	measures := []itemMeasures{}
	for id, given := range answers {
		m, means := itemMeasures{ItemID: id, LabelCount: len(given), TiedFields: []string{}}, map[string]float64{}
		for _, f := range p.Protocol.Fields {
			values := []int{}
			for _, answer := range given {
				values = append(values, answer[f.Key])
			}
			mean, largest := measureDistances(values, f.Scale.Values())
			if largest == 0 {
				continue
			}
			means[f.Key] = mean
			m.Disagreement, m.MaxDistance = max(m.Disagreement, mean), max(m.MaxDistance, largest)
			m.DisagreeingFields = append(m.DisagreeingFields, f.Key)
			if middle := len(values) / 2; len(values)%2 == 0 && values[middle-1] != values[middle] {
				m.TiedFields = append(m.TiedFields, f.Key)
			}
		}
		slices.Sort(m.TiedFields)
		slices.SortFunc(m.DisagreeingFields, func(a, b string) int {
			return cmp.Or(-cmp.Compare(means[a], means[b]), cmp.Compare(a, b))
		})
		for _, field := range m.DisagreeingFields {
			m.TotalDisagreement += means[field]
		}
		if m.MaxDistance > 0 {
			measures = append(measures, m)
		}
	}
	slices.SortFunc(measures, func(a, b itemMeasures) int {
		return cmp.Or(cmp.Compare(b.Disagreement, a.Disagreement), cmp.Compare(b.TotalDisagreement,
			a.TotalDisagreement), cmp.Compare(a.ItemID, b.ItemID))
	})
	return measures
}

// measureDistances sorts values and returns the mean distance of two of them, as a share of the scale, and the
// largest one.
func measureDistances(values, scale []int) (mean float64, largest int) {
	slices.Sort(values)
	sum, pairs := 0, 0
	for i, a := range values {
		for _, b := range values[i+1:] {
			sum, pairs, largest = sum+b-a, pairs+1, max(largest, b-a)
		}
	}
	return float64(sum) / float64(max(1, pairs)) / float64(slices.Max(scale)-slices.Min(scale)), largest
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
	p, err := env.CreateProject(env.t.Context(), env.admin, project.Spec{Key: "scale", Title: "Scale",
		Protocol: "empathy"})
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

func TestItemStates_RandomLabels_EqualLabels(t *testing.T) {
	env := newTestEnv(t)
	random := rand.New(rand.NewPCG(1, 2))
	p, annotators := env.newScaleBatch(4, 12)
	for _, a := range annotators {
		env.submitEach(a, func(string) labeling.Submission { return randomScores(random) })
		if diff := gocmp.Diff(env.labeledMeasures(p), env.storedMeasures(p)); diff != "" {
			t.Fatalf("item_states differ from the labels (-labels +stored):\n%s", diff)
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
		exported := env.exportRows(p, dataset.Long, "items")[0]["state"] // also before the server's job has run
		if got := env.stateOf(item); got != want || exported != want {
			t.Errorf("state %s, exported as %v, want %s", got, exported, want)
		}
	}
	checkState("unassigned")
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2})
	checkState("in_progress")
	env.submitAll(annotators[0], helpfulSubmission)
	checkState("in_progress")
	env.submitAll(annotators[1], unhelpfulSubmission)
	checkState("disagreement")
	if err := env.adjudicate(env.admin, p, item, labeling.Decision{Answers: helpfulSubmission.Answers,
		Reason: "It helps."}); err != nil {
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
