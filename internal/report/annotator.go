package report

import "slices"

// An Annotator is what one person's labels say.
type Annotator struct {
	Name   string     `json:"annotator"` // the pseudonym
	Labels int        `json:"labels"`
	Pace   float64    `json:"pace_seconds"` // the median active time of an item
	Fields []Standing `json:"fields"`
	Habits []Habit    `json:"habits"`
	Self   []Self     `json:"self_consistency"`
	Lean   []Lean     `json:"calibration_lean"` // empty where there was no calibration
}

// A Standing is one annotator's answers to one field, beside the others'.
type Standing struct {
	Field string   `json:"field"`
	Kappa Figure   `json:"kappa_with_others"`
	Mean  *float64 `json:"mean"`   // null where nothing was answered
	Count []int    `json:"counts"` // how often each point was given, by scale
	Drift []Step   `json:"drift"`

	Decided Decided `json:"beside_decisions"`
}

// A Step is the mean of successive answers of one annotator.
type Step struct {
	From int     `json:"from"` // the first of them, counted from 1
	To   int     `json:"to"`
	Mean float64 `json:"mean"`
	Rest bool    `json:"after_break"` // a break was taken within them
}

func (s *study) annotators() ([]Annotator, error) {
	s.tell("habits")
	habits := s.habits()
	found := []Annotator{}
	for _, name := range s.people() {
		s.tell("what " + name + "'s labels say")
		a := Annotator{Name: name, Labels: len(s.of[name]), Pace: s.pace(name), Habits: habits[name], Lean: s.lean(name)}
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
	st.Decided = s.decidedOn(name, q)
	e, err := s.withOthers(name, q)
	st.Kappa = e
	return st, err
}

// mostSteps is how many stretches of answers a picture of drift has.
const mostSteps = 20

// drift returns the means of successive answers, five or more together.
func (s *study) drift(name, field string) []Step {
	var given []*Label
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
