package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// verdictOf returns the verdict on a κ with its interval.
func verdictOf(κ, low, high float64, shared int) Verdict {
	f := study.AgreementFigure{Coefficient: "shared_kappa", Variant: "linear", Number: study.Number{Value: &κ, Low: &low, High: &high}, Items: shared,
		Interval: &stats.Interval{Low: low, High: high, Level: 0.95, Units: shared}}
	return newVerdict(FieldReport{Figures: []study.AgreementFigure{f, {Coefficient: "percent_agreement", Items: shared}}}, 0.4)
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
		"above the target":        {0.55, 0.45, 0.64, 100, Go, true, "Go ahead", "Enough overlap", "Agreement meets the target of 0.40: κ is 0.55 (95% CI 0.45–0.64, 100 shared items), and the whole interval is above the target. Go ahead."},
		"very likely above":       {0.5, 0.385, 0.6, 100, Go, true, "Go ahead", "Enough overlap", ", and the probability that it reaches the target is 95%. Go ahead."},
		"between the limits":      {0.33, 0.26, 0.39, 100, Revise, true, "Revise", "Enough overlap", "and the whole interval is between 0.25 and the target."},
		"very likely between":     {0.33, 0.255, 0.405, 100, Revise, true, "Revise", "Enough overlap", "and the probability that it is between 0.25 and the target is 9"},
		"below the limit":         {0.1, -0.05, 0.23, 100, Rewrite, true, "Rewrite", "Enough overlap", "κ is 0.10 (95% CI −0.05 to 0.23, 100 shared items), and the whole interval is below 0.25."},
		"very likely below":       {0.1, -0.1, 0.28, 100, Rewrite, true, "Rewrite", "Enough overlap", "and the probability that it is below 0.25 is 9"},
		"wide":                    {0.35, 0.1, 0.56, 60, NotEnoughData, false, "Not enough data", "more shared items", "Not enough data for a verdict: κ is 0.35 (95% CI 0.10–0.56, 60 shared items), with a probability of"},
		"narrow, around a limit":  {0.4, 0.32, 0.48, 300, Revise, false, "Revise (uncertain)", "Up to 3,300 further shared items could be needed to decide whether agreement meets the target: until then", "Agreement is close to the target of 0.40: κ is 0.40 (95% CI 0.32–0.48, 300 shared items), with a probability of"},
		"narrow, below target":    {0.3, 0.21, 0.39, 300, Revise, false, "Revise (uncertain)", "Up to 1,500 further shared items could be needed to decide whether agreement is below 0.25", "Agreement is below the target of 0.40, and perhaps below 0.25: κ is 0.30 (95% CI 0.21–0.39, 300 shared items), with a probability of"},
		"narrow, between both":    {0.32, 0.23, 0.41, 300, Revise, false, "Revise (uncertain)", "most likely below the target, but not far below", "Agreement is most likely between 0.25 and the target of 0.40: κ is 0.32 (95% CI 0.23–0.41, 300 shared items), with a probability of 5% to reach"},
		"too few items":           {0.9, 0.8, 1, 19, NotEnoughData, false, "Not enough data", "Get labels of two annotators on at least 1 more item.", "19 items have labels"},
		"just below, not rounded": {0.2496, 0.2, 0.29, 500, Revise, false, "Revise (uncertain)", "whether agreement is below 0.25", "κ is 0.2496 (95% CI 0.20–0.29, 500 shared items)"},
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

// buildVerdict returns the verdict on pairs of answers to a field with two points.
func buildVerdict(t *testing.T, answers ...[2]int) Verdict {
	t.Helper()
	var d study.Data
	for _, p := range protocol.Builtin() {
		if p.Key == "rag-generation" {
			d.Protocol = p
		}
	}
	for i, pair := range answers {
		id := project.ItemID(i + 1)
		d.Items = append(d.Items, study.ItemData{ID: id, SourceID: fmt.Sprint(i)})
		for n, annotator := range []string{"ada", "bo"} {
			d.Labels = append(d.Labels, study.Label{ID: 2*int64(id) + int64(n), ItemID: id, Annotator: annotator, Kind: study.Work, Values: map[string]int{"helpful": pair[n]}})
		}
	}
	r, err := Build(d, BuildOptions{Resamples: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	f, _ := r.Field("helpful")
	return f.Verdict
}

// joinCauses returns the message of a verdict with those of its causes.
func joinCauses(v Verdict) string {
	for _, c := range v.Causes {
		v.Message += " " + c.Message
	}
	return v.Message
}

func repeatPair(n int, pair [2]int) [][2]int { return slices.Repeat([][2]int{pair}, n) }

func TestVerdict_DominantAnswer_NoOutcome(t *testing.T) {
	t.Parallel()
	v := buildVerdict(t, slices.Concat(repeatPair(94, [2]int{1, 1}), repeatPair(3, [2]int{1, 0}), repeatPair(3, [2]int{0, 1}))...)
	if v.Outcome != DominantAnswer || v.ShortText() != "One answer dominates" || v.Overlap != OverlapVariedItems || *v.Kappa.Value > 0 {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
	for _, part := range []string{"97% of the answers to shared items are 1", "κ is −0.03", "percent agreement is 94%", "annotators agree on 0 of the 6 items with another answer"} {
		if text := joinCauses(v); !strings.Contains(text, part) {
			t.Errorf("%q is missing: %s", part, text)
		}
	}
	if !strings.Contains(v.OverlapAdvice, "does not help") {
		t.Error(v.OverlapAdvice)
	}
}

func TestVerdict_ConstantAnnotator_IsNamed(t *testing.T) {
	t.Parallel()
	v := buildVerdict(t, slices.Concat(repeatPair(25, [2]int{1, 1}), repeatPair(25, [2]int{0, 1}))...)
	if v.Outcome != ConstantAnnotator || !strings.HasPrefix(v.Message, "κ cannot decide, because bo gave the answer 1 to every shared item") || !strings.Contains(v.OverlapAdvice, "gives every item the same answer") {
		t.Errorf("%s: %s, %s", v.Outcome, v.Message, v.OverlapAdvice)
	}
	if v := buildVerdict(t, repeatPair(50, [2]int{0, 1})...); v.Outcome != ConstantAnnotator || !strings.Contains(v.Message, "ada gave the answer 0 and bo the answer 1 to every shared item") {
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
	if v := buildVerdict(t, rare...); v.Outcome != Rewrite || !strings.Contains(joinCauses(v), "83% of the answers to shared items are 1, which can make κ low even if annotators agree: percent agreement is 66%, and annotators agree on 0 of the 34 items with another answer") {
		t.Errorf("%s: %s", v.Outcome, joinCauses(v))
	}
}

// Annotators who say yes to a tenth of the items at random agree on no only because it is frequent: with
// enough items that have a yes, that is a verdict.
func TestVerdict_RareAnswerAtChance_Rewrite(t *testing.T) {
	t.Parallel()
	for _, n := range []int{300, 1000} {
		yes := n / 10
		both := yes / 10
		pairs := slices.Concat(repeatPair(both, [2]int{1, 1}), repeatPair(yes-both, [2]int{1, 0}), repeatPair(yes-both, [2]int{0, 1}), repeatPair(n-2*yes+both, [2]int{0, 0}))
		if v := buildVerdict(t, pairs...); v.Outcome != Rewrite || !v.IsConclusive {
			t.Errorf("%d items: %s: %s", n, v.Outcome, v.Message)
		}
	}
	few := slices.Concat(repeatPair(4, [2]int{1, 0}), repeatPair(5, [2]int{0, 1}), repeatPair(91, [2]int{0, 0}))
	if v := buildVerdict(t, few...); v.Outcome != DominantAnswer {
		t.Errorf("few: %s: %s", v.Outcome, v.Message)
	}
}

// TestVerdict_OneRecord_SetsAction checks that advice on one record replaces that on the question, and is not
// there without the cause.
func TestVerdict_OneRecord_SetsAction(t *testing.T) {
	t.Parallel()
	for _, κ := range []float64{0.1, 0.33} {
		v := verdictOf(κ, κ-0.05, κ+0.05, 100)
		before := v.Message
		if v.applyCauses(); v.Message != before || strings.Contains(before, "Read the disagreement on") {
			t.Error(v.Message)
		}
		v.Causes = []Cause{{Kind: OneRecord, Record: "r-1"}}
		if v.applyCauses(); !strings.HasSuffix(v.Message, " Read the disagreement on r-1 before you change the question.") || strings.Contains(v.Message, "ewrite") {
			t.Error(v.Message)
		}
	}
}
