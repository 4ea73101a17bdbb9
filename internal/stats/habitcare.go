package stats

import "slices"

// The habits of care: answers given in one stroke, too fast, or past a danger
// that others saw.

// measureStraight is the share of items answered in one stroke: all fields alike,
// where there are three or more of one scale, or exactly as the item before.
func measureStraight(c *crew, own []int, _ Options) reading {
	hits, n := 0, 0
	for i, l := range own {
		if i == 0 {
			continue
		}
		n++
		if c.alike(l) || slices.Equal(c.labels[l].Answers, c.labels[own[i-1]].Answers) {
			hits++
		}
	}
	if len(c.fields) < 3 {
		return reading{why: "it takes three fields to tell"}
	}
	return ofShare(ShareOf(hits, n))
}

// alike says whether all answers of a label stand at the same place of their
// scales, three or more.
func (c *crew) alike(label int) bool {
	first, n := 0.0, 0
	for f := range c.fields {
		v, ok := c.score(label, f)
		if !ok {
			continue
		}
		if n == 0 {
			first = v
		}
		if n++; v != first {
			return false
		}
	}
	return n > 2
}

// measureSpeed is the share of items done in less than a third of the time that
// the others take in the middle.
func measureSpeed(c *crew, own []int, _ Options) reading {
	var others []float64
	for _, l := range c.labels {
		if l.Annotator != c.labels[own[0]].Annotator && l.Seconds > 0 {
			others = append(others, l.Seconds)
		}
	}
	if len(others) == 0 {
		return reading{why: "the others' times are not known"}
	}
	slices.Sort(others)
	limit, hits, n := quantile(others, 0.5)/3, 0, 0
	for _, l := range own {
		if s := c.labels[l].Seconds; s > 0 {
			n++
			if s < limit {
				hits++
			}
		}
	}
	return ofShare(ShareOf(hits, n))
}

// measureSafety is the share of answers that saw no danger where most of the
// others who judged the item did.
func measureSafety(c *crew, own []int, _ Options) reading {
	hits, n, asked := 0, 0, false
	for f, field := range c.fields {
		if len(field.Unsafe) == 0 {
			continue
		}
		asked = true
		for _, l := range own {
			if _, ok := c.score(l, f); !ok || !c.othersSawDanger(l, f) {
				continue
			}
			n++
			if !slices.Contains(field.Unsafe, c.labels[l].Answers[f]) {
				hits++
			}
		}
	}
	if !asked {
		return reading{why: "no field is about safety"}
	}
	return ofShare(ShareOf(hits, n))
}

// othersSawDanger says whether more than half of the others did.
func (c *crew) othersSawDanger(label, field int) bool {
	saw, n := 0, 0
	for _, other := range c.on[c.item[label]] {
		l := int(other)
		if _, ok := c.score(l, field); !ok || c.who[l] == c.who[label] {
			continue
		}
		n++
		if slices.Contains(c.fields[field].Unsafe, c.labels[l].Answers[field]) {
			saw++
		}
	}
	return 2*saw > n
}

func ofShare(s Share) reading {
	return reading{value: s.Value(), interval: s.Interval, n: s.N}
}
