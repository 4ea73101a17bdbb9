package ui

import "testing"

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
	p.AsPercent, p.ShowSign = true, true
	if low, high := p.formatTick(-0.5), p.formatTick(0.5); low != "−50%" || high != "+50%" {
		t.Errorf("ticks %s and %s", low, high)
	}
	if p.tickAnchor(-0.5) != "start" || p.tickAnchor(1) != "end" || p.tickAnchor(0.5) != "middle" {
		t.Error("labels of the ends leave the picture")
	}
}

func TestForestRow_Description_HasFigures(t *testing.T) {
	t.Parallel()
	r := ForestRow{Value: ptr(0.5), Low: ptr(0.4), High: ptr(0.6), Text: "0.50", IntervalText: "0.40–0.60", Basis: "40 items", Verdict: "Go ahead"}
	if got, want := r.describe(), "0.50, 95% CI 0.40–0.60, 40 items, Go ahead"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := (ForestRow{Missing: "not enough data", Basis: "3 items"}).describe(), "not enough data, 3 items"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
