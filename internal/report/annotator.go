package report

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/stats"
)

// An Annotator is what one person's labels say.
type Annotator struct {
	Name   string     `json:"annotator"` // the pseudonym
	Labels int        `json:"labels"`
	Pace   float64    `json:"pace_seconds"` // the median active time of an item
	Fields []Standing `json:"fields"`
	Habits []Habit    `json:"habits"`
	Self   []Self     `json:"self_consistency"`
}

// A Standing is one annotator's answers to one field, beside the others'.
type Standing struct {
	Field string   `json:"field"`
	Kappa Figure   `json:"kappa_with_others"`
	Mean  *float64 `json:"mean"`   // null where nothing was answered
	Count []int    `json:"counts"` // how often each point was given, by scale
	Drift []Step   `json:"drift"`
}

// A Step is the mean of successive answers of one annotator.
type Step struct {
	From int     `json:"from"` // the first of them, counted from 1
	To   int     `json:"to"`
	Mean float64 `json:"mean"`
	Rest bool    `json:"after_break"` // a break was taken within them
}

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

// A Self is how an annotator's answers to hidden duplicates match the first ones.
type Self struct {
	Field  string `json:"field"`
	N      int    `json:"n"` // answers given twice
	Exact  Number `json:"exact"`
	Within Number `json:"within_one_point"`
	Kappa  Figure `json:"kappa"`
}

func (s *study) annotators() ([]Annotator, error) {
	habits := s.habits()
	found := []Annotator{}
	for _, name := range s.names() {
		a := Annotator{Name: name, Labels: len(s.of[name]), Pace: s.pace(name), Habits: habits[name]}
		for _, q := range s.fields {
			standing, err := s.standing(name, q)
			if err != nil {
				return nil, err
			}
			a.Fields = append(a.Fields, standing)
		}
		var err error
		if a.Self, err = s.self(name); err != nil {
			return nil, err
		}
		found = append(found, a)
	}
	return found, nil
}

// pace is the median active time, in seconds; 0 where none was measured.
func (s *study) pace(name string) float64 {
	var ms []int64
	for _, l := range s.of[name] {
		if s.work[l].ActiveMS > 0 {
			ms = append(ms, s.work[l].ActiveMS)
		}
	}
	if len(ms) == 0 {
		return 0
	}
	slices.Sort(ms)
	return float64(ms[len(ms)/2]) / 1000
}

func (s *study) standing(name string, q question) (Standing, error) {
	st := Standing{Field: q.Key, Count: make([]int, len(q.scale))}
	sum, n := 0.0, 0
	for _, l := range s.of[name] {
		if v, ok := s.work[l].Values[q.Key]; ok {
			place, _ := q.scale.Index(v)
			st.Count[place]++
			sum, n = sum+float64(v), n+1
		}
	}
	if n > 0 {
		mean := sum / float64(n)
		st.Mean = &mean
	}
	st.Drift = s.drift(name, q.Key)
	e, err := s.withOthers(name, q)
	st.Kappa = e
	return st, err
}

// mostSteps is how many stretches of answers a picture of drift has.
const mostSteps = 20

// drift returns the means of successive answers, five or more together.
func (s *study) drift(name, field string) []Step {
	var given []Label
	for _, l := range s.of[name] {
		if _, ok := s.work[l].Values[field]; ok {
			given = append(given, s.work[l])
		}
	}
	n := min(mostSteps, len(given)/5)
	steps := []Step{}
	for i := range n {
		from, to := i*len(given)/n, (i+1)*len(given)/n
		step := Step{From: from + 1, To: to}
		for j, l := range given[from:to] {
			step.Mean += float64(l.Values[field]) / float64(to-from)
			step.Rest = step.Rest || from+j > 0 && l.SinceBreak == 0
		}
		steps = append(steps, step)
	}
	return steps
}

