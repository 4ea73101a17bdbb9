package stats

import "math"

// The habits of spread: how much of the scale an annotator uses, and how far the
// fields go together.

// measureSpread is the standard deviation of the scores within a field, over all
// fields with three points or more.
func measureSpread(c *crew, own []int, o Options) reading {
	fields := c.fieldsWith(func(s Scale) bool { return len(s) > 2 })
	if len(fields) == 0 {
		return reading{why: "no field has more than two answers"}
	}
	columns := make([][]float64, len(fields))
	for i, f := range fields {
		columns[i] = c.column(own, f)
	}
	return ofItems(len(own), o, func(times []float64) (float64, bool) {
		squares, n := 0.0, 0.0
		for _, values := range columns {
			if v, ok := variance(values, times); ok {
				squares, n = squares+v, n+1
			}
		}
		return math.Sqrt(squares / max(n, 1)), n > 0
	})
}

// measureMiddle is the share of answers in the middle of a scale that has one.
func measureMiddle(c *crew, own []int, _ Options) reading {
	fields := c.fieldsWith(func(s Scale) bool { return len(s) > 2 && len(s)%2 == 1 })
	if len(fields) == 0 {
		return reading{why: "no scale has a middle"}
	}
	var parts []Part
	for _, l := range own {
		p := Part{}
		for _, f := range fields {
			if _, ok := c.score(l, f); ok {
				p.N++
				if s := c.fields[f].Scale; c.labels[l].Answers[f] == s[len(s)/2] {
					p.Hits++
				}
			}
		}
		parts = append(parts, p)
	}
	share := ShareOfParts(parts)
	return reading{value: share.Value(), interval: share.Interval, n: len(parts)}
}

// measureHalo is the mean correlation between two fields over the items.
func measureHalo(c *crew, own []int, o Options) reading {
	if len(c.fields) < 2 {
		return reading{why: "there is a single field"}
	}
	columns := make([][]float64, len(c.fields))
	for f := range c.fields {
		columns[f] = c.column(own, f)
	}
	return ofItems(len(own), o, func(times []float64) (float64, bool) {
		sum, n := 0.0, 0.0
		for f, x := range columns {
			for _, y := range columns[f+1:] {
				if r, ok := correlation(x, y, times); ok {
					sum, n = sum+r, n+1
				}
			}
		}
		return sum / max(n, 1), n > 0
	})
}

func (c *crew) fieldsWith(wanted func(Scale) bool) []int {
	var found []int
	for f, asked := range c.fields {
		if wanted(asked.Scale) {
			found = append(found, f)
		}
	}
	return found
}

// column returns the scores of one field; missing ones are −1, which no score is.
func (c *crew) column(own []int, field int) []float64 {
	values := make([]float64, len(own))
	for i, l := range own {
		v, ok := c.score(l, field)
		if values[i] = v; !ok {
			values[i] = missing
		}
	}
	return values
}

const missing = -1.0

// variance of the values that are there, each counted times.
func variance(values, times []float64) (float64, bool) {
	sum, squares, n := 0.0, 0.0, 0.0
	for i, v := range values {
		if v != missing {
			sum, squares, n = sum+times[i]*v, squares+times[i]*v*v, n+times[i]
		}
	}
	if n < 2 {
		return 0, false
	}
	return max(0, squares/n-sum*sum/(n*n)), true
}

// correlation is Pearson's, over the pairs that are both there; false where one
// of the two does not vary.
func correlation(x, y, times []float64) (float64, bool) {
	var sx, sy, sxx, syy, sxy, n float64
	for i := range x {
		if t := times[i]; x[i] != missing && y[i] != missing {
			sx, sy, n = sx+t*x[i], sy+t*y[i], n+t
			sxx, syy, sxy = sxx+t*x[i]*x[i], syy+t*y[i]*y[i], sxy+t*x[i]*y[i]
		}
	}
	vx, vy := sxx-sx*sx/max(n, 1), syy-sy*sy/max(n, 1)
	if n < 2 || vx < tiny || vy < tiny {
		return 0, false
	}
	return (sxy - sx*sy/n) / math.Sqrt(vx*vy), true
}
