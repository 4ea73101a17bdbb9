// Package judge compares the answers of a model judge with those of annotators: whether it agrees with them as they do with each
// other, and how much its judgments sharpen an estimate from few labels.
package judge

import (
	"cmp"
	"maps"
	"math"
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

	// IsKeptOut reports whether the labels of an item do not count, because the item was labeled for its disagreement. Nil: none.
	IsKeptOut func(item string) bool

	Intervals stats.IntervalOptions // of κ
}

// A Conclusion is what a judge can be used for.
type Conclusion string

// The conclusions.
const (
	AsPeople       Conclusion = "as_people"        // agrees with people as they do with each other, up to AgreementMargin
	LessThanPeople Conclusion = "less_than_people" // agrees less
	Biased         Conclusion = "biased"           // answers higher or lower than people, by more than is tolerated
	TooFewItems    Conclusion = "too_few_items"    // to tell
)

const (
	// MinItems is how many items with a judgment need two labels or more.
	MinItems = 20
	// AgreementMargin is by how much the κ of a judge with people may be below theirs.
	AgreementMargin = 0.1
	// certainty is the probability at which a conclusion commits itself, as verdicts do.
	certainty = 0.9
	// MaxBiasShare is the bias, as a share of the scale, that is tolerated: half a point of five.
	MaxBiasShare = 1.0 / 8
)

// A Result compares one judge with the annotators in one dimension, in the JSON form of the agree command.
type Result struct {
	Judge      string     `json:"judge"`
	Dimension  string     `json:"dimension"`
	Conclusion Conclusion `json:"conclusion"`
	Items      int        `json:"items"`        // with a judgment and two labels or more
	People     Figure     `json:"kappa_people"` // among the annotators, of the items that the judge answered
	WithPeople Figure     `json:"kappa_judge"`  // of the judge with every annotator
	Bias       Figure     `json:"bias"`         // mean of the judge's answer − the mean of the annotators'; null without an order

	Score                Score             `json:"score"`
	Epsilon              float64           `json:"epsilon"`
	WinningRate          *float64          `json:"winning_rate"` // ω; null if Undefined has a reason
	AdvantageProbability *float64          `json:"advantage_probability"`
	Replaces             bool              `json:"replaces"` // the judge wins the alternative annotator test
	Undefined            ReasonCode        `json:"undefined"`
	Annotators           []AnnotatorResult `json:"annotators"`
	Skipped              []string          `json:"skipped_annotators"` // with too few shared items

	PPI               PPIResult        `json:"ppi"`
	Values            []ValueAgreement `json:"values"`                  // by point of the scale
	Disagreements     []Disagreement   `json:"disagreements,omitempty"` // the largest ones, at most maxDisagreements
	DisagreementCount int              `json:"disagreement_count"`
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
	Mean             *float64   `json:"mean"` // null if Undefined has a reason
	Low              *float64   `json:"low"`
	High             *float64   `json:"high"`
	Labels           int        `json:"labels"`            // items with labels and a judgment
	Judgments        int        `json:"judgments"`         // items with a judgment alone
	EquivalentLabels *float64   `json:"equivalent_labels"` // null if Undefined, Concluded.Undefined or GainUndefined has a reason
	Lambda           *float64   `json:"lambda"`
	Undefined        ReasonCode `json:"undefined"`

	// Low and High are those of ppi-python. These are for conclusions; see ConcludeMean.
	Concluded     ConcludedFigure `json:"concluded"`
	LabelsAlone   ConcludedFigure `json:"labels_alone"`
	GainUndefined ReasonCode      `json:"gain_undefined"` // why EquivalentLabels is null although there is an interval
}

// A ConcludedFigure is an estimate with its interval for conclusions.
type ConcludedFigure struct {
	Figure
	Undefined ReasonCode `json:"undefined"`
}

// A ValueAgreement is the specific agreement on one answer: where one side gives it, how often the other does.
type ValueAgreement struct {
	Value  string `json:"value"`
	People Figure `json:"people"`
	Judge  Figure `json:"judge"`
}

// A Disagreement is an item on which the judge's answer is not that of the annotators.
type Disagreement struct {
	Item     string   `json:"item"`
	Labels   []string `json:"labels"` // in the order of the scale
	Judge    string   `json:"judge"`
	Distance float64  `json:"distance"` // from the mean label in points; without an order, the share of other labels
}

