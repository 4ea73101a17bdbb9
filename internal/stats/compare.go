package stats

// A Contrast is the mean under a second condition less that under a first.
type Contrast struct {
	First, Second   float64 // the means
	NFirst, NSecond int
	Difference      float64
	Undefined       string
	Interval        Interval
}

// ContrastOf compares the values under two conditions. cluster names what values
// share, such as the query that both systems answered: then it is drawn whole, so
// that the comparison is within it. nil: every value stands alone.
func ContrastOf(values []float64, second []bool, cluster []string, o Options) Contrast {
	var c Contrast
	for i, v := range values {
		if second[i] {
			c.Second, c.NSecond = c.Second+v, c.NSecond+1
		} else {
			c.First, c.NFirst = c.First+v, c.NFirst+1
		}
	}
	if c.NFirst == 0 || c.NSecond == 0 {
		c.Undefined = "only one of the two conditions has values"
		c.Interval.Undefined = c.Undefined
		return c
	}
	c.First, c.Second = c.First/float64(c.NFirst), c.Second/float64(c.NSecond)
	c.Difference = c.Second - c.First
	c.Interval = IntervalOf(len(values), cluster, "items", o, func(times []float64) (float64, bool) {
		return difference(values, second, times)
	})
	return c
}

func difference(values []float64, second []bool, times []float64) (float64, bool) {
	var sum, n [2]float64
	for i, v := range values {
		at := int(one(second[i]))
		sum[at], n[at] = sum[at]+times[i]*v, n[at]+times[i]
	}
	if n[0] == 0 || n[1] == 0 {
		return 0, false
	}
	return sum[1]/n[1] - sum[0]/n[0], true
}
