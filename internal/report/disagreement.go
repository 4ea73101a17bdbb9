package report

import "github.com/labelwright/labelwright/internal/report/study"

// countDisagreedItems counts the items with different answers to a field.
func (s *builder) countDisagreedItems() (count int) {
	for _, item := range s.Labeled {
		for _, q := range s.fields {
			if s.isDisagreed(item, q) {
				count++
				break
			}
		}
	}
	return count
}

// isDisagreed reports whether annotators gave different answers to a field of an item.
func (s *builder) isDisagreed(item int32, q fieldTable) bool {
	first := uint8(study.NoAnswer)
	for _, l := range s.ByItem.At(item) {
		switch point := q.Points[l]; {
		case point == study.NoAnswer:
		case first == study.NoAnswer:
			first = point
		case point != first:
			return true
		}
	}
	return false
}
