package report

import (
	"fmt"
	"math"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

const (
	// groupBiasFactor widens 95% intervals to about 99.7%, as all pairs of groups and all fields are looked at.
	groupBiasFactor = 1.5
	// maxGroupBias is the difference of the bias between two groups that is tolerated, as a share of the scale.
	maxGroupBias = 0.05
)

// A groupBias is how much higher than annotators a judge answers items of one group than those of another.
type groupBias struct {
	favored, other   string
	value, low, high float64
	isShare          bool
}

// findGroupBias returns the pair of groups between which the bias of a judge differs most, if the difference is shown to be more than is
// tolerated. Such a judge would decide comparisons of the groups.
func (c *judgedGroups) findGroupBias(q fieldTable, judgments map[project.ItemID]map[string]int) (most groupBias, isFound bool) {
	groups := c.splitJudged(q, c.newJudgedItems(q, judgments))
	figures := make([]judge.WeightedFigure, len(groups))
	for i, g := range groups {
		if g.reason == "" {
			figures[i] = g.measureBias()
		}
	}
	span := float64(q.Values[len(q.Values)-1] - q.Values[0])
	for i, first := range figures {
		for k, second := range figures[:i] {
			if !first.HasInterval || !second.HasInterval {
				continue
			}
			value, margin := first.Value-second.Value, math.Hypot(first.High-first.Low, second.High-second.Low)/2
			if math.Abs(value)-groupBiasFactor*margin <= maxGroupBias*span || math.Abs(value) <= most.value {
				continue
			}
			most = groupBias{favored: c.Values[i], other: c.Values[k], value: math.Abs(value), low: math.Abs(value) - margin, high: math.Abs(value) + margin, isShare: len(q.Values) == 2}
			if value < 0 {
				most.favored, most.other = most.other, most.favored
			}
			isFound = true
		}
	}
	return most, isFound
}

// measureBias returns the mean difference of the judge's answers from those of annotators.
func (g judgedGroup) measureBias() judge.WeightedFigure {
	pairs := make([]judge.WeightedPair, len(g.Labeled))
	for i, l := range g.Labeled {
		pairs[i] = judge.WeightedPair{First: l.Label, Second: l.Value, Weight: l.Weight, Unit: i}
		if g.IsClustered || g.IsDrawn {
			pairs[i].Unit = l.Cluster
		}
	}
	return judge.EstimateWeightedMean(pairs)
}

// setGroupBias sets that a judge which favors a group is not recommended.
func (t *AlternativeTest) setGroupBias(b groupBias) {
	size, interval := fmt.Sprintf("%s points", study.FormatValue(b.value)), study.Number{Value: &b.value, Low: &b.low, High: &b.high}.Range()
	if b.isShare {
		size, interval = study.FormatPercent(b.value), study.Number{Value: &b.value, Low: &b.low, High: &b.high}.PercentRange()
	}
	t.setObstacle(judge.FavorsGroup, fmt.Sprintf("compared with the annotators, it favors “%s” over “%s” by %s (95%% CI %s)", b.favored, b.other, size, interval),
		fmt.Sprintf("it favors “%s” over “%s”", b.favored, b.other), judge.FavorsGroup.NextAction())
}