// maxDisagreements is the number of disagreements that a result lists.
const maxDisagreements = 20

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
		results = append(results, CompareAnswers(people, name, judgmentsOf(judged), o))
	}
	if !d.Declared {
		people = withoutUnusedValues(people)
	}
	return people, results
}

// An Answer is that of a judge to an item.
type Answer struct {
	Item    string
	Value   int
	Cluster int // of the item, as the labels have it; used if they have clusters
}

func judgmentsOf(judged stats.RatingTable) (answers []Answer) {
	for item := range judged.ByItem() {
		answers = append(answers, Answer{item.Item, judged.Scale[item.Categories[0]], item.Cluster})
	}
	return answers
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

// CompareAnswers compares the answers of one judge, in any order, with the labels of people.
func CompareAnswers(people stats.Dimension, name string, answers []Answer, o Options) Result {
	if o.Score == "" || people.Nominal {
		o.Score = map[bool]Score{true: RMSE, false: Accuracy}[!people.Nominal && len(people.Table.Scale) > 2]
	}
	c := newComparison(people, answers, o)
	t := RunAlternativeTest(c.shared, c.answerOf, o)
	r := Result{Judge: name, Dimension: people.Name, Score: o.Score, Epsilon: o.Epsilon, Undefined: t.Undefined,
		Annotators: append([]AnnotatorResult{}, t.Annotators...), Skipped: append([]string{}, t.Skipped...), PPI: c.estimatePPI()}
	if t.Undefined == "" {
		r.WinningRate, r.AdvantageProbability, r.Replaces = &t.WinningRate, &t.AdvantageProbability, t.Replaces()
	}
	c.setAgreement(&r, o.Intervals)
	return r
}

// judgeComparison is the labels of the items that a judge answered.
type judgeComparison struct {
	people    stats.Dimension
	answers   []Answer // ordered by item
	answerOf  map[string]int
	shared    stats.RatingTable // of the items with a judgment whose labels count
	points    []float64         // numbers of the points of the scale; nil without an order
	weighting stats.Weighting
}

func newComparison(people stats.Dimension, answers []Answer, o Options) judgeComparison {
	c := judgeComparison{people: people, answers: slices.Clone(answers), answerOf: make(map[string]int, len(answers)), weighting: stats.Linear}
	slices.SortFunc(c.answers, func(a, b Answer) int { return cmp.Compare(a.Item, b.Item) })
	for _, a := range c.answers {
		c.answerOf[a.Item] = a.Value
	}
	c.shared = people.Table.SelectItems(func(item string) bool {
		_, isJudged := c.answerOf[item]
		return isJudged && (o.IsKeptOut == nil || !o.IsKeptOut(item))
	})
	switch {
	case !people.Nominal:
		c.points = people.NamedScale().NumericValues()
	case len(people.Table.Scale) == 2:
		c.points, c.weighting = []float64{0, 1}, stats.Unweighted
	default:
		c.weighting = stats.Unweighted
	}
	return c
}

// unit returns the item or, where items have clusters, the cluster.
func (c judgeComparison) unit(item stats.RatedItem, number int) int {
	if c.shared.HasClusters() {
		return item.Cluster
	}
	return number
}

// setAgreement sets κ, bias, the figures by value, the disagreements and the conclusion.
func (c judgeComparison) setAgreement(r *Result, o stats.IntervalOptions) {
	var pairs []stats.PairedAnswers
	var with, among []answerPair
	number, unitNumbers := 0, map[int]int32{}
	for item := range c.shared.ByItem() {
		unit, answer := c.unit(item, number), c.answerOf[item.Item]
		number++
		if _, isKnown := unitNumbers[unit]; !isKnown {
			unitNumbers[unit] = int32(len(unitNumbers))
		}
		for i, category := range item.Categories {
			label := c.shared.Scale[category]
			pairs = append(pairs, stats.PairedAnswers{First: label, Second: answer, Cluster: unitNumbers[unit]})
			with = append(with, answerPair{float64(label), float64(answer), unit})
			for j, other := range item.Categories {
				if i != j {
					among = append(among, answerPair{float64(label), float64(c.shared.Scale[other]), unit})
				}
			}
		}
		r.Items += boolToInt(len(item.Categories) > 1)
	}
	r.People = newFigure(stats.ComputeEstimates(c.shared, o, stats.SharedKappa(c.weighting))[0])
	r.Values = []ValueAgreement{}
	if table, err := stats.NewPairTable(c.shared.Scale, pairs); err == nil {
		r.WithPeople = newFigure(stats.ComputeEstimates(table, o, stats.LightKappa(c.weighting))[0])
		ofPeople, ofJudge := stats.ComputeEstimates(c.shared, o, c.shared.SpecificAgreements()...), stats.ComputeEstimates(table, o, table.SpecificAgreements()...)
		for i, value := range c.people.NamedScale().PointNames() {
			r.Values = append(r.Values, ValueAgreement{value, newFigure(ofPeople[i]), newFigure(ofJudge[i])})
		}
	}
	isBiased := c.setBias(r)
	c.listDisagreements(r)
	distance := func(a, b float64) float64 { return math.Abs(a - b) }
	if c.weighting == stats.Unweighted {
		distance = func(a, b float64) float64 { return float64(boolToInt(a != b)) }
	}
	standardError, units := kappaDifferenceError(with, among, distance)
	r.Conclusion = r.conclude(isBiased, standardError, units)
}

// conclude returns the conclusion from κ, the standard error of the difference of both, and whether a bias is shown.
func (r Result) conclude(isBiased bool, standardError, units float64) Conclusion {
	if r.Items < MinItems || r.People.Low == nil || r.WithPeople.Low == nil || units < 2 {
		return TooFewItems
	}
	difference, probability := *r.WithPeople.Value-*r.People.Value+AgreementMargin, 0.0 // that the judge agrees as people do
	switch {
	case standardError > 1e-9:
		probability = stats.StudentCDF(difference/standardError, units-1)
	case difference >= 0:
		probability = 1
	}
	isLess, isAboveChance := probability <= 1-certainty, *r.WithPeople.Low > 0
	switch {
	case isLess && !isAboveChance: // a bias is the least of its problems
		return LessThanPeople
	case isBiased:
		return Biased
	case isLess:
		return LessThanPeople
	case probability >= certainty && isAboveChance:
		return AsPeople
	}
	return TooFewItems
}

// setBias sets the bias over items whose labels count, and reports whether it is shown to be more than is tolerated, and more than that
// of any annotator.
func (c judgeComparison) setBias(r *Result) (isBiased bool) {
	if c.points == nil {
		return false
	}
	sums, sizes := map[int]float64{}, map[int]float64{} // by unit
	leftOut, counts := make([]float64, len(c.shared.Annotators())), make([]float64, len(c.shared.Annotators()))
	total, n, number := 0.0, 0.0, 0
	for item := range c.shared.ByItem() {
		unit, sum, size := c.unit(item, number), 0.0, float64(len(item.Categories))
		number++
		for _, category := range item.Categories {
			sum += c.points[category]
		}
		answer, _ := c.shared.Scale.Index(c.answerOf[item.Item])
		difference := c.points[answer] - sum/size
		total, n = total+difference, n+1
		sums[unit], sizes[unit] = sums[unit]+difference, sizes[unit]+1
		for i, g := range item.Annotators {
			if own := c.points[item.Categories[i]]; size > 1 {
				leftOut[g], counts[g] = leftOut[g]+own-(sum-own)/(size-1), counts[g]+1
			}
		}
	}
	if n == 0 {
		return false
	}
	bias, units, squares := total/n, float64(len(sums)), 0.0
	r.Bias.Value = &bias
	if units < minConcludedUnits {
		return false
	}
	for _, unit := range slices.Sorted(maps.Keys(sums)) { // in an order, so that rounding is always the same
		squares += math.Pow((sums[unit]-bias*sizes[unit])/n, 2)
	}
	margin, span := stats.StudentQuantile(0.975, units-1)*math.Sqrt(squares*units/(units-1)), c.points[len(c.points)-1]-c.points[0]
	low, high := max(bias-margin, -span), min(bias+margin, span)
	r.Bias.Low, r.Bias.High = &low, &high
	tolerated := MaxBiasShare * span
	for g, sum := range leftOut {
		if counts[g] >= MinItems {
			tolerated = max(tolerated, math.Abs(sum/counts[g]))
		}
	}
	return max(low, -high) > tolerated
}

// listDisagreements lists the items on which the judge is furthest from the annotators.
func (c judgeComparison) listDisagreements(r *Result) {
	type found struct {
		item     stats.RatedItem
		distance float64
	}
	var list []found
	for item := range c.shared.ByItem() {
		answer, _ := c.shared.Scale.Index(c.answerOf[item.Item])
		sum, others := 0.0, 0.0
		for _, category := range item.Categories {
			others += float64(boolToInt(int(category) != answer)) / float64(len(item.Categories))
			if c.points != nil {
				sum += (c.points[answer] - c.points[category]) / float64(len(item.Categories))
			}
		}
		if c.points != nil {
			others = math.Abs(sum)
		}
		if others > 1e-9 {
			list = append(list, found{item, others})
		}
	}
	slices.SortFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.distance, a.distance), cmp.Compare(a.item.Item, b.item.Item))
	})
	r.Disagreements, r.DisagreementCount = []Disagreement{}, len(list)
	names := c.people.NamedScale().PointNames()
	for _, f := range list[:min(len(list), maxDisagreements)] {
		answer, _ := c.shared.Scale.Index(c.answerOf[f.item.Item])
		d := Disagreement{Item: f.item.Item, Judge: names[answer], Distance: f.distance}
		for _, category := range slices.Sorted(slices.Values(f.item.Categories)) {
			d.Labels = append(d.Labels, names[category])
		}
		r.Disagreements = append(r.Disagreements, d)
	}
}

