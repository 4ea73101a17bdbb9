package stats

// A Contrast is the mean under a second condition less that under a first.
type Contrast struct {
	FirstMean, SecondMean   float64 // the means
	FirstCount, SecondCount int
	Difference              float64
	Undefined               string
	Interval                Interval
}

// CompareConditions compares the values under two conditions. cluster names what values
// share, such as the query that both systems answered: then it is drawn whole, so
// that the comparison is within it. nil: every value stands alone.
func CompareConditions(values []float64, isSecond []bool, cluster []string, o IntervalOptions) Contrast {
	var c Contrast
	for i, v := range values {
		if isSecond[i] {
			c.SecondMean, c.SecondCount = c.SecondMean+v, c.SecondCount+1
		} else {
			c.FirstMean, c.FirstCount = c.FirstMean+v, c.FirstCount+1
		}
	}
	if c.FirstCount == 0 || c.SecondCount == 0 {
		c.Undefined = "only one of the two conditions has values"
		c.Interval.Undefined = c.Undefined
		return c
	}
	c.FirstMean, c.SecondMean = c.FirstMean/float64(c.FirstCount), c.SecondMean/float64(c.SecondCount)
	c.Difference = c.SecondMean - c.FirstMean
	c.Interval = bootstrapMean(values, isSecond, cluster, "items", o)
	return c
}
