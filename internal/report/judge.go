package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// A Judge compares a model judge with the annotators. Judgments never enter the consensus.
type Judge struct {
	Name    string       `json:"judge"`
	Items   int          `json:"items"`   // judged
	Message string       `json:"message"` // for which fields it may replace an annotator, and what labels are worth with it
	Fields  []JudgeField `json:"fields"`

	Comparison *JudgeComparison `json:"comparison"` // of the groups of the report's breakdown; null without a column
}

// A JudgeField compares a judge with the annotators on one field.
type JudgeField struct {
	Field             string                      `json:"field"`
	SharedItems       int                         `json:"shared_items"` // also labeled by annotators
	HumanHuman        study.AgreementFigure       `json:"human_human"`  // κ of the annotators on these items, linear weights; of drawn items, weighted κ of all pairs of answers
	HumanJudge        study.AgreementFigure       `json:"human_judge"`  // κ of every annotator's answer against the judge's
	Bias              []PointBias                 `json:"bias"`
	BlandAltman       LimitsOfAgreement           `json:"bland_altman"`
	Specific          []agreement.AnswerAgreement `json:"specific_agreement"`       // of every annotator's answer with the judge's, on each point of the scale
	HumanSpecific     []agreement.AnswerAgreement `json:"human_specific_agreement"` // among the annotators on these items
	Disagreements     []JudgeDisagreement         `json:"disagreements"`            // the largest ones, at most 20
	DisagreementCount int                         `json:"disagreement_count"`       // items on which the judge's answer is not the mean of the annotators'
	Confusion         [][]int                     `json:"confusion"`                // by scale: annotators' answers in rows, the judge's in columns
	Weighted          [][]float64                 `json:"weighted_confusion"`       // estimated numbers of judged items, each divided among its annotators; null without drawn items
	Alternative       AlternativeTest             `json:"alternative_test"`
	Estimate          JudgeEstimate               `json:"estimate"`
	Use               JudgeUse                    `json:"use"`
	Message           string                      `json:"message"` // Use in a sentence or two

	losesGain bool // the judge adds nothing to the labels of annotators who are not in question
}

// A PointBias is the mean difference judge − consensus on items with one consensus value.
type PointBias struct {
	Point int `json:"point"`
	Items int `json:"items"`
	study.Number
}

// LimitsOfAgreement describe the differences between the judge's score and the annotators' mean.
type LimitsOfAgreement struct {
	Items     int                      `json:"items"`
	Undefined string                   `json:"undefined"`
	Bias      study.Number             `json:"bias"`
	Low       *float64                 `json:"limit_low"` // 95% of differences are expected between the limits
	High      *float64                 `json:"limit_high"`
	Points    []stats.BlandAltmanPoint `json:"-"`
}

func (s *builder) compareJudges(groups comparison.Selection) ([]Judge, error) {
	byJudge := map[string]map[project.ItemID]map[string]int{}
	for _, j := range s.Judgments {
		if s.Item(j.ItemID) == nil {
			continue
		}
		if byJudge[j.Judge] == nil {
			byJudge[j.Judge] = map[project.ItemID]map[string]int{}
		}
		byJudge[j.Judge][j.ItemID] = j.Values
	}
	judges := []Judge{}
	var judged *judgedGroups
	if len(groups.Values) > 1 {
		judged = s.newJudgedGroups(groups, s.judgedNumbers())
	}
	for _, name := range slices.Sorted(maps.Keys(byJudge)) {
		j := Judge{Name: name, Items: len(byJudge[name])}
		for _, q := range s.fields {
			f, err := s.computeJudgeField(q, byJudge[name], judged)
			if err != nil {
				return nil, err
			}
			j.Fields = append(j.Fields, f)
		}
		j.Message = joinSentences(j.describeTests(s.titles()), j.describeGain(s.titles()))
		var err error
		if j.Comparison, err = s.compareGroupsWithJudge(groups, byJudge[name]); err != nil {
			return nil, err
		}
		judges = append(judges, j)
	}
	return judges, nil
}

