package report

import "slices"

// An Annotator is what one person's labels say.
type Annotator struct {
	Name            string                 `json:"annotator"` // the pseudonym
	Labels          int                    `json:"labels"`
	PaceSeconds     float64                `json:"pace_seconds"` // the median active time of an item
	Fields          []AnnotatorField       `json:"fields"`
	RaterEffects    []RaterEffect          `json:"habits"`
	SelfConsistency []FieldSelfConsistency `json:"self_consistency"`
	CalibrationBias []CalibrationBias      `json:"calibration_lean"` // empty where there was no calibration
}

// A AnnotatorField is one annotator's answers to one field, beside the others'.
type AnnotatorField struct {
	Field  string          `json:"field"`
	Kappa  AgreementFigure `json:"kappa_with_others"`
	Mean   *float64        `json:"mean"`   // null where nothing was answered
	Counts []int           `json:"counts"` // how often each point was given, by scale
	Drift  []DriftSegment  `json:"drift"`

	AdjudicationComparison AdjudicationComparison `json:"beside_decisions"`
}

// A DriftSegment is the mean of successive answers of one annotator.
type DriftSegment struct {
	From       int     `json:"from"` // the first of them, counted from 1
	To         int     `json:"to"`
	Mean       float64 `json:"mean"`
	AfterBreak bool    `json:"after_break"` // a break was taken within them
}

func (s *study) computeAnnotators() ([]Annotator, error) {
	s.startStep("habits")
	effects := s.computeRaterEffects()
	found := []Annotator{}
	for _, name := range s.listAnnotators() {
		s.startStep("what " + name + "'s labels say")
		a := Annotator{Name: name, Labels: len(s.labelsByAnnotator[name]), PaceSeconds: s.computePace(name), RaterEffects: effects[name], CalibrationBias: s.computeCalibrationBias(name)}
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
		found = append(found, a)
	}
	return found, nil
}

// computePace is the median active time, in seconds; 0 where none was measured.
func (s *study) computePace(name string) float64 {
	var ms []int64
	for _, l := range s.labelsByAnnotator[name] {
		if s.workLabels[l].ActiveMS > 0 {
			ms = append(ms, s.workLabels[l].ActiveMS)
		}
	}
	if len(ms) == 0 {
		return 0
	}
	slices.Sort(ms)
	return float64(ms[len(ms)/2]) / 1000
}

func (s *study) computeAnnotatorField(name string, q fieldTable) (AnnotatorField, error) {
	field := AnnotatorField{Field: q.Key, Counts: make([]int, len(q.scale))}
	sum, n := 0.0, 0
	for _, l := range s.labelsByAnnotator[name] {
		if v, ok := s.workLabels[l].Values[q.Key]; ok {
			index, _ := q.scale.Index(v)
			field.Counts[index]++
			sum, n = sum+float64(v), n+1
		}
	}
	if n > 0 {
		mean := sum / float64(n)
		field.Mean = &mean
	}
	field.Drift = s.computeDrift(name, q.Key)
	field.AdjudicationComparison = s.compareWithAdjudication(name, q)
	kappa, err := s.computeKappaWithOthers(name, q)
	field.Kappa = kappa
	return field, err
}

// maxDriftSegments is how many stretches of answers a picture of drift has.
const maxDriftSegments = 20

// computeDrift returns the means of successive answers, five or more together.
func (s *study) computeDrift(name, field string) []DriftSegment {
	var answered []*Label
	for _, l := range s.labelsByAnnotator[name] {
		if _, ok := s.workLabels[l].Values[field]; ok {
			answered = append(answered, s.workLabels[l])
		}
	}
	n := min(maxDriftSegments, len(answered)/5)
	segments := []DriftSegment{}
	for i := range n {
		from, to := i*len(answered)/n, (i+1)*len(answered)/n
		segment := DriftSegment{From: from + 1, To: to}
		for j, l := range answered[from:to] {
			segment.Mean += float64(l.Values[field]) / float64(to-from)
			segment.AfterBreak = segment.AfterBreak || from+j > 0 && l.ItemsSinceBreak == 0
		}
		segments = append(segments, segment)
	}
	return segments
}
