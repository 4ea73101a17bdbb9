package consensus

import (
	"cmp"
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

// ComputeTied returns the consensus of each of several dimensions that rules tie to each other,
// from one model where there is one. tied has the ratings of all of them; see FitTied for its
// categories and for combinations. One dimension alone is not tied.
func ComputeTied(dimensions []stats.Dimension, tied stats.RatingTable, combinations [][]uint8, o Options) (reports []Report) {
	if len(dimensions) == 1 || !IsIdentified(tied) {
		for _, d := range dimensions {
			reports = append(reports, Compute([]stats.Dimension{d}, o))
		}
		return reports
	}
	f := FitTied(tied, combinations)
	for n, d := range dimensions {
		r, m := Report{}, ModelResult{Dimension: d.Name, Method: ByDawidSkene, Notes: []NoteCode{FittedTogether}}
		r.addModel(&m, newResultBuilder(d, o.Ties), f.OfField(combinations, n, len(d.Table.Scale)), stats.DawidSkene)
		r.addNotes(m)
		reports = append(reports, r)
	}
	return reports
}

func (r *Report) add(d stats.Dimension, o Options) {
	m := ModelResult{Dimension: d.Name}
	m.Method, m.Notes = chooseMethod(d, o.Method)
	b := newResultBuilder(d, o.Ties)
	switch m.Method {
	case ByDawidSkene:
		r.addModel(&m, b, FitDawidSkene(d.Table, o.Stop), stats.DawidSkene)
	case ByOrdinalDawidSkene:
		r.addModel(&m, b, FitOrdinal(d.Table), stats.DawidSkeneOrdinal)
	default:
		r.Items = append(r.Items, b.fromRule(m.Method == ByMedian)...)
	}
	r.addNotes(m)
}

func (r *Report) addNotes(m ModelResult) {
	m.Note = noteText(m.Notes)
	r.Models = append(r.Models, m)
}

func (r *Report) addModel(m *ModelResult, b resultBuilder, f Fit, how stats.ConsensusMethod) {
	m.describe(f)
	r.Items = append(r.Items, b.fromModel(f, how)...)
	r.Annotators = append(r.Annotators, b.annotators(f)...)
}

// describe records the state of a fit.
func (m *ModelResult) describe(f Fit) {
	converged := f.HasConverged()
	m.Converged, m.Steps, m.Change = &converged, f.Steps, f.Change
	if !converged {
		m.Notes = append(m.Notes, NotConverged)
	}
}

// chooseMethod returns the method that the dimension permits, and why it is not the one
// asked for.
func chooseMethod(d stats.Dimension, asked Method) (Method, []NoteCode) {
	byScale := ByMajority
	if !d.Nominal && len(d.Table.Scale) > 2 {
		byScale = ByMedian
	}
	isModel := asked == ByDawidSkene || asked == ByOrdinalDawidSkene
	switch {
	case isModel && !IsIdentified(d.Table):
		return byScale, []NoteCode{NotIdentified}
	case asked == ByOrdinalDawidSkene && d.Nominal:
		return ByDawidSkene, []NoteCode{NoOrder}
	case asked == ByMedian && d.Nominal:
		return ByMajority, []NoteCode{NoOrder}
	}
	return cmp.Or(asked, byScale), nil
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

// equalPosterior is the difference below which two posteriors are a tie.
const equalPosterior = 1e-9

// fromModel returns the most probable value of each item.
func (b resultBuilder) fromModel(f Fit, how stats.ConsensusMethod) (results []ItemResult) {
	shared := map[*float64]map[string]float64{}
	n := 0
	for item := range b.Table.ByItem() {
		posterior := f.Posteriors[n]
		n++
		named, ok := shared[&posterior[0]]
		if !ok {
			named = b.byName(posterior)
			shared[&posterior[0]] = named
		}
		r := ItemResult{Item: item.Item, Dimension: b.Name, How: how, Tied: []string{}, Answers: len(item.Categories), Posterior: named}
		b.chooseMostProbable(&r, posterior)
		results = append(results, r)
	}
	return results
}

// chooseMostProbable sets the value, by the tie rule if several are as probable.
func (b resultBuilder) chooseMostProbable(r *ItemResult, posterior []float64) {
	highest, likely := slices.Max(posterior), []string{}
	for c, p := range posterior {
		if highest-p < equalPosterior {
			likely = append(likely, b.values[c])
		}
	}
	switch {
	case len(likely) == 1:
		r.Value = &likely[0]
		return
	case b.ties == stats.LowerValue:
		r.Value, r.How = &likely[0], stats.LowerOfTie
	case b.ties == stats.HigherValue:
		r.Value, r.How = &likely[len(likely)-1], stats.HigherOfTie
	default:
		r.How = stats.Tie
	}
	r.Tied = likely
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
