package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

func rate(t *testing.T, r report.Report, title, name string) report.Rate {
	t.Helper()
	for _, m := range r.Metrics {
		for _, rate := range m.Rates {
			if m.Title == title && rate.Name == name {
				return rate
			}
		}
	}
	t.Fatalf("there is no %s among %s", name, title)
	return report.Rate{}
}

// chunk adds a chunk of a query with the same label of two annotators.
func chunk(d *deck, query string, rank int, values ...int) {
	id := d.item(func(i *report.Item) { i.Record, i.Rank = query, rank })
	if len(values) > 0 {
		d.label(id, "ada", report.Work, values...)
		d.label(id, "bo", report.Work, values...)
	}
}

func TestRetrievalIsMeasuredByQueryAndLeavesOutWhatIsNotWhole(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "rag-retrieval")
	chunk(d, "q1", 1, 0, 0, 0)
	chunk(d, "q1", 2, 1, 1, 0)
	chunk(d, "q2", 1, 1, 0, 0)
	chunk(d, "q2", 2, 1, 0, 1)
	chunk(d, "q3", 1, 1, 1, 0)
	chunk(d, "q3", 2) // not labelled
	chunk(d, "q4", 1, 1, 1, 0)
	tied := d.item(func(i *report.Item) { i.Record, i.Rank = "q4", 2 })
	d.label(tied, "ada", report.Work, 0, 0, 0)
	d.label(tied, "bo", report.Work, 1, 0, 0)
	chunk(d, "q5", 1) // not begun
	r := d.report()
	precision := rate(t, r, "Retrieval", "topical_precision_at_k")
	near(t, "precision", precision.Value, 0.75)
	near(t, "reciprocal rank", rate(t, r, "Retrieval", "mrr_at_k").Value, 0.75)
	near(t, "hit", rate(t, r, "Retrieval", "sufficiency_hit_at_k").Value, 0.5)
	if precision.N != 2 || precision.Low == nil {
		t.Errorf("precision is %+v, want two queries", precision)
	}
	if says := r.Metrics[0].Says; !strings.Contains(says, "1 with chunks not labelled yet, 1 with a tie") {
		t.Errorf("what is left out: %s", says)
	}
}

func TestRetrievalMayCountOnlyTheFirstChunks(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "rag-retrieval")
	chunk(d, "q1", 1, 0, 0, 0)
	chunk(d, "q1", 2, 1, 1, 0)
	chunk(d, "q1", 3) // not labelled, and not asked for
	r, err := report.Make(d.Data, report.Options{Resamples: 50, K: 2})
	if err != nil {
		t.Fatal(err)
	}
	if hit := rate(t, r, "Retrieval", "sufficiency_hit_at_k"); hit.N != 1 || *hit.Value != 1 || !strings.Contains(r.Metrics[0].Says, "its first 2 chunks") {
		t.Errorf("%+v: %s", hit, r.Metrics[0].Says)
	}
}

func TestFabricationIsAmongAnswersThatCite(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "rag-grounding")
	for i, values := range [][]int{{1, 0, 0, 1, 1}, {1, 0, 0, 1, 0}, {0, 1, 1, 0, 0}, {0, 1, 0, 0, 0}} {
		id := d.item(nil)
		d.label(id, fmt.Sprint("a", i), report.Work, values...)
	}
	r := d.report()
	near(t, "presence", rate(t, r, "Grounding", "grounding_presence_rate").Value, 0.5)
	fabricated := rate(t, r, "Grounding", "conditional_fabrication_rate")
	near(t, "fabrication", fabricated.Value, 0.5)
	if fabricated.N != 2 {
		t.Errorf("fabrication among %d answers, want those that cite", fabricated.N)
	}
}

func TestGenerationHasARatePerField(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "rag-generation")
	for i := range 4 {
		d.label(d.item(nil), "ada", report.Work, 1, 1, at(i > 0), at(i == 1), 0)
	}
	r := d.report()
	near(t, "helpful", rate(t, r, "Generation", "helpfulness_rate").Value, 0.75)
	near(t, "unsafe", rate(t, r, "Generation", "unsafe_content_rate").Value, 0)
}

