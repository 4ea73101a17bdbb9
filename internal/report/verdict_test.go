package report

import (
	"strings"
	"testing"

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
		"too few items":              {0.9, 0.8, 1, 9, stats.NotEnough, false, "At least 1 more"},
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
