package report

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/report/study"
)

// findDrawn returns the labeled items that were drawn by what their labels were expected to add.
func (s *builder) findDrawn() map[int32]bool {
	drawn := map[int32]bool{}
	for _, d := range s.Draws {
		for _, item := range d.Items {
			if number, isKnown := s.NumberOf[item.ItemID]; isKnown && item.IsDrawn && s.ByItem.Len(number) > 0 {
				drawn[number] = true
			}
		}
	}
	return drawn
}

// countDrawn counts the drawn items among some.
func (s *builder) countDrawn(items []int32) (n int) {
	if len(s.Draws) == 0 {
		return 0
	}
	drawn := s.findDrawn()
	for _, item := range items {
		n += study.BoolToInt(drawn[item])
	}
	return n
}

// drawnText says how many items behind figures were drawn; empty if none were. effect is what that means for
// the figures.
func drawnText(drawn int, items, effect string) string {
	if drawn == 0 {
		return ""
	}
	return fmt.Sprintf("Drawn by expected gain: %s of %s%s", study.FormatCount(drawn), items, effect)
}

// DrawnNote says that some items were drawn with unequal probabilities, and what that means for the
// figures; empty without such items.
func (c Counts) DrawnNote() string {
	return drawnText(c.DrawnItems, study.Pluralize(c.LabeledItems, "labeled item"), ", so agreement, rates, means and differences are biased toward harder and rarer items. "+
		"Only the scorecards of model judges are weighted for that: for other figures, choose a batch that was not drawn in this way.")
}

// DrawnSharedNote says what drawn items mean for agreement; empty if no shared item was drawn.
func (c Counts) DrawnSharedNote() string {
	return drawnText(c.DrawnSharedItems, study.Pluralize(c.SharedItems, "item")+" with two or more labels", ". Agreement on such items can be lower than on others.")
}

// DrawnNote says what drawn items mean for the rates; empty if none were drawn.
func (m MetricGroup) DrawnNote() string {
	return drawnText(m.DrawnItems, study.Pluralize(m.CountedItems, "item"), ", so these rates are biased toward harder and rarer items.")
}
