package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// A Design is how labels are weighted because their items were drawn with known, unequal
// probabilities. The weighted labels represent all items that the judge has answered.
type Design struct {
	Batches   []string `json:"batches"`        // with drawn items that have labels
	Drawn     int      `json:"drawn_labels"`   // labeled items that were drawn
	Before    int      `json:"earlier_labels"` // labeled items that could not be drawn, which represent themselves
	Effective float64  `json:"effective_size"` // equally weighted labels with the same precision (Kish)
	Uncovered int      `json:"uncovered"`      // items that could not be drawn, and have no label
	Unused    int      `json:"unused_labels"`  // labeled items that could be drawn, but were labeled otherwise
	Note      string   `json:"note"`           // the draw and its precision in two sentences
	Notes     []string `json:"notes"`          // on items that are not in the draw
}

// judgedItems are the items with a judge's answer to a field, in the order of their ids.
type judgedItems struct {
	isClustered bool
	ids         []project.ItemID
	clusters    []int // of each item
	judgments   []int
	humans      [][]int   // answers of annotators
	values      []float64 // of each item; see itemValue
	weights     []float64 // of each item; 0: its labels do not count, or it has none
	design      *Design   // nil: labeled items have the weight 1
	waiting     int       // labels of drawn items that do not count yet; see minDesignLabels
}

func (s *builder) newJudgedItems(q fieldTable, judgments map[project.ItemID]map[string]int) judgedItems {
	items, clusters := judgedItems{isClustered: s.IsClustered()}, map[string]int{}
	for id, values := range judgments {
		if _, ok := values[q.Key]; ok {
			items.ids = append(items.ids, id)
		}
	}
	slices.Sort(items.ids)
	isLabeled := make([]bool, len(items.ids))
	for i, id := range items.ids {
		item := s.Item(id)
		name := cmp.Or(s.ClusterOf(item), "item "+item.SourceID)
		if _, known := clusters[name]; !known {
			clusters[name] = len(clusters)
		}
		humans := s.AnswersTo(s.NumberOf[id], q.FieldTable)
		isLabeled[i] = len(humans) > 0
		items.clusters, items.judgments, items.humans = append(items.clusters, clusters[name]), append(items.judgments, judgments[id][q.Key]), append(items.humans, humans)
		items.values = append(items.values, s.itemValue(s.NumberOf[id], q))
	}
	items.weights, items.design, items.waiting = s.weightLabels(items.ids, isLabeled)
	return items
}

// minDesignLabels is the number of labels of drawn items from which they represent the items that could be drawn, if as many
// others are labeled. With fewer, a single drawn label would stand for hundreds of items.
const minDesignLabels = 30

// weightLabels returns the weights of the labels of items, in the order of their ids. If no drawn
// item has a label, all labels have the weight 1, and there is no design; also while too few drawn items have one, whose number
// is waiting: labels of items that could be drawn then have the weight 0.
func (s *builder) weightLabels(ids []project.ItemID, isLabeled []bool) (weights []float64, design *Design, waiting int) {
	var draws [][]judge.Inclusion
	var batches []string
	for _, d := range s.Draws {
		if inclusions, hasLabels := inclusionsOf(d, ids, isLabeled); hasLabels {
			draws, batches = append(draws, inclusions), append(batches, d.Batch)
		}
	}
	w, isDrawn := judge.WeightLabels(isLabeled, draws)
	if !isDrawn {
		weights = make([]float64, len(ids))
		for i := range weights {
			weights[i] = float64(study.BoolToInt(isLabeled[i]))
		}
		return weights, nil, 0
	}
	if weights := labelsOutside(isLabeled, draws); w.Drawn < minDesignLabels && sum(weights) >= minDesignLabels {
		return weights, nil, w.Drawn
	}
	design = &Design{Batches: batches, Drawn: w.Drawn, Effective: judge.EffectiveSize(w.Items), Uncovered: w.Uncovered, Unused: w.Unused}
	for _, weight := range w.Items {
		design.Before += study.BoolToInt(weight > 0)
	}
	design.Before -= w.Drawn
	design.setTexts()
	return w.Items, design, 0
}

// labelsOutside returns 1 for each labeled item that no draw could draw, else 0.
func labelsOutside(isLabeled []bool, draws [][]judge.Inclusion) []float64 {
	weights := make([]float64, len(isLabeled))
	for i := range weights {
		couldBeDrawn := slices.ContainsFunc(draws, func(d []judge.Inclusion) bool { return d[i].Probability > 0 })
		weights[i] = float64(study.BoolToInt(isLabeled[i] && !couldBeDrawn))
	}
	return weights
}

