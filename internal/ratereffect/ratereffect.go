// Package ratereffect finds rater effects: patterns in the answers of one annotator that the items do not explain. Each
// effect is one statistic per annotator, pooled over fields. The error rate over all tests of a study is 5%.
//
// Results are numbers and codes. How often effects are found is in internal/stats/studies/ratereffect.
package ratereffect

import (
	"github.com/labelwright/labelwright/internal/stats"
)

// A FieldSpec is the scale of a field.
type FieldSpec struct {
	Scale         stats.NumericScale
	UnsafeAnswers []int // answers that report a risk; none for fields not about safety
}

// An Effect identifies a rater effect.
type Effect string

// The effects, in the order of reports.
const (
	Careless          Effect = "careless"
	Copied            Effect = "copied"
	MissedRisks       Effect = "missed_risks"
	DifferentStandard Effect = "different_standard"
	EqualAnswers      Effect = "equal_answers"
	NarrowUse         Effect = "narrow_use"
	Halo              Effect = "halo"
	Drift             Effect = "drift"
	TooFast           Effect = "too_fast"
)

// Effects returns all effects, in the order of reports.
func Effects() []Effect {
	return []Effect{Careless, Copied, MissedRisks, DifferentStandard, EqualAnswers, NarrowUse, Halo, Drift, TooFast}
}

// familyError is the probability that a study without effects names any annotator.
const familyError = 0.05

// A FoundEffect is an effect found in the answers of one annotator. What Value and Others are depends on the effect:
//
//	careless            share of items with answers as if they were random; that of all others
//
// copied              share of shared items with equal answers to all fields; that which the agreement with others
// predicts
//
//	missed_risks        share of known risks that are not reported; that of the others
//	different_standard  mean difference from the others, or from reference answers, as a share of the scale
//
// equal_answers       share of items with the same point of the scale in all fields; that of the others on the same
// items
//
//	narrow_use          standard deviation of the answers as a share of that of the others on the same items
//	halo                mean correlation of two fields; that of the others on the same items
//	drift               change over 30 items without a break, compared with the others, as a share of the scale
//	too_fast            share of items labeled in less than the time to read them
type FoundEffect struct {
	Effect    Effect `json:"effect"`
	Annotator string `json:"-"`
	// whose answers are the same, of copied ones; of others, the only annotator to compare with
	Other         string  `json:"other"`
	IsEither      bool    `json:"either"`     // nothing shows which of the two differs from careful work, or copied
	HasReferences bool    `json:"references"` // the comparison is with known answers
	Value         float64 `json:"value"`
	Low           float64 `json:"low"` // 95% interval of Value
	High          float64 `json:"high"`
	Others        float64 `json:"others"`
	Items         int     `json:"items"`
	P             float64 `json:"p"` // adjusted for all tests of the study
}

// A Power says what the tests for one effect could have found: the smallest value that would have been found in four of
// five studies, for half of the annotators. Of careless and copied it is the share of random and of copied answers; of
// others see FoundEffect.
type Power struct {
	Effect     Effect  `json:"effect"`
	Annotators int     `json:"annotators"` // tested
	Detectable float64 `json:"detectable"`
}

// A Severity is the mean difference of one annotator from the others on the same items, as a share of the scale.
type Severity struct {
	Annotator string  `json:"-"`
	Value     float64 `json:"value"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Items     int     `json:"items"`
}

// A Result is what the tests of a study show.
type Result struct {
	Findings   []FoundEffect `json:"-"`
	Severities []Severity    `json:"-"`
	Powers     []Power       `json:"tests"`
	// difference of standards that counts as none, as a share of the scale
	Margin    float64 `json:"severity_margin"`
	ScaleSpan int     `json:"scale_span"` // of all fields; 0 if they differ
}

// isMutual reports whether a finding says the same about both annotators.
func (f FoundEffect) isMutual() bool {
	return f.IsEither && (f.Effect == Copied || f.Effect == DifferentStandard || f.Effect == Drift)
}

// Of returns the findings on an annotator, from the annotator's point of view.
func (r Result) Of(annotator string) []FoundEffect {
	list := []FoundEffect{}
	for _, f := range r.Findings {
		switch {
		case f.Annotator == annotator:
			list = append(list, f)
		case f.isMutual() && f.Other == annotator:
			f.Annotator, f.Other = f.Other, f.Annotator
			if f.Effect != Copied {
				f.Value, f.Low, f.High = -f.Value, -f.High, -f.Low
			}
			list = append(list, f)
		}
	}
	return list
}

// SeverityOf returns the severity of an annotator; nil with too few shared items.
func (r Result) SeverityOf(annotator string) *Severity {
	for _, s := range r.Severities {
		if s.Annotator == annotator {
			return &s
		}
	}
	return nil
}

// A test is the evidence for an effect on one annotator.
type test struct {
	FoundEffect // P is not adjusted
	// the smallest value that is found with 80% power, by the quantile of the level
	detectable func(critical float64) float64
}

// Detect tests all effects. Labels of calibration items and hidden duplicates are no part of labels.
func Detect(fields []FieldSpec, labels Labels, known KnownAnswers) Result {
	s := newLabelSet(fields, labels)
	equal := s.testEqualAnswers()
	s.exclude(significant(equal))
	higher, _ := s.testStandard()
	copied := s.testCopied(significant(higher))
	s.exclude(significant(copied)) // whom they copied would have two voices
	careless := s.testCareless()
	standard, severities := s.testStandard()
	r := Result{Powers: []Power{}, Severities: severities, Margin: s.margin, ScaleSpan: s.scaleSpan()}
	for _, list := range [][]test{careless, copied, s.testMissedRisks(known),
		append(standard, s.testReferences(known)...),
		equal, s.testNarrowUse(), s.testHalo(), s.testDrift(), s.testTooFast(careless)} {
		if len(list) > 0 {
			r.Findings = append(r.Findings, significant(list)...)
			r.Powers = append(r.Powers, powerOf(list))
		}
	}
	r.Findings = withoutExplained(r.Findings)
	return r
}
