// Package judge compares the answers of a model judge with those of annotators: whether it agrees with them as they do
// with each other, and how much its judgments sharpen an estimate from few labels.
package judge

import (
	"cmp"
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

	// IsKeptOut reports whether the labels of an item do not count, because the item was labeled for its disagreement.
	// Nil: none.
	IsKeptOut func(item string) bool

	Intervals stats.IntervalOptions // of κ
}

// A Conclusion is what a judge can be used for.
type Conclusion string

// The conclusions.
const (
	// agrees with people as they do with each other, up to AgreementMargin
	AsPeople       Conclusion = "as_people"
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
	// mean of the judge's answer − the mean of the annotators'; null without an order
	Bias Figure `json:"bias"`

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
	if len(used.Table.Scale) == 0 || people.Nominal && !slices.ContainsFunc(used.NamedScale().PointNames(),
		stats.IsNonNumeric) {
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
		Annotators: append([]AnnotatorResult{}, t.Annotators...), Skipped: append([]string{}, t.Skipped...),
		PPI: c.estimatePPI()}
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
	c := judgeComparison{people: people, answers: slices.Clone(answers), answerOf: make(map[string]int, len(answers)),
		weighting: stats.Linear}
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

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
