package stats

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// IntervalOptions configure an interval. A zero field has the default in its comment.
type IntervalOptions struct {
	Resamples int            // 1,000
	Seed      uint64         // the same seed gives the same interval for any number of Workers
	Level     float64        // 0.95
	Method    IntervalMethod // Percentile over items, Expanded over clusters and of means
	Workers   int            // the number of processors
}

// WithDefaults returns the options with their defaults set, except Method.
func (o IntervalOptions) WithDefaults() IntervalOptions {
	if o.Resamples <= 0 {
		o.Resamples = 1000
	}
	if o.Level <= 0 || o.Level >= 1 {
		o.Level = 0.95
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o
}

// A statistic is a function of sums over items: a resample adds up response patterns,
// and leaving one out is a subtraction.
type statistic interface {
	clear()
	add(pattern int32, weight float64)
	evaluate(into []resampleValue)
}

// resampleValue is the value of one coefficient in one resample.
type resampleValue struct {
	value   float64
	missing missingData
}

// isUsable reports whether the value counts. A resample without variation counts as full
// agreement, except for κ; one without overlap does not count.
func (d resampleValue) isUsable() bool {
	return d.missing == missingNothing || d.missing == missingVariation
}

// samplingUnits are what a bootstrap draws: items, or whole clusters. Items of a cluster
// resemble each other, so drawing them one by one would make intervals too narrow.
type samplingUnits struct {
	patternCount int
	patterns     []int32 // item → response pattern, the items of a cluster together
	unitStart    []int32 // unit u has the items unitStart[u] to unitStart[u+1]; nil: every item is a unit
	single       []bool  // by pattern: it has one rating; nil: of values that have no ratings
}

// newSamplingUnits groups the patterns of items by cluster; clusterOf may be nil.
func newSamplingUnits(patternOf, clusterOf []int32, patternCount, clusterCount int) samplingUnits {
	if clusterOf == nil {
		return samplingUnits{patternCount: patternCount, patterns: patternOf}
	}
	start := make([]int32, clusterCount+1)
	for _, c := range clusterOf {
		start[c+1]++
	}
	for c := range clusterCount {
		start[c+1] += start[c]
	}
	next, sorted := slices.Clone(start), make([]int32, len(patternOf))
	for i, c := range clusterOf {
		sorted[next[c]] = patternOf[i]
		next[c]++
	}
	return samplingUnits{patternCount: patternCount, patterns: sorted, unitStart: start}
}

func (u samplingUnits) count() int {
	if u.unitStart == nil {
		return len(u.patterns)
	}
	return len(u.unitStart) - 1
}

// unitPatterns returns the response patterns of the items in a unit.
func (u samplingUnits) unitPatterns(unit int) []int32 {
	if u.unitStart == nil {
		return u.patterns[unit : unit+1]
	}
	return u.patterns[u.unitStart[unit]:u.unitStart[unit+1]]
}

// drawSample draws as many units as there are, with replacement, and counts the response
// patterns in times.
func (u samplingUnits) drawSample(r *rand.Rand, times []float64) {
	clear(times)
	n := uint32(u.count())
	if u.unitStart == nil {
		for range n {
			times[u.patterns[r.Uint32N(n)]]++
		}
		return
	}
	for range n {
		for _, pattern := range u.unitPatterns(int(r.Uint32N(n))) {
			times[pattern]++
		}
	}
}

// unitGroups are groups of identical units. Only the number of draws from each group
// matters, and it is multinomial.
type unitGroups struct {
	representatives []int32 // one unit of the group
	sizes           []int   // in units
}

// minAverageGroupSize is the mean group size from which drawing by group is faster than
// drawing unit by unit.
const minAverageGroupSize = 8

// groupIdentical returns the groups of identical units; none if there are too many groups.
func (u samplingUnits) groupIdentical() unitGroups {
	var groups unitGroups
	groupIndex := map[string]int{}
	var key []byte
	var patterns []int32
	for unit := range u.count() {
		patterns = append(patterns[:0], u.unitPatterns(unit)...)
		slices.Sort(patterns)
		key = key[:0]
		for _, k := range patterns {
			key = binary.LittleEndian.AppendUint32(key, uint32(k))
		}
		n, seen := groupIndex[string(key)]
		if !seen {
			if n = len(groups.sizes); (n+1)*minAverageGroupSize > u.count() {
				return unitGroups{}
			}
			groupIndex[string(key)] = n
			groups.representatives, groups.sizes = append(groups.representatives, int32(unit)), append(groups.sizes, 0)
		}
		groups.sizes[n]++
	}
	return groups
}

// drawGrouped does the same as drawSample, by group.
func (u samplingUnits) drawGrouped(groups unitGroups, r *rand.Rand, times []float64) {
	clear(times)
	remainingDraws, remainingUnits := u.count(), u.count()
	for n, unit := range groups.representatives {
		drawnUnits := remainingDraws
		if n < len(groups.representatives)-1 {
			drawnUnits = drawBinomial(r, remainingDraws, float64(groups.sizes[n])/float64(remainingUnits))
		}
		remainingDraws, remainingUnits = remainingDraws-drawnUnits, remainingUnits-groups.sizes[n]
		for _, pattern := range u.unitPatterns(int(unit)) {
			times[pattern] += float64(drawnUnits)
		}
	}
}

// bootstrap returns the values in every resample. Each worker has its own statistic.
// Resample i depends only on the seed and i.
func (o IntervalOptions) bootstrap(u samplingUnits, groups unitGroups, width int,
	newStatistic func() statistic) [][]resampleValue {
	resamples := make([][]resampleValue, o.Resamples)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(o.Workers, o.Resamples) {
		wg.Go(func() {
			s, times := newStatistic(), make([]float64, u.patternCount)
			for i := next.Add(1) - 1; i < int64(o.Resamples); i = next.Add(1) - 1 {
				if r := newResampleRand(o.Seed, uint64(i)); len(groups.representatives) > 0 {
					u.drawGrouped(groups, r, times)
				} else {
					u.drawSample(r, times)
				}
				resamples[i] = make([]resampleValue, width)
				evaluateResample(s, times, resamples[i])
			}
		})
	}
	wg.Wait()
	return resamples
}

func evaluateResample(s statistic, times []float64, into []resampleValue) {
	s.clear()
	for pattern, weight := range times {
		if weight > 0 {
			s.add(int32(pattern), weight)
		}
	}
	s.evaluate(into)
}

// newResampleRand returns the random generator of one resample. Seed and number are mixed
// (splitmix64, Steele et al. 2014) so that neighboring numbers give unrelated streams.
func newResampleRand(seed, number uint64) *rand.Rand {
	a := mixBits(seed + 0x9e3779b97f4a7c15)
	b := mixBits(a ^ (number + 0x632be59bd9b4e019))
	return rand.New(rand.NewPCG(a, b))
}

func mixBits(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// maxJackknifeUnits bounds the units that are left out in turn. An even sample of this
// size estimates the skewness of their influence well enough.
const maxJackknifeUnits = 2000

// jackknife returns the values without each unit, and the number of units that each represents.
// Of more than maxUnits different ones it leaves out an even sample. Shared units, on which a
// coefficient depends most, are sampled apart from others, however few they are. s must hold
// every item; it does so again on return.
func (u samplingUnits) jackknife(s statistic, width, maxUnits int) (values [][]resampleValue, weights []float64) {
	evaluateWithout := func(unit int32) []resampleValue {
		without := make([]resampleValue, width)
		for _, pattern := range u.unitPatterns(int(unit)) {
			s.add(pattern, -1)
		}
		s.evaluate(without)
		for _, pattern := range u.unitPatterns(int(unit)) {
			s.add(pattern, 1)
		}
		return without
	}
	for _, stratum := range u.stratify() {
		units, sizes := stratum.representatives, stratum.sizes
		sampled := min(len(units), maxUnits)
		for n := range sampled {
			from, to := n*len(units)/sampled, (n+1)*len(units)/sampled
			size := 0
			for _, k := range sizes[from:to] {
				size += k
			}
			values, weights = append(values, evaluateWithout(units[from])), append(weights, float64(size))
		}
	}
	return values, weights
}

// stratify returns the shared units and the others. Items with one pattern are one group.
func (u samplingUnits) stratify() (strata [2]unitGroups) {
	groupOf := make([]int, u.patternCount) // by pattern, from 1
	for unit := range u.count() {
		patterns := u.unitPatterns(unit)
		stratum := &strata[int(boolToFloat(!u.isShared(patterns)))]
		if u.unitStart == nil {
			if n := groupOf[patterns[0]]; n > 0 {
				stratum.sizes[n-1]++
				continue
			}
			groupOf[patterns[0]] = len(stratum.sizes) + 1
		}
		stratum.representatives, stratum.sizes = append(stratum.representatives, int32(unit)), append(stratum.sizes, 1)
	}
	return strata
}

// isShared reports whether a unit with these patterns has an item with several ratings.
func (u samplingUnits) isShared(patterns []int32) bool {
	return u.single == nil || slices.ContainsFunc(patterns, func(p int32) bool { return !u.single[p] })
}

// countShared counts the units with an item of several ratings.
func (u samplingUnits) countShared() (count int) {
	for unit := range u.count() {
		count += int(boolToFloat(u.isShared(u.unitPatterns(unit))))
	}
	return count
}
