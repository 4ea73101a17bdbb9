package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

func TestVerdict_Target_SetsOutcome(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		κ, low, high float64
		shared       int
		outcome      Outcome
		isConclusive bool
		advice       string
	}{
		"at the target":                 {0.4, 0.4, 0.6, 100, Go, true, "Enough overlap"},
		"just below the target":         {0.39, 0.3, 0.399, 100, Revise, true, "Enough overlap"},
		"at the lower limit":            {0.25, 0.25, 0.3, 100, Revise, true, "Enough overlap"},
		"below it":                      {0.2, 0.1, 0.24, 100, Rewrite, true, "Enough overlap"},
		"below chance":                  {-0.2, -0.4, 0, 100, Rewrite, true, "Enough overlap"},
		"interval includes a limit":     {0.5, 0.3, 0.7, 100, Go, false, "about 300 more shared items"},
		"interval includes both limits": {0.3, 0.1, 0.5, 100, Revise, false, "0.25"},
		"right at the limit":            {0.4, 0.3, 0.5, 100, Go, false, "Agreement is right at the limit of 0.40"},
		"too few items":                 {0.9, 0.8, 1, 19, NotEnoughData, false, "Label at least 1 more item with"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			κ := AgreementFigure{Coefficient: "cohen_kappa", Variant: "linear", Number: Number{Value: &tt.κ, Low: &tt.low, High: &tt.high}, Items: tt.shared}
			v := newVerdict(FieldReport{Figures: []AgreementFigure{κ, {Coefficient: "percent_agreement", Items: tt.shared}}}, 0.4)
			if v.Outcome != tt.outcome || v.IsConclusive != tt.isConclusive || !strings.Contains(v.OverlapAdvice, tt.advice) {
				t.Errorf("%s, conclusive %v: %s", v.Outcome, v.IsConclusive, v.OverlapAdvice)
			}
		})
	}
}

func TestVerdict_ConstantPair_UsesConger(t *testing.T) {
	t.Parallel()
	κ, low, high := 0.5, 0.45, 0.55
	v := newVerdict(FieldReport{Figures: []AgreementFigure{
		{Coefficient: "percent_agreement", Items: 50},
		{Coefficient: "cohen_kappa", Variant: "linear", Number: Number{Undefined: "every answer …"}},
		{Coefficient: "conger_kappa", Variant: "linear", Number: Number{Value: &κ, Low: &low, High: &high}},
	}}, 0.4)
	if v.Outcome != Go || !strings.Contains(v.Message, "It is Conger's κ") {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
}

func TestVerdict_Interval_IsDescribed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		κ, low, high float64
		short, part  string
	}{
		{0.6, 0.45, 0.7, "Go ahead", "κ is 0.60 (95% CI 0.45–0.70). The whole interval is above the target. Go ahead."},
		{0.5, 0.3, 0.7, "Go ahead (uncertain)", "The interval includes the target: the result may be anything from “Revise” to “Go ahead”."},
		{0.3, 0.1, 0.39, "Revise (uncertain)", "The whole interval is below the target, on both sides of 0.25."},
		{0.3, 0.26, 0.39, "Revise", "The whole interval is below the target."},
		{0.2, 0, 0.5, "Rewrite (uncertain)", "κ is 0.20 (95% CI 0.00–0.50). The interval includes the target: the result may be anything from “Rewrite” to “Go ahead”. Read the disagreements before you change the question."},
	} {
		κ := AgreementFigure{Coefficient: "cohen_kappa", Variant: "linear", Number: Number{Value: &tt.κ, Low: &tt.low, High: &tt.high}}
		v := newVerdict(FieldReport{Figures: []AgreementFigure{κ, {Coefficient: "percent_agreement", Items: 50}}}, 0.4)
		if v.ShortText() != tt.short || !strings.Contains(v.Message, tt.part) {
			t.Errorf("%s: %s", v.ShortText(), v.Message)
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
