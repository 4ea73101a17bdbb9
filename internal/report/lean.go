package report

import (
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Lean is how far an annotator's answers to the calibration items lie from the
// reference: own less reference, the mean over the items, with the interval of a
// mean of paired differences (Bland & Altman 1986). Of an item that was answered
// more than once the latest answer counts.
type Lean struct {
	Field string `json:"field"`
	N     int    `json:"n"`     // items that both answer
	Equal int    `json:"equal"` // answered alike
	Far   int    `json:"far"`   // two points or more apart; of a yes or no, answered otherwise
	Number
}

// Tells reports whether the whole interval lies on one side of the reference.
func (l Lean) Tells() bool { return l.Low != nil && (*l.Low > 0 || *l.High < 0) }

// lean compares one annotator's calibration with the references, by field; a
// field that neither answers is left out.
func (s *study) lean(name string) []Lean {
	last := map[int64]Label{}
	for _, l := range s.Labels {
		if l.Kind == Calibration && l.Annotator == name && l.ID >= last[l.ItemID].ID {
			last[l.ItemID] = l
		}
	}
	found := []Lean{}
	for _, q := range s.fields {
		l, own, right := Lean{Field: q.Key}, []float64{}, []float64{}
		for _, item := range slices.Sorted(maps.Keys(last)) {
			given, answered := last[item].Values[q.Key]
			reference, asked := s.References[item][q.Key]
			if answered && asked {
				l.count(q, given-reference)
				own, right = append(own, float64(given)), append(right, float64(reference))
			}
		}
		if l.N > 0 {
			l.Number = leanOf(right, own)
			found = append(found, l)
		}
	}
	return found
}

func (l *Lean) count(q question, apart int) {
	l.N++
	switch {
	case apart == 0:
		l.Equal++
	case !q.ordered() || apart >= 2 || apart <= -2:
		l.Far++
	}
}

func leanOf(right, own []float64) Number {
	sum, alike := 0.0, true
	for i := range own {
		sum += own[i] - right[i]
		alike = alike && own[i]-right[i] == own[0]-right[0]
	}
	b := stats.BlandAltmanOf(right, own)
	switch {
	case b.Undefined != "":
		b.OfBias.Undefined = "an interval takes three items"
	case alike:
		b.OfBias.Undefined = "no spread to go by: every difference is the same"
	}
	return numberOf(sum/float64(len(own)), "", b.OfBias)
}
