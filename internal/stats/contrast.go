package stats

import (
	"cmp"
	"math"
	"slices"
)

// A Contrast compares the means under two conditions.
type Contrast struct {
	FirstMean, SecondMean   float64
	FirstCount, SecondCount int
	Difference              float64 // second − first
	Undefined               Reason
	Interval                Interval
	PValue                  float64 // of no difference, two-sided; NaN if there is none
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
		if c.Undefined = (Reason{Code: SingleCondition}); len(values) == 0 {
			c.Undefined = Reason{Code: NoAnswers}
		}
		c.Interval.Undefined, c.PValue = c.Undefined, math.NaN()
		return c
	}
	c.FirstMean, c.SecondMean = c.FirstMean/float64(c.FirstCount), c.SecondMean/float64(c.SecondCount)
	c.Difference = c.SecondMean - c.FirstMean
	c.Interval = bootstrapMean(values, isSecond, clusterOf, "items", o)
	c.PValue = c.computePValue(values, isSecond, clusterOf)
	return c
}

// computePValue tests the difference by Student's t. The error is that of the sums of deviations
// in clusters (Liang & Zeger 1986, Biometrika 73), each side corrected for its number of clusters;
// without clusters this is Welch's test. The degrees of freedom are Welch's (1947, Biometrika 34),
// at most the number of clusters − 1.
func (c Contrast) computePValue(values []float64, isSecond []bool, clusterOf []string) float64 {
	clusters, count := make([]int32, len(values)), len(values)
	if clusterOf != nil {
		clusters, count = numberNames(clusterOf)
	} else {
		for i := range clusters {
			clusters[i] = int32(i)
		}
	}
	var sides [2][]float64 // sums of deviations by cluster, divided by the number of values
	var seen [2][]bool
	for side := range sides {
		sides[side], seen[side] = make([]float64, count), make([]bool, count)
	}
	means, counts := [2]float64{c.FirstMean, c.SecondMean}, [2]float64{float64(c.FirstCount), float64(c.SecondCount)}
	for i, v := range values {
		side := int(boolToFloat(isSecond[i]))
		sides[side][clusters[i]] += (v - means[side]) / counts[side]
		seen[side][clusters[i]] = true
	}
	return testDifference(c.Difference, sides, [2]float64{countTrue(seen[0]), countTrue(seen[1])})
}

// testDifference returns the p-value of a difference from the deviations and numbers of clusters
// of both sides.
func testDifference(difference float64, sides [2][]float64, clusters [2]float64) float64 {
	total, degrees := 0.0, 0.0
	var variances, factors [2]float64
	for side := range sides {
		factors[side] = math.Sqrt(clusters[side] / (clusters[side] - 1))
	}
	for cluster := range sides[0] {
		first, second := factors[0]*sides[0][cluster], factors[1]*sides[1][cluster]
		total += (second - first) * (second - first)
		variances[0], variances[1] = variances[0]+first*first, variances[1]+second*second
	}
	for side, v := range variances {
		degrees += v * v / (clusters[side] - 1)
	}
	degrees = min((variances[0]+variances[1])*(variances[0]+variances[1])/degrees, float64(len(sides[0])-1))
	return twoSidedP(difference, total, degrees)
}

// twoSidedP returns the p-value of an estimate; NaN without an estimate of its variance.
func twoSidedP(estimate, variance, degrees float64) float64 {
	if !(variance > epsilon*epsilon) || !(degrees > 0) {
		return math.NaN()
	}
	return 2 * StudentCDF(-math.Abs(estimate)/math.Sqrt(variance), degrees)
}

func countTrue(values []bool) (n float64) {
	for _, v := range values {
		n += boolToFloat(v)
	}
	return n
}

// MeanPValue returns the two-sided p-value of a mean of 0 by Student's t. Sums of clusters vary
// together; clusterOf is that of CompareConditions. NaN without variation.
func MeanPValue(values []float64, clusterOf []string) float64 {
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	sums := make([]float64, len(values))
	for i, v := range values {
		sums[i] = (v - mean) / float64(len(values))
	}
	if clusterOf != nil {
		numbers, count := numberNames(clusterOf)
		byCluster := make([]float64, count)
		for i, n := range numbers {
			byCluster[n] += sums[i]
		}
		sums = byCluster
	}
	variance, n := 0.0, float64(len(sums))
	for _, v := range sums {
		variance += v * v * n / (n - 1)
	}
	return twoSidedP(mean, variance, n-1)
}

// AdjustHolm returns p-values adjusted for their number (Holm 1979, Scandinavian Journal of
// Statistics 6): the error rate over all of them is at most that of one.
func AdjustHolm(pValues []float64) []float64 {
	order := make([]int, len(pValues))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(pValues[a], pValues[b]) })
	adjusted, largest := make([]float64, len(pValues)), 0.0
	for rank, i := range order {
		largest = max(largest, min(1, pValues[i]*float64(len(pValues)-rank)))
		adjusted[i] = largest
	}
	return adjusted
}
