package report

import "testing"

func TestNumber_NotRoundedAcrossLimit(t *testing.T) {
	t.Parallel()
	limits := [2]float64{rewriteThreshold, 0.4}
	for v, want := range map[float64]string{
		0.247: "0.247", 0.2: "0.20", 0.25: "0.25", 0.253: "0.25", 0.396: "0.396", 0.3999: "0.3999", 0.402: "0.40", -0.004: "0.00",
	} {
		if got := (Number{Value: &v, limits: limits}).Text(); got != want {
			t.Errorf("%v is shown as %s, want %s", v, got, want)
		}
	}
	v, low, high := 0.3, 0.2499, 0.3951
	if got := (Number{Value: &v, Low: &low, High: &high, limits: limits}).Range(); got != "0.2499–0.395" {
		t.Errorf("the interval is shown as %s", got)
	}
	if got := (Number{Value: &low}).Text(); got != "0.25" {
		t.Errorf("without limits: %s", got)
	}
}
