package report

import (
	"fmt"
	"strconv"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// A JudgeUse is what the judgments of a field are good for.
type JudgeUse string

// The uses.
const (
	JudgeReplaces JudgeUse = "replace" // the judge may replace an annotator
	JudgeSupports JudgeUse = "support" // it may not, but it makes estimates more precise
	JudgeFails    JudgeUse = "none"
	// JudgeNoReplacement is a judge that may not replace an annotator; whether it supports estimates is not known.
	JudgeNoReplacement JudgeUse = "no_replacement"
	JudgeUntested      JudgeUse = "not_enough_data" // also with too few items or records for the test
)

// DefaultEpsilon is the advantage of a judge in cost and effort in the alternative annotator test, as for experts; Calderon,
// Reichart & Dror (2025) propose 0.15 for trained annotators and 0.1 for crowd workers.
const DefaultEpsilon = 0.2

// minJudgeGain is how many times as many labels a judge must be worth to support estimates.
const minJudgeGain = 1.1

// An AlternativeTest is the alternative annotator test of a judge.
type AlternativeTest struct {
	Undefined            string              `json:"undefined"`
	Score                judge.Score         `json:"score"`
	Epsilon              float64             `json:"epsilon"`
	WinningRate          *float64            `json:"winning_rate"` // ω; null if Undefined has a reason
	AdvantageProbability *float64            `json:"advantage_probability"`
	Annotators           []AlternativeResult `json:"annotators"`
	Skipped              []string            `json:"skipped_annotators"` // with too few shared items

	// Why the judge is not recommended although it wins or nearly does, in a few words as a clause, and what to do.
	Obstacle    judge.Obstacle `json:"obstacle"`
	Reason      string         `json:"reason"`
	NextAction  string         `json:"next_action"`
	ShortReason string         `json:"-"`

	Missed []judge.MissedValue `json:"missed_values"` // that the judge never gives, or misses clearly more often than annotators
	Rarer  *judge.RarerAnswers `json:"rarer_answers"` // that report a risk or are rare, and how often the judge misses them; null without such

	// Without is the test without the answers of questioned annotators; null without such.
	Without *TestWithout `json:"without_questioned"`

	test judge.AlternativeTest
}

// A TestWithout is the test of a judge against the other annotators where some are in question.
type TestWithout struct {
	Questioned  []string       `json:"questioned_annotators"`
	Undefined   string         `json:"undefined"`
	WinningRate *float64       `json:"winning_rate"`
	Obstacle    judge.Obstacle `json:"obstacle"`
	Reason      string         `json:"reason"`

	wins, annotators int
}

// An AlternativeResult is the test against one annotator.
type AlternativeResult struct {
	judge.AnnotatorResult
	AdjustedP float64 `json:"p_adjusted"` // for the number of annotators (Benjamini & Yekutieli 2001)
}

// A JudgeEstimate is the mean label of all items, from the labels alone and with the judge.
type JudgeEstimate struct {
	Undefined        string       `json:"undefined"`      // why there is none with the judge
	Labels           int          `json:"labels"`         // items with labels that count, and a judgment
	Judgments        int          `json:"judgments"`      // other items with a judgment
	Waiting          int          `json:"waiting_labels"` // of drawn items, that do not count yet because they are too few
	LabelsAlone      study.Number `json:"labels_alone"`
	WithJudge        study.Number `json:"with_judge"`           // prediction-powered
	EquivalentLabels *float64     `json:"equivalent_labels"`    // that give an interval as wide without the judge
	GainUndefined    string       `json:"gain_undefined"`       // why EquivalentLabels is null although there is an estimate
	LooksSelected    bool         `json:"labels_look_selected"` // the judge answers labeled items differently from the others, so they are no random sample
	Design           *Design      `json:"design"`               // by which the labels are weighted; null: they are not
}

// countAgainst counts the annotators' answers against those of the judge.
func countAgainst(q fieldTable, items []comparedItem) [][]int {
	counts := q.NewMatrix()
	for _, c := range items {
		column, _ := q.Values.Index(c.judge)
		for _, h := range c.humans {
			row, _ := q.Values.Index(h)
			counts[row][column]++
		}
	}
	return counts
}

// testAlternative compares the judge with each annotator, on items that others labeled too. Only
// the annotators' own work is in the table: no hidden duplicates and no judgments.
func (s *builder) testAlternative(q fieldTable, items judgedItems) AlternativeTest {
	answers, score := map[string]int{}, judge.Accuracy
	for i, id := range items.ids {
		if items.waiting == 0 || items.weights[i] > 0 {
			answers[s.Item(id).SourceID] = items.judgments[i]
		}
	}
	if len(q.Values) > 2 {
		score = judge.RMSE
	}
	o := items.testOptions(s, score)
	t := judge.RunAlternativeTest(q.Table, answers, o)
	result := AlternativeTest{Undefined: t.Undefined.Text(), Score: o.Score, Epsilon: o.Epsilon, Annotators: []AlternativeResult{}, Skipped: append([]string{}, t.Skipped...), test: t}
	pValues := make([]float64, len(t.Annotators))
	for i, a := range t.Annotators {
		pValues[i] = a.P
	}
	for i, p := range judge.AdjustFalseDiscovery(pValues) {
		result.Annotators = append(result.Annotators, AlternativeResult{t.Annotators[i], p})
	}
	if t.Undefined == "" {
		result.WinningRate, result.AdvantageProbability = &t.WinningRate, &t.AdvantageProbability
	}
	return result
}

// testOptions returns those of a test against annotators, with the weights of drawn items.
func (j judgedItems) testOptions(s *builder, score judge.Score) judge.Options {
	o := judge.Options{Score: score, Epsilon: s.epsilon}
	if j.design == nil {
		return o
	}
	o.Weights = map[string]judge.ItemWeight{}
	for i, id := range j.ids {
		if j.weights[i] > 0 {
			o.Weights[s.Item(id).SourceID] = judge.ItemWeight{Weight: j.weights[i], Unit: j.clusters[i]}
		}
	}
	return o
}

// Wins returns against how many annotators the judge wins.
func (t AlternativeTest) Wins() int {
	if t.WinningRate == nil {
		return 0
	}
	return int(*t.WinningRate*float64(len(t.Annotators)) + 0.5)
}

// judgedRange returns the range of mean answers.
func (q fieldTable) judgedRange() judge.Range {
	return judge.Range{Least: float64(q.Values[0]), Most: float64(q.Values[len(q.Values)-1]), IsRate: len(q.Values) == 2}
}

// estimateWithJudge estimates the mean label of all judged items.
func (q fieldTable) estimateWithJudge(items judgedItems) JudgeEstimate {
	sample := items.newSample()
	e := JudgeEstimate{Labels: len(sample.Labeled), Judgments: len(sample.Judged), Design: items.design, Waiting: items.waiting}
	r := q.judgedRange()
	both := judge.ConcludeMean(sample, r)
	e.LabelsAlone, e.WithJudge = numberFromJudge(judge.ConcludeLabels(sample, r), r.Least, r.Most), numberFromJudge(both, r.Least, r.Most)
	e.LooksSelected = both.GainUndefined == judge.SelectedLabels
	if e.Labels+e.Judgments == 0 {
		e.Undefined = noAnswersText
		e.LabelsAlone = study.Number{Undefined: noAnswersText, IntervalNote: noAnswersText}
		e.WithJudge = e.LabelsAlone
		return e
	}
	if e.Undefined, e.GainUndefined = both.Undefined.Text(), both.GainUndefined.Text(); e.Undefined == "" && e.GainUndefined == "" {
		e.EquivalentLabels = &both.EquivalentLabels
	}
	return e
}

// numberFromJudge returns an estimate. Its interval ends at the least and the most that is possible.
func numberFromJudge(e judge.Estimate, least, most float64) study.Number {
	switch {
	case e.Undefined == judge.NoVariation, e.Undefined == judge.FewUnits, e.Undefined == judge.FewUnitsOfGroup:
		return study.Number{Value: &e.Value, IntervalNote: e.Undefined.Text(), Reason: stats.ReasonCode(e.Undefined)}
	case e.Undefined != "":
		return study.Number{Undefined: e.Undefined.Text(), IntervalNote: e.Undefined.Text(), Reason: stats.ReasonCode(e.Undefined)}
	case e.Value >= least && e.Value <= most:
		e.Low, e.High = max(e.Low, least), min(e.High, most)
	}
	return study.Number{Value: &e.Value, Low: &e.Low, High: &e.High, IntervalNote: judgeIntervalNote}
}

// A testResult is what a test says about the judge as a replacement.
type testResult int

const (
	isUnknown testResult = iota
	mayNotReplace
	mayReplace
)

func (t AlternativeTest) result() testResult {
	switch {
	case t.WinningRate == nil, t.Obstacle.LacksData():
		return isUnknown
	case t.isWon() && t.Obstacle == "":
		return mayReplace
	}
	return mayNotReplace
}

// compareWithout adds the test without questioned annotators. If only one of the two recommends the judge, or the other one
// cannot be done, whether the judge may replace an annotator depends on them.
func (t *AlternativeTest) compareWithout(questioned []string, without AlternativeTest) {
	t.Without = &TestWithout{Questioned: questioned, Undefined: without.Undefined, WinningRate: without.WinningRate, Obstacle: without.Obstacle, Reason: without.Reason,
		wins: without.Wins(), annotators: len(without.Annotators)}
	isDependent := (t.result() == mayReplace) != (without.result() == mayReplace) || t.result() == mayNotReplace && without.WinningRate == nil
	if t.WinningRate != nil && isDependent {
		names := nameSome(questioned)
		t.setObstacle(judge.DependsOnAnnotators, t.Without.describe(), "it depends on the answers of "+names, fmt.Sprintf("Look at the answers of %s, then test the judge again.", names))
	}
}

// setUnreliable sets that answers which show little are no standard for the judge; nothing without a reason.
func (t *AlternativeTest) setUnreliable(reason string) {
	if reason != "" && t.WinningRate != nil && t.Obstacle != judge.AnnotatorsByChance {
		t.setObstacle(judge.UnreliableAnswers, reason+", so there is no standard that it could meet", "there is no standard yet", judge.AnnotatorsByChance.NextAction())
	}
}

func (t *AlternativeTest) setObstacle(o judge.Obstacle, reason, short, action string) {
	t.Obstacle, t.Reason, t.ShortReason, t.NextAction = o, reason, short, action
}

// describe states the result as a clause.
func (t TestWithout) describe() string {
	names := nameSome(t.Questioned)
	switch {
	case t.WinningRate == nil:
		return fmt.Sprintf("without the answers of %s the test cannot be done: %s", names, t.Undefined)
	case t.Obstacle != "":
		return fmt.Sprintf("without the answers of %s it wins against %d of %d, but %s", names, t.wins, t.annotators, t.Reason)
	}
	return fmt.Sprintf("without the answers of %s it wins against %d of %d", names, t.wins, t.annotators)
}

// isWon reports whether the judge wins against at least half of the annotators.
func (t AlternativeTest) isWon() bool { return t.WinningRate != nil && *t.WinningRate >= 0.5 }

// setObstacle sets why the judge is not recommended although it wins the test, or is close to that.
func (s *builder) setObstacle(f *JudgeField, q fieldTable, items judgedItems) {
	t, answers := &f.Alternative, map[string]int{}
	for i, id := range items.ids {
		answers[s.Item(id).SourceID] = items.judgments[i]
	}
	evidence := judge.CountEvidence(q.Table, answers, items.testOptions(s, t.Score), unsafeAnswers(q))
	evidence.Annotators, evidence.Judge = kappaFigure(f.HumanHuman), kappaFigure(f.HumanJudge)
	evidence.Test = t.test
	t.Missed, t.Rarer = evidence.Missed, evidence.Rarer
	o := evidence.Obstacle()
	t.setObstacle(o, evidence.Reason(o, q.pointName), evidence.ShortReason(o, q.pointName), o.NextAction())
}

func kappaFigure(f study.AgreementFigure) judge.KappaFigure {
	return judge.KappaFigure{Value: f.Value, Low: f.Low, High: f.High}
}

// pointName returns a point of the scale with its label.
func (q fieldTable) pointName(value int) string {
	for _, p := range q.Scale {
		if p.Value == value && p.Label != "" {
			return fmt.Sprintf("%d (%s)", value, p.Label)
		}
	}
	return strconv.Itoa(value)
}

func (f JudgeField) chooseUse() JudgeUse {
	switch result := f.Alternative.result(); {
	case result == mayReplace:
		return JudgeReplaces
	case f.Estimate.hasGain() && !f.losesGain:
		return JudgeSupports
	case result == isUnknown:
		return JudgeUntested
	case f.Estimate.EquivalentLabels == nil:
		return JudgeNoReplacement
	}
	return JudgeFails
}
