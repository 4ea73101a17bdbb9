package stats

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// IntervalOptions say how an interval is made. What is zero takes its default.
type IntervalOptions struct {
	Resamples int            // 1,000
	Seed      uint64         // the same seed gives the same interval, whatever the Workers
	Level     float64        // 0.95
	Method    IntervalMethod // Percentile over items, Expanded over clusters and of means
	Workers   int            // as many as there are processors
}

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

// A statistic is a function of sums over items, so that a resample is a walk
// over the kinds of items and leaving one out is a subtraction.
type statistic interface {
	clear()
	add(kind int32, weight float64)
	evaluate(into []resampleValue)
}

// resampleValue is the value of one coefficient in one resample.
type resampleValue struct {
	value   float64
	missing missingData
}

// isUsable says whether the value counts: a resample without any variation counts
// as full agreement, one without overlap does not count.
func (d resampleValue) isUsable() bool { return d.missing != missingOverlap }

// samplingUnits are what a bootstrap draws: items, or clusters of items where items of a
// cluster are alike, so that drawing them one by one would promise too much.
type samplingUnits struct {
	patternCount int
	patterns     []int32 // item → kind, the items of a cluster together
	unitStart    []int32 // cluster c has the items start[c] to start[c+1]; nil: each item by itself
}

// newSamplingUnits sorts items of known kinds into their clusters; cluster may be nil.
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

// unitPatterns returns the kinds of the items in a unit.
func (u samplingUnits) unitPatterns(unit int) []int32 {
	if u.unitStart == nil {
		return u.patterns[unit : unit+1]
	}
	return u.patterns[u.unitStart[unit]:u.unitStart[unit+1]]
}

// drawSample counts, for each kind, how often it is in a sample of as many units, with
// replacement.
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

// unitGroups are units of which many are the same. Only how often each sort is drawn
// matters, and that is multinomial.
type unitGroups struct {
	representatives []int32 // a unit of the sort
	sizes           []int   // how many there are
}

// minAverageGroupSize is how many units there must be of a sort, on average, for its number
// to be drawn quicker than they are one by one.
const minAverageGroupSize = 8

// groupIdentical returns the sorts of the units; none where there are too many of them.
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

// drawGrouped is draw, by the sorts.
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

// bootstrap returns the values in every resample, made by workers that each have
// a statistic of their own. Resample i depends on the seed and i alone.
func (o IntervalOptions) bootstrap(u samplingUnits, width int, newStatistic func() statistic) [][]resampleValue {
	resamples := make([][]resampleValue, o.Resamples)
	groups := u.groupIdentical()
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

// newResampleRand returns the random numbers of one resample. Seed and number are mixed
// (splitmix64, Steele et al. 2014) so that neighbours have nothing in common.
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

// maxJackknifeUnits is how many units are left out in turn. What that is for, the skewness
// of their influence, is known well enough from so many, taken evenly.
const maxJackknifeUnits = 2000

// jackknife returns the values with each unit left out once, or each of maxJackknifeUnits,
// and how many units each stands for. s holds every item and holds it again
// afterwards.
func (u samplingUnits) jackknife(s statistic, width int) (values [][]resampleValue, weight []float64) {
	evaluateWithout := func(unit int) []resampleValue {
		without := make([]resampleValue, width)
		for _, pattern := range u.unitPatterns(unit) {
			s.add(pattern, -1)
		}
		s.evaluate(without)
		for _, pattern := range u.unitPatterns(unit) {
			s.add(pattern, 1)
		}
		return without
	}
	sampledUnits := min(u.count(), maxJackknifeUnits)
	unitsPerValue := float64(u.count()) / float64(max(sampledUnits, 1))
	valueIndex := make(map[int32]int, sampledUnits)
	for n := range sampledUnits {
		unit := n * u.count() / sampledUnits
		if u.unitStart == nil { // items of one kind have one value
			if index, seen := valueIndex[u.patterns[unit]]; seen {
				weight[index] += unitsPerValue
				continue
			}
			valueIndex[u.patterns[unit]] = len(values)
		}
		values, weight = append(values, evaluateWithout(unit)), append(weight, unitsPerValue)
	}
	return values, weight
}
