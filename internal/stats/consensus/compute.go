package consensus

import (
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Method is how the consensus is found.
type Method string

// The methods. The rule is that of stats.ConsensusRule.
const (
	ByMajority   Method = "majority" // the rule without the median and without a tie rule
	ByMedian     Method = "median"   // the rule
	ByDawidSkene Method = "dawid-skene"
)

// Options configure a consensus.
type Options struct {
	Method Method // empty: ByMedian
	Ties   stats.TieRule
	Stop   StopRule // of ByDawidSkene
}

// A Report is the consensus of every item and dimension, in the JSON form of the
// consensus command.
type Report struct {
	Items      []ItemResult      `json:"items"`
	Annotators []AnnotatorResult `json:"annotators"` // none without a model
	Models     []ModelResult     `json:"models"`     // one for each dimension
}

// An ItemResult is the consensus on one dimension of an item.
type ItemResult struct {
	Item      string                `json:"item"`
	Dimension string                `json:"dimension"`
	Value     *string               `json:"value"` // as in the file; null for an unresolved tie
	Mean      *float64              `json:"mean"`  // of the labels; null without an order
	Labels    int                   `json:"labels"`
	Spread    *int                  `json:"spread"` // the highest label minus the lowest; null without an order
	How       stats.ConsensusMethod `json:"how"`
	Tied      []string              `json:"tied"`
	Posterior map[string]float64    `json:"posterior"` // without a model, the shares of the labels
}

// An AnnotatorResult is the confusion matrix of an annotator.
type AnnotatorResult struct {
	Annotator string                        `json:"annotator"`
	Dimension string                        `json:"dimension"`
	Correct   float64                       `json:"correct"`   // expected share of correct answers
	Confusion map[string]map[string]float64 `json:"confusion"` // true value → given value → probability
}

// A ModelResult says how the consensus of a dimension was found.
type ModelResult struct {
	Dimension string     `json:"dimension"`
	Method    Method     `json:"method"`
	Converged *bool      `json:"converged"` // null without a model
	Steps     int        `json:"steps"`
	Change    float64    `json:"last_change"` // of a posterior, in the last step
	Notes     []NoteCode `json:"notes"`
}

// A NoteCode identifies what a reader must know about a consensus.
type NoteCode string

// The codes.
const (
	NotIdentified NoteCode = "not_identified" // no item has three labels
	EndedEarly    NoteCode = "ended_early"    // by crowd-kit's rule, before it converged
	NotConverged  NoteCode = "not_converged"  // after as many steps as a fit may take
	LowAgreement  NoteCode = "low_agreement"  // κ of the shared items is below lowKappa
)

// Compute returns the consensus of the dimensions, in their order.
func Compute(dimensions []stats.Dimension, o Options) Report {
	r := Report{Items: []ItemResult{}, Annotators: []AnnotatorResult{}, Models: []ModelResult{}}
	for _, d := range dimensions {
		m, b := FitModel(d, o), newResultBuilder(d, o)
		r.Items = append(r.Items, b.build(m)...)
		r.Annotators, r.Models = append(r.Annotators, m.Annotators...), append(r.Models, m.ModelResult)
	}
	return r
}

// resultBuilder builds the results of one dimension.
type resultBuilder struct {
	stats.Dimension
	values     []string // the points as written
	rule       stats.ConsensusRule
	posteriors map[string]map[string]float64 // of equal labels, shared
}

func newResultBuilder(d stats.Dimension, o Options) resultBuilder {
	rule := stats.ConsensusRule{Scale: d.Table.Scale, IsNominal: d.Nominal || o.Method == ByMajority, Ties: o.Ties}
	if !d.Declared && len(rule.Scale) > 0 { // values that no one gave are points, too
		rule.Scale = stats.NewRangeScale(rule.Scale[0], rule.Scale[len(rule.Scale)-1])
	}
	return resultBuilder{d, d.NamedScale().PointNames(), rule, map[string]map[string]float64{}}
}

// build returns the consensus of each item, by the model if there is one.
func (b resultBuilder) build(m Model) (results []ItemResult) {
	shared, n := map[int32]ItemResult{}, 0
	numbers := b.NamedScale().NumericValues()
	for item := range b.Table.ByItem() {
		found := b.find(item.Categories)
		r := ItemResult{How: found.Method, Tied: b.names(found.TiedValues)}
		if found.IsResolved() {
			r.Value = &b.names([]int{found.Value})[0]
		}
		if m.IsFitted() {
			pattern := m.Fit.PatternOf[n]
			if _, isKnown := shared[pattern]; !isKnown {
				shared[pattern] = b.fromPosterior(m.Fit.Posteriors[pattern])
			}
			r = shared[pattern]
		} else {
			r.Posterior = b.shares(item)
		}
		r.Item, r.Dimension, r.Labels = item.Item, b.Name, found.Labels
		if !b.Nominal {
			r.Mean, r.Spread = meanOf(numbers, item.Categories), &found.Spread
		}
		results, n = append(results, r), n+1
	}
	return results
}

// find applies the rule to the labels of an item.
func (b resultBuilder) find(categories []uint8) stats.ItemConsensus {
	labels := make([]int, len(categories))
	for i, c := range categories {
		labels[i] = b.Table.Scale[c]
	}
	return b.rule.Find(labels)
}

func meanOf(numbers []float64, categories []uint8) *float64 {
	mean := 0.0
	for _, c := range categories {
		mean += numbers[c] / float64(len(categories))
	}
	return &mean
}

// names returns points of the scale as written.
func (b resultBuilder) names(points []int) []string {
	names := []string{}
	for _, v := range points {
		index, _ := b.Table.Scale.Index(v)
		names = append(names, b.values[index])
	}
	return names
}

// shares returns the share of each value among the labels of an item.
func (b resultBuilder) shares(item stats.RatedItem) map[string]float64 {
	sorted := slices.Sorted(slices.Values(item.Categories))
	if known, ok := b.posteriors[string(sorted)]; ok {
		return known
	}
	counts := map[string]float64{}
	for _, c := range sorted {
		counts[b.values[c]]++
	}
	for value, n := range counts {
		counts[value] = n / float64(len(sorted))
	}
	b.posteriors[string(sorted)] = counts
	return counts
}

func (b resultBuilder) fromPosterior(posterior []float64) ItemResult {
	chosen := Choose(posterior)
	r := ItemResult{How: chosen.How, Tied: []string{}, Posterior: b.byName(posterior)}
	for _, c := range chosen.Tied {
		r.Tied = append(r.Tied, b.values[c])
	}
	if chosen.How != stats.Tie {
		r.Value = &b.values[chosen.Category]
	}
	return r
}

func (b resultBuilder) byName(probabilities []float64) map[string]float64 {
	named := map[string]float64{}
	for c, p := range probabilities {
		named[b.values[c]] = p
	}
	return named
}

// annotators returns the confusion matrices, without true values that no item has.
func (b resultBuilder) annotators(f Fit) (results []AnnotatorResult) {
	for g, name := range b.Table.Annotators() {
		r := AnnotatorResult{Annotator: name, Dimension: b.Name, Confusion: map[string]map[string]float64{}}
		for c, row := range f.Confusion[g] {
			if f.Prior[c] > minProbability {
				r.Confusion[b.values[c]] = b.byName(row)
				r.Correct += f.Prior[c] * row[c]
			}
		}
		results = append(results, r)
	}
	return results
}
