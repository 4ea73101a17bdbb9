package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// A Design is how labels are weighted because their items were drawn with known, unequal
// probabilities. The weighted labels represent all items that the judge has answered.
type Design struct {
	Batches   []string `json:"batches"`        // with drawn items that have labels
	Drawn     int      `json:"drawn_labels"`   // labeled items that were drawn
	Before    int      `json:"earlier_labels"` // labeled items that could not be drawn, which represent themselves
	Effective float64  `json:"effective_size"` // equally weighted labels with the same precision (Kish)
	Uncovered int      `json:"uncovered"`      // items that could not be drawn, and have no label
	Unused    int      `json:"unused_labels"`  // labeled items that could be drawn, but were labeled otherwise
	Note      string   `json:"note"`           // the design in sentences
}

// weightLabels returns the weights of the labels of items, in the order of their ids. If no drawn
// item has a label, all labels have the weight 1, and there is no design.
func (s *study) weightLabels(ids []project.ItemID, isLabeled []bool) ([]float64, *Design) {
	var draws [][]judge.Inclusion
	var batches []string
	for _, d := range s.Draws {
		if inclusions, hasLabels := d.inclusions(ids, isLabeled); hasLabels {
			draws, batches = append(draws, inclusions), append(batches, d.Batch)
		}
	}
	w, isDrawn := judge.WeightLabels(isLabeled, draws)
	if !isDrawn {
		return slices.Repeat([]float64{1}, len(ids)), nil
	}
	design := &Design{Batches: batches, Drawn: w.Drawn, Effective: judge.EffectiveSize(w.Items), Uncovered: w.Uncovered, Unused: w.Unused}
	for i, weight := range w.Items {
		design.Before += boolToInt(isLabeled[i] && weight > 0)
	}
	design.Before -= w.Drawn
	design.Note = design.describe()
	return w.Items, design
}

// inclusions returns what the draw did with each of some items, in the order of their ids, and
// whether a drawn one has labels.
func (d LabelDraw) inclusions(ids []project.ItemID, isLabeled []bool) (inclusions []judge.Inclusion, hasLabels bool) {
	inclusions = make([]judge.Inclusion, len(ids))
	for _, item := range d.Items {
		if i, isJudged := slices.BinarySearch(ids, item.ItemID); isJudged {
			inclusions[i] = judge.Inclusion{Probability: item.Probability, IsDrawn: item.IsDrawn}
			hasLabels = hasLabels || item.IsDrawn && isLabeled[i]
		}
	}
	return inclusions, hasLabels
}
