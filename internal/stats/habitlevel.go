package stats

import "math"

// The habits of level: where an annotator's scores lie against those that others
// gave the same items. All values are shares of the scale, averaged over fields.

const (
	earlyItems = 10.0 // what anchoring takes as the first items
	longWork   = 30.0 // the stretch between breaks that fatigue is told for
)

// Of many items a few hundred resamples will do: their interval is narrow beside
// the margins that habits are held against.
const (
	leastResamples = 200
	mostDrawn      = 2_000_000 // items, in all resamples of an interval
)

// measureLeniency is the mean distance from the others on the same items.
func measureLeniency(c *crew, own []int, o Options) reading {
	_, off := c.distances(c.shared(own))
	if len(off) == 0 {
		return reading{why: "nobody else has judged the same items"}
	}
	return ofItems(len(off), o, func(times []float64) (float64, bool) { return weightedMean(off, times) })
}

// measureAnchoring is the mean distance on the first ten items less that on the rest.
func measureAnchoring(c *crew, own []int, o Options) reading {
	labels, off := c.distances(own)
	if len(off) <= earlyItems {
		return reading{why: tooFew(len(off), earlyItems*3)}
	}
	return ofItems(len(off), o, func(times []float64) (float64, bool) {
		var sum, n [2]float64
		for i, l := range labels {
			part := 0
			if float64(c.labels[l].Position) > earlyItems {
				part = 1
			}
			sum[part], n[part] = sum[part]+times[i]*off[i], n[part]+times[i]
		}
		return sum[0]/n[0] - sum[1]/n[1], n[0] > 0 && n[1] > 0
	})
}

// measureFatigue is the slope of the distance on the items done since the last
// break, told for a stretch of thirty.
func measureFatigue(c *crew, own []int, o Options) reading {
	labels, off := c.distances(own)
	since := make([]float64, len(labels))
	for i, l := range labels {
		since[i] = float64(c.labels[l].SinceBreak)
	}
	if spread(since) < 3 {
		return reading{why: "there are breaks after so few items that a drift between them cannot show"}
	}
	return ofItems(len(off), o, func(times []float64) (float64, bool) {
		slope, ok := slope(since, off, times)
		return slope * longWork, ok
	})
}

// measureLength is the slope of the distance on the logarithm of the length, told
// for one standard deviation of it.
func measureLength(c *crew, own []int, o Options) reading {
	labels, off := c.distances(c.shared(own))
	long := make([]float64, len(labels))
	for i, l := range labels {
		long[i] = math.Log(max(c.labels[l].Length, 1))
	}
	sd := spread(long)
	if sd < 0.1 {
		return reading{why: "the texts are all of one length"}
	}
	return ofItems(len(off), o, func(times []float64) (float64, bool) {
		slope, ok := slope(long, off, times)
		return slope * sd, ok
	})
}

// shared returns the labels of items that somebody else judged too.
func (c *crew) shared(own []int) []int {
	var found []int
	for _, l := range own {
		if len(c.on[c.item[l]]) > 1 {
			found = append(found, l)
		}
	}
	return found
}

// ofItems reads a value of n items with its bootstrap interval.
func ofItems(n int, o Options, value func(times []float64) (float64, bool)) reading {
	once := make([]float64, n)
	for i := range once {
		once[i] = 1
	}
	v, ok := value(once)
	if !ok {
		return reading{n: n, why: "the items do not vary enough to show it"}
	}
	o.Method, o.Resamples = Percentile, min(o.Resamples, max(leastResamples, mostDrawn/n))
	return reading{value: v, n: n, interval: IntervalOf(n, nil, "items", o, value)}
}

// slope is the least-squares slope of y on x, each point counted times; false
// where x does not vary.
func slope(x, y, times []float64) (float64, bool) {
	meanX, ok := weightedMean(x, times)
	meanY, _ := weightedMean(y, times)
	if !ok {
		return 0, false
	}
	across, along := 0.0, 0.0
	for i := range x {
		across += times[i] * (x[i] - meanX) * (y[i] - meanY)
		along += times[i] * (x[i] - meanX) * (x[i] - meanX)
	}
	return across / along, along > tiny
}

// spread is the standard deviation of the values.
func spread(values []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / max(float64(len(values)), 1))
}
