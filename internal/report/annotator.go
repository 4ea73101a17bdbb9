package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/ratereffect"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// An Annotator is the results of one annotator.
type Annotator struct {
	Name            string                    `json:"annotator"` // pseudonym
	Labels          int                       `json:"labels"`
	PaceSeconds     float64                   `json:"pace_seconds"` // median active time per item
	Fields          []AnnotatorField          `json:"fields"`
	RaterEffects    []ratereffect.FoundEffect `json:"rater_effects"` // found
	Severity        *ratereffect.Severity     `json:"severity"`      // null with too few shared items
	SelfConsistency []FieldSelfConsistency    `json:"self_consistency"`
	CalibrationBias []CalibrationBias         `json:"calibration_bias"` // empty without calibration
	Gold            study.Number              `json:"gold"`             // share of right answers to gold items
	GoldItems       int                       `json:"gold_items"`
}

// An AnnotatorField is one annotator's answers to one field.
type AnnotatorField struct {
	Field  string                `json:"field"`
	Kappa  study.AgreementFigure `json:"kappa_with_others"`
	Mean   *float64              `json:"mean"`   // null without answers
	Counts []int                 `json:"counts"` // answers per point of the scale
	Drift  []DriftSegment        `json:"drift"`

	AdjudicationComparison AdjudicationComparison `json:"adjudication_comparison"`
}

// A DriftSegment is the mean of successive answers of one annotator.
type DriftSegment struct {
	From   int     `json:"from"` // number of its first answer, from 1
	To     int     `json:"to"`
	Mean   float64 `json:"mean"`
	Breaks []int   `json:"breaks"` // numbers of its answers that are the first after a break
}

func (s *builder) computeAnnotators() ([]Annotator, error) {
	s.Progress.Start(study.StepRaterEffects, "")
	effects := s.findRaterEffects()
	list := []Annotator{}
	for _, name := range s.ListAnnotators() {
		s.Progress.Start(study.StepAnnotator, name)
		labels := s.LabelsOf(name)
		a := Annotator{Name: name, Labels: len(labels), PaceSeconds: s.Work.MedianPace(labels),
			RaterEffects: effects.Of(name),
			Severity:     effects.SeverityOf(name), CalibrationBias: s.computeCalibrationBias(name)}
		gold := s.computeGold(name)
		a.Gold, a.GoldItems = study.NumberFromShare(gold), gold.Interval.Units
		for _, q := range s.fields {
			field, err := s.computeAnnotatorField(name, q)
			if err != nil {
				return nil, err
			}
			a.Fields = append(a.Fields, field)
		}
		var err error
		if a.SelfConsistency, err = s.computeSelfConsistency(name); err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// computeGold returns the share of an annotator's right answers to gold items.
func (s *builder) computeGold(name string) stats.Proportion {
	var answers []study.GoldAnswer
	for _, n := range s.Gold[name] {
		if l := &s.Others[n]; s.References[l.ItemID] != nil {
			answers = append(answers, study.GoldAnswer{Own: l.Values, Reference: s.References[l.ItemID]})
		}
	}
	return study.GoldAccuracy(s.Protocol, answers)
}

func (s *builder) computeAnnotatorField(name string, q fieldTable) (AnnotatorField, error) {
	field, sum := AnnotatorField{Field: q.Key, Counts: make([]int, len(q.Values))}, 0.0
	labels := q.Answered(s.LabelsOf(name))
	for _, l := range labels {
		field.Counts[q.Points[l]]++
		sum += float64(q.ValueOf(l))
	}
	if len(labels) > 0 {
		mean := sum / float64(len(labels))
		field.Mean = &mean
	}
	field.Drift = s.computeDrift(q, labels)
	field.AdjudicationComparison = s.compareWithAdjudication(name, q)
	var err error
	if i, hasWork := slices.BinarySearch(s.Annotators, name); hasWork {
		var figures []study.AgreementFigure
		if figures, err = s.KappasWithOthers(q.FieldTable); err == nil {
			field.Kappa = figures[i]
		}
		return field, err
	}
	field.Kappa, err = s.ComputeKappaWithOthers(name, q.FieldTable)
	return field, err
}

const (
	maxDriftSegments  = 20
	minSegmentAnswers = 5
)

// computeDrift returns the means of successive answers to a field.
func (s *builder) computeDrift(q fieldTable, labels []int32) []DriftSegment {
	n := min(maxDriftSegments, len(labels)/minSegmentAnswers)
	segments := []DriftSegment{}
	for i := range n {
		from, to := i*len(labels)/n, (i+1)*len(labels)/n
		segment := DriftSegment{From: from + 1, To: to, Breaks: []int{}}
		for j, l := range labels[from:to] {
			segment.Mean += float64(q.ValueOf(l)) / float64(to-from)
			// all 0: imported, so unknown
			if from+j > 0 && s.Work.ItemsSinceBreak[l] == 0 && s.Work.ItemsSinceBreak[labels[from+j-1]] > 0 {
				segment.Breaks = append(segment.Breaks, from+j+1)
			}
		}
		segments = append(segments, segment)
	}
	return segments
}
