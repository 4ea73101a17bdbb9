package ratereffect

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// Effects on the spread of scores, and on the correlation of fields.

// measureCompression returns the standard deviation of the scores within a field, over
// all fields with at least three points.
func measureCompression(c *labelSet, own []int32) measurement {
	fields := c.filterFields(func(s stats.NumericScale) bool { return len(s) > 2 })
	if len(fields) == 0 {
		return measurement{undefined: TwoPointScales}
	}
	columns := make([][]float64, len(fields))
	for i, f := range fields {
		columns[i] = c.fieldScores(own, f)
	}
	columns, sumWeights := c.joinEqual(own, columns)
	return measurementFromItems(len(own), func(weights []float64) (float64, bool) {
		squares, n, weights := 0.0, 0.0, sumWeights(weights)
		for _, values := range columns {
			if v, ok := weightedVariance(values, weights); ok {
				squares, n = squares+v, n+1
			}
		}
		return math.Sqrt(squares / max(n, 1)), n > 0
	})
}

// measureCentralTendency returns the share of middle answers on scales with a middle point.
func measureCentralTendency(c *labelSet, own []int32) measurement {
	fields := c.filterFields(func(s stats.NumericScale) bool { return len(s) > 2 && len(s)%2 == 1 })
	if len(fields) == 0 {
		return measurement{undefined: NoMiddlePoint}
	}
	var clusters []stats.ClusterHits
	for _, l := range own {
		hits := stats.ClusterHits{}
		for _, f := range fields {
			if _, ok := c.score(l, f); ok {
				hits.Total++
				if s := c.fields[f].Scale; c.answer(l, f) == s[len(s)/2] {
					hits.Hits++
				}
			}
		}
		clusters = append(clusters, hits)
	}
	share := stats.NewClusteredProportion(clusters)
	return measurement{value: share.Value(), interval: share.Interval, itemCount: len(clusters)}
}

// measureHalo returns the mean correlation of two fields over the items.
func measureHalo(c *labelSet, own []int32) measurement {
	if len(c.fields) < 2 {
		return measurement{undefined: SingleField}
	}
	columns := make([][]float64, len(c.fields))
	for f := range c.fields {
		columns[f] = c.fieldScores(own, f)
	}
	columns, sumWeights := c.joinEqual(own, columns)
	return measurementFromItems(len(own), func(weights []float64) (float64, bool) {
		sum, n, weights := 0.0, 0.0, sumWeights(weights)
		for f, x := range columns {
			for _, y := range columns[f+1:] {
				if r, ok := weightedCorrelation(x, y, weights); ok {
					sum, n = sum+r, n+1
				}
			}
		}
		return sum / max(n, 1), n > 0
	})
}

// minJoinedItems is the number of items from which those with equal answers are added up before
// a figure is computed. With fewer it is not worth it.
const minJoinedItems = 10_000

// joinEqual returns the columns with one row for all labels with equal answers, and the function
// that gives the weights of these rows.
func (c *labelSet) joinEqual(own []int32, columns [][]float64) (joined [][]float64, sumWeights func([]float64) []float64) {
	if len(own) < minJoinedItems {
		return columns, func(weights []float64) []float64 { return weights }
	}
	rowOf, rows, key := make([]int32, len(own)), map[string]int32{}, make([]byte, len(c.Points))
	joined = make([][]float64, len(columns))
	for i, l := range own {
		for f, points := range c.Points {
			key[f] = points[l]
		}
		row, known := rows[string(key)]
		if !known {
			row = int32(len(rows))
			rows[string(key)] = row
			for j, column := range columns {
				joined[j] = append(joined[j], column[i])
			}
		}
		rowOf[i] = row
	}
	return joined, func(weights []float64) []float64 {
		sums := make([]float64, len(rows))
		for i, w := range weights {
			sums[rowOf[i]] += w
		}
		return sums
	}
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

// fieldScores returns the scores of one field, some of them missingScore.
func (c *labelSet) fieldScores(own []int32, field int) []float64 {
	values := make([]float64, len(own))
	for i, l := range own {
		v, ok := c.score(l, field)
		if values[i] = v; !ok {
			values[i] = missingScore
		}
	}
	return values
}

// missingScore marks a missing score; scores are from 0 to 1.
const missingScore = -1.0

// weightedVariance returns the variance of the values that are not missing.
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

// weightedCorrelation returns Pearson's correlation over the pairs without a missing value;
// false if one side does not vary.
func weightedCorrelation(x, y, weights []float64) (float64, bool) {
	var sx, sy, sxx, syy, sxy, n float64
	for i := range x {
		if w := weights[i]; x[i] != missingScore && y[i] != missingScore {
			sx, sy, n = sx+w*x[i], sy+w*y[i], n+w
			sxx, syy, sxy = sxx+w*x[i]*x[i], syy+w*y[i]*y[i], sxy+w*x[i]*y[i]
		}
	}
	vx, vy := sxx-sx*sx/max(n, 1), syy-sy*sy/max(n, 1)
	if n < 2 || vx < epsilon || vy < epsilon {
		return 0, false
	}
	return (sxy - sx*sy/n) / math.Sqrt(vx*vy), true
}
