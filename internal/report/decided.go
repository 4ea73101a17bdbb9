package report

import "github.com/labelwright/labelwright/internal/stats"

// leastDecided is on how many adjudicated items an annotator's answers to a field
// are set beside the decisions.
const leastDecided = 10

// A Decided is one annotator's answers to a field beside what leads settled. Items
// are adjudicated because people differed on them, as a rule, and the lead saw the
// answers: it says where answers went, not how good they are.
type Decided struct {
	Items     int     `json:"items"`     // adjudicated, that the annotator had answered
	Needs     int     `json:"needs"`     // items before the rest is given
	Equal     Number  `json:"equal"`     // share of answers that were settled on
	Confusion [][]int `json:"confusion"` // by what was settled, then by the answer, in scale order; null of too few
}

func (s *study) decidedOn(name string, q question) Decided {
	d, equal := Decided{Needs: leastDecided}, 0
	counts := make([][]int, len(q.scale))
	for i := range counts {
		counts[i] = make([]int, len(q.scale))
	}
	for _, l := range s.of[name] {
		label := s.work[l]
		gold, settled := s.Gold[label.ItemID][q.Key]
		answer, answered := label.Values[q.Key]
		if !settled || !answered {
			continue
		}
		row, _ := q.scale.Index(gold)
		column, _ := q.scale.Index(answer)
		counts[row][column]++
		d.Items, equal = d.Items+1, equal+at(gold == answer)
	}
	if d.Items < leastDecided {
		d.Equal = numberOf(0, "too few adjudicated items", stats.Interval{})
		return d
	}
	d.Equal, d.Confusion = shareOf(stats.ShareOf(equal, d.Items)), counts
	return d
}
