package stats

import (
	"cmp"
	"math"
	"slices"
)

// A crew is the labels of everybody, and how far each lies from the others'.
type crew struct {
	fields []Asked
	labels []Label
	people []string
	of     [][]int   // person → labels, by position
	who    []int32   // label → person
	item   []int32   // label → item
	on     [][]int32 // item → labels
	off    []float64 // label × field → distance from the others, as a share of the scale
}

func newCrew(fields []Asked, labels []Label) *crew {
	c := &crew{fields: fields, labels: labels, who: make([]int32, len(labels)), item: make([]int32, len(labels)),
		off: make([]float64, len(labels)*len(fields))}
	people, items := index{of: map[string]int32{}}, index{of: map[string]int32{}}
	for i, l := range labels {
		c.who[i], c.item[i] = people.number(l.Annotator), items.number(l.Item)
	}
	place := people.inOrder()
	c.people = people.names
	c.of, c.on = make([][]int, len(c.people)), make([][]int32, len(items.names))
	for i := range labels {
		c.who[i] = place[c.who[i]]
		c.of[c.who[i]] = append(c.of[c.who[i]], i)
		c.on[c.item[i]] = append(c.on[c.item[i]], int32(i))
	}
	for _, own := range c.of {
		slices.SortStableFunc(own, func(a, b int) int { return cmp.Compare(labels[a].Position, labels[b].Position) })
	}
	for f := range fields {
		c.fit(f)
	}
	return c
}

// score returns an answer as a share of its scale; false where it is absent.
func (c *crew) score(label, field int) (float64, bool) {
	answers, scale := c.labels[label].Answers, c.fields[field].Scale
	if field >= len(answers) || answers[field] == Absent || scale.Span() == 0 {
		return 0, false
	}
	return float64(answers[field]-scale[0]) / float64(scale.Span()), true
}

// fit finds what each annotator adds to an item (two-way additive model, by
// alternating means), the median annotator adding nothing, and keeps how far each
// answer lies from what the others made of the item. One lenient annotator thus
// does not make the others look strict.
func (c *crew) fit(field int) {
	adds, scores := make([]float64, len(c.people)), make([]float64, len(c.labels))
	for l := range scores {
		scores[l] = missing
		if v, ok := c.score(l, field); ok {
			scores[l] = v
		}
	}
	for range 20 {
		next := make([]float64, len(c.people))
		for g, own := range c.of {
			sum, n := 0.0, 0.0
			for _, l := range own {
				if others, ok := c.others(l, scores, adds); ok && scores[l] != missing {
					sum, n = sum+scores[l]-others, n+1
				}
			}
			next[g] = math.NaN()
			if n > 0 {
				next[g] = (sum/n + adds[g]) / 2
			}
		}
		adds = aroundMedian(next)
	}
	typical := c.typical(field)
	for l, v := range scores {
		if v == missing {
			continue
		}
		others, ok := c.others(l, scores, adds)
		if !ok {
			others = typical
		}
		c.off[l*len(c.fields)+field] = v - others
	}
}

// others is the mean of the others' scores of the same item, less what they add.
func (c *crew) others(label int, scores, adds []float64) (float64, bool) {
	sum, n := 0.0, 0.0
	for _, l := range c.on[c.item[label]] {
		if c.who[l] != c.who[label] && scores[l] != missing {
			sum, n = sum+scores[l]-adds[c.who[l]], n+1
		}
	}
	return sum / max(n, 1), n > 0
}

// typical is the mean score of the field.
func (c *crew) typical(field int) float64 {
	sum, n := 0.0, 0.0
	for l := range c.labels {
		if v, ok := c.score(l, field); ok {
			sum, n = sum+v, n+1
		}
	}
	return sum / max(n, 1)
}

// aroundMedian takes the median of what people add from each. Who has nothing to
// be told by adds nothing.
func aroundMedian(values []float64) []float64 {
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(known) == 0 {
		return make([]float64, len(values))
	}
	slices.Sort(known)
	middle := quantile(known, 0.5)
	for g, v := range values {
		if values[g] = v - middle; math.IsNaN(v) {
			values[g] = 0
		}
	}
	return values
}

// distance is how far a label lies from the others', averaged over its fields.
func (c *crew) distance(label int) (float64, bool) {
	sum, n := 0.0, 0.0
	for f := range c.fields {
		if _, ok := c.score(label, f); ok {
			sum, n = sum+c.off[label*len(c.fields)+f], n+1
		}
	}
	return sum / max(n, 1), n > 0
}

// distances returns the labels that have one, and theirs.
func (c *crew) distances(own []int) (labels []int, off []float64) {
	for _, l := range own {
		if d, ok := c.distance(l); ok {
			labels, off = append(labels, l), append(off, d)
		}
	}
	return labels, off
}
