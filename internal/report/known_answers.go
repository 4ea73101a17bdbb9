package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report/study"
)

// collectKnownAnswers returns the work labels of adjudicated items, the labels of gold items, and those of the first
// attempt at calibration items with reference answers.
func (s *builder) collectKnownAnswers() ratereffect.KnownAnswers {
	k := ratereffect.KnownAnswers{Points: make([][]uint8, len(s.fields)), Right: make([][]uint8, len(s.fields))}
	numberOf := map[project.ItemID]int32{}
	add := func(id project.ItemID, annotator int32, isReference bool, right map[string]int,
		point func(field int) uint8) {
		if _, seen := numberOf[id]; !seen {
			numberOf[id] = int32(len(numberOf))
		}
		k.AnnotatorOf, k.ItemOf, k.IsReference = append(k.AnnotatorOf, annotator), append(k.ItemOf, numberOf[id]),
			append(k.IsReference, isReference)
		for f, q := range s.fields {
			k.Points[f], k.Right[f] = append(k.Points[f], point(f)), append(k.Right[f], q.PointOf(right))
		}
	}
	for l, item := range s.Work.Item {
		if decision := s.Adjudicated[s.AllItems[item].ID]; decision != nil {
			add(s.AllItems[item].ID, s.Work.Annotator[l], false, decision, func(f int) uint8 {
				return s.fields[f].Points[l]
			})
		}
	}
	for _, l := range s.firstReferenceLabels() {
		annotator, hasWork := slices.BinarySearch(s.Annotators, l.Annotator)
		if reference := s.References[l.ItemID]; hasWork && reference != nil {
			add(l.ItemID, int32(annotator), true, reference, func(f int) uint8 { return s.fields[f].PointOf(l.Values) })
		}
	}
	return k
}

// firstReferenceLabels returns the first label of each annotator and calibration or gold item. Later ones are
// given after the references were shown.
func (s *builder) firstReferenceLabels() (first []study.Label) {
	type key struct {
		annotator string
		item      project.ItemID
	}
	calibration, seen := slices.Clone(s.Others), map[key]bool{}
	slices.SortStableFunc(calibration, func(a, b study.Label) int { return cmp.Compare(a.ID, b.ID) })
	for _, l := range calibration {
		if k := (key{l.Annotator, l.ItemID}); (l.Kind == study.Calibration || l.Kind == study.Gold) && !seen[k] {
			seen[k], first = true, append(first, l)
		}
	}
	return first
}