// judgedNumbers returns the numbers of the items that some judge has answered, in order.
func (s *builder) judgedNumbers() []int32 {
	var numbers []int32
	for _, j := range s.Judgments {
		if number, ok := s.NumberOf[j.ItemID]; ok {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// A comparedItem is an item with a judgment and at least one annotator's answer.
type comparedItem struct {
	item   *study.ItemData
	judge  int
	humans []int
}

// humanMean is the mean of the annotators' answers.
func (c comparedItem) humanMean() float64 {
	sum := 0.0
	for _, h := range c.humans {
		sum += float64(h)
	}
	return sum / float64(len(c.humans))
}

func (s *builder) findComparedItems(q fieldTable, judgments map[project.ItemID]map[string]int) []comparedItem {
	var items []comparedItem
	for id, values := range judgments {
		humans := s.AnswersTo(s.NumberOf[id], q.FieldTable)
		if v, ok := values[q.Key]; ok && len(humans) > 0 {
			items = append(items, comparedItem{s.Item(id), v, humans})
		}
	}
	slices.SortFunc(items, func(a, b comparedItem) int { return cmp.Compare(a.item.ID, b.item.ID) })
	return items
}

// computeJudgeField returns the scorecard of a field. What is concluded from it must hold without the answers of questioned
// annotators, too, and in each group of a comparison; nil without one.
func (s *builder) computeJudgeField(q fieldTable, judgments map[project.ItemID]map[string]int, groups *judgedGroups) (JudgeField, error) {
	f, err := s.computeJudgeFigures(q, judgments)
	if questioned := s.doubts[q.Key].annotators; err == nil && len(questioned) > 0 {
		var others fieldTable
		if others, err = s.withoutAnnotators(q, questioned); err != nil {
			return f, err
		}
		var without JudgeField
		if without, err = s.computeJudgeFigures(others, judgments); err == nil {
			f.Alternative.compareWithout(questioned, without.Alternative)
			f.losesGain = !without.Estimate.hasGain()
		}
	}
	f.Alternative.setUnreliable(s.doubts[q.Key].unreliable)
	if groups != nil && f.Alternative.result() == mayReplace {
		if bias, isFound := groups.findGroupBias(q, judgments); isFound {
			f.Alternative.setGroupBias(bias)
		}
	}
	f.Use = f.chooseUse()
	f.Message = f.describe()
	return f, err
}

// computeJudgeFigures returns the figures of a scorecard.
func (s *builder) computeJudgeFigures(q fieldTable, judgments map[project.ItemID]map[string]int) (JudgeField, error) {
	items := s.findComparedItems(q, judgments)
	judged := s.newJudgedItems(q, judgments)
	if judged.waiting > 0 {
		items = slices.DeleteFunc(items, func(c comparedItem) bool {
			n, _ := slices.BinarySearch(judged.ids, c.item.ID)
			return judged.weights[n] == 0
		})
	}
	f := JudgeField{Field: q.Key, SharedItems: len(items), Bias: s.computePointBias(q, judged), BlandAltman: computeLimits(items, judged), Confusion: countAgainst(q, items)}
	f.Alternative, f.Estimate = s.testAlternative(q, judged), q.estimateWithJudge(judged)
	var judgePairs study.PairedAnswers
	for _, c := range items {
		for _, h := range c.humans {
			judgePairs.Add(c.item, s.IsClustered(), h, c.judge)
		}
	}
	var err error
	if f.HumanHuman, err = s.computeKappaAmong(q, items); err != nil {
		return f, err
	}
	if f.HumanJudge, err = judgePairs.ComputeKappa(s.Study, q.Values, study.NoJudgedLabel); err != nil {
		return f, err
	}
	if err = s.addSpecificAgreement(&f, q, items, judgePairs); err != nil {
		return f, err
	}
	f.Disagreements, f.DisagreementCount = listJudgeDisagreements(items)
	if judged.design != nil {
		f.weightFigures(q, judged)
	}
	span := float64(q.Values[len(q.Values)-1] - q.Values[0])
	f.BlandAltman.Bias.Limit(-span, span)
	s.setObstacle(&f, q, judged)
	return f, nil
}

// computeKappaAmong returns κ of the annotators on judged items, as under Agreement.
func (s *builder) computeKappaAmong(q fieldTable, items []comparedItem) (study.AgreementFigure, error) {
	numbers, shared := make([]int32, len(items)), 0
	for i, c := range items {
		numbers[i], shared = s.NumberOf[c.item.ID], shared+study.BoolToInt(len(c.humans) > 1)
	}
	slices.Sort(numbers)
	table, err := s.SelectTable(q.FieldTable, numbers)
	if err != nil {
		return study.AgreementFigure{}, err
	}
	f := study.FigureFromEstimate(stats.ComputeEstimates(table, s.Options, stats.SharedKappa(stats.Linear))[0])
	if f.Items = shared; shared == 0 {
		f.Number = study.MissingNumber(study.NoJudgedOverlap)
	}
	return f, nil
}

// computePointBias returns the mean of judge − consensus for each consensus value.
func (s *builder) computePointBias(q fieldTable, items judgedItems) []PointBias {
	list := []PointBias{}
	for _, point := range q.Values {
		var pairs []judge.WeightedPair
		var points, scores []float64
		for i, weight := range items.weights {
			if weight > 0 && s.isConsensus(items.ids[i], q, point) {
				pairs = append(pairs, judge.WeightedPair{First: float64(point), Second: float64(items.judgments[i]), Weight: weight, Unit: items.clusters[i]})
				points, scores = append(points, float64(point)), append(scores, float64(items.judgments[i]))
			}
		}
		b := PointBias{Point: point, Items: len(scores), Number: study.MissingNumber(study.NoConsensusAtPoint)}
		switch {
		case b.Items > 0 && items.design != nil:
			b.Number = numberFromWeighted(judge.EstimateWeightedMean(pairs), smallDesignNote)
		case b.Items > 0 && items.isClustered:
			b.Number = numberFromWeighted(judge.EstimateWeightedMean(pairs), fewRecordsNote)
		case b.Items > 0:
			b.Number = estimateBias(points, scores)
		}
		b.Limit(float64(q.Values[0]-point), float64(q.Values[len(q.Values)-1]-point))
		list = append(list, b)
	}
	return list
}

// computeLimits returns the limits of agreement. With records, the interval of the bias has these as units.
func computeLimits(items []comparedItem, judged judgedItems) LimitsOfAgreement {
	var humanMeans, scores []float64
	for _, c := range items {
		humanMeans, scores = append(humanMeans, c.humanMean()), append(scores, float64(c.judge))
	}
	b := stats.AnalyzeBlandAltman(humanMeans, scores)
	limits := LimitsOfAgreement{Items: b.ItemCount, Undefined: b.Undefined.Text(), Points: b.Points, Bias: study.NewNumber(0, b.Undefined, b.BiasInterval)}
	if limits.Undefined == "" {
		limits.Bias = estimateBias(humanMeans, scores)
		if judged.isClustered {
			limits.Bias = numberFromWeighted(judge.EstimateWeightedMean(judged.pairMeans()), fewRecordsNote)
		}
		limits.Low, limits.High = &b.LowerLimit, &b.UpperLimit
	}
	return limits
}
