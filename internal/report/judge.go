package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// A Judge is what a model judge's answers are worth beside people's. They never
// enter consensus.
type Judge struct {
	Name   string       `json:"model"`
	Items  int          `json:"items"` // it judged
	Fields []JudgeField `json:"fields"`
}

// A JudgeField compares a model with people on one field.
type JudgeField struct {
	Field       string            `json:"field"`
	SharedItems int               `json:"shared"`      // items that people judged too
	HumanHuman  AgreementFigure   `json:"human_human"` // linear-weighted κ of every two people's answers to the same item, among these
	HumanJudge  AgreementFigure   `json:"human_model"` // linear-weighted κ of every person's answer against the model's
	Bias        []PointBias       `json:"bias"`
	BlandAltman LimitsOfAgreement `json:"bland_altman"`
}

// A PointBias is how far the model lies from people where they settled on a point.
type PointBias struct {
	Point int `json:"point"`
	Items int `json:"n"`
	Number
}

// A LimitsOfAgreement is how the model's score differs from the mean of people's.
type LimitsOfAgreement struct {
	Items     int                      `json:"n"`
	Undefined string                   `json:"undefined"`
	Bias      Number                   `json:"bias"`
	Low       *float64                 `json:"limit_low"` // 95 % of differences are expected between the limits
	High      *float64                 `json:"limit_high"`
	Points    []stats.BlandAltmanPoint `json:"-"`
}

func (s *study) compareJudges() ([]Judge, error) {
	byJudge := map[string]map[project.ItemID]map[string]int{}
	for _, j := range s.Judgments {
		if s.itemsByID[j.ItemID] == nil {
			continue
		}
		if byJudge[j.Judge] == nil {
			byJudge[j.Judge] = map[project.ItemID]map[string]int{}
		}
		byJudge[j.Judge][j.ItemID] = j.Values
	}
	found := []Judge{}
	for _, name := range slices.Sorted(maps.Keys(byJudge)) {
		m := Judge{Name: name, Items: len(byJudge[name])}
		for _, q := range s.fields {
			f, err := s.computeJudgeField(q, byJudge[name])
			if err != nil {
				return nil, err
			}
			m.Fields = append(m.Fields, f)
		}
		found = append(found, m)
	}
	return found, nil
}

// A comparedItem item has the model's answer and at least one person's.
type comparedItem struct {
	item   *ItemData
	judge  int
	humans []int
}

func (s *study) findComparedItems(q fieldTable, answers map[project.ItemID]map[string]int) []comparedItem {
	var found []comparedItem
	for id, values := range answers {
		v, ok := values[q.Key]
		if !ok {
			continue
		}
		c := comparedItem{item: s.itemsByID[id], judge: v}
		for _, l := range s.labelsByItem[id] {
			if h, ok := s.workLabels[l].Values[q.Key]; ok {
				c.humans = append(c.humans, h)
			}
		}
		if len(c.humans) > 0 {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b comparedItem) int { return cmp.Compare(a.item.ID, b.item.ID) })
	return found
}

func (s *study) computeJudgeField(q fieldTable, answers map[project.ItemID]map[string]int) (JudgeField, error) {
	items := s.findComparedItems(q, answers)
	f := JudgeField{Field: q.Key, SharedItems: len(items), Bias: s.computePointBias(q, items), BlandAltman: computeLimits(items)}
	var humanPairs, judgePairs pairedAnswers
	for _, c := range items {
		for i, h := range c.humans {
			judgePairs.add(c.item, s.isClustered, h, c.judge)
			for j, other := range c.humans {
				if i != j { // both ways around: no person is the first
					humanPairs.add(c.item, s.isClustered, h, other)
				}
			}
		}
	}
	var err error
	if f.HumanHuman, err = humanPairs.computeKappa(q.scale, s.options, stats.Linear); err != nil {
		return f, err
	}
	f.HumanJudge, err = judgePairs.computeKappa(q.scale, s.options, stats.Linear)
	return f, err
}

// computePointBias returns, for each point that people settled on, the mean of model − point.
func (s *study) computePointBias(q fieldTable, items []comparedItem) []PointBias {
	found := []PointBias{}
	for _, point := range q.scale {
		var points, scores []float64
		for _, c := range items {
			if v, ok := s.consensusValues[c.item.ID][q.Key]; ok && v == point {
				points, scores = append(points, float64(point)), append(scores, float64(c.judge))
			}
		}
		b := PointBias{Point: point, Items: len(scores)}
		if b.Items == 0 {
			b.Number = newNumber(0, "people settled on this point nowhere", stats.Interval{})
		} else {
			b.Number = estimateBias(points, scores)
		}
		found = append(found, b)
	}
	return found
}

func computeLimits(items []comparedItem) LimitsOfAgreement {
	var humanMeans, scores []float64
	for _, c := range items {
		sum := 0.0
		for _, h := range c.humans {
			sum += float64(h)
		}
		humanMeans, scores = append(humanMeans, sum/float64(len(c.humans))), append(scores, float64(c.judge))
	}
	b := stats.AnalyzeBlandAltman(humanMeans, scores)
	limits := LimitsOfAgreement{Items: b.ItemCount, Undefined: b.Undefined, Points: b.Points, Bias: newNumber(0, b.Undefined, b.BiasInterval)}
	if b.Undefined == "" {
		limits.Bias = estimateBias(humanMeans, scores)
		limits.Low, limits.High = &b.LowerLimit, &b.UpperLimit
	}
	return limits
}
