package report

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Habit is stats.Habit as programs and pages read it.
type Habit struct {
	Name  stats.HabitName `json:"habit"`
	Found bool            `json:"found"`
	Says  string          `json:"says"`
	Number
	Peers float64 `json:"peers"` // the median of the same over the others
	Items int     `json:"items"`
	Needs int     `json:"needs"`
}

// habits judges everybody's work, by annotator.
func (s *study) habits() map[string][]Habit {
	asked := make([]stats.Asked, len(s.fields))
	for i, q := range s.fields {
		asked[i] = stats.Asked{Key: q.Key, Scale: q.scale, Unsafe: unsafe(q)}
	}
	labels, alike := make([]stats.Label, 0, len(s.work)), map[string][]int{}
	for _, name := range s.names() {
		for position, l := range s.of[name] {
			labels = append(labels, s.habitLabel(s.work[l], position+1, alike))
		}
	}
	of := map[string][]Habit{}
	for _, h := range stats.Habits(asked, labels, s.o) {
		of[h.Annotator] = append(of[h.Annotator], Habit{Name: h.Name, Found: h.Found, Says: h.Says,
			Number: numberOf(h.Value, h.Undefined, h.Interval), Peers: h.Peers, Items: h.N, Needs: h.Needs})
	}
	for _, own := range of {
		slices.SortStableFunc(own, func(a, b Habit) int { return cmp.Compare(order(a), order(b)) })
	}
	return of
}

// order sets what was found first, and what cannot be told last.
func order(h Habit) int {
	switch {
	case h.Found:
		return 0
	case h.Value != nil:
		return 1
	}
	return 2
}

// habitLabel is one label as habits see it. Labels that answer alike share their
// answers.
func (s *study) habitLabel(l *Label, position int, alike map[string][]int) stats.Label {
	item := s.items[l.ItemID]
	h := stats.Label{Item: item.Source, Annotator: l.Annotator, Position: position, SinceBreak: l.SinceBreak,
		Seconds: float64(l.ActiveMS) / 1000, Length: float64(item.Length)}
	var key []byte
	for _, q := range s.fields {
		key = append(key, 0)
		if v, ok := l.Values[q.Key]; ok {
			place, _ := q.scale.Index(v)
			key[len(key)-1] = byte(place + 1)
		}
	}
	if h.Answers = alike[string(key)]; h.Answers == nil {
		h.Answers = s.answersOf(l)
		alike[string(key)] = h.Answers
	}
	return h
}

func (s *study) answersOf(l *Label) []int {
	answers := make([]int, len(s.fields))
	for i, q := range s.fields {
		answers[i] = stats.Absent
		if v, ok := l.Values[q.Key]; ok {
			answers[i] = v
		}
	}
	return answers
}

// unsafe returns the answers that say danger, of the two fields that are about
// it: the lower two fifths of a scale of safety, and unsafe content seen.
func unsafe(q question) []int {
	switch q.Key {
	case "safety":
		return q.scale[:len(q.scale)*2/5]
	case "unsafe_content":
		return []int{1}
	}
	return nil
}
