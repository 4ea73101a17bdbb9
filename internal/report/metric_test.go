package report_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

func findRate(t *testing.T, r report.Report, group report.MetricName, name string) report.Rate {
	t.Helper()
	for _, m := range r.Metrics {
		for _, rate := range m.Rates {
			if m.Name == group && rate.Name == name {
				return rate
			}
		}
	}
	t.Fatalf("no %s among %s", name, group)
	return report.Rate{}
}

// addChunk adds a chunk of a query. With values, two annotators give it the same label.
func addChunk(d *dataBuilder, query string, rank int, values ...int) {
	id := d.addItem(func(i *study.ItemData) { i.RecordID, i.Rank = query, rank })
	if len(values) > 0 {
		d.addLabel(id, "ada", study.Work, values...)
		d.addLabel(id, "bo", study.Work, values...)
	}
}

func TestRetrieval_Incomplete_IsCounted(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "rag-retrieval")
	addChunk(d, "q1", 1, 0, 0, 0)
	addChunk(d, "q1", 2, 1, 1, 0)
	addChunk(d, "q2", 1, 1, 0, 0)
	addChunk(d, "q2", 2, 1, 0, 1)
	addChunk(d, "q3", 1, 1, 1, 0)
	addChunk(d, "q3", 2) // unlabeled
	addChunk(d, "q4", 1, 1, 1, 0)
	tied := d.addItem(func(i *study.ItemData) { i.RecordID, i.Rank = "q4", 2 })
	d.addLabel(tied, "ada", study.Work, 0, 0, 0)
	d.addLabel(tied, "bo", study.Work, 1, 0, 0)
	addChunk(d, "q5", 1) // no chunk labeled
	r := d.build()
	precision := findRate(t, r, report.RetrievalMetrics, "topical_precision_at_k")
	checkNear(t, "precision", precision.Value, (0.5+1+0.75)/3)
	checkNear(t, "lowest precision", precision.Lowest, (0.5+1+0.5)/3)
	checkNear(t, "highest precision", precision.Highest, (0.5+1+1)/3)
	checkNear(t, "reciprocal rank", findRate(t, r, report.RetrievalMetrics, "mrr_at_k").Value, (0.5+1+1)/3)
	checkNear(t, "hit", findRate(t, r, report.RetrievalMetrics, "sufficiency_hit_at_k").Value, 2.0/3)
	if precision.SampleSize != 3 || precision.Ties != 1 || precision.Reason != stats.TooFewUnits {
		t.Errorf("precision %+v, want three queries, one with a tie", precision)
	}
	if misleading := findRate(t, r, report.RetrievalMetrics, "misleading_context_rate_at_k"); misleading.Ties != 0 {
		t.Errorf("a tie of another field counts: %+v", misleading)
	}
	if text := joinTexts(r.Metrics[0]); !strings.Contains(text,
		"Left out of one or more rates: 1 query with unlabeled chunks.") ||
		!strings.Contains(text, ", 1 without a majority.") {
		t.Error(text)
	}
}

// Queries that retrieved nothing count as misses, of a labeled part as many as belong to it.
func TestRetrieval_EmptyRecords_CountAsMisses(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "rag-retrieval")
	for i := range 6 {
		addChunk(d, fmt.Sprint("q", i), 1, 1, 1, 0)
	}
	d.EmptyRecords = 4
	for _, want := range []int{10, 6 + 3} {
		r := d.build()
		for _, name := range []string{"sufficiency_hit_at_k", "mrr_at_k"} {
			rate := findRate(t, r, report.RetrievalMetrics, name)
			checkNear(t, name, rate.Value, 6/float64(want))
			if rate.SampleSize != want {
				t.Errorf("%s of %d queries, want %d", name, rate.SampleSize, want)
			}
		}
		if text := fmt.Sprintf("%d queries that retrieved nothing", want-6); !strings.Contains(joinTexts(r.Metrics[0]),
			text) {
			t.Errorf("message: %s", joinTexts(r.Metrics[0]))
		}
		addChunk(d, "u1", 1) // unlabeled, for the second turn
		addChunk(d, "u2", 1)
	}
}

func TestRetrieval_TopK_FirstChunks(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "rag-retrieval")
	addChunk(d, "q1", 1, 0, 0, 0)
	addChunk(d, "q1", 2, 1, 1, 0)
	addChunk(d, "q1", 3) // unlabeled and beyond topK
	r, err := report.Build(d.Data, report.BuildOptions{Resamples: 50, TopK: 2})
	if err != nil {
		t.Fatal(err)
	}
	if hit := findRate(t, r, report.RetrievalMetrics, "sufficiency_hit_at_k"); hit.SampleSize != 1 || *hit.Value != 1 ||
		!strings.Contains(joinTexts(r.Metrics[0]), "Based on 1 query and the first 2 chunks of each.") {
		t.Errorf("%+v: %s", hit, joinTexts(r.Metrics[0]))
	}
}

