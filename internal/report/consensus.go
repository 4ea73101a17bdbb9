package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Settled is what people settled on for one field of an item, or what they
// are tied between.
type Settled struct {
	ItemID  int64          `json:"-"`
	Item    string         `json:"item"`
	Field   string         `json:"field"`
	How     stats.Settling `json:"how"`
	Value   *int           `json:"value"`   // null where tied
	Between []int          `json:"between"` // the answers of a tie
	Answers int            `json:"answers"`
}

// A Disagreement is a field of an item on which answers differ.
type Disagreement struct {
	ItemID  int64    `json:"-"`
	Item    string   `json:"item"`
	Field   string   `json:"field"`
	Apart   float64  `json:"apart"`  // mean distance of two answers, as a share of the scale
	Widest  int      `json:"widest"` // between the two furthest apart, in points
	Answers []Answer `json:"answers"`
}

// An Answer is what one annotator said.
type Answer struct {
	Annotator string `json:"annotator"`
	Value     int    `json:"value"`
}

// Adjudicated is how an item is settled that a lead decided.
const Adjudicated stats.Settling = "adjudicated"

// settlings in the order they are reported.
var settlings = []stats.Settling{Adjudicated, stats.Unanimous, stats.Majority, stats.Median, stats.Tied, stats.Single}

// settle finds the one answer of every item in every field: a lead's, else the
// consensus.
func (s *study) settle() {
	for _, q := range s.fields {
		for _, c := range q.table.Consensuses(q.ordered()) {
			item := s.source[c.Item]
			if gold, ok := s.Gold[item.ID][q.Key]; ok {
				c.How, c.Value, c.Between = Adjudicated, gold, nil
			}
			one := Settled{ItemID: item.ID, Item: c.Item, Field: q.Key, How: c.How, Between: c.Between, Answers: c.Answers}
			if c.How != stats.Tied {
				value := c.Value // on its own, so that the rest of c is let go of
				one.Value = &value
				if s.settled[item.ID] == nil {
					s.settled[item.ID], s.how[item.ID] = map[string]int{}, map[string]stats.Settling{}
				}
				s.settled[item.ID][q.Key], s.how[item.ID][q.Key] = c.Value, c.How
			}
			s.consensus = append(s.consensus, one)
		}
	}
}

func (s *study) settling(q question) []Outcome {
	outcomes := make([]Outcome, len(settlings))
	for i, how := range settlings {
		outcomes[i].How = how
	}
	for _, c := range s.consensus {
		if c.Field == q.Key {
			outcomes[slices.Index(settlings, c.How)].Items++
		}
	}
	return outcomes
}

// disagreements returns every answer on which people differ, the worst first.
func (s *study) disagreements() []Disagreement {
	found := []Disagreement{}
	for _, q := range s.fields {
		for _, d := range q.table.Disagreements() {
			one := Disagreement{ItemID: s.source[d.Item].ID, Item: d.Item, Field: q.Key, Apart: d.Apart, Widest: d.Widest}
			for _, a := range d.Answers {
				one.Answers = append(one.Answers, Answer(a))
			}
			found = append(found, one)
		}
	}
	slices.SortStableFunc(found, func(a, b Disagreement) int {
		return cmp.Or(cmp.Compare(b.Apart, a.Apart), cmp.Compare(a.Item, b.Item))
	})
	return found
}
