package report

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// Positive and negative agreement are 2a/(2a+b) and 2d/(2d+b), where both answer yes to a items, both
// no to d, and one of them yes to b.
func TestSpecificAgreement_RareYes_HasInterval(t *testing.T) {
	t.Parallel()
	d, _ := simulatedQueries{60, 0.1, 9}.simulate(t, 2)
	r, err := Build(d, BuildOptions{Resamples: 20})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Fields {
		bothNo, one, bothYes := float64(f.Confusion[0][0])/2, float64(f.Confusion[0][1]), float64(f.Confusion[1][1])/2
		for answer, want := range []float64{2 * bothNo / (2*bothNo + one), 2 * bothYes / (2*bothYes + one)} {
			got := f.SpecificAgreement[answer]
			if got.Answer != answer || math.Abs(*got.Agreement.Value-want) > 1e-12 || got.Agreement.Low == nil || *got.Agreement.Low >= want || *got.Agreement.High <= want {
				t.Errorf("%s: agreement on %d is %v, want %.3f with an interval around it", f.Key, got.Answer, got.Text(), want)
			}
			if !strings.Contains(text.String(), got.Text()) {
				t.Errorf("%s: the terminal does not show %q", f.Key, got.Text())
			}
		}
	}
}
