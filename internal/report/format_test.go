package report

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
)

func TestFormats_Halves_RoundAwayFromZero(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0.125: "13%", 0.285: "29%", 0.405: "41%", 0.1249: "12%", 0.995: "99.5%",
		0.005: "1%"} {
		if got := study.FormatPercent(v); got != want {
			t.Errorf("%v is shown as %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{0.125: "0.13", -0.125: "−0.13", 1.005: "1.01", 0.375: "0.38"} {
		if got := study.FormatPlaces(v, 2); got != want {
			t.Errorf("%v is shown as %s, want %s", v, got, want)
		}
	}
	v, low, high := 0.0006, -0.12, 0.125
	n := study.Number{Value: &v, Low: &low, High: &high}
	if got := n.SignedPercent() + ", " + n.SignedPercentRange(); got != "+0.1%, −12.0% to +12.5%" {
		t.Errorf("a difference is shown as %s", got)
	}
}

func places(text string) int {
	_, decimals, _ := strings.Cut(strings.TrimSuffix(text, "%"), ".")
	return len(decimals)
}

func TestNumber_NotRoundedAcrossLimit(t *testing.T) {
	t.Parallel()
	limits := [2]float64{study.RewriteLimit, 0.4}
	for v, want := range map[float64]string{
		0.247: "0.247", 0.2: "0.20", 0.25: "0.25", 0.253: "0.25", 0.396: "0.396", 0.3999: "0.3999", 0.402: "0.40",
		-0.004: "0.00", 0.4 - 1e-13: "0.40",
	} {
		if got := (study.Number{Value: &v, Limits: limits}).Text(); got != want {
			t.Errorf("%v is shown as %s, want %s", v, got, want)
		}
	}
	v, low, high := 0.3, 0.2499, 0.3951
	if got := (study.Number{Value: &v, Low: &low, High: &high, Limits: limits}).Range(); got != "0.2499–0.395" {
		t.Errorf("the interval is shown as %s", got)
	}
	if got := (study.Number{Value: &low}).Text(); got != "0.25" {
		t.Errorf("without limits: %s", got)
	}
}

// TestFormats_Rounded_StayTrue checks that no random share looks like none or all, no random difference
// looks like none, and no random interval looks like a point, unless it is one.
func TestFormats_Rounded_StayTrue(t *testing.T) {
	t.Parallel()
	r, rounded := rand.New(rand.NewPCG(41, 0)), 0
	parse := func(text string) float64 {
		v, err := strconv.ParseFloat(strings.TrimPrefix(strings.ReplaceAll(text, "−", "-"), "+"), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for range 20_000 {
		n := 1 + r.IntN(5000)
		low, high := r.IntN(n+1), r.IntN(n+1)
		if r.IntN(2) == 0 { // near one of the ends
			high = []int{min(n, r.IntN(3)), max(0, n-r.IntN(3))}[r.IntN(2)]
			low = max(0, high-r.IntN(3))
		}
		low, high = min(low, high), max(low, high)
		a, b := float64(low)/float64(n), float64(high)/float64(n)
		percent := strings.TrimSuffix(study.FormatPercent(b), "%")
		if v := parse(percent); (v == 0) != (high == 0) || (v == 100) != (high == n) ||
			math.Abs(v-100*b) > 0.5+study.Negligible {
			t.Fatalf("%d of %d is %s%%", high, n, percent)
		}
		ends := strings.Split(strings.TrimSuffix((study.Number{Low: &a, High: &b}).PercentRange(), "%"), "–")
		if (ends[0] == ends[1]) != (low == high) || parse(ends[0]) > parse(ends[1]) {
			t.Fatalf("%d to %d of %d is %v", low, high, n, ends)
		}
		if d := b - 0.5; (parse(study.FormatSigned(d)) == 0) != (d == 0) || parse(study.FormatSigned(d))*d < 0 ||
			(d > 0) != strings.HasPrefix(study.FormatSigned(d), "+") {
			t.Fatalf("%v is %s", d, study.FormatSigned(d))
		}
		d, end := b-0.5, a-0.5
		difference := study.Number{Value: &d, Low: &end, High: &d}
		share := strings.TrimSuffix(difference.SignedPercent(), "%")
		if v := parse(share); (v == 0) != (d == 0) || v*d < 0 || (d > 0) != strings.HasPrefix(share, "+") ||
			math.Abs(v-100*d) > 0.05001 {
			t.Fatalf("%v is %s%%", d, share)
		}
		if ends := strings.Split(difference.SignedPercentRange(), " to "); ends[1] != share+"%" ||
			places(ends[0]) != places(ends[1]) {
			t.Fatalf("%v with the interval %v", share, ends)
		}
		if strings.Contains(percent, ".") {
			rounded++
		}
	}
	if rounded < 100 {
		t.Errorf("only %d shares are near an end", rounded)
	}
	if got := study.FormatSigned(-1e-17); got != "0.00" {
		t.Errorf("an error of arithmetic is shown as %s", got)
	}
}
