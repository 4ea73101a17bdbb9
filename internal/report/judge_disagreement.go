package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// A JudgeDisagreement is an item on which a judge's answer differs from those of annotators.
type JudgeDisagreement struct {
	ItemID   project.ItemID `json:"-"`
	Item     string         `json:"item"`
	Answers  []int          `json:"answers"` // of the annotators, ascending
	Judge    int            `json:"judge"`
	Distance float64        `json:"distance"` // from the mean of the annotators' answers, in points
}

// AnswersText lists the answers of the annotators, such as "4, 5".
func (d JudgeDisagreement) AnswersText() string {
	texts := make([]string, len(d.Answers))
	for i, a := range d.Answers {
		texts[i] = strconv.Itoa(a)
	}
	return strings.Join(texts, ", ")
}

// maxJudgeDisagreements is the number of disagreements that a scorecard lists.
const maxJudgeDisagreements = 20

// listJudgeDisagreements returns the largest disagreements, and the number of all.
func listJudgeDisagreements(items []comparedItem) (list []JudgeDisagreement, count int) {
	list = []JudgeDisagreement{}
	for _, c := range items {
		if distance := math.Abs(float64(c.judge) - c.humanMean()); distance > 0 {
			list = append(list, JudgeDisagreement{c.item.ID, c.item.SourceID, slices.Sorted(slices.Values(c.humans)), c.judge, distance})
		}
	}
	slices.SortFunc(list, func(a, b JudgeDisagreement) int {
		return cmp.Or(cmp.Compare(b.Distance, a.Distance), cmp.Compare(a.Item, b.Item))
	})
	return slices.Clone(list[:min(len(list), maxJudgeDisagreements)]), len(list)
}

// addSpecificAgreement adds the agreement on each point of the scale, with the judge and among the annotators.
func (s *builder) addSpecificAgreement(f *JudgeField, q fieldTable, items []comparedItem, judgePairs study.PairedAnswers) error {
	with, err := stats.NewPairTable(q.Values, judgePairs.Pairs)
	if err != nil {
		return err
	}
	numbers := make([]int32, len(items))
	for i, c := range items {
		numbers[i] = s.NumberOf[c.item.ID]
	}
	slices.Sort(numbers)
	among, err := s.SelectTable(q.FieldTable, numbers)
	if err != nil {
		return err
	}
	ofJudge, ofHumans := stats.ComputeEstimates(with, s.Options, with.SpecificAgreements()...), stats.ComputeEstimates(among, s.Options, among.SpecificAgreements()...)
	for i, answer := range q.Values {
		e := s.NameUnits(ofJudge[i])
		e.SetPairReason()
		withJudge := study.FigureFromEstimate(e)
		if withJudge.Items = len(items); len(items) == 0 {
			withJudge.Number = study.MissingNumber(study.NoJudgedLabel)
		}
		f.Specific = append(f.Specific, agreement.AnswerAgreement{Answer: answer, Agreement: withJudge})
		f.HumanSpecific = append(f.HumanSpecific, agreement.AnswerAgreement{Answer: answer, Agreement: study.FigureFromEstimate(ofHumans[i])})
	}
	return nil
}
