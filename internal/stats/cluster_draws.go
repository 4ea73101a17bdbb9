package stats

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// A clusterDraws counts the response patterns of clusters once, so that a resample adds up the
// counts instead of drawing every item. The values are those of the items.
type clusterDraws struct {
	samplingUnits                  // each unit is an item, and identical units have one pattern
	counts        [][]patternCount // by pattern of a unit
	patternCount  int              // of the items
}

// patternCount is how many items of a cluster have a response pattern.
type patternCount struct {
	pattern int32
	items   float64
}

// minItemsPerCount is the number of items per pattern and cluster from which counting pays.
const minItemsPerCount = 2

// newClusterDraws returns the counts of u; false where clusters have few items per pattern.
func newClusterDraws(u samplingUnits) (d clusterDraws, ok bool) {
	if u.unitStart == nil {
		return d, false
	}
	d = clusterDraws{samplingUnits{patterns: make([]int32, u.count())}, nil, u.patternCount}
	numbers, counted, times := map[string]int32{}, 0, make([]float64, u.patternCount)
	var key []byte
	for unit := range d.patterns {
		counts := countPatterns(u.unitPatterns(unit), times)
		if counted += len(counts); counted*minItemsPerCount > len(u.patterns) {
			return d, false
		}
		key = key[:0]
		for _, c := range counts {
			key = binary.LittleEndian.AppendUint32(key, uint32(c.pattern))
			key = binary.LittleEndian.AppendUint32(key, uint32(c.items))
		}
		n, seen := numbers[string(key)]
		if !seen {
			n = int32(len(d.counts))
			numbers[string(key)], d.counts = n, append(d.counts, counts)
		}
		d.patterns[unit] = n
	}
	d.samplingUnits.patternCount = len(d.counts)
	return d, true
}

// countPatterns returns the patterns of a cluster, ascending, with their counts. times has a zero for
// each pattern, also on return.
func countPatterns(patterns []int32, times []float64) []patternCount {
	var counts []patternCount
	for _, p := range patterns {
		if times[p] == 0 {
			counts = append(counts, patternCount{pattern: p})
		}
		times[p]++
	}
	slices.SortFunc(counts, func(a, b patternCount) int { return cmp.Compare(a.pattern, b.pattern) })
	for i, c := range counts {
		counts[i].items, times[c.pattern] = times[c.pattern], 0
	}
	return counts
}

// newStatistic returns a statistic of clusters that evaluates s.
func (d clusterDraws) newStatistic(s statistic) statistic {
	return &clusterStatistic{statistic: s, counts: d.counts, times: make([]float64, d.patternCount)}
}

// A clusterStatistic adds the patterns of the drawn clusters to a statistic when it is evaluated,
// in the order in which a resample of items does.
type clusterStatistic struct {
	statistic
	counts [][]patternCount
	times  []float64 // by pattern of items
}

func (c *clusterStatistic) clear() { clear(c.times) }

func (c *clusterStatistic) add(unit int32, weight float64) {
	for _, p := range c.counts[unit] {
		c.times[p.pattern] += weight * p.items
	}
}

func (c *clusterStatistic) evaluate(into []resampleValue) {
	evaluateResample(c.statistic, c.times, into)
}