// newSample pairs the value of each labeled item with its judgment.
func (j judgedItems) newSample() judge.Sample {
	sample := judge.Sample{IsClustered: j.isClustered, IsDrawn: j.design != nil}
	for i, weight := range j.weights {
		judgment := judge.Judgment{Value: float64(j.judgments[i]), Cluster: j.clusters[i]}
		if weight > 0 {
			sample.Labeled = append(sample.Labeled, judge.LabeledJudgment{Judgment: judgment, Label: j.values[i], Weight: weight})
		} else {
			sample.Judged = append(sample.Judged, judgment)
		}
	}
	return sample
}

// weightFigures replaces κ, bias and limits of agreement of a field by the weighted ones, and adds the
// weighted confusion.
func (f *JudgeField) weightFigures(q fieldTable, items judgedItems) {
	f.Weighted = make([][]float64, len(q.Values))
	for i := range f.Weighted {
		f.Weighted[i] = make([]float64, len(q.Values))
	}
	var among, with []judge.WeightedPair
	var weights []float64
	shared := 0 // items with answers of two annotators
	for i, weight := range items.weights {
		if weight == 0 {
			continue
		}
		weights = append(weights, weight)
		pair := judge.WeightedPair{Second: float64(items.judgments[i]), Weight: weight, Unit: items.clusters[i]}
		shared += study.BoolToInt(len(items.humans[i]) > 1)
		column, _ := q.Values.Index(items.judgments[i])
		for a, answer := range items.humans[i] {
			row, _ := q.Values.Index(answer)
			f.Weighted[row][column] += weight / float64(len(items.humans[i]))
			pair.First, pair.Second = float64(answer), float64(items.judgments[i])
			with = append(with, pair)
			for b, other := range items.humans[i] {
				if a != b { // both directions, because annotators have no order
					pair.Second = float64(other)
					among = append(among, pair)
				}
			}
		}
	}
	if setWeighted(&f.HumanHuman, judge.EstimateKappa(among), shared); f.HumanHuman.Value != nil {
		f.HumanHuman.Coefficient = "pooled_kappa" // κ of shared items has no weighted form here
	}
	setWeighted(&f.HumanJudge, judge.EstimateKappa(with), len(weights))
	for i := range f.Specific {
		answer := float64(f.Specific[i].Answer)
		setWeighted(&f.Specific[i].Agreement, judge.EstimateAnswerAgreement(with, answer), len(weights))
		setWeighted(&f.HumanSpecific[i].Agreement, judge.EstimateAnswerAgreement(among, answer), shared)
	}
	if f.BlandAltman.Undefined != "" {
		return
	}
	differences := items.pairMeans()
	bias, deviation, effective := judge.EstimateWeightedMean(differences), 0.0, judge.EffectiveSize(weights)
	f.BlandAltman.Items, f.BlandAltman.Bias = len(weights), numberFromWeighted(bias, smallDesignNote)
	for _, d := range differences {
		deviation += d.Weight * math.Pow(d.Second-d.First-bias.Value, 2)
	}
	deviation = 1.96 * math.Sqrt(deviation/sum(weights)*effective/max(effective-1, 1))
	low, high := bias.Value-deviation, bias.Value+deviation
	f.BlandAltman.Low, f.BlandAltman.High = &low, &high
}

// setWeighted replaces the items of a figure and, where it is defined, its value.
func setWeighted(f *study.AgreementFigure, w judge.WeightedFigure, items int) {
	f.Items = items
	switch {
	case f.Undefined != "":
	case w.IsDefined:
		f.Number = numberFromWeighted(w, smallDesignNote)
		f.Limit(-1, 1)
	default: // the answers to the items that count are all equal
		f.Number = study.MissingNumber(stats.NoVariation)
	}
}

// pairMeans pairs the mean label of each item with its judgment.
func (j judgedItems) pairMeans() (pairs []judge.WeightedPair) {
	for i, weight := range j.weights {
		if weight > 0 {
			pairs = append(pairs, judge.WeightedPair{First: comparedItem{humans: j.humans[i]}.humanMean(), Second: float64(j.judgments[i]), Weight: weight, Unit: j.clusters[i]})
		}
	}
	return pairs
}

// numberFromWeighted returns a figure; note says why it has no interval.
func numberFromWeighted(w judge.WeightedFigure, note string) study.Number {
	n := study.Number{Value: &w.Value, IntervalNote: note}
	if w.HasInterval {
		n.Low, n.High, n.IntervalNote = &w.Low, &w.High, judgeIntervalNote
	}
	return n
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}

// inclusions returns what the draw did with each of some items, in the order of their ids, and
// whether a drawn one has labels.
func inclusionsOf(d study.LabelDraw, ids []project.ItemID, isLabeled []bool) (inclusions []judge.Inclusion, hasLabels bool) {
	inclusions = make([]judge.Inclusion, len(ids))
	for _, item := range d.Items {
		if i, isJudged := slices.BinarySearch(ids, item.ItemID); isJudged {
			inclusions[i] = judge.Inclusion{Probability: item.Probability, IsDrawn: item.IsDrawn}
			hasLabels = hasLabels || item.IsDrawn && isLabeled[i]
		}
	}
	return inclusions, hasLabels
}
