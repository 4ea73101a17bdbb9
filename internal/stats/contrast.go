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
// whole, so values are compared within them; nil: no clusters. An interval needs at least ten
// items or clusters under each condition.
func CompareConditions(values []float64, isSecond []bool, clusterOf []string, o IntervalOptions) Contrast {
	c, sides, ok := newContrast(values, isSecond, clusterOf, "items in each group", o)
	if !ok {
		return c
	}
	c.PValue = testDifference(c.Difference, sides)
	if c.Interval.Defined() {
		c.Interval = bootstrapMean(values, isSecond, clusterOf, "items", o)
	}
	return c
}

// CompareShares does the same for values from 0 to 1 that are the shares of a yes among the answers
// to an item. The interval combines those of both shares (Newcombe 1998, Statistics in Medicine 17,
// method 10), each of which is Wilson's for the effective number of items with Student's t: that a yes
// is absent under one condition is no proof that it never occurs. The p-value is that of a score test.
// unitName is the plural name of the values of a condition, such as "pairs".
func CompareShares(values []float64, isSecond []bool, clusterOf []string, unitName string, o IntervalOptions) Contrast {
	c, sides, ok := newContrast(values, isSecond, clusterOf, unitName, o)
	if !ok {
		return c
	}
	c.PValue = c.testShares(sides)
	if c.Interval.Defined() {
		c.Interval.Low, c.Interval.High = c.combineShares(sides)
	}
	return c
}

// newContrast returns the difference without an interval, or why it has none; false without values of
// a condition.
func newContrast(values []float64, isSecond []bool, clusterOf []string, unitName string, o IntervalOptions) (c Contrast, sides contrastSides, ok bool) {
	for i, v := range values {
		if isSecond[i] {
			c.SecondMean, c.SecondCount = c.SecondMean+v, c.SecondCount+1
		} else {
			c.FirstMean, c.FirstCount = c.FirstMean+v, c.FirstCount+1
		}
	}
	c.PValue = math.NaN()
	if c.FirstCount == 0 || c.SecondCount == 0 {
		if c.Undefined = (Reason{Code: SingleCondition}); len(values) == 0 {
			c.Undefined = Reason{Code: NoAnswers}
		}
		c.Interval.Undefined = c.Undefined
		return c, sides, false
	}
	c.FirstMean, c.SecondMean = c.FirstMean/float64(c.FirstCount), c.SecondMean/float64(c.SecondCount)
	c.Difference = c.SecondMean - c.FirstMean
	sides = c.collectSides(values, isSecond, clusterOf)
	c.Interval = Interval{Level: o.WithDefaults().Level, Units: int(min(sides[0].units, sides[1].units)), UnitName: unitName}
	if clusterOf != nil {
		c.Interval.UnitName = "clusters of " + unitName
	}
	if c.Interval.Units < MinIntervalUnits {
		c.Interval.Undefined = Reason{Code: TooFewUnits, Min: MinIntervalUnits, UnitName: c.Interval.UnitName}
	}
	return c, sides, true
}

// contrastSides are the clusters of both conditions.
type contrastSides [2]contrastSide

// A contrastSide is the sums of deviations from the mean by cluster, divided by the number of values.
type contrastSide struct {
	deviations []float64
	units      float64 // clusters with a value
}

func (c Contrast) collectSides(values []float64, isSecond []bool, clusterOf []string) (sides contrastSides) {
	clusters, count := make([]int32, len(values)), len(values)
	if clusterOf != nil {
		clusters, count = numberNames(clusterOf)
	} else {
		for i := range clusters {
			clusters[i] = int32(i)
		}
	}
	var seen [2][]bool
	for side := range sides {
		sides[side].deviations, seen[side] = make([]float64, count), make([]bool, count)
	}
	means, counts := [2]float64{c.FirstMean, c.SecondMean}, [2]float64{float64(c.FirstCount), float64(c.SecondCount)}
	for i, v := range values {
		side := int(boolToFloat(isSecond[i]))
		sides[side].deviations[clusters[i]] += (v - means[side]) / counts[side]
		seen[side][clusters[i]] = true
	}
	for side := range sides {
		sides[side].units = countTrue(seen[side])
	}
	return sides
}

// factor corrects deviations for the number of clusters.
func (s contrastSide) factor() float64 { return math.Sqrt(s.units / (s.units - 1)) }

// variance returns that of the mean.
func (s contrastSide) variance() (sum float64) {
	for _, d := range s.deviations {
		sum += d * d
	}
	return sum * s.units / (s.units - 1)
}

// covariance returns that of the means: clusters can be on both sides.
func (s contrastSides) covariance() (sum float64) {
	for cluster, d := range s[0].deviations {
		sum += d * s[1].deviations[cluster]
	}
	return sum * s[0].factor() * s[1].factor()
}

// degrees returns Welch's degrees of freedom (1947, Biometrika 34) for the variances of both means,
// at most the number of clusters − 1.
func (s contrastSides) degrees(variances [2]float64) float64 {
	sum := 0.0
	for side, v := range variances {
		sum += v * v / (s[side].units - 1)
	}
	return min((variances[0]+variances[1])*(variances[0]+variances[1])/sum, float64(len(s[0].deviations)-1))
}

// testDifference tests a difference by Student's t. The error is that of the sums of deviations
// in clusters (Liang & Zeger 1986, Biometrika 73), each side corrected for its number of clusters;
// without clusters this is Welch's test.
func testDifference(difference float64, s contrastSides) float64 {
	variances := [2]float64{s[0].variance(), s[1].variance()}
	return twoSidedP(difference, variances[0]+variances[1]-2*s.covariance(), s.degrees(variances))
}