// estimatePPI estimates the mean of an ordered dimension, or the rate of the second of two
// values.
func (c judgeComparison) estimatePPI() PPIResult {
	if c.points == nil {
		return PPIResult{Undefined: UnorderedValues}
	}
	s := c.sample()
	r := PPIResult{Labels: len(s.Labeled), Judgments: len(s.Judged)}
	least, most := c.points[0], c.points[len(c.points)-1]
	bounds := Range{least, most, len(c.points) == 2}
	r.LabelsAlone = NewConcludedFigure(ConcludeLabels(s, bounds), bounds)
	m := EstimateMean(s)
	if m.Undefined != "" {
		r.Undefined, r.Concluded.Undefined = m.Undefined, m.Undefined
		return r
	}
	r.Mean, r.Low, r.High, r.Lambda = &m.Value, &m.Low, &m.High, &m.Lambda
	concluded := ConcludeMean(s, bounds)
	r.Concluded, r.GainUndefined = NewConcludedFigure(concluded, bounds), concluded.GainUndefined
	if concluded.Undefined == "" && concluded.GainUndefined == "" {
		r.EquivalentLabels = &concluded.EquivalentLabels
	}
	return r
}

// NewConcludedFigure returns an estimate whose interval ends at what is possible.
func NewConcludedFigure(e Estimate, r Range) (f ConcludedFigure) {
	if f.Undefined = e.Undefined; e.Undefined != "" && e.Undefined != NoVariation && e.Undefined != FewUnits && e.Undefined != FewUnitsOfGroup {
		return f
	}
	if f.Value = &e.Value; e.Undefined == "" {
		low, high := max(e.Low, r.Least), min(e.High, r.Most)
		f.Low, f.High = &low, &high
	}
	return f
}

// sample pairs the mean label of each item with its judgment.
func (c judgeComparison) sample() Sample {
	means, s := map[string]float64{}, Sample{IsClustered: c.people.Table.HasClusters()}
	for item := range c.shared.ByItem() {
		for _, category := range item.Categories {
			means[item.Item] += c.points[category] / float64(len(item.Categories))
		}
	}
	for _, a := range c.answers {
		point, _ := c.people.Table.Scale.Index(a.Value)
		judgment := Judgment{Value: c.points[point], Cluster: a.Cluster}
		if label, ok := means[a.Item]; ok {
			s.Labeled = append(s.Labeled, LabeledJudgment{judgment, label})
		} else {
			s.Judged = append(s.Judged, judgment)
		}
	}
	return s
}

// NewSample pairs the mean label of each item with its judgment. Labels that are kept out do not count.
func NewSample(people stats.Dimension, answers []Answer, o Options) Sample {
	return newComparison(people, answers, o).sample()
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
