package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

func TestVerdict_Target_SetsOutcome(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		κ, low, high float64
		shared       int
		word         stats.AgreementVerdict
		sure         bool
		enough       string
	}{
		"at the target":              {0.4, 0.4, 0.6, 100, stats.VerdictMeetsTarget, true, "Enough overlap"},
		"just below the target":      {0.39, 0.3, 0.399, 100, stats.VerdictRevise, true, "Enough overlap"},
		"at the lower limit":         {0.25, 0.25, 0.3, 100, stats.VerdictRevise, true, "Enough overlap"},
		"below it":                   {0.2, 0.1, 0.24, 100, stats.VerdictRewrite, true, "Enough overlap"},
		"less than chance":           {-0.2, -0.4, 0, 100, stats.VerdictRewrite, true, "Enough overlap"},
		"an interval over the limit": {0.5, 0.3, 0.7, 100, stats.VerdictMeetsTarget, false, "about 300 more"},
		"an interval over both":      {0.3, 0.1, 0.5, 100, stats.VerdictRevise, false, "0.25"},
		"right at the limit":         {0.4, 0.3, 0.5, 100, stats.VerdictMeetsTarget, false, "right at the limit of 0.40"},
		"too few items":              {0.9, 0.8, 1, 19, stats.VerdictNotEnoughData, false, "At least 1 more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			κ := AgreementFigure{Coefficient: "cohen_kappa", Variant: "linear", Number: Number{Value: &tt.κ, Low: &tt.low, High: &tt.high}, Items: tt.shared}
			v := newVerdict(FieldReport{Figures: []AgreementFigure{κ, {Coefficient: "percent_agreement", Items: tt.shared}}}, 0.4)
			if v.Outcome != tt.word || v.IsConclusive != tt.sure || !strings.Contains(v.OverlapAdvice, tt.enough) {
				t.Errorf("%s, sure %v: %s", v.Outcome, v.IsConclusive, v.OverlapAdvice)
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
	if v.Outcome != stats.VerdictMeetsTarget || !strings.Contains(v.Message, "Conger's") {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
}

func TestVerdict_Interval_IsDescribed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		κ, low, high float64
		short, says  string
	}{
		{0.6, 0.45, 0.7, "go", "All of the interval lies above the target."},
		{0.5, 0.3, 0.7, "go, not sure", "The interval spans the target: anything from “revise” to “go” is possible."},
		{0.3, 0.1, 0.39, "revise, not sure", "All of the interval lies below the target, but on both sides of 0.25."},
		{0.3, 0.26, 0.39, "revise", "All of the interval lies below the target."},
		{0.2, 0, 0.5, "rewrite, not sure", "Read the disagreements before you change the question. κ is 0.20, 95 % interval 0.00 to 0.50. The interval spans the target: anything from “rewrite” to “go” is possible."},
	} {
		κ := AgreementFigure{Coefficient: "cohen_kappa", Variant: "linear", Number: Number{Value: &tt.κ, Low: &tt.low, High: &tt.high}}
		v := newVerdict(FieldReport{Figures: []AgreementFigure{κ, {Coefficient: "percent_agreement", Items: 50}}}, 0.4)
		if v.ShortText() != tt.short || !strings.HasSuffix(v.Message, tt.says) {
			t.Errorf("%s: %s", v.ShortText(), v.Message)
		}
	}
}

// buildVerdict is the verdict on what pairs of annotators answered to a binary field.
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
	if v.Outcome != DominantAnswer || v.ShortText() != "one answer prevails" || *v.Kappa.Value > 0 {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
	for _, part := range []string{"97 % of all answers are 1", "κ is −0.03", "equal answers in 94 % of comparisons", "Gwet's AC1", "is 0.94, 95 % interval 0.8"} {
		if !strings.Contains(v.Message, part) {
			t.Errorf("%q is missing: %s", part, v.Message)
		}
	}
	if !strings.Contains(v.OverlapAdvice, "would not help") {
		t.Error(v.OverlapAdvice)
	}
}

func TestVerdict_ConstantAnnotator_IsNamed(t *testing.T) {
	t.Parallel()
	v := buildVerdict(t, slices.Concat(repeatPair(25, [2]int{1, 1}), repeatPair(25, [2]int{0, 1}))...)
	if v.Outcome != ConstantAnnotator || !strings.HasPrefix(v.Message, "κ cannot tell: bo answered the same to every shared item") || !strings.Contains(v.Message, "Gwet's AC1") {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
}

func TestVerdict_Disagreement_Rewrite(t *testing.T) {
	t.Parallel()
	half := slices.Concat(repeatPair(20, [2]int{1, 1}), repeatPair(20, [2]int{0, 0}), repeatPair(20, [2]int{1, 0}), repeatPair(20, [2]int{0, 1}))
	if v := buildVerdict(t, half...); v.Outcome != stats.VerdictRewrite || !v.IsConclusive {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
	// One answer is common, and yet people do not agree on it.
	rare := slices.Concat(repeatPair(66, [2]int{1, 1}), repeatPair(17, [2]int{1, 0}), repeatPair(17, [2]int{0, 1}))
	if v := buildVerdict(t, rare...); v.Outcome != stats.VerdictRewrite || !strings.Contains(v.Message, "83 % of all answers are 1, which lowers κ by itself. People give equal answers in 66 %") {
		t.Errorf("%s: %s", v.Outcome, v.Message)
	}
}
