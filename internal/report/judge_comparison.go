package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats/judge"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// A JudgeComparison is how the groups of a metadata column differ in the mean answer to all items
// that a judge has answered, from the labels alone and with the judge.
type JudgeComparison struct {
	Column       string            `json:"column"`
	Message      string            `json:"message"`       // what the differences show with the judge, of the first group that is described
	Notes        []string          `json:"notes"`         // the same of other groups, and what the labels alone show
	Differences  []JudgeDifference `json:"differences"`   // of each group from the baseline, by field
	AllPairs     []JudgeDifference `json:"all_pairs"`     // of each group from each one before it; p_holm accounts for all of them in both lists; null with fewer than three groups
	HiddenGroups int               `json:"hidden_groups"` // left out because they are small; see BuildOptions.HideSmallGroups
}

// A JudgeDifference is how far a group is from the baseline in one field.
type JudgeDifference struct {
	Field            string             `json:"field"`
	Baseline         string             `json:"baseline"`
	Value            string             `json:"value"`
	Conclusion       Conclusion         `json:"conclusion"` // from the estimate with the judge
	Message          string             `json:"message"`
	Undefined        string             `json:"undefined"` // why there is no estimate with the judge
	BaselineItems    JudgedCount        `json:"baseline_items"`
	GroupItems       JudgedCount        `json:"group_items"`
	LabelsAlone      DifferenceEstimate `json:"labels_alone"`
	WithJudge        DifferenceEstimate `json:"with_judge"`        // prediction-powered
	EquivalentLabels *float64           `json:"equivalent_labels"` // that give an interval as wide without the judge
	GainUndefined    string             `json:"gain_undefined"`    // why EquivalentLabels is null although there is an estimate
	Weighted         bool               `json:"weighted"`          // by the sampling probabilities of drawn items

	Questioned []string         `json:"questioned_annotators"` // who lower agreement or show inattention; null without such
	Without    *JudgeDifference `json:"without_questioned"`    // the difference without their answers; null without such

	isConfounded bool    // no annotators link the groups, or isUneven
	isUneven     bool    // annotators labeled clearly different shares of the groups, or their severity explains the difference
	shift        float64 // of the difference with the judge, by the severity of annotators
	unreliable   string  // see doubt
}

// A JudgedCount counts items that a judge has answered.
type JudgedCount struct {
	Labels    int `json:"labels"`    // with labels that count
	Judgments int `json:"judgments"` // the others
}

// A judgedGroup is the items of one group with a judge's answer to a field.
type judgedGroup struct {
	judge.Sample
	reason string // why the group cannot be compared
}

// compareGroupsWithJudge compares the groups of a breakdown; nil without a column.
func (s *builder) compareGroupsWithJudge(selection comparison.Selection, judgments map[project.ItemID]map[string]int) (*JudgeComparison, error) {
	if selection.Column == "" {
		return nil, nil
	}
	c := &JudgeComparison{Column: selection.Column, Notes: []string{}, Differences: []JudgeDifference{}, HiddenGroups: selection.Hidden}
	if len(selection.Values) < 2 {
		return c, nil
	}
	groups, pairs := s.newJudgedGroups(selection, s.numbersOf(judgments)), []JudgeDifference(nil)
	for _, q := range s.fields {
		compare, questioned := groups.newJudgedComparison(q, judgments), s.doubts[q.Key].annotators
		var without func(baseline, group int) JudgeDifference
		if len(questioned) > 0 {
			others, err := s.withoutAnnotators(q, questioned)
			if err != nil {
				return nil, err
			}
			without = groups.newJudgedComparison(others, judgments)
		}
		for group := range groups.Values {
			for baseline := range group {
				d := compare(baseline, group)
				if d.unreliable = s.doubts[q.Key].unreliable; without != nil {
					d.Questioned, d.Without = questioned, new(without(baseline, group))
				}
				pairs = append(pairs, d)
			}
		}
	}
	concludeJudged(pairs) // with p adjusted for all pairs, so that both lists say the same
	for _, d := range pairs {
		if d.Baseline == groups.Values[0] {
			c.Differences = append(c.Differences, d)
		}
	}
	if len(groups.Values) > 2 {
		c.AllPairs = pairs
	}
	c.setTexts(s.titles())
	return c, nil
}

