package stats

import (
	"cmp"
	"maps"
	"slices"
)

// A crew is the labels of everybody, and how far each lies from the others'.
type crew struct {
	fields []Asked
	labels []Label
	people []string
	of     map[string][]int // annotator → labels, by position
	on     map[string][]int // item → labels
	off    [][]float64      // label → field → distance from the others, as a share of the scale
}

func newCrew(fields []Asked, labels []Label) *crew {
	c := &crew{fields: fields, labels: labels, of: map[string][]int{}, on: map[string][]int{}, off: make([][]float64, len(labels))}
	for i, l := range labels {
		c.of[l.Annotator] = append(c.of[l.Annotator], i)
		c.on[l.Item] = append(c.on[l.Item], i)
		c.off[i] = make([]float64, len(fields))
	}
	c.people = slices.Sorted(maps.Keys(c.of))
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
	adds := map[string]float64{}
	for range 20 {
		next := map[string]float64{}
		for name, own := range c.of {
			sum, n := 0.0, 0.0
			for _, l := range own {
				if v, ok := c.score(l, field); ok {
					if others, ok := c.others(l, field, adds); ok {
						sum, n = sum+v-others, n+1
					}
				}
			}
			if n > 0 {
				next[name] = (sum/n + adds[name]) / 2
			}
		}
		adds = aroundMedian(next)
	}
	typical := c.typical(field)
	for l := range c.labels {
		if v, ok := c.score(l, field); ok {
			others, ok := c.others(l, field, adds)
			if !ok {
				others = typical
			}
			c.off[l][field] = v - others
		}
	}
}

// others is the mean of the others' scores of the same item, less what they add.
func (c *crew) others(label, field int, adds map[string]float64) (float64, bool) {
	sum, n := 0.0, 0.0
	for _, l := range c.on[c.labels[label].Item] {
		if v, ok := c.score(l, field); ok && c.labels[l].Annotator != c.labels[label].Annotator {
			sum, n = sum+v-adds[c.labels[l].Annotator], n+1
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

func aroundMedian(values map[string]float64) map[string]float64 {
	if len(values) == 0 {
		return values
	}
	middle := quantile(slices.Sorted(maps.Values(values)), 0.5)
	for name := range values {
		values[name] -= middle
	}
	return values
}

// distance is how far a label lies from the others', averaged over its fields.
func (c *crew) distance(label int) (float64, bool) {
	sum, n := 0.0, 0.0
	for f := range c.fields {
		if _, ok := c.score(label, f); ok {
			sum, n = sum+c.off[label][f], n+1
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
