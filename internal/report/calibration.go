package report

import (
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A CalibrationBias is how far an annotator's answers to the calibration items lie from the
// reference: own less reference, the mean over the items, with the interval of a
// mean of paired differences (Bland & Altman 1986). Of an item that was answered
// more than once the latest answer counts.
type CalibrationBias struct {
	Field            string `json:"field"`
	Items            int    `json:"n"`     // items that both answer
	Matches          int    `json:"equal"` // answered alike
	LargeDifferences int    `json:"far"`   // two points or more apart; of a yes or no, answered otherwise
	Number
}

// IsOneSided reports whether the whole interval lies on one side of the reference.
func (l CalibrationBias) IsOneSided() bool { return l.Low != nil && (*l.Low > 0 || *l.High < 0) }

// computeCalibrationBias compares one annotator's calibration with the references, by field; a
// field that neither answers is left out.
func (s *study) computeCalibrationBias(name string) []CalibrationBias {
	latest := map[project.ItemID]Label{}
	for _, bias := range s.Labels {
		if bias.Kind == Calibration && bias.Annotator == name && bias.ID >= latest[bias.ItemID].ID {
			latest[bias.ItemID] = bias
		}
	}
	found := []CalibrationBias{}
	for _, q := range s.fields {
		bias, answers, references := CalibrationBias{Field: q.Key}, []float64{}, []float64{}
		for _, item := range slices.Sorted(maps.Keys(latest)) {
			answer, answered := latest[item].Values[q.Key]
			reference, hasReference := s.References[item][q.Key]
			if answered && hasReference {
				bias.addDifference(q, answer-reference)
				answers, references = append(answers, float64(answer)), append(references, float64(reference))
			}
		}
		if bias.Items > 0 {
			bias.Number = estimateBias(references, answers)
			found = append(found, bias)
		}
	}
	return found
}

func (l *CalibrationBias) addDifference(q fieldTable, difference int) {
	l.Items++
	switch {
	case difference == 0:
		l.Matches++
	case !q.isOrdered() || difference >= 2 || difference <= -2:
		l.LargeDifferences++
	}
}

func estimateBias(references, answers []float64) Number {
	sum, isConstant := 0.0, true
	for i := range answers {
		sum += answers[i] - references[i]
		isConstant = isConstant && answers[i]-references[i] == answers[0]-references[0]
	}
	b := stats.AnalyzeBlandAltman(references, answers)
	switch {
	case b.Undefined != "":
		b.BiasInterval.Undefined = "an interval takes three items"
	case isConstant:
		b.BiasInterval.Undefined = "no spread to go by: every difference is the same"
	}
	return newNumber(sum/float64(len(answers)), "", b.BiasInterval)
}
