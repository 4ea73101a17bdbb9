package report

import (
	"time"

	"github.com/labelwright/labelwright/internal/project"
)

// minMeanAnswers is the minimum number of answers in a MeanWindow.
const minMeanAnswers = 30

// A MeanWindow is the mean of successive answers of all annotators.
type MeanWindow struct {
	From         time.Time `json:"from"` // its first answer
	To           time.Time `json:"to"`
	Mean         Number    `json:"mean"` // over items, of each item's mean answer
	Items        int       `json:"items"`
	Answers      int       `json:"answers"`
	NewRevisions []int     `json:"new_revisions"` // revisions of the protocol's text that took effect in it
}

// computeMeanWindows splits the answers to a field into runs of equal length. The first
// window has no new revisions.
func (s *study) computeMeanWindows(q fieldTable) []MeanWindow {
	labels := answered(s.work, q.Key)
	n := min(maxWindows, len(labels)/minMeanAnswers)
	windows := []MeanWindow{}
	for i := range n {
		from, to := i*len(labels)/n, (i+1)*len(labels)/n
		window := s.computeMeanWindow(q, labels[from:to])
		window.NewRevisions = findNewRevisions(labels[max(0, from-1):to])
		windows = append(windows, window)
	}
	return windows
}

func (s *study) computeMeanWindow(q fieldTable, labels []*Label) MeanWindow {
	sums, counts, ids := map[project.ItemID]float64{}, map[project.ItemID]float64{}, []project.ItemID{}
	for _, l := range labels {
		if counts[l.ItemID] == 0 {
			ids = append(ids, l.ItemID)
		}
		sums[l.ItemID], counts[l.ItemID] = sums[l.ItemID]+float64(l.Values[q.Key]), counts[l.ItemID]+1
	}
	means := make([]itemMean, len(ids))
	for i, id := range ids {
		means[i] = itemMean{s.itemsByID[id], sums[id] / counts[id]}
	}
	return MeanWindow{From: labels[0].SubmittedAt, To: labels[len(labels)-1].SubmittedAt, Mean: s.estimateMean(means), Items: len(ids), Answers: len(labels)}
}

// findNewRevisions returns the revisions that exceed all before them.
func findNewRevisions(labels []*Label) []int {
	revisions, last := []int{}, labels[0].Revision
	for _, l := range labels {
		if l.Revision > last {
			revisions, last = append(revisions, l.Revision), l.Revision
		}
	}
	return revisions
}
