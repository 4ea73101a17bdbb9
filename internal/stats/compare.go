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
	c.Interval = meanInterval(values, second, cluster, "items", o)
	return c
}