func TestGrounding_Fabrication_AmongCited(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "rag-grounding")
	for i, values := range [][]int{{1, 0, 0, 1, 1}, {1, 0, 0, 1, 0}, {0, 1, 1, 0, 0}, {0, 1, 0, 0, 0}} {
		id := d.addItem(nil)
		d.addLabel(id, fmt.Sprint("a", i), study.Work, values...)
	}
	r := d.build()
	checkNear(t, "presence", findRate(t, r, report.GroundingMetrics, "grounding_presence_rate").Value, 0.5)
	fabricated := findRate(t, r, report.GroundingMetrics, "conditional_fabrication_rate")
	checkNear(t, "fabrication", fabricated.Value, 0.5)
	if fabricated.SampleSize != 2 {
		t.Errorf("fabrication among %d answers, want 2 with a citation", fabricated.SampleSize)
	}
}

// TestGrounding_Ties_Stay checks a rate by hand: one answer is certain, in one only the made-up
// source is tied, and in one the citation too.
func TestGrounding_Ties_Stay(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "rag-grounding")
	for _, answers := range [][2][]int{
		{{1, 0, 0, 1, 1}, {1, 0, 0, 1, 1}},
		{{1, 0, 0, 1, 1}, {1, 0, 0, 1, 0}},
		{{1, 0, 0, 1, 1}, {0, 0, 0, 0, 0}},
	} {
		id := d.addItem(nil)
		d.addLabel(id, "ada", study.Work, answers[0]...)
		d.addLabel(id, "bo", study.Work, answers[1]...)
	}
	r := d.build()
	cited := findRate(t, r, report.GroundingMetrics, "citation_presence_rate")
	checkNear(t, "cited", cited.Value, 2.5/3)
	if cited.SampleSize != 3 || cited.Ties != 1 {
		t.Errorf("cited %+v", cited)
	}
	fabricated := findRate(t, r, report.GroundingMetrics, "conditional_fabrication_rate")
	checkNear(t, "fabricated", fabricated.Value, 2/2.5)
	checkNear(t, "fewest", fabricated.Lowest, 1.0/3)
	checkNear(t, "most", fabricated.Highest, 1)
	if fabricated.Ties != 2 {
		t.Errorf("fabricated %+v", fabricated)
	}
}

// TestVerdictRates_Certain_CountDespiteTies checks that a verdict counts as soon as it is
// certain, and else by its probability.
func TestVerdictRates_Certain_CountDespiteTies(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "ambiguity")
	for _, answers := range [][2][]int{
		{{0, 2, 2, 2, 2, 2}, {0, 1, 2, 1, 2, 0}}, // fails: a is 0 for both
		{{1, 2, 2, 2, 2, 2}, {0, 2, 2, 2, 2, 2}}, // fails by half
		{{1, 1, 2, 2, 2, 2}, {1, 0, 2, 2, 2, 0}}, // fails by half: both ties are resolved by one annotator
		{{2, 2, 2, 2, 2, 2}, {1, 2, 2, 2, 2, 2}}, // passes, and is preferred or acceptable
	} {
		id := d.addItem(nil)
		d.addLabel(id, "ada", study.Work, answers[0]...)
		d.addLabel(id, "bo", study.Work, answers[1]...)
	}
	fail := findRate(t, d.build(), report.VerdictMetrics, "fail")
	checkNear(t, "fail", fail.Value, (1+0.5+0.5)/4)
	checkNear(t, "fewest", fail.Lowest, 1.0/4)
	checkNear(t, "most", fail.Highest, 3.0/4)
	if fail.SampleSize != 4 || fail.Ties != 2 {
		t.Errorf("fail %+v", fail)
	}
}

// TestVerdictRates_TwoAnnotators_AreTheMeanOfTheirOwn checks that ties do not change how often items meet a
// verdict: with two complete annotators, one stricter on all fields, the rate is the mean of theirs.
func TestVerdictRates_TwoAnnotators_AreTheMeanOfTheirOwn(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(71, 0))
	both, alone := newDataBuilder(t, "ambiguity"), []*dataBuilder{newDataBuilder(t, "ambiguity"),
		newDataBuilder(t, "ambiguity")}
	for range 200 {
		id := both.addItem(nil)
		for annotator, d := range alone {
			answers := make([]int, 6)
			for i := range answers {
				answers[i] = min(2, r.IntN(7-4*annotator))
			}
			both.addLabel(id, fmt.Sprint(annotator), study.Work, answers...)
			d.addLabel(d.addItem(nil), "a", study.Work, answers...)
		}
	}
	got, first, second := both.build(), alone[0].build(), alone[1].build()
	for _, verdict := range both.Protocol.Verdicts {
		a, b := findRate(t, first, report.VerdictMetrics, verdict.Key), findRate(t, second, report.VerdictMetrics,
			verdict.Key)
		checkNear(t, verdict.Key, findRate(t, got, report.VerdictMetrics, verdict.Key).Value, (*a.Value+*b.Value)/2)
	}
	if fail := findRate(t, first, report.VerdictMetrics, "fail"); *fail.Value < 0.3 {
		t.Errorf("fail is %v", *fail.Value)
	}
}

