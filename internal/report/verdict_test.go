package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

func TestAVerdictFollowsTheTarget(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		κ, low, high float64
		shared       int
		word         stats.Verdict
		sure         bool
		enough       string
	}{
		"at the target":              {0.4, 0.4, 0.6, 100, stats.Go, true, "Enough overlap"},
		"just below the target":      {0.39, 0.3, 0.399, 100, stats.Revise, true, "Enough overlap"},
		"at the lower limit":         {0.25, 0.25, 0.3, 100, stats.Revise, true, "Enough overlap"},
		"below it":                   {0.2, 0.1, 0.24, 100, stats.Rewrite, true, "Enough overlap"},
		"less than chance":           {-0.2, -0.4, 0, 100, stats.Rewrite, true, "Enough overlap"},
		"an interval over the limit": {0.5, 0.3, 0.7, 100, stats.Go, false, "about 300 more"},
		"an interval over both":      {0.3, 0.1, 0.5, 100, stats.Revise, false, "0.25"},
		"right at the limit":         {0.4, 0.3, 0.5, 100, stats.Go, false, "right at the limit of 0.40"},
		"too few items":              {0.9, 0.8, 1, 19, stats.NotEnough, false, "At least 1 more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			κ := Figure{Coefficient: "cohen_kappa", Variant: "linear", Number: Number{Value: &tt.κ, Low: &tt.low, High: &tt.high}, Items: tt.shared}
			v := verdictOf(Field{Figures: []Figure{κ, {Coefficient: "percent_agreement", Items: tt.shared}}}, 0.4)
			if v.Word != tt.word || v.Sure != tt.sure || !strings.Contains(v.Enough, tt.enough) {
				t.Errorf("%s, sure %v: %s", v.Word, v.Sure, v.Enough)
			}
		})
	}
}

func TestWhereAPairHasNoVariationTheVerdictRestsOnConger(t *testing.T) {
	t.Parallel()
	κ, low, high := 0.5, 0.45, 0.55
	v := verdictOf(Field{Figures: []Figure{
		{Coefficient: "percent_agreement", Items: 50},
		{Coefficient: "cohen_kappa", Variant: "linear", Number: Number{Undefined: "every answer …"}},
		{Coefficient: "conger_kappa", Variant: "linear", Number: Number{Value: &κ, Low: &low, High: &high}},
	}}, 0.4)
	if v.Word != stats.Go || !strings.Contains(v.Says, "Conger's") {
		t.Errorf("%s: %s", v.Word, v.Says)
	}
}

func TestAVerdictSaysWhereItsIntervalLies(t *testing.T) {
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
		κ := Figure{Coefficient: "cohen_kappa", Variant: "linear", Number: Number{Value: &tt.κ, Low: &tt.low, High: &tt.high}}
		v := verdictOf(Field{Figures: []Figure{κ, {Coefficient: "percent_agreement", Items: 50}}}, 0.4)
		if v.Short() != tt.short || !strings.HasSuffix(v.Says, tt.says) {
			t.Errorf("%s: %s", v.Short(), v.Says)
		}
	}
}

// said is the verdict on what pairs of annotators answered to a binary field.
func said(t *testing.T, answers ...[2]int) Verdict {
	t.Helper()
	var d Data
	for _, p := range protocol.Builtin() {
		if p.Key == "rag-generation" {
			d.Protocol = p
		}
	}
	for i, both := range answers {
		id := int64(i + 1)
		d.Items = append(d.Items, Item{ID: id, Source: fmt.Sprint(i)})
		for n, who := range []string{"ada", "bo"} {
			d.Labels = append(d.Labels, Label{ID: 2*id + int64(n), ItemID: id, Annotator: who, Kind: Work, Values: map[string]int{"helpful": both[n]}})
		}
	}
	r, err := Make(d, Options{Resamples: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	f, _ := r.Field("helpful")
	return f.Verdict
}

func times(n int, both [2]int) [][2]int { return slices.Repeat([][2]int{both}, n) }

func TestWhereOneAnswerPrevailsALowKappaIsNotHeldAgainstTheQuestion(t *testing.T) {
	t.Parallel()
	v := said(t, slices.Concat(times(94, [2]int{1, 1}), times(3, [2]int{1, 0}), times(3, [2]int{0, 1}))...)
	if v.Word != Prevailing || v.Short() != "one answer prevails" || *v.Kappa.Value > 0 {
		t.Errorf("%s: %s", v.Word, v.Says)
	}
	for _, part := range []string{"97 % of all answers are 1", "κ is −0.03", "equal answers in 94 % of comparisons", "Gwet's AC1", "is 0.94, 95 % interval 0.8"} {
		if !strings.Contains(v.Says, part) {
			t.Errorf("%q is missing: %s", part, v.Says)
		}
	}
	if !strings.Contains(v.Enough, "would not help") {
		t.Error(v.Enough)
	}
}

func TestSomebodyWhoNeverVariesIsNamedAndTheQuestionIsNotBlamed(t *testing.T) {
	t.Parallel()
	v := said(t, slices.Concat(times(25, [2]int{1, 1}), times(25, [2]int{0, 1}))...)
	if v.Word != Unvarying || !strings.HasPrefix(v.Says, "κ cannot tell: bo answered the same to every shared item") || !strings.Contains(v.Says, "Gwet's AC1") {
		t.Errorf("%s: %s", v.Word, v.Says)
	}
}

func TestAPlainDisagreementIsStillHeldAgainstTheQuestion(t *testing.T) {
	t.Parallel()
	half := slices.Concat(times(20, [2]int{1, 1}), times(20, [2]int{0, 0}), times(20, [2]int{1, 0}), times(20, [2]int{0, 1}))
	if v := said(t, half...); v.Word != stats.Rewrite || !v.Sure {
		t.Errorf("%s: %s", v.Word, v.Says)
	}
	// One answer is common, and yet people do not agree on it.
	rare := slices.Concat(times(66, [2]int{1, 1}), times(17, [2]int{1, 0}), times(17, [2]int{0, 1}))
	if v := said(t, rare...); v.Word != stats.Rewrite || !strings.Contains(v.Says, "83 % of all answers are 1, which lowers κ by itself. People give equal answers in 66 %") {
		t.Errorf("%s: %s", v.Word, v.Says)
	}
}
