package report

import (
	"slices"
	"testing"
)

// A failed call leaves nothing behind that a later call takes for its figures.
func TestKappasWithOthers_AfterError_ComputesAgain(t *testing.T) {
	t.Parallel()
	d, _ := simulatedQueries{20, 0.1, 6}.simulate(t, 2)
	s, err := newBuilder(d, BuildOptions{Resamples: 20})
	if err != nil {
		t.Fatal(err)
	}
	broken := s.fields[0]
	broken.Values = slices.Clone(broken.Values)
	slices.Reverse(broken.Values) // so that its values are not found
	if figures, err := s.KappasWithOthers(broken.FieldTable); err == nil || figures != nil {
		t.Fatalf("answers off the scale: %v, %v", figures, err)
	}
	figures, err := s.KappasWithOthers(s.fields[0].FieldTable)
	if err != nil || len(figures) == 0 || figures[0].Value == nil {
		t.Errorf("after a failed call: %+v, %v", figures, err)
	}
}
