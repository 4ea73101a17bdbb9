package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// verdictOf returns the verdict on a κ with its interval.
func verdictOf(κ, low, high float64, shared int) Verdict {
	f := AgreementFigure{Coefficient: "conger_kappa", Variant: "linear", Number: Number{Value: &κ, Low: &low, High: &high}, Items: shared, units: shared}
	return newVerdict(FieldReport{Figures: []AgreementFigure{f, {Coefficient: "percent_agreement", Items: shared}}}, 0.4)
}

func TestVerdict_Probability_SetsOutcome(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		κ, low, high  float64
		shared        int
		outcome       Outcome
		isConclusive  bool
		short, advice string
		message       string
	}{
		"above the target":        {0.55, 0.45, 0.64, 100, Go, true, "Go ahead", "Enough overlap", "κ is 0.55 (95% CI 0.45–0.64). The whole interval is above the target. Go ahead."},
		"very likely above":       {0.5, 0.385, 0.6, 100, Go, true, "Go ahead", "Enough overlap", "The probability that it reaches the target is 95%. Go ahead."},
		"between the limits":      {0.33, 0.26, 0.39, 100, Revise, true, "Revise", "Enough overlap", "The whole interval is between 0.25 and the target."},
		"very likely between":     {0.33, 0.255, 0.405, 100, Revise, true, "Revise", "Enough overlap", "The probability that it is between 0.25 and the target is 9"},
		"below the limit":         {0.1, -0.05, 0.23, 100, Rewrite, true, "Rewrite", "Enough overlap", "κ is 0.10 (95% CI −0.05 to 0.23). The whole interval is below 0.25."},
		"very likely below":       {0.1, -0.1, 0.28, 100, Rewrite, true, "Rewrite", "Enough overlap", "The probability that it is below 0.25 is 9"},
		"wide":                    {0.35, 0.1, 0.56, 60, NotEnoughData, false, "Not enough data", "more shared items", "Not enough data for a verdict. κ is 0.35 (95% CI 0.10–0.56). The probability that it reaches the target of 0.40 is"},
		"narrow, around a limit":  {0.4, 0.32, 0.48, 300, Revise, false, "Revise (uncertain)", "right at a limit", "Agreement is at the limit."},
		"too few items":           {0.9, 0.8, 1, 19, NotEnoughData, false, "Not enough data", "Label at least 1 more item with", "19 items have labels"},
		"just below, not rounded": {0.2496, 0.2, 0.29, 500, Revise, false, "Revise (uncertain)", "right at a limit", "κ is 0.2496 (95% CI 0.20–0.29)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := verdictOf(tt.κ, tt.low, tt.high, tt.shared)
			if v.Outcome != tt.outcome || v.IsConclusive != tt.isConclusive || v.ShortText() != tt.short || !strings.Contains(v.OverlapAdvice, tt.advice) || !strings.Contains(v.Message, tt.message) {
				t.Errorf("%s, conclusive %v, %q: %s %s", v.Outcome, v.IsConclusive, v.ShortText(), v.Message, v.OverlapAdvice)
			}
			if hasMore := v.MoreItems != nil; hasMore != (tt.outcome == NotEnoughData && tt.shared >= minSharedItems) {
				t.Errorf("more items %+v", v.MoreItems)
			}
		})
	}
}

// TestVerdict_FullAgreement_NeedsItems checks that agreement without a disagreement, which has
// no interval, is a verdict only with enough items.
func TestVerdict_FullAgreement_NeedsItems(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]Outcome{40: Go, 9: NotEnoughData} {
		if v := buildVerdict(t, slices.Concat(repeatPair(n, [2]int{1, 1}), repeatPair(n, [2]int{0, 0}))...); v.Outcome != want {
			t.Errorf("%d items: %s: %s", 2*n, v.Outcome, v.Message)
		}
	}
}

// A verdictDesign is a study whose answers agree by a known κ: each is the item's true value
// with probability √κ and else drawn at random.
type verdictDesign struct {
	name                       string
	points                     int
	items, annotators, perItem int
	shareOfFirst               float64
}

var verdictDesigns = []verdictDesign{
	{"20 items × 2, 0–2", 3, 20, 2, 2, 0},
	{"60 items × 2, binary 12%", 2, 60, 2, 2, 0.88},
	{"50 items × 3, 1–5", 5, 50, 3, 3, 0},
	{"150 items × 2", 5, 150, 2, 2, 0},
	{"120 items, 8 annotators, 2 labels", 5, 120, 8, 2, 0},
}

func (d verdictDesign) draw(r *rand.Rand) int {
	switch {
	case d.shareOfFirst == 0:
		return r.IntN(d.points)
	case r.Float64() < d.shareOfFirst:
		return 0
	}
	return 1
}

// simulate returns the verdict on one study.
func (d verdictDesign) simulate(t *testing.T, r *rand.Rand, κ float64) Verdict {
	t.Helper()
	scale := stats.NewRangeScale(0, d.points-1)
	var ratings []stats.Rating
	for i := range d.items {
		truth := d.draw(r)
		for _, g := range r.Perm(d.annotators)[:d.perItem] {
			value := truth
			if r.Float64() >= math.Sqrt(κ) {
				value = d.draw(r)
			}
			ratings = append(ratings, stats.Rating{Item: fmt.Sprint(i), Annotator: fmt.Sprint(g), Value: value})
		}
	}
	table, err := stats.NewRatingTable(scale, ratings)
	if err != nil {
		t.Fatal(err)
	}
	q := fieldTable{scale: scale, table: table}
	f := FieldReport{Scale: scale, Confusion: countPairs(q, table), Figures: figuresFromEstimates(
		stats.ComputeEstimates(table, stats.IntervalOptions{Workers: 1}, stats.PercentAgreement(), stats.CongerKappa(stats.Linear)))}
	return newVerdict(f, 0.4)
}

