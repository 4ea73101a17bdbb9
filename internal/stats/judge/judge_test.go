package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// newStudy returns labels of two of three annotators per item on a scale of five points, who err by a point in 30% of
// the labels, and the answers of a judge, which move the true value.
func newStudy(t *testing.T, seed uint64, items, perRecord int,
	judge func(r *rand.Rand, truth int) int) (stats.Dimension, []Answer) {
	t.Helper()
	r := rand.New(rand.NewPCG(21, seed))
	var ratings []stats.Rating
	var answers []Answer
	for i := range items {
		item, cluster, truth := fmt.Sprintf("i%04d", i), "", 1+r.IntN(5)
		if perRecord > 1 {
			cluster = fmt.Sprintf("r%04d", i/perRecord)
		}
		for _, g := range r.Perm(3)[:2] {
			ratings = append(ratings, stats.Rating{Item: item, Annotator: string(rune('a' + g)), Cluster: cluster,
				Value: near(r, truth, 0.3)})
		}
		answers = append(answers, Answer{item, judge(r, truth), i / perRecord})
	}
	table, err := stats.NewRatingTable(stats.NewRangeScale(1, 5), ratings)
	if err != nil {
		t.Fatal(err)
	}
	return stats.Dimension{Name: "tone", Table: table, Declared: true}, answers
}

// near returns a value that is a point off with some probability.
func near(r *rand.Rand, truth int, off float64) int {
	if r.Float64() < off {
		truth += 2*r.IntN(2) - 1
	}
	return min(max(truth, 1), 5)
}

func TestCompareAnswers_Conclusions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		items int
		judge func(r *rand.Rand, truth int) int
		want  Conclusion
	}{
		"as good as an annotator": {300, func(r *rand.Rand, truth int) int { return near(r, truth, 0.3) }, AsPeople},
		"better":                  {300, func(_ *rand.Rand, truth int) int { return truth }, AsPeople},
		"half of it at random": {300, func(r *rand.Rand, truth int) int {
			if r.IntN(2) == 0 {
				return 1 + r.IntN(5)
			}
			return truth
		}, LessThanPeople},
		"always 5":         {300, func(*rand.Rand, int) int { return 5 }, LessThanPeople},
		"a point too high": {300, func(r *rand.Rand, truth int) int { return min(near(r, truth, 0.2)+1, 5) }, Biased},
		"19 items":         {19, func(_ *rand.Rand, truth int) int { return truth }, TooFewItems},
	} {
		for _, perRecord := range []int{1, 3} {
			hits := 0
			for seed := range uint64(10) {
				people, answers := newStudy(t, seed, c.items, perRecord, c.judge)
				r := CompareAnswers(people, "critic", answers, Options{})
				hits += boolToInt(r.Conclusion == c.want)
			}
			if hits < 9 {
				t.Errorf("%s, %d items of a record: %s in %d of 10 studies", name, perRecord, c.want, hits)
			}
		}
	}
}

// TestCompareAnswers_Figures checks the bias, the disagreements and the values of a study that is small enough to
// count.
func TestCompareAnswers_Figures(t *testing.T) {
	t.Parallel()
	people, answers := newStudy(t, 3, 40, 1, func(_ *rand.Rand, truth int) int { return max(truth-1, 1) })
	slices.Reverse(answers)
	r := CompareAnswers(people, "critic", answers, Options{Epsilon: 0.2})
	bias, disagreements := 0.0, 0
	answerOf := map[string]int{}
	for _, a := range answers {
		answerOf[a.Item] = a.Value
	}
	for item := range people.Table.ByItem() {
		sum := 0.0
		for _, c := range item.Categories {
			sum += float64(people.Table.Scale[c]) / 2
		}
		bias += (float64(answerOf[item.Item]) - sum) / 40
		disagreements += boolToInt(float64(answerOf[item.Item]) != sum)
	}
	if math.Abs(*r.Bias.Value-bias) > 1e-12 || *r.Bias.Low >= bias || *r.Bias.High <= bias || r.Items != 40 {
		t.Errorf("bias %v of %d items, want %v", r.Bias, r.Items, bias)
	}
	if r.DisagreementCount != disagreements || len(r.Disagreements) != min(disagreements, maxDisagreements) ||
		len(r.Values) != 5 || r.PPI.Labels != 40 {
		t.Errorf("%d disagreements, want %d; %d values, %d labels", r.DisagreementCount, disagreements, len(r.Values),
			r.PPI.Labels)
	}
	for i := range r.Disagreements[1:] {
		if r.Disagreements[i].Distance < r.Disagreements[i+1].Distance {
			t.Errorf("disagreement %d is larger than the one before", i+1)
		}
	}
}

// TestCompareAnswers_KeptOut_CountAsUnlabeled compares with a study without the labels that are kept out.
func TestCompareAnswers_KeptOut_CountAsUnlabeled(t *testing.T) {
	t.Parallel()
	people, answers := newStudy(t, 5, 120, 1, func(r *rand.Rand, truth int) int { return near(r, truth, 0.3) })
	isKeptOut := func(item string) bool { return item >= "i0080" }
	without := people
	without.Table = people.Table.SelectItems(func(item string) bool { return !isKeptOut(item) })
	got, want := CompareAnswers(people, "critic", answers, Options{IsKeptOut: isKeptOut}),
		CompareAnswers(without, "critic", answers, Options{})
	if got.Items != 80 || got.PPI.Labels != 80 || got.PPI.Judgments != 40 ||
		*got.WithPeople.Value != *want.WithPeople.Value || *got.PPI.Mean != *want.PPI.Mean {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestEstimateMean_TooLittleData_HasReason(t *testing.T) {
	t.Parallel()
	label, other := LabeledJudgment{Judgment{1, 0}, 1}, LabeledJudgment{Judgment{2, 0}, 2}
	judged := []Judgment{{1, 1}, {2, 2}}
	for _, c := range []struct {
		sample Sample
		want   ReasonCode
	}{
		{Sample{}, FewLabels},
		{Sample{Labeled: []LabeledJudgment{label}, Judged: judged}, FewLabels},
		{Sample{Labeled: []LabeledJudgment{label, other}}, NoJudgedItems},
		{Sample{Labeled: []LabeledJudgment{label, other}, Judged: judged, IsClustered: true}, FewLabels},
		{Sample{Labeled: []LabeledJudgment{label, other}, Judged: judged}, ""},
		{Sample{Labeled: []LabeledJudgment{label, {Judgment{2, 0}, 1}}, Judged: judged}, NoVariation},
	} {
		if got := EstimateMean(c.sample); got.Undefined != c.want {
			t.Errorf("%+v: %q, want %q", c.sample, got.Undefined, c.want)
		}
	}
	constant := Sample{Labeled: []LabeledJudgment{{Judgment{3, 0}, 1}, {Judgment{3, 0}, 2}},
		Judged: []Judgment{{3, 0}, {3, 0}}}
	if e := EstimateMean(constant); e.Lambda != 0 || e.Value != 1.5 || math.IsNaN(e.Low) {
		t.Errorf("a constant judge: %+v", e)
	}
}
