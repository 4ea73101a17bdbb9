package report

import (
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// minMeanAnswers is how many answers a stretch of time holds before their mean is drawn.
const minMeanAnswers = 30

// A MeanWindow is the mean of the answers of everybody in a stretch of time.
type MeanWindow struct {
	From         time.Time `json:"from"` // of its first answer
	To           time.Time `json:"to"`
	Mean         Number    `json:"mean"` // over items, of the mean of their answers in it
	Items        int       `json:"items"`
	Answers      int       `json:"answers"`
	NewRevisions []int     `json:"reworded"` // revisions of the protocol's wording that began in it
}

// computeMeanWindows cuts the answers to a field, in the order they were given, into stretches
// of as many. Of the first nothing is new in the wording.
func (s *study) computeMeanWindows(q fieldTable) []MeanWindow {
	var answered []*Label
	for _, l := range s.workLabels {
		if _, ok := l.Values[q.Key]; ok {
			answered = append(answered, l)
		}
	}
	n := min(maxWindows, len(answered)/minMeanAnswers)
	found := []MeanWindow{}
	for i := range n {
		from, to := i*len(answered)/n, (i+1)*len(answered)/n
		m := s.computeMeanWindow(q, answered[from:to])
		m.NewRevisions = findNewRevisions(answered[max(0, from-1):to])
		found = append(found, m)
	}
	return found
}

func (s *study) computeMeanWindow(q fieldTable, answered []*Label) MeanWindow {
	sums, counts, ids := map[project.ItemID]float64{}, map[project.ItemID]float64{}, []project.ItemID{}
	for _, l := range answered {
		if counts[l.ItemID] == 0 {
			ids = append(ids, l.ItemID)
		}
		sums[l.ItemID], counts[l.ItemID] = sums[l.ItemID]+float64(l.Values[q.Key]), counts[l.ItemID]+1
	}
	values, total := make([]float64, len(ids)), 0.0
	var clusters []string
	for i, id := range ids {
		values[i] = sums[id] / counts[id]
		total += values[i]
		if s.isClustered {
			clusters = append(clusters, s.cluster(s.itemsByID[id]))
		}
	}
	mean := newNumber(total/float64(len(ids)), "", stats.MeanInterval(values, clusters, "items", s.options))
	return MeanWindow{From: answered[0].SubmittedAt, To: answered[len(answered)-1].SubmittedAt, Mean: mean, Items: len(ids), Answers: len(answered)}
}

// findNewRevisions returns the revisions that are later than any before them.
func findNewRevisions(labels []*Label) []int {
	found, last := []int{}, labels[0].Revision
	for _, l := range labels {
		if l.Revision > last {
			found, last = append(found, l.Revision), l.Revision
		}
	}
	return found
}
