// Package judge decides what the answers of a model judge are good for: whether it can
// replace an annotator, how much its judgments sharpen an estimate from few labels, and
// which items to label next.
package judge

import (
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Score compares two answers in the alternative annotator test.
type Score string

// The scores. The zero value suits the scale: RMSE for three or more ordered values.
const (
	Accuracy Score = "accuracy" // share of annotators with the same answer
	RMSE     Score = "rmse"     // negative root mean squared difference
)

// Options configure a comparison of judges with annotators.
type Options struct {
	Score   Score
	Epsilon float64 // cost advantage of the judge, 0 to 1

	// Weights are those of labeled items, by item, if items were drawn. Items without one do not
	// count. Nil: all items count the same, as in the authors' implementation.
	Weights map[string]ItemWeight

	Intervals stats.IntervalOptions // of κ
}

// An ItemWeight says how many judged items the labels of an item represent, up to a common factor.
type ItemWeight struct {
	Weight float64
	Unit   int // items of a unit depend on each other
}

// A Result compares one judge with the annotators in one dimension, in the JSON form of the
// agree command.
type Result struct {
	Judge                string   `json:"judge"`
	Dimension            string   `json:"dimension"`
	Score                Score    `json:"score"`
	Epsilon              float64  `json:"epsilon"`
	WinningRate          *float64 `json:"winning_rate"` // null if Undefined has a reason
	AdvantageProbability *float64 `json:"advantage_probability"`
	Replaces             bool     `json:"replaces"`    // the judge wins the test
	Obstacle             Obstacle `json:"obstacle"`    // why it is not recommended, although it wins the test, or FewItems; empty: nothing
	Reason               string   `json:"reason"`      // the obstacle as a clause
	NextAction           string   `json:"next_action"` // what to do about it
	Evidence
	Undefined  string            `json:"undefined"`
	Annotators []AnnotatorResult `json:"annotators"`
	Skipped    []string          `json:"skipped_annotators"` // with too few shared items
	PPI        PPIResult         `json:"ppi"`
}

// An AnnotatorResult is the test against one annotator.
type AnnotatorResult struct {
	Annotator string  `json:"annotator"`
	Items     int     `json:"items"`
	Advantage float64 `json:"advantage"` // share of items on which the judge is at least as close to the others
	P         float64 `json:"p"`         // of the hypothesis that the annotator is better by Epsilon
}

// A PPIResult is the mean of the annotators' answers, estimated with the judge.
type PPIResult struct {
	Mean             *float64 `json:"mean"` // null if Undefined has a reason
	Low              *float64 `json:"low"`
	High             *float64 `json:"high"`
	Labels           int      `json:"labels"`            // items with labels and a judgment
	Judgments        int      `json:"judgments"`         // items with a judgment alone
	EquivalentLabels *float64 `json:"equivalent_labels"` // null if Undefined, IntervalUndefined or GainUndefined has a reason
	Lambda           *float64 `json:"lambda"`
	Undefined        string   `json:"undefined"`

	// Low and High are those of ppi-python. These are for conclusions; see ConcludeMean.
	IntervalMean      *float64 `json:"interval_mean"` // Mean, or that of the labels alone where the judge is not used
	IntervalLow       *float64 `json:"interval_low"`
	IntervalHigh      *float64 `json:"interval_high"`
	IntervalUndefined string   `json:"interval_undefined"`
	GainUndefined     string   `json:"gain_undefined"` // why EquivalentLabels is null although there is an interval
}

// Compare compares the judges with the other annotators of a dimension. Judges without an
// answer in it are left out.
func Compare(d stats.Dimension, judges []string, o Options) (people stats.Dimension, results []Result) {
	people = d
	people.Table = d.Table.SelectAnnotators(func(name string) bool { return !slices.Contains(judges, name) })
	for _, name := range judges {
		judged := d.Table.SelectAnnotators(func(annotator string) bool { return annotator == name })
		if judged.Ratings() == 0 {
			continue
		}
		answers := map[string]int{}
		for item := range judged.ByItem() {
			answers[item.Item] = judged.Scale[item.Categories[0]]
		}
		results = append(results, compare(people, name, answers, judged, o))
	}
	if !d.Declared {
		people = withoutUnusedValues(people)
	}
	return people, results
}

// withoutUnusedValues leaves out the values that only judges gave, so that judges change no figure of
// the others. Where nothing or only numbers would be left of words, all values stay.
func withoutUnusedValues(people stats.Dimension) stats.Dimension {
	used := people
	used.Table = people.Table.OnUsedScale()
	if len(used.Table.Scale) == 0 || people.Nominal && !slices.ContainsFunc(used.NamedScale().PointNames(), stats.IsNonNumeric) {
		return people
	}
	return used
}

func compare(people stats.Dimension, name string, answers map[string]int, judged stats.RatingTable, o Options) Result {
	isOrdered := !people.Nominal && len(people.Table.Scale) > 2
	if o.Score == "" || people.Nominal {
		o.Score = map[bool]Score{true: RMSE, false: Accuracy}[isOrdered]
	}
	t := RunAlternativeTest(people.Table, answers, o)
	r := Result{Judge: name, Dimension: people.Name, Score: o.Score, Epsilon: o.Epsilon, Undefined: t.Undefined.Text(),
		Annotators: append([]AnnotatorResult{}, t.Annotators...), Skipped: append([]string{}, t.Skipped...), PPI: estimatePPI(people, judged)}
	if t.Undefined == "" {
		r.WinningRate, r.AdvantageProbability, r.Replaces = &t.WinningRate, &t.AdvantageProbability, t.Replaces()
	}
	r.Evidence = collectEvidence(people, answers, o)
	r.Evidence.Test = t
	r.Obstacle = r.Evidence.Obstacle()
	r.NextAction = r.Obstacle.NextAction()
	r.Reason = r.Evidence.Reason(r.Obstacle, func(value int) string { return nameOfPoint(people, value) })
	return r
}

// nameOfPoint returns a value as in the file.
func nameOfPoint(d stats.Dimension, value int) string {
	index, _ := d.Table.Scale.Index(value)
	return "“" + d.NamedScale().PointNames()[index] + "”"
}

// estimatePPI estimates the mean of an ordered dimension, or the rate of the second of two
// values.
func estimatePPI(people stats.Dimension, judged stats.RatingTable) PPIResult {
	points, ok := numericPoints(people)
	if !ok {
		return PPIResult{Undefined: UnorderedValues.Text()}
	}
	s := collectSample(people.Table, judged, points)
	r := PPIResult{Labels: len(s.Labeled), Judgments: len(s.Judged)}
	m := EstimateMean(s)
	if m.Undefined != "" {
		r.Undefined = m.Undefined.Text()
		return r
	}
	r.Mean, r.Low, r.High, r.Lambda = &m.Value, &m.Low, &m.High, &m.Lambda
	least, most := points[0], points[len(points)-1]
	c := ConcludeMean(s, Range{least, most, len(points) == 2})
	if r.IntervalUndefined = c.Undefined.Text(); c.Undefined != "" {
		return r
	}
	c.Low, c.High = max(c.Low, least), min(c.High, most)
	r.IntervalMean, r.IntervalLow, r.IntervalHigh = &c.Value, &c.Low, &c.High
	if r.GainUndefined = c.GainUndefined.Text(); c.GainUndefined == "" {
		r.EquivalentLabels = &c.EquivalentLabels
	}
	return r
}

// numericPoints returns the numbers of the points of a scale: 0 and 1 for two words.
func numericPoints(d stats.Dimension) ([]float64, bool) {
	if !d.Nominal {
		return d.NamedScale().NumericValues(), true
	}
	return []float64{0, 1}, len(d.Table.Scale) == 2
}

// collectSample pairs the mean label of each item with its judgment.
func collectSample(people, judged stats.RatingTable, points []float64) Sample {
	means := map[string]float64{}
	for item := range people.ByItem() {
		for _, c := range item.Categories {
			means[item.Item] += points[c] / float64(len(item.Categories))
		}
	}
	s := Sample{IsClustered: judged.HasClusters()}
	for item := range judged.ByItem() {
		judgment := Judgment{Value: points[item.Categories[0]], Cluster: item.Cluster}
		if label, ok := means[item.Item]; ok {
			s.Labeled = append(s.Labeled, LabeledJudgment{judgment, label, 1})
		} else {
			s.Judged = append(s.Judged, judgment)
		}
	}
	return s
}
