package consensus

import (
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Method is how the consensus is found.
type Method string

// The methods. The zero value is the rule that suits the scale: the median of three or
// more ordered values, else the majority.
const (
	ByMajority          Method = "majority"
	ByMedian            Method = "median"
	ByDawidSkene        Method = "dawid-skene"
	ByOrdinalDawidSkene Method = "dawid-skene-ordinal"
)

// IsModel reports whether the method is a model of the annotators' errors.
func (m Method) IsModel() bool { return m == ByDawidSkene || m == ByOrdinalDawidSkene }

// Options configure a consensus.
type Options struct {
	Method Method
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

// An ItemResult is the answer to one dimension of an item.
type ItemResult struct {
	Item      string                `json:"item"`
	Dimension string                `json:"dimension"`
	Value     *string               `json:"value"` // as in the file; null for an unresolved tie
	How       stats.ConsensusMethod `json:"how"`
	Tied      []string              `json:"tied"`
	Answers   int                   `json:"answers"`
	Posterior map[string]float64    `json:"posterior"` // without a model, the shares of the answers
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
	Notes     []NoteCode `json:"-"`
	Note      string     `json:"note"`
}

// Compute returns the consensus of the dimensions, in their order.
func Compute(dimensions []stats.Dimension, o Options) Report {
	r := Report{Items: []ItemResult{}, Annotators: []AnnotatorResult{}, Models: []ModelResult{}}
	for _, d := range dimensions {
		r.add(d, o)
	}
	return r
}

func (r *Report) add(d stats.Dimension, o Options) {
	m, b := FitModel(d, o), newResultBuilder(d, o.Ties)
	if m.IsFitted() {
		r.Items = append(r.Items, b.fromModel(m)...)
	} else {
		r.Items = append(r.Items, b.fromRule(m.Method == ByMedian)...)
	}
	r.Annotators, r.Models = append(r.Annotators, m.Annotators...), append(r.Models, m.ModelResult)
}

// resultBuilder builds the results of one dimension.
type resultBuilder struct {
	stats.Dimension
	values     []string // the points as written
	ties       stats.TieRule
	posteriors map[string]map[string]float64 // of equal answers, shared
}

func newResultBuilder(d stats.Dimension, ties stats.TieRule) resultBuilder {
	if d.Nominal {
		ties = stats.Unresolved
	}
	return resultBuilder{d, d.NamedScale().PointNames(), ties, map[string]map[string]float64{}}
}

// fromRule returns the majority or, if ordered, the median of the answers.
func (b resultBuilder) fromRule(ordered bool) (results []ItemResult) {
	rule := stats.ConsensusRule{Ordered: ordered, Ties: b.ties}
	if ordered {
		rule.Scale = b.Table.Scale
	}
	for item := range b.Table.ByItem() {
		answers := make([]int, len(item.Categories))
		for i, c := range item.Categories {
			answers[i] = b.Table.Scale[c]
		}
		c := rule.Find(answers)
		r := ItemResult{Item: item.Item, Dimension: b.Name, How: c.Method, Tied: b.names(c.TiedValues), Answers: c.AnswerCount, Posterior: b.shares(item)}
		if c.Method != stats.Tie {
			r.Value = &b.names([]int{c.Value})[0]
		}
		results = append(results, r)
	}
	return results
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

// shares returns the share of each value among the answers to an item.
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

// fromModel returns the most probable value of each item.
func (b resultBuilder) fromModel(m Model) (results []ItemResult) {
	shared, n := map[int32]ItemResult{}, 0
	for item := range b.Table.ByItem() {
		pattern := m.Fit.PatternOf[n]
		r, isKnown := shared[pattern]
		if !isKnown {
			r = b.fromPosterior(m, m.Fit.Posteriors[pattern])
			shared[pattern] = r
		}
		r.Item, r.Answers = item.Item, len(item.Categories)
		results, n = append(results, r), n+1
	}
	return results
}

func (b resultBuilder) fromPosterior(m Model, posterior []float64) ItemResult {
	r := ItemResult{Dimension: b.Name, Tied: []string{}, Posterior: b.byName(posterior)}
	chosen := m.Choose(posterior, b.ties)
	r.How = chosen.How
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