func TestVerdictsLeaveOutTheAxisThatDoesNotApply(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "ambiguity")
	one := func(i *report.Item) { i.Facts = protocol.Facts{"multi_turn": false} }
	d.label(d.item(one), "ada", report.Work, 2, 2, 2, -1, 2, 2) // preferred without d
	d.label(d.item(nil), "ada", report.Work, 2, 2, 2, 1, 2, 2)  // acceptable
	d.label(d.item(nil), "ada", report.Work, 2, 2, 2, 0, 2, 2)  // fail
	l := d.label(d.item(nil), "ada", report.Work, 0, 2, 2, 2, 2, 2)
	l.Observed = []string{"premature_resolution"}
	r := d.report()
	near(t, "fail", rate(t, r, "Verdicts", "fail").Value, 0.5)
	near(t, "acceptable", rate(t, r, "Verdicts", "acceptable").Value, 0.5)
	near(t, "preferred", rate(t, r, "Verdicts", "preferred").Value, 0.25)
	near(t, "premature resolution", rate(t, r, "Observations", "premature_resolution").Value, 0.25)
}

func TestObservationsThatALeadSettledCountAsSettled(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "ambiguity")
	var items []int64
	for range 4 { // two labels each, of which one ticks it
		id := d.item(nil)
		items = append(items, id)
		d.label(id, "ada", report.Work, 0, 2, 2, 2, 2, 2).Observed = []string{"premature_resolution"}
		d.label(id, "bo", report.Work, 1, 2, 2, 2, 2, 2)
	}
	near(t, "by the annotators", rate(t, d.report(), "Observations", "premature_resolution").Value, 0.5)
	d.Observed = map[int64][]string{items[0]: {}, items[1]: {}, items[2]: {}}
	r := d.report()
	got := rate(t, r, "Observations", "premature_resolution")
	near(t, "with three denied", got.Value, 0.125)
	if got.N != 8 {
		t.Errorf("it is of %d labels, want 8", got.N)
	}
	says := r.Metrics[slices.IndexFunc(r.Metrics, func(m report.Metrics) bool { return m.Title == "Observations" })].Says
	if want := "Shares of 8 labels in which each was ticked. 6 of them are of 3 items that a lead settled, and count as settled: what the decision does not tick, was not there."; says != want {
		t.Errorf("it says %q", says)
	}
	d.Observed = map[int64][]string{items[0]: {"premature_resolution"}}
	near(t, "with one confirmed", rate(t, d.report(), "Observations", "premature_resolution").Value, 0.625)
}

func TestAModelIsSetBesidePeople(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 40, 0)
	for _, l := range d.Labels {
		if l.Annotator == "ada" { // the model is always one point above people, but never above 4
			d.Models = append(d.Models, report.Judgement{ItemID: l.ItemID, Model: "judge v1", Values: map[string]int{"emotion": min(4, l.Values["emotion"]+1)}})
		}
	}
	r := d.report()
	if len(r.Models) != 1 || r.Models[0].Items != 40 {
		t.Fatalf("the models are %+v", r.Models)
	}
	f := r.Models[0].Fields[0]
	near(t, "human–human", f.HumanHuman.Value, 1)
	if f.Shared != 40 || *f.HumanModel.Value > 0.6 {
		t.Errorf("human–model is %v on %d items", deref(f.HumanModel.Value), f.Shared)
	}
	near(t, "bias at 1", f.Bias[0].Value, 1)
	near(t, "bias at 4", f.Bias[3].Value, 0)
	if f.Bias[4].Value != nil || f.Bias[4].Undefined == "" {
		t.Errorf("bias where people settled nowhere is %+v", f.Bias[4])
	}
	near(t, "bias", f.BlandAltman.Bias.Value, 0.75)
}
