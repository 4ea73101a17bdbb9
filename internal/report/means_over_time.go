package report

import (
	"time"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// minMeanAnswers is the minimum number of answers in a MeanWindow.
const minMeanAnswers = 30

// A MeanWindow is the mean of successive answers of all annotators.
type MeanWindow struct {
	From         time.Time    `json:"from"` // its first answer
	To           time.Time    `json:"to"`
	Mean         study.Number `json:"mean"` // over items, of each item's mean answer
	Items        int          `json:"items"`
	Answers      int          `json:"answers"`
	NewRevisions []int        `json:"new_revisions"` // revisions of the protocol's text that took effect in it
}

// computeMeanWindows splits the answers to a field into runs of equal length. The first
// window has no new revisions.
func (s *builder) computeMeanWindows(q fieldTable) []MeanWindow {
	labels := q.Answered(s.allLabels())
	n := min(maxWindows, len(labels)/minMeanAnswers)
	windows := []MeanWindow{}
	for i := range n {
		from, to := i*len(labels)/n, (i+1)*len(labels)/n
		window := s.computeMeanWindow(q, labels[from:to])
		window.NewRevisions = s.findNewRevisions(labels[max(0, from-1):to])
		windows = append(windows, window)
	}
	return windows
}

func (s *builder) computeMeanWindow(q fieldTable, labels []int32) MeanWindow {
	sums, counts, items := map[int32]float64{}, map[int32]float64{}, []int32{}
	for _, l := range labels {
		item := s.Work.Item[l]
		if counts[item] == 0 {
			items = append(items, item)
		}
		sums[item], counts[item] = sums[item]+float64(q.ValueOf(l)), counts[item]+1
	}
	means := make([]itemMean, len(items))
	for i, item := range items {
		means[i] = itemMean{s.AllItems[item], sums[item] / counts[item]}
	}
	return MeanWindow{From: s.Work.TimeOf(labels[0]), To: s.Work.TimeOf(labels[len(labels)-1]), Mean: s.estimateMean(q, means), Items: len(items), Answers: len(labels)}
}

// allLabels returns the numbers of all labels.
func (s *builder) allLabels() []int32 {
	labels := make([]int32, s.Work.Len())
	for i := range labels {
		labels[i] = int32(i)
	}
	return labels
}

// findNewRevisions returns the revisions that exceed all before them.
func (s *builder) findNewRevisions(labels []int32) []int {
	revisions, last := []int{}, s.Work.Revision[labels[0]]
	for _, l := range labels {
		if revision := s.Work.Revision[l]; revision > last {
			revisions, last = append(revisions, int(revision)), revision
		}
	}
	return revisions
}

// An itemMean is the value of one item in a field; see itemValue.
type itemMean struct {
	item *study.ItemData
	mean float64
}

// estimateMean returns the mean over items. Items of one record are resampled together. On a yes/no
// field it is a share with the interval of a rate, which allows for a yes that did not occur.
func (s *builder) estimateMean(q fieldTable, means []itemMean) study.Number {
	if len(means) == 0 {
		return study.MissingNumber(stats.NoAnswers)
	}
	if q.Scale.IsBinary() {
		return s.estimateShareMean(means)
	}
	values, sum := make([]float64, len(means)), 0.0
	var clusters []string
	if s.IsClustered() {
		clusters = make([]string, 0, len(means))
	}
	for i, m := range means {
		values[i], sum = m.mean, sum+m.mean
		if s.IsClustered() {
			clusters = append(clusters, s.ClusterOf(m.item))
		}
	}
	return study.NewNumber(sum/float64(len(means)), stats.Reason{}, stats.MeanInterval(values, clusters, "items", s.Options))
}

func (s *builder) estimateShareMean(means []itemMean) study.Number {
	units := make([]stats.UnitValue, len(means))
	for i, m := range means {
		units[i] = stats.UnitValue{Expected: stats.Certain(m.mean), Base: stats.Certain(1), Cluster: s.ClusterOf(m.item)}
	}
	share := stats.EstimateShare(units)
	if share.Interval.UnitName == "answers" {
		share.Interval.UnitName = "items"
	}
	return study.NewNumber(share.Value, share.Undefined, share.Interval)
}