// correlation returns that of both means.
func (s contrastSides) correlation() float64 {
	if product := s[0].variance() * s[1].variance(); product > epsilon*epsilon {
		return s.covariance() / math.Sqrt(product)
	}
	return 0
}

// effectiveItems returns the number of independent yes-or-no items whose share has the same variance;
// without variation, that of the clusters.
func (s contrastSide) effectiveItems(share float64) float64 {
	if v := s.variance(); v > epsilon*epsilon && share > 0 && share < 1 {
		return share * (1 - share) / v
	}
	return s.units
}

// combineShares returns the interval of the difference of two shares.
func (c Contrast) combineShares(s contrastSides) (low, high float64) {
	shares, lows, highs := [2]float64{c.FirstMean, c.SecondMean}, [2]float64{}, [2]float64{}
	z := NormalQuantile((1 + c.Interval.Level) / 2)
	for side, share := range shares {
		ratio := z / StudentQuantile((1+c.Interval.Level)/2, s[side].units-1)
		lows[side], highs[side] = wilsonBounds(share, s[side].effectiveItems(share)*ratio*ratio, c.Interval.Level)
	}
	correlation := s.correlation()
	margin := func(first, second float64) float64 {
		return math.Sqrt(max(0, first*first+second*second-2*correlation*first*second))
	}
	low = c.Difference - margin(highs[0]-shares[0], shares[1]-lows[1])
	high = c.Difference + margin(shares[0]-lows[0], highs[1]-shares[1])
	if correlation > 0 {
		pairLow, pairHigh := c.boundPairs(s)
		low, high = min(low, pairLow), max(high, pairHigh)
	}
	return max(low, -1), min(high, 1)
}

// boundPairs returns the interval of the mean difference within clusters to which two pairs are added that differ in opposite
// directions (Bonett & Price 2012, Journal of Educational and Behavioral Statistics 37): that no cluster of a sample differs is no
// proof that none does, but it makes the correlation 1, and the interval of combineShares too narrow. A pair is the share of a cluster
// that one value of each condition is.
func (c Contrast) boundPairs(s contrastSides) (low, high float64) {
	n := min(s[0].units, s[1].units)
	squares := 2 * n / float64(min(c.FirstCount, c.SecondCount))
	for cluster, d := range s[0].deviations {
		deviation := (s[1].deviations[cluster] - d) * n
		squares += deviation * deviation
	}
	squares += n*c.Difference*c.Difference - n*n*c.Difference*c.Difference/(n+2)
	center := c.Difference * n / (n + 2)
	margin := NormalQuantile((1+c.Interval.Level)/2) * math.Sqrt(squares) / (n + 2)
	return center - margin, center + margin
}

// testShares tests that both shares are equal, with the variances that they then have.
func (c Contrast) testShares(s contrastSides) float64 {
	if c.Difference == 0 {
		return 1
	}
	n := float64(c.FirstCount + c.SecondCount)
	common := (c.FirstMean*float64(c.FirstCount) + c.SecondMean*float64(c.SecondCount)) / n
	variances := [2]float64{}
	for side, share := range [2]float64{c.FirstMean, c.SecondMean} {
		variances[side] = common * (1 - common) / s[side].effectiveItems(share)
	}
	total := variances[0] + variances[1] - 2*s.correlation()*math.Sqrt(variances[0]*variances[1])
	return twoSidedP(c.Difference, total, s.degrees(variances))
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
	mean, sums := deviateFromMean(values, clusterOf)
	variance, n := 0.0, float64(len(sums))
	for _, v := range sums {
		deviation := v / float64(len(values))
		variance += deviation * deviation * n / (n - 1)
	}
	return twoSidedP(mean, variance, n-1)
}

// EqualMeanInterval returns the 95% interval of the mean of values, n of which are drawn and all equal, and the p-value of a
// mean of 0 by a two-sided sign test. No resample would show other values, but up to 1 − 0.025^(1/n) of all can be others (Clopper
// & Pearson 1934, Biometrika 26), which are taken to be step lower, or higher.
func EqualMeanInterval(n int, value, step float64) (low, high, p float64) {
	margin := step * (1 - math.Pow(0.025, 1/float64(n)))
	if p = 1; value != 0 {
		p = 2 * math.Pow(0.5, float64(n))
	}
	return value - margin, value + margin, p
}

// BoundPairMean returns the 95% interval of the mean of differences to which two are added that are step above and below the mean,
// as Bonett & Price do with pairs of yes and no: where nearly all differences are equal, resamples vary too little.
func BoundPairMean(differences []float64, clusterOf []string, step float64) (low, high float64) {
	mean, sums := deviateFromMean(differences, clusterOf)
	squares := 2 * step * step
	for _, v := range sums {
		squares += v * v
	}
	margin := NormalQuantile(0.975) * math.Sqrt(squares) / float64(len(differences)+2)
	return mean - margin, mean + margin
}

// deviateFromMean returns the mean, and the deviations from it, summed up by cluster if there are any.
func deviateFromMean(values []float64, clusterOf []string) (mean float64, sums []float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	sums = make([]float64, len(values))
	for i, v := range values {
		sums[i] = v - mean
	}
	if clusterOf == nil {
		return mean, sums
	}
	numbers, count := numberNames(clusterOf)
	byCluster := make([]float64, count)
	for i, n := range numbers {
		byCluster[n] += sums[i]
	}
	return mean, byCluster
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