func TestGeneration_Field_HasRate(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "rag-generation")
	for i := range 4 {
		d.addLabel(d.addItem(nil), "ada", study.Work, 1, 1, boolToInt(i > 0), boolToInt(i == 1), 0)
	}
	r := d.build()
	checkNear(t, "helpful", findRate(t, r, report.GenerationMetrics, "helpfulness_rate").Value, 0.75)
	checkNear(t, "unsafe", findRate(t, r, report.GenerationMetrics, "unsafe_content_rate").Value, 0)
}

func TestVerdictRates_NotAsked_Ignored(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "ambiguity")
	singleTurn := func(i *study.ItemData) { i.Facts = protocol.Facts{"multi_turn": false} }
	d.addLabel(d.addItem(singleTurn), "ada", study.Work, 2, 2, 2, -1, 2, 2) // preferred without d
	d.addLabel(d.addItem(nil), "ada", study.Work, 2, 2, 2, 1, 2, 2)         // acceptable
	d.addLabel(d.addItem(nil), "ada", study.Work, 2, 2, 2, 0, 2, 2)         // fail
	l := d.addLabel(d.addItem(nil), "ada", study.Work, 0, 2, 2, 2, 2, 2)
	l.Observations = []string{"premature_resolution"}
	r := d.build()
	checkNear(t, "fail", findRate(t, r, report.VerdictMetrics, "fail").Value, 0.5)
	checkNear(t, "acceptable", findRate(t, r, report.VerdictMetrics, "acceptable").Value, 0.5)
	checkNear(t, "preferred", findRate(t, r, report.VerdictMetrics, "preferred").Value, 0.25)
	checkNear(t, "premature resolution", findRate(t, r, report.ObservationMetrics, "premature_resolution").Value, 0.25)
}

func TestObservations_Adjudicated_Override(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "ambiguity")
	var items []project.ItemID
	for range 4 { // two labels each, one with the observation
		id := d.addItem(nil)
		items = append(items, id)
		d.addLabel(id, "ada", study.Work, 0, 2, 2, 2, 2, 2).Observations = []string{"premature_resolution"}
		d.addLabel(id, "bo", study.Work, 1, 2, 2, 2, 2, 2)
	}
	checkNear(t, "from labels", findRate(t, d.build(), report.ObservationMetrics, "premature_resolution").Value, 0.5)
	d.AdjudicatedObservations = map[project.ItemID][]string{items[0]: {}, items[1]: {}, items[2]: {}}
	r := d.build()
	got := findRate(t, r, report.ObservationMetrics, "premature_resolution")
	checkNear(t, "with three rejected", got.Value, 0.125)
	if got.SampleSize != 8 {
		t.Errorf("%d labels, want 8", got.SampleSize)
	}
	message := joinTexts(r.Metrics[slices.IndexFunc(r.Metrics, func(m report.MetricGroup) bool {
		return m.Name == report.ObservationMetrics
	})])
	if want := "Share of 8 labels with each observation. For 6 labels of 3 adjudicated items, the decision counts instead."; message != want {
		t.Errorf("message: %q", message)
	}
	d.AdjudicatedObservations = map[project.ItemID][]string{items[0]: {"premature_resolution"}}
	checkNear(t, "with one confirmed", findRate(t, d.build(), report.ObservationMetrics, "premature_resolution").Value,
		0.625)
}

func TestJudges_Labels_Compared(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 40, 0)
	for _, l := range d.Labels {
		if l.Annotator == "ada" { // the judge is one point above the annotators, at most 4
			d.Judgments = append(d.Judgments, study.Judgment{ItemID: l.ItemID, Judge: "judge v1",
				Values: map[string]int{"emotion": min(4, l.Values["emotion"]+1)}})
		}
	}
	r := d.build()
	if len(r.Judges) != 1 || r.Judges[0].Items != 40 {
		t.Fatalf("judges: %+v", r.Judges)
	}
	f := r.Judges[0].Fields[0]
	checkNear(t, "κ among people", f.People.Value, 1)
	checkNear(t, "bias", f.Bias.Value, 0.75)
	if f.Items != 40 || *f.WithPeople.Value > 0.6 || f.Conclusion != judge.Biased {
		t.Errorf("κ with the judge is %v on %d items: %s", *f.WithPeople.Value, f.Items, f.Conclusion)
	}
}
