package ratereffect

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// The habits of spread: how much of the scale an annotator uses, and how far the
// fields go together.

// measureCompression is the standard deviation of the scores within a field, over all
// fields with three points or more.
func measureCompression(c *labelSet, own []int, o stats.IntervalOptions) measurement {
	fields := c.filterFields(func(s stats.NumericScale) bool { return len(s) > 2 })
	if len(fields) == 0 {
		return measurement{undefined: "no field has more than two answers"}
	}
	columns := make([][]float64, len(fields))
	for i, f := range fields {
		columns[i] = c.fieldScores(own, f)
	}
	return measurementFromItems(len(own), o, func(times []float64) (float64, bool) {
		squares, n := 0.0, 0.0
		for _, values := range columns {
			if v, ok := weightedVariance(values, times); ok {
				squares, n = squares+v, n+1
			}
		}
		return math.Sqrt(squares / max(n, 1)), n > 0
	})
}

// measureCentralTendency is the share of answers in the middle of a scale that has one.
func measureCentralTendency(c *labelSet, own []int, _ stats.IntervalOptions) measurement {
	fields := c.filterFields(func(s stats.NumericScale) bool { return len(s) > 2 && len(s)%2 == 1 })
	if len(fields) == 0 {
		return measurement{undefined: "no scale has a middle"}
	}
	var clusters []stats.ClusterHits
	for _, l := range own {
		hits := stats.ClusterHits{}
		for _, f := range fields {
			if _, ok := c.score(l, f); ok {
				hits.Total++
				if s := c.fields[f].Scale; c.labels[l].Answers[f] == s[len(s)/2] {
					hits.Hits++
				}
			}
		}
		clusters = append(clusters, hits)
	}
	share := stats.NewClusteredProportion(clusters)
	return measurement{value: share.Value(), interval: share.Interval, itemCount: len(clusters)}
}

// measureHalo is the mean correlation between two fields over the items.
func measureHalo(c *labelSet, own []int, o stats.IntervalOptions) measurement {
	if len(c.fields) < 2 {
		return measurement{undefined: "there is a single field"}
	}
	columns := make([][]float64, len(c.fields))
	for f := range c.fields {
		columns[f] = c.fieldScores(own, f)
	}
	return measurementFromItems(len(own), o, func(times []float64) (float64, bool) {
		sum, n := 0.0, 0.0
		for f, x := range columns {
			for _, y := range columns[f+1:] {
				if r, ok := weightedCorrelation(x, y, times); ok {
					sum, n = sum+r, n+1
				}
			}
		}
		return sum / max(n, 1), n > 0
	})
}

func (c *labelSet) filterFields(wanted func(stats.NumericScale) bool) []int {
	var found []int
	for f, field := range c.fields {
		if wanted(field.Scale) {
			found = append(found, f)
		}
	}
	return found
}

// fieldScores returns the scores of one field; missing ones are −1, which no score is.
func (c *labelSet) fieldScores(own []int, field int) []float64 {
	values := make([]float64, len(own))
	for i, l := range own {
		v, ok := c.score(l, field)
		if values[i] = v; !ok {
			values[i] = missingScore
		}
	}
	return values
}

const missingScore = -1.0

// weightedVariance of the values that are there, each counted times.
func weightedVariance(values, weights []float64) (float64, bool) {
	sum, squares, n := 0.0, 0.0, 0.0
	for i, v := range values {
		if v != missingScore {
			sum, squares, n = sum+weights[i]*v, squares+weights[i]*v*v, n+weights[i]
		}
	}
	if n < 2 {
		return 0, false
	}
	return max(0, squares/n-sum*sum/(n*n)), true
}

// weightedCorrelation is Pearson's, over the pairs that are both there; false where one
// of the two does not vary.
func weightedCorrelation(x, y, weights []float64) (float64, bool) {
	var sx, sy, sxx, syy, sxy, n float64
	for i := range x {
		if t := weights[i]; x[i] != missingScore && y[i] != missingScore {
			sx, sy, n = sx+t*x[i], sy+t*y[i], n+t
			sxx, syy, sxy = sxx+t*x[i]*x[i], syy+t*y[i]*y[i], sxy+t*x[i]*y[i]
		}
	}
	vx, vy := sxx-sx*sx/max(n, 1), syy-sy*sy/max(n, 1)
	if n < 2 || vx < epsilon || vy < epsilon {
		return 0, false
	}
	return (sxy - sx*sy/n) / math.Sqrt(vx*vy), true
}