// withOthers is Cohen's linear-weighted κ of one annotator's answers against
// every answer that another gave to the same item, items drawn whole.
func (s *study) withOthers(name string, q question) (Figure, error) {
	var m meeting
	for _, l := range s.of[name] {
		own, ok := s.work[l].Values[q.Key]
		if !ok {
			continue
		}
		for _, o := range s.on[s.work[l].ItemID] {
			if other, ok := s.work[o].Values[q.Key]; ok && s.work[o].Annotator != name {
				m.add(s.items[s.work[l].ItemID], s.clustered, own, other)
			}
		}
	}
	f, err := m.kappa(q.scale, s.o, stats.Linear)
	if m.pairs == 0 {
		f.Undefined = "nobody else has judged the same items: there is nothing to compare"
		f.Covers = f.Undefined
	}
	return f, err
}

// A meeting is answers of one side against answers of another to the same items.
type meeting struct {
	ratings []stats.Rating
	pairs   int
	items   map[string]bool
}

func (m *meeting) add(item *Item, clustered bool, one, other int) {
	if m.items == nil {
		m.items = map[string]bool{}
	}
	m.items[item.Source] = true
	cluster := item.Source
	if clustered && item.Record != "" {
		cluster = item.Record
	}
	name := strconv.Itoa(m.pairs)
	m.pairs++
	m.ratings = append(m.ratings,
		stats.Rating{Item: name, Annotator: "one", Value: one, Cluster: cluster},
		stats.Rating{Item: name, Annotator: "other", Value: other, Cluster: cluster})
}

// kappa is Cohen's κ between the two sides.
func (m *meeting) kappa(scale stats.Scale, o stats.Options, w stats.Weighting) (Figure, error) {
	t, err := stats.NewTable(scale, m.ratings)
	if err != nil {
		return Figure{}, err
	}
	f := figureOf(stats.Estimates(t, o, stats.LightKappa(w))[0])
	f.Items = len(m.items)
	return f, nil
}

// self judges the hidden duplicates of an annotator against the first answers.
func (s *study) self(name string) ([]Self, error) {
	first := map[int64]Label{}
	for _, l := range s.of[name] {
		first[s.work[l].ItemID] = s.work[l]
	}
	found := []Self{}
	for _, q := range s.fields {
		var repeats []stats.Repeat
		for _, l := range s.Labels {
			was, known := first[l.ItemID]
			if l.Kind != Duplicate || l.Annotator != name || !known {
				continue
			}
			again, ok := l.Values[q.Key]
			before, asked := was.Values[q.Key]
			if ok && asked {
				repeats = append(repeats, stats.Repeat{Item: s.items[l.ItemID].Source, First: before, Again: again})
			}
		}
		if len(repeats) == 0 {
			continue
		}
		a, err := stats.SelfAgreementOf(q.scale, repeats, s.o)
		if err != nil {
			return nil, err
		}
		found = append(found, Self{q.Key, a.N, shareOf(a.Exact), shareOf(a.Within), figureOf(a.Kappa)})
	}
	return found, nil
}

// habits judges everybody's work, by annotator.
func (s *study) habits() map[string][]Habit {
	asked := make([]stats.Asked, len(s.fields))
	for i, q := range s.fields {
		asked[i] = stats.Asked{Key: q.Key, Scale: q.scale, Unsafe: unsafe(q)}
	}
	var labels []stats.Label
	for _, name := range s.names() {
		for position, l := range s.of[name] {
			labels = append(labels, s.habitLabel(s.work[l], position+1))
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

func (s *study) habitLabel(l Label, position int) stats.Label {
	item := s.items[l.ItemID]
	h := stats.Label{Item: item.Source, Annotator: l.Annotator, Position: position, SinceBreak: l.SinceBreak,
		Seconds: float64(l.ActiveMS) / 1000, Length: float64(item.Length), Answers: make([]int, len(s.fields))}
	for i, q := range s.fields {
		h.Answers[i] = stats.Absent
		if v, ok := l.Values[q.Key]; ok {
			h.Answers[i] = v
		}
	}
	return h
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
