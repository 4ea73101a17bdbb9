package report

import (
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A CalibrationBias is the mean difference between an annotator's calibration answers
// to a field and the reference, with the interval of a mean of paired differences
// (Bland & Altman 1986). The latest answer to each item counts.
type CalibrationBias struct {
	Field            string `json:"field"`
	Items            int    `json:"items"` // with an answer and a reference
	Matches          int    `json:"matches"`
	LargeDifferences int    `json:"large_differences"` // 2 points or more; any difference on a scale of two points
	study.Number
}

// IsOneSided reports whether the whole interval is above or below 0.
func (b CalibrationBias) IsOneSided() bool { return b.Low != nil && (*b.Low > 0 || *b.High < 0) }

// computeCalibrationBias returns the bias of one annotator in every field with answers and references.
func (s *builder) computeCalibrationBias(name string) []CalibrationBias {
	latest := s.latestCalibration(name)
	list := []CalibrationBias{}
	for _, q := range s.fields {
		bias, answers, references := CalibrationBias{Field: q.Key}, []float64{}, []float64{}
		for _, item := range slices.Sorted(maps.Keys(latest)) {
			answer, isAnswered := latest[item].Values[q.Key]
			reference, hasReference := s.References[item][q.Key]
			if isAnswered && hasReference {
				bias.addDifference(q, answer-reference)
				answers, references = append(answers, float64(answer)), append(references, float64(reference))
			}
		}
		if bias.Items > 0 {
			bias.Number = estimateBias(references, answers)
			list = append(list, bias)
		}
	}
	return list
}

// latestCalibration returns the latest calibration label of an annotator on each item.
func (s *builder) latestCalibration(name string) map[project.ItemID]*study.Label {
	latest := map[project.ItemID]*study.Label{}
	for _, n := range s.Calibration[name] {
		l := &s.Others[n]
		if earlier := latest[l.ItemID]; earlier == nil || l.ID >= earlier.ID {
			latest[l.ItemID] = l
		}
	}
	return latest
}

func (b *CalibrationBias) addDifference(q fieldTable, difference int) {
	b.Items++
	switch {
	case difference == 0:
		b.Matches++
	case q.Scale.IsBinary() || difference >= 2 || difference <= -2:
		b.LargeDifferences++
	}
}

// estimateBias returns the mean of answers − references.
func estimateBias(references, answers []float64) study.Number {
	sum, isConstant := 0.0, true
	for i := range answers {
		sum += answers[i] - references[i]
		isConstant = isConstant && answers[i]-references[i] == answers[0]-references[0]
	}
	b := stats.AnalyzeBlandAltman(references, answers)
	if b.BiasInterval.Defined() && isConstant {
		b.BiasInterval.Undefined = stats.Reason{Code: stats.ConstantDifference}
	}
	return study.NewNumber(sum/float64(len(answers)), stats.Reason{}, b.BiasInterval)
}
