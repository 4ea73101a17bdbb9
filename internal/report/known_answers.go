package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report/study"
)

// collectKnownAnswers returns the work labels of adjudicated items, and the labels of the first
// attempt at calibration items with reference answers.
func (s *builder) collectKnownAnswers(position func(label int32) int) ratereffect.KnownAnswers {
	k := knownCollector{builder: s, numberOf: map[project.ItemID]int32{}}
	for l, item := range s.Work.Item {
		if decision := s.Adjudicated[s.AllItems[item].ID]; decision != nil {
			k.add(s.AllItems[item].ID, s.Work.Annotator[l], position(int32(l)), int32(l), decision,
				func(q int) uint8 { return s.fields[q].Points[l] })
		}
	}
	for _, l := range s.firstCalibration() {
		annotator, hasWork := slices.BinarySearch(s.Annotators, l.Annotator)
		if reference := s.References[l.ItemID]; hasWork && reference != nil {
			k.add(l.ItemID, int32(annotator), 0, -1, reference, func(q int) uint8 { return s.fields[q].PointOf(l.Values) })
		}
	}
	return k.known()
}

// firstCalibration returns the first label of each annotator and calibration item. Later ones are
// given after the references were shown.
func (s *builder) firstCalibration() (first []study.Label) {
	type key struct {
		annotator string
		item      project.ItemID
	}
	calibration, seen := slices.Clone(s.Others), map[key]bool{}
	slices.SortStableFunc(calibration, func(a, b study.Label) int { return cmp.Compare(a.ID, b.ID) })
	for _, l := range calibration {
		if k := (key{l.Annotator, l.ItemID}); l.Kind == study.Calibration && !seen[k] {
			seen[k], first = true, append(first, l)
		}
	}
	return first
}

// A knownCollector collects labels whose right answers are known.
type knownCollector struct {
	*builder
	numberOf             map[project.ItemID]int32
	items, annotators    []int32
	positions            []int
	labels               []int32 // work label; −1: of a calibration item
	answers, rightPoints [][]uint8
}

func (k *knownCollector) add(id project.ItemID, annotator int32, position int, label int32, right map[string]int, point func(field int) uint8) {
	if _, seen := k.numberOf[id]; !seen {
		k.numberOf[id] = int32(len(k.numberOf))
	}
	k.items, k.annotators = append(k.items, k.numberOf[id]), append(k.annotators, annotator)
	k.positions, k.labels = append(k.positions, position), append(k.labels, label)
	if k.answers == nil {
		k.answers, k.rightPoints = make([][]uint8, len(k.fields)), make([][]uint8, len(k.fields))
	}
	for f, q := range k.fields {
		k.answers[f], k.rightPoints[f] = append(k.answers[f], point(f)), append(k.rightPoints[f], q.PointOf(right))
	}
}

func (k *knownCollector) known() ratereffect.KnownAnswers {
	ofWork := func(l int32, value func(label int32) float64) float64 {
		if k.labels[l] < 0 {
			return 0
		}
		return value(k.labels[l])
	}
	return ratereffect.KnownAnswers{Right: k.rightPoints, Labels: ratereffect.Labels{Annotators: k.builder.Annotators, AnnotatorOf: k.annotators, ItemOf: k.items, Points: k.answers,
		Position: func(l int32) int { return k.positions[l] },
		ItemsSinceBreak: func(l int32) int {
			return int(ofWork(l, func(label int32) float64 { return float64(k.Work.ItemsSinceBreak[label]) }))
		},
		ActiveSeconds: func(int32) float64 { return 0 },
		TextLength:    func(l int32) float64 { return ofWork(l, k.TextLength) }}}
}
