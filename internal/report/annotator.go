package report

import "slices"

// An Annotator is the results of one annotator.
type Annotator struct {
	Name            string                 `json:"annotator"` // pseudonym
	Labels          int                    `json:"labels"`
	PaceSeconds     float64                `json:"pace_seconds"` // median active time per item
	Fields          []AnnotatorField       `json:"fields"`
	RaterEffects    []RaterEffect          `json:"rater_effects"`
	SelfConsistency []FieldSelfConsistency `json:"self_consistency"`
	CalibrationBias []CalibrationBias      `json:"calibration_bias"` // empty without calibration
}

// An AnnotatorField is one annotator's answers to one field.
type AnnotatorField struct {
	Field  string          `json:"field"`
	Kappa  AgreementFigure `json:"kappa_with_others"`
	Mean   *float64        `json:"mean"`   // null without answers
	Counts []int           `json:"counts"` // answers per point of the scale
	Drift  []DriftSegment  `json:"drift"`

	AdjudicationComparison AdjudicationComparison `json:"adjudication_comparison"`
}

// A DriftSegment is the mean of successive answers of one annotator.
type DriftSegment struct {
	From       int     `json:"from"` // number of its first answer, from 1
	To         int     `json:"to"`
	Mean       float64 `json:"mean"`
	AfterBreak bool    `json:"after_break"` // the annotator took a break within it
}

func (s *study) computeAnnotators() ([]Annotator, error) {
	s.progress.start(stepRaterEffects)
	effects := s.computeRaterEffects()
	list := []Annotator{}
	for _, name := range s.listAnnotators() {
		s.progress.start(stepAnnotator(name))
		labels := s.byAnnotator[name]
		a := Annotator{Name: name, Labels: len(labels), PaceSeconds: medianPace(labels), RaterEffects: effects[name], CalibrationBias: s.computeCalibrationBias(name)}
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

// medianPace returns the median active time in seconds; 0 if none was measured.
func medianPace(labels []*Label) float64 {
	var ms []int64
	for _, l := range labels {
		if l.ActiveMS > 0 {
			ms = append(ms, l.ActiveMS)
		}
	}
	if len(ms) == 0 {
		return 0
	}
	slices.Sort(ms)
	return float64(ms[len(ms)/2]) / 1000
}

func (s *study) computeAnnotatorField(name string, q fieldTable) (AnnotatorField, error) {
	field, sum := AnnotatorField{Field: q.Key, Counts: make([]int, len(q.scale))}, 0.0
	labels := answered(s.byAnnotator[name], q.Key)
	for _, l := range labels {
		index, _ := q.scale.Index(l.Values[q.Key])
		field.Counts[index]++
		sum += float64(l.Values[q.Key])
	}
	if len(labels) > 0 {
		mean := sum / float64(len(labels))
		field.Mean = &mean
	}
	field.Drift = computeDrift(labels, q.Key)
	field.AdjudicationComparison = s.compareWithAdjudication(name, q)
	kappa, err := s.computeKappaWithOthers(name, q)
	field.Kappa = kappa
	return field, err
}

const (
	maxDriftSegments  = 20
	minSegmentAnswers = 5
)

// computeDrift returns the means of successive answers to a field.
func computeDrift(labels []*Label, field string) []DriftSegment {
	n := min(maxDriftSegments, len(labels)/minSegmentAnswers)
	segments := []DriftSegment{}
	for i := range n {
		from, to := i*len(labels)/n, (i+1)*len(labels)/n
		segment := DriftSegment{From: from + 1, To: to}
		for j, l := range labels[from:to] {
			segment.Mean += float64(l.Values[field]) / float64(to-from)
			segment.AfterBreak = segment.AfterBreak || from+j > 0 && l.ItemsSinceBreak == 0
		}
		segments = append(segments, segment)
	}
	return segments
}
