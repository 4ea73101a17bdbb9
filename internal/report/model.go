package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Model is what a model judge's answers are worth beside people's. They never
// enter consensus.
type Model struct {
	Name   string       `json:"model"`
	Items  int          `json:"items"` // it judged
	Fields []ModelField `json:"fields"`
}

// A ModelField compares a model with people on one field.
type ModelField struct {
	Field       string      `json:"field"`
	Shared      int         `json:"shared"`      // items that people judged too
	HumanHuman  Figure      `json:"human_human"` // linear-weighted κ of every two people's answers to the same item, among these
	HumanModel  Figure      `json:"human_model"` // linear-weighted κ of every person's answer against the model's
	Bias        []Bias      `json:"bias"`
	BlandAltman BlandAltman `json:"bland_altman"`
}

// A Bias is how far the model lies from people where they settled on a point.
type Bias struct {
	Point int `json:"point"`
	N     int `json:"n"`
	Number
}

// A BlandAltman is how the model's score differs from the mean of people's.
type BlandAltman struct {
	N         int           `json:"n"`
	Undefined string        `json:"undefined"`
	Bias      Number        `json:"bias"`
	Low       *float64      `json:"limit_low"` // 95 % of differences are expected between the limits
	High      *float64      `json:"limit_high"`
	Points    []stats.Point `json:"-"`
}

func (s *study) models() ([]Model, error) {
	of := map[string]map[int64]map[string]int{}
	for _, j := range s.Models {
		if s.items[j.ItemID] == nil {
			continue
		}
		if of[j.Model] == nil {
			of[j.Model] = map[int64]map[string]int{}
		}
		of[j.Model][j.ItemID] = j.Values
	}
	found := []Model{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		m := Model{Name: name, Items: len(of[name])}
		for _, q := range s.fields {
			f, err := s.modelField(q, of[name])
			if err != nil {
				return nil, err
			}
			m.Fields = append(m.Fields, f)
		}
		found = append(found, m)
	}
	return found, nil
}

// A compared item has the model's answer and at least one person's.
type compared struct {
	item  *Item
	model int
	human []int
}

func (s *study) compared(q question, answers map[int64]map[string]int) []compared {
	var found []compared
	for id, values := range answers {
		v, ok := values[q.Key]
		if !ok {
			continue
		}
		c := compared{item: s.items[id], model: v}
		for _, l := range s.on[id] {
			if h, ok := s.work[l].Values[q.Key]; ok {
				c.human = append(c.human, h)
			}
		}
		if len(c.human) > 0 {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b compared) int { return cmp.Compare(a.item.ID, b.item.ID) })
	return found
}

func (s *study) modelField(q question, answers map[int64]map[string]int) (ModelField, error) {
	items := s.compared(q, answers)
	f := ModelField{Field: q.Key, Shared: len(items), Bias: s.bias(q, items), BlandAltman: blandAltman(items)}
	var humans, models meeting
	for _, c := range items {
		for i, h := range c.human {
			models.add(c.item, s.clustered, h, c.model)
			for j, other := range c.human {
				if i != j { // both ways around: no person is the first
					humans.add(c.item, s.clustered, h, other)
				}
			}
		}
	}
	var err error
	if f.HumanHuman, err = humans.kappa(q.scale, s.o, stats.Linear); err != nil {
		return f, err
	}
	f.HumanModel, err = models.kappa(q.scale, s.o, stats.Linear)
	return f, err
}

// bias returns, for each point that people settled on, the mean of model − point.
func (s *study) bias(q question, items []compared) []Bias {
	found := []Bias{}
	for _, point := range q.scale {
		var people, model []float64
		for _, c := range items {
			if v, ok := s.settled[c.item.ID][q.Key]; ok && v == point {
				people, model = append(people, float64(point)), append(model, float64(c.model))
			}
		}
		b := Bias{Point: point, N: len(model)}
		if b.N == 0 {
			b.Number = numberOf(0, "people settled on this point nowhere", stats.Interval{})
		} else {
			b.Number = leanOf(people, model)
		}
		found = append(found, b)
	}
	return found
}

func blandAltman(items []compared) BlandAltman {
	var people, model []float64
	for _, c := range items {
		sum := 0.0
		for _, h := range c.human {
			sum += float64(h)
		}
		people, model = append(people, sum/float64(len(c.human))), append(model, float64(c.model))
	}
	b := stats.BlandAltmanOf(people, model)
	made := BlandAltman{N: b.N, Undefined: b.Undefined, Points: b.Points, Bias: numberOf(0, b.Undefined, b.OfBias)}
	if b.Undefined == "" {
		made.Bias = leanOf(people, model)
		made.Low, made.High = &b.Low, &b.High
	}
	return made
}
