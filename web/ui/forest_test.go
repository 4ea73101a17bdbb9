package ui

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
)

func TestForestPlot_Axis_CoversRows(t *testing.T) {
	t.Parallel()
	p := ForestPlot{To: 1, Rows: []ForestRow{{Value: ptr(-0.1), Low: ptr(-0.3), High: ptr(0.1)}, {Missing: "none"}}}
	if got, want := p.x(-0.5), "0%"; got != want {
		t.Errorf("the lowest tick is at %s, want %s", got, want)
	}
	if got, want := p.x(1), "100%"; got != want {
		t.Errorf("the highest tick is at %s, want %s", got, want)
	}
	if got, want := p.width(0.25, 2), "50%"; got != want {
		t.Errorf("a zone to beyond the axis is %s wide, want %s", got, want)
	}
	if got := len(p.ticks()); got != 4 {
		t.Errorf("%d ticks, want -0.5, 0, 0.5 and 1", got)
	}
	if p.tickAnchor(-0.5) != "start" || p.tickAnchor(1) != "end" || p.tickAnchor(0.5) != "middle" {
		t.Error("labels of the ends leave the picture")
	}
}

func TestForestRow_Description_HasFigures(t *testing.T) {
	t.Parallel()
	r := ForestRow{Value: ptr(0.5), Low: ptr(0.4), High: ptr(0.6), Text: "0.50", IntervalText: "0.40–0.60",
		Basis: "40 items", Verdict: "Go ahead"}
	if got, want := r.describe(locale.English), "0.50, 95% CI 0.40–0.60, 40 items, Go ahead"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := (ForestRow{Missing: "not enough data", Basis: "3 items"}).describe(locale.English),
		"not enough data, 3 items"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestForestPlot_Ticks_AreRound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		low, high float64
		asPercent bool
		want      string
	}{
		{-0.28, 0.53, false, "−0.50 0.00 +0.50 +1.00"}, {-0.1, 0.1, false, "−0.25 0.00 +0.25"},
		{0.3, 3.9, false, "0.00 +1.00 +2.00 +3.00 +4.00"}, {-30, 41, false, "−32.00 0.00 +32.00 +64.00"},
		{-0.02, 0.01, true, "−2% −1% 0% +1%"}, {-0.06, 0.16, true, "−10% 0% +10% +20%"},
		{-0.6, 0.6, true, "−100% −50% 0% +50% +100%"},
	} {
		p := ForestPlot{Rows: []ForestRow{{Value: &tt.low}, {Value: &tt.high}}, AsPercent: tt.asPercent, ShowSign: true}
		var got []string
		for _, v := range p.ticks() {
			got = append(got, p.formatTick(v))
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("from %v to %v: %s, want %s", tt.low, tt.high, text, tt.want)
		}
	}
}
