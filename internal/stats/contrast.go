package stats

// A Contrast compares the means under two conditions.
type Contrast struct {
	FirstMean, SecondMean   float64
	FirstCount, SecondCount int
	Difference              float64 // second − first
	Undefined               Reason
	Interval                Interval
}

// CompareConditions compares the values under two conditions. clusterOf names the cluster
// of each value, such as the query that both systems answered. Clusters are resampled
// whole, so values are compared within them; nil: no clusters.
func CompareConditions(values []float64, isSecond []bool, clusterOf []string, o IntervalOptions) Contrast {
	var c Contrast
	for i, v := range values {
		if isSecond[i] {
			c.SecondMean, c.SecondCount = c.SecondMean+v, c.SecondCount+1
		} else {
			c.FirstMean, c.FirstCount = c.FirstMean+v, c.FirstCount+1
		}
	}
	if c.FirstCount == 0 || c.SecondCount == 0 {
		c.Undefined = Reason{Code: SingleCondition}
		c.Interval.Undefined = c.Undefined
		return c
	}
	c.FirstMean, c.SecondMean = c.FirstMean/float64(c.FirstCount), c.SecondMean/float64(c.SecondCount)
	c.Difference = c.SecondMean - c.FirstMean
	c.Interval = bootstrapMean(values, isSecond, clusterOf, "items", o)
	return c
}
