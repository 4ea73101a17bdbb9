package judge

import (
	"maps"
	"slices"
)

// Weights say how many judged items each label represents if items were drawn for labeling.
type Weights struct {
	Items     []float64 // of each judged item; 0: its label does not count, or it has none
	Drawn     int       // labels that count because their items were drawn
	Uncovered int       // items without a label that no draw could have drawn, in the draw with most of them
	Unused    int       // labels of items that a draw could have drawn, but that were labeled otherwise
}

// WeightLabels returns the weights of labels by design. In each draw, a labeled item that could not be
// drawn represents itself, whatever the reason why it was labeled. The drawn and labeled items
// represent all others in proportion to 1 / probability (Hájek 1971): those that could be drawn, by
// design, and those without a label that could not, because they were judged later or were
// being labeled then. Several draws are averaged by their number of labels. It returns
// false if no drawn item has a label, so that nothing was labeled by design.
//
// Each draw lists what it did with every judged item; the zero Inclusion is an item that could
// not be drawn.
func WeightLabels(isLabeled []bool, draws [][]Inclusion) (w Weights, ok bool) {
	w.Items = make([]float64, len(isLabeled))
	isCounted := make([]bool, len(isLabeled))
	for _, draw := range draws {
		for i, d := range draw {
			if d.IsDrawn && isLabeled[i] && !isCounted[i] {
				isCounted[i] = true
				w.Drawn++
			}
		}
	}
	if w.Drawn == 0 {
		return Weights{}, false
	}
	total := 0
	for _, draw := range draws {
		total += countDrawn(isLabeled, draw)
	}
	for _, draw := range draws {
		if n := countDrawn(isLabeled, draw); n > 0 {
			w.add(isLabeled, draw, float64(n)/float64(total))
		}
	}
	for i, weight := range w.Items {
		if isLabeled[i] && weight == 0 {
			w.Unused++
		}
	}
	return w, true
}

func countDrawn(isLabeled []bool, draw []Inclusion) (n int) {
	for i, d := range draw {
		if d.IsDrawn && isLabeled[i] {
			n++
		}
	}
	return n
}

// add adds the weights of a draw that counts as a share of all.
func (w *Weights) add(isLabeled []bool, draw []Inclusion, share float64) {
	represented, uncovered, inverse := 0, 0, 0.0
	for i, d := range draw {
		switch {
		case d.Probability > 0:
			represented++
			if d.IsDrawn && isLabeled[i] {
				inverse += 1 / d.Probability
			}
		case isLabeled[i]:
			w.Items[i] += share
		default:
			uncovered++
		}
	}
	w.Uncovered = max(w.Uncovered, uncovered)
	for i, d := range draw {
		if d.IsDrawn && isLabeled[i] {
			w.Items[i] += share * float64(represented+uncovered) / (d.Probability * inverse)
		}
	}
}

// EffectiveSize returns how many equal weights give the same precision as these (Kish 1965, Survey
// Sampling, 11.7).
func EffectiveSize(weights []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, w := range weights {
		sum, squares = sum+w, squares+w*w
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// sortedKeys returns the keys of a map in ascending order, so that sums do not depend on that of the map.
func sortedKeys(m map[float64]float64) []float64 { return slices.Sorted(maps.Keys(m)) }