// newJudgedComparison returns a function that compares two groups in a field.
func (c *judgedGroups) newJudgedComparison(q fieldTable, judgments map[project.ItemID]map[string]int) func(baseline, group int) JudgeDifference {
	judged, links, answers := c.splitJudged(q, c.newJudgedItems(q, judgments)), c.linkByAnnotators(q), c.countAnswers(q)
	return func(baseline, group int) JudgeDifference {
		d := newJudgeDifference(q, judged[baseline], judged[group])
		d.Baseline, d.Value = c.Values[baseline], c.Values[group]
		d.shift, _ = mixed.SeverityShift(c.labelsOfPair(q, baseline, group), len(c.Annotators))
		d.isUneven = links[baseline] == links[group] && (answers.link(baseline, group) < wellLinked || d.isShiftedToZero())
		d.isConfounded = d.isUneven || links[baseline] != links[group]
		return d
	}
}

// numbersOf returns the numbers of judged items, in order of id.
func (s *builder) numbersOf(judgments map[project.ItemID]map[string]int) []int32 {
	ids := make([]project.ItemID, 0, len(judgments))
	for id := range judgments {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	numbers := make([]int32, len(ids))
	for i, id := range ids {
		numbers[i] = s.NumberOf[id]
	}
	return numbers
}

// splitJudged returns the items of each group. Labels are weighted within each group, so that they
// count for all of its judged items.
func (c *judgedGroups) splitJudged(q fieldTable, all judgedItems) []judgedGroup {
	groups := make([]judgedGroup, len(c.Values))
	for group := range groups {
		items, size := judgedItems{isClustered: c.HasClusters}, comparison.NewGroupSize()
		var isLabeled []bool
		for i, id := range all.ids {
			number := c.NumberOf[id]
			if n := c.IndexOf[number]; n >= 0 && c.Items[n].Group == group {
				items.ids, items.clusters = append(items.ids, id), append(items.clusters, int(c.Items[n].Cluster))
				items.judgments, items.humans = append(items.judgments, all.judgments[i]), append(items.humans, all.humans[i])
				items.values = append(items.values, all.values[i])
				if isLabeled = append(isLabeled, len(all.humans[i]) > 0); len(all.humans[i]) > 0 {
					size.Add(c.builder.Study, q.Answered(c.ByItem.At(number)))
				}
			}
		}
		items.weights, items.design, items.waiting = c.weightLabels(items.ids, isLabeled)
		groups[group].Sample = items.newSample()
		switch {
		case len(items.ids) == 0:
			groups[group].reason = noGroupAnswersText
		case c.hideSmallGroups && size.IsSmall():
			groups[group].reason = smallJudgedGroupText
		case all.design != nil && items.design == nil && items.waiting == 0 && c.couldDraw(all.design.Batches, items.ids):
			groups[group].reason = noDrawnLabelText
		}
	}
	return groups
}

// couldDraw reports whether the draws of some batches could draw one of these items, which are in
// order of id.
func (s *builder) couldDraw(batches []string, ids []project.ItemID) bool {
	return slices.ContainsFunc(s.Draws, func(d study.LabelDraw) bool {
		return slices.Contains(batches, d.Batch) && slices.ContainsFunc(d.Items, func(c study.DrawCandidate) bool {
			_, isOfGroup := slices.BinarySearch(ids, c.ItemID)
			return isOfGroup
		})
	})
}

// linkByAnnotators returns equal numbers for groups that annotators link: one has labels of both, or
// there is a chain of such groups between them.
func (c *judgedGroups) linkByAnnotators(q fieldTable) []int {
	links, groupOf := make([]int, len(c.Values)), map[int32]int{}
	for group := range links {
		links[group] = group
	}
	for _, i := range c.Items {
		for _, l := range q.Answered(c.ByItem.At(i.Number)) {
			other, isKnown := groupOf[c.Work.Annotator[l]]
			if !isKnown {
				groupOf[c.Work.Annotator[l]] = i.Group
				continue
			}
			if from, to := links[i.Group], links[other]; from != to {
				for group, link := range links {
					if link == from {
						links[group] = to
					}
				}
			}
		}
	}
	return links
}

func newJudgeDifference(q fieldTable, baseline, group judgedGroup) JudgeDifference {
	r := q.judgedRange()
	d := JudgeDifference{Field: q.Key, BaselineItems: baseline.count(), GroupItems: group.count(), Weighted: baseline.IsDrawn || group.IsDrawn}
	for _, side := range []judgedGroup{baseline, group} {
		if side.reason != "" {
			d.Undefined = side.reason
			d.LabelsAlone.Number = study.Number{Undefined: side.reason, IntervalNote: side.reason}
			d.WithJudge.Number = d.LabelsAlone.Number
			return d
		}
	}
	alone, both := judge.ConcludeLabelDifference(baseline.Sample, group.Sample, r), judge.ConcludeDifference(baseline.Sample, group.Sample, r)
	d.LabelsAlone, d.WithJudge, d.Undefined = q.differenceFromJudge(alone), q.differenceFromJudge(both), both.Undefined.Text()
	d.LabelsAlone.Items = d.BaselineItems.Labels + d.GroupItems.Labels
	d.WithJudge.Items = d.LabelsAlone.Items + d.BaselineItems.Judgments + d.GroupItems.Judgments
	if d.GainUndefined = both.GainUndefined.Text(); d.Undefined == "" && d.GainUndefined == "" {
		d.EquivalentLabels = &both.EquivalentLabels
	}
	return d
}

func (g judgedGroup) count() JudgedCount { return JudgedCount{len(g.Labeled), len(g.Judged)} }

// differenceFromJudge returns a difference. Its interval ends at the largest differences of the scale.
func (q fieldTable) differenceFromJudge(d judge.Difference) DifferenceEstimate {
	span := float64(q.Values[len(q.Values)-1] - q.Values[0])
	e := DifferenceEstimate{Number: numberFromJudge(d.Estimate, -span, span)}
	if e.Low != nil {
		e.P = &d.PValue
	}
	return e
}

// concludeJudged adjusts the p-values for the number of differences, then draws the conclusions.
func concludeJudged(differences []JudgeDifference) {
	without := make([]JudgeDifference, len(differences)) // those of other fields as they are
	for i, d := range differences {
		if without[i] = d; d.Without != nil {
			without[i] = *d.Without
		}
	}
	adjustJudged(without)
	tested := adjustJudged(differences)
	for i := range differences {
		d := &differences[i]
		if d.Without != nil {
			*d.Without = without[i]
			d.Without.Conclusion = d.Without.conclude()
		}
		d.Conclusion = d.conclude()
		d.Message = d.describe(tested)
	}
}

// adjustJudged adjusts the p-values for the number of differences, which it returns for those with the judge.
func adjustJudged(differences []JudgeDifference) (tested int) {
	var alone, both []*DifferenceEstimate
	for i := range differences {
		alone, both = append(alone, &differences[i].LabelsAlone), append(both, &differences[i].WithJudge)
	}
	adjustEstimates(alone)
	adjustEstimates(both)
	return countTested(both)
}

// countTested returns how many estimates have a p-value.
func countTested(estimates []*DifferenceEstimate) (n int) {
	for _, e := range estimates {
		n += study.BoolToInt(e.P != nil)
	}
	return n
}

// CountTested returns for how many comparisons the p-values with the judge are adjusted, and those of the labels alone.
func (c *JudgeComparison) CountTested() (withJudge, labelsAlone int) {
	list := c.AllPairs
	if list == nil {
		list = c.Differences
	}
	for _, d := range list {
		withJudge, labelsAlone = withJudge+study.BoolToInt(d.WithJudge.P != nil), labelsAlone+study.BoolToInt(d.LabelsAlone.P != nil)
	}
	return withJudge, labelsAlone
}

// isJudged reports whether the judge answered items of a group.
func (c JudgedCount) isJudged() bool { return c.Labels+c.Judgments > 0 }

// IsJudged reports whether the judge answered items of either group.
func (d *JudgeDifference) IsJudged() bool {
	return d.BaselineItems.isJudged() || d.GroupItems.isJudged()
}

// conclude returns what the estimates with the judge show, as GroupDifference does.
func (d *JudgeDifference) conclude() Conclusion {
	c := d.concludeFromAll()
	switch {
	case c == NoInterval:
		return c
	case d.Without != nil && dependsOnOthers(c, d.Without.Conclusion, &d.WithJudge, &d.Without.WithJudge):
		return DependsOnAnnotators
	case d.unreliable != "" && (c == NoDifferenceShown || c == NotAfterHolm):
		return UnreliableAnswers
	}
	return c
}

func (d *JudgeDifference) concludeFromAll() Conclusion {
	switch e := &d.WithJudge; {
	case e.Low == nil:
		return NoInterval
	case e.side() == 0:
		return NoDifferenceShown
	case !e.isSignificant():
		return NotAfterHolm
	case d.isConfounded:
		return Confounded
	case e.side() > 0:
		return Higher
	}
	return Lower
}

// isShiftedToZero reports whether the interval includes 0 without the severity of annotators.
func (d *JudgeDifference) isShiftedToZero() bool {
	e := &d.WithJudge
	return e.side() > 0 && *e.Low <= d.shift || e.side() < 0 && *e.High >= d.shift
}

// isShown reports whether the groups differ by the estimate with the judge.
func (d *JudgeDifference) isShown() bool { return d.Conclusion == Higher || d.Conclusion == Lower }

// isShownAlone reports whether the labels alone show the same.
func (d *JudgeDifference) isShownAlone() bool {
	return d.LabelsAlone.isSignificant() && d.LabelsAlone.side() == d.WithJudge.side()
}
