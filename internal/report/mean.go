package report

import (
	"time"

	"github.com/labelwright/labelwright/internal/stats"
)

// leastMean is how many answers a stretch of time holds before their mean is drawn.
const leastMean = 30

// A Mean is the mean of the answers of everybody in a stretch of time.
type Mean struct {
	From     time.Time `json:"from"` // of its first answer
	To       time.Time `json:"to"`
	Mean     Number    `json:"mean"` // over items, of the mean of their answers in it
	Items    int       `json:"items"`
	Answers  int       `json:"answers"`
	Reworded []int     `json:"reworded"` // revisions of the protocol's wording that began in it
}

// course cuts the answers to a field, in the order they were given, into stretches
// of as many. Of the first nothing is new in the wording.
func (s *study) course(q question) []Mean {
	var given []*Label
	for _, l := range s.work {
		if _, ok := l.Values[q.Key]; ok {
			given = append(given, l)
		}
	}
	n := min(mostWindows, len(given)/leastMean)
	found := []Mean{}
	for i := range n {
		from, to := i*len(given)/n, (i+1)*len(given)/n
		m := s.meanOf(q, given[from:to])
		m.Reworded = reworded(given[max(0, from-1):to])
		found = append(found, m)
	}
	return found
}

func (s *study) meanOf(q question, given []*Label) Mean {
	sums, counts, ids := map[int64]float64{}, map[int64]float64{}, []int64{}
	for _, l := range given {
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
		if s.clustered {
			clusters = append(clusters, s.cluster(s.items[id]))
		}
	}
	mean := numberOf(total/float64(len(ids)), "", stats.MeanInterval(values, clusters, "items", s.o))
	return Mean{From: given[0].Submitted, To: given[len(given)-1].Submitted, Mean: mean, Items: len(ids), Answers: len(given)}
}

// reworded returns the revisions that are later than any before them.
func reworded(given []*Label) []int {
	found, last := []int{}, given[0].Revision
	for _, l := range given {
		if l.Revision > last {
			found, last = append(found, l.Revision), l.Revision
		}
	}
	return found
}