// TestVerdict_Committed_IsRight simulates studies at κ below and above the limits: a verdict
// that commits itself is right in at least 95%. Where κ is 0.32, between limits that are 0.15
// apart, few studies of these sizes can commit themselves; at most 10% of all may err on each
// side. By default there are 30 studies of each design, and with LABELWRIGHT_SLOW=1 1,000.
func TestVerdict_Committed_IsRight(t *testing.T) {
	t.Parallel()
	studies, maxErring := 30, 0.3
	if require.FullSize() {
		studies, maxErring = 1000, 0.2
	}
	for _, d := range verdictDesigns {
		committed, right, erringBetween := 0, 0, 0
		for _, κ := range []float64{0.05, 0.32, 0.55, 0.75} {
			for s := range studies {
				v := d.simulate(t, rand.New(rand.NewPCG(uint64(1000*κ), uint64(s))), κ)
				isRight := v.outcomeFor(κ) == v.Outcome
				switch {
				case !v.IsConclusive:
				case κ == 0.32:
					erringBetween += boolToInt(!isRight)
				default:
					committed, right = committed+1, right+boolToInt(isRight)
				}
			}
		}
		t.Logf("%s: %d of %d verdicts commit themselves, %d of them are right (%.1f%%); at κ 0.32 %d of %d err", d.name, committed, 3*studies, right,
			100*float64(right)/float64(committed), erringBetween, studies)
		if float64(right) < 0.95*float64(committed) || float64(erringBetween) > maxErring*float64(studies) {
			t.Errorf("%s: %d of %d committed verdicts are right; at κ 0.32 %d of %d err", d.name, right, committed, erringBetween, studies)
		}
	}
}

// buildVerdict returns the verdict on pairs of answers to a field with two points.
func buildVerdict(t *testing.T, answers ...[2]int) Verdict {
	t.Helper()
	var d Data
	for _, p := range protocol.Builtin() {
		if p.Key == "rag-generation" {
			d.Protocol = p
		}
	}
	for i, pair := range answers {
		id := project.ItemID(i + 1)
		d.Items = append(d.Items, ItemData{ID: id, SourceID: fmt.Sprint(i)})
		for n, annotator := range []string{"ada", "bo"} {
			d.Labels = append(d.Labels, Label{ID: 2*int64(id) + int64(n), ItemID: id, Annotator: annotator, Kind: Work, Values: map[string]int{"helpful": pair[n]}})
		}
	}
	r, err := Build(d, BuildOptions{Resamples: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	f, _ := r.Field("helpful")
	return f.Verdict
}

func repeatPair(n int, pair [2]int) [][2]int { return slices.Repeat([][2]int{pair}, n) }

func TestVerdict_DominantAnswer_NoOutcome(t *testing.T) {
	t.Parallel()
	v := buildVerdict(t, slices.Concat(repeatPair(94, [2]int{1, 1}), repeatPair(3, [2]int{1, 0}), repeatPair(3, [2]int{0, 1}))...)
	if v.Outcome != DominantAnswer || v.ShortText() != "One answer dominates" || v.Overlap != OverlapVariedItems || *v.Kappa.Value > 0 {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
	for _, part := range []string{"97% of all answers are 1", "κ is −0.03", "Percent agreement is 94%", "Gwet's AC1", "is 0.94 (95% CI 0.8"} {
		if !strings.Contains(v.Message, part) {
			t.Errorf("%q is missing: %s", part, v.Message)
		}
	}
	if !strings.Contains(v.OverlapAdvice, "does not help") {
		t.Error(v.OverlapAdvice)
	}
}

func TestVerdict_ConstantAnnotator_IsNamed(t *testing.T) {
	t.Parallel()
	v := buildVerdict(t, slices.Concat(repeatPair(25, [2]int{1, 1}), repeatPair(25, [2]int{0, 1}))...)
	if v.Outcome != ConstantAnnotator || !strings.HasPrefix(v.Message, "κ cannot decide: bo gave the answer 1 to every shared item") || !strings.Contains(v.Message, "Gwet's AC1") {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
}

func TestVerdict_Disagreement_Rewrite(t *testing.T) {
	t.Parallel()
	half := slices.Concat(repeatPair(20, [2]int{1, 1}), repeatPair(20, [2]int{0, 0}), repeatPair(20, [2]int{1, 0}), repeatPair(20, [2]int{0, 1}))
	if v := buildVerdict(t, half...); v.Outcome != Rewrite || !v.IsConclusive {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
	// One answer dominates, but annotators do not agree on it.
	rare := slices.Concat(repeatPair(66, [2]int{1, 1}), repeatPair(17, [2]int{1, 0}), repeatPair(17, [2]int{0, 1}))
	if v := buildVerdict(t, rare...); v.Outcome != Rewrite || !strings.Contains(v.Message, "83% of all answers are 1, which lowers κ. Percent agreement is 66%.") {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
}
