package stats

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Options say how an interval is made. What is zero takes its default.
type Options struct {
	Resamples int     // 1,000
	Seed      uint64  // the same seed gives the same interval, whatever the Workers
	Level     float64 // 0.95
	Method    Method  // Percentile over items, Expanded over clusters and of means
	Workers   int     // as many as there are processors
}

func (o Options) complete() Options {
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
	values(into []drawn)
}

// drawn is the value of one coefficient in one resample.
type drawn struct {
	value float64
	lacks lack
}

// usable says whether the value counts: a resample without any variation counts
// as full agreement, one without overlap does not count.
func (d drawn) usable() bool { return d.lacks != lacksOverlap }

// units are what a bootstrap draws: items, or clusters of items where items of a
// cluster are alike, so that drawing them one by one would promise too much.
type units struct {
	kinds int
	kind  []int32 // item → kind, the items of a cluster together
	start []int32 // cluster c has the items start[c] to start[c+1]; nil: each item by itself
}

// unitsOf sorts items of known kinds into their clusters; cluster may be nil.
func unitsOf(kind, cluster []int32, kinds, clusters int) units {
	if cluster == nil {
		return units{kinds: kinds, kind: kind}
	}
	start := make([]int32, clusters+1)
	for _, c := range cluster {
		start[c+1]++
	}
	for c := range clusters {
		start[c+1] += start[c]
	}
	next, sorted := slices.Clone(start), make([]int32, len(kind))
	for i, c := range cluster {
		sorted[next[c]] = kind[i]
		next[c]++
	}
	return units{kinds: kinds, kind: sorted, start: start}
}

func (u units) count() int {
	if u.start == nil {
		return len(u.kind)
	}
	return len(u.start) - 1
}

// members returns the kinds of the items in a unit.
func (u units) members(unit int) []int32 {
	if u.start == nil {
		return u.kind[unit : unit+1]
	}
	return u.kind[u.start[unit]:u.start[unit+1]]
}

// draw counts, for each kind, how often it is in a sample of as many units, with
// replacement.
func (u units) draw(r *rand.Rand, times []float64) {
	clear(times)
	n := uint32(u.count())
	if u.start == nil {
		for range n {
			times[u.kind[r.Uint32N(n)]]++
		}
		return
	}
	for range n {
		for _, kind := range u.members(int(r.Uint32N(n))) {
			times[kind]++
		}
	}
}

// sorts are units of which many are the same. Only how often each sort is drawn
// matters, and that is multinomial.
type sorts struct {
	first []int32 // a unit of the sort
	many  []int   // how many there are
}

// worthwhile is how many units there must be of a sort, on average, for its number
// to be drawn quicker than they are one by one.
const worthwhile = 8

// sorted returns the sorts of the units; none where there are too many of them.
func (u units) sorted() sorts {
	var s sorts
	place := map[string]int{}
	var key []byte
	var kinds []int32
	for unit := range u.count() {
		kinds = append(kinds[:0], u.members(unit)...)
		slices.Sort(kinds)
		key = key[:0]
		for _, k := range kinds {
			key = binary.LittleEndian.AppendUint32(key, uint32(k))
		}
		n, seen := place[string(key)]
		if !seen {
			if n = len(s.many); (n+1)*worthwhile > u.count() {
				return sorts{}
			}
			place[string(key)] = n
			s.first, s.many = append(s.first, int32(unit)), append(s.many, 0)
		}
		s.many[n]++
	}
	return s
}

// drawSorted is draw, by the sorts.
func (u units) drawSorted(s sorts, r *rand.Rand, times []float64) {
	clear(times)
	left, rest := u.count(), u.count()
	for n, unit := range s.first {
		drawn := left
		if n < len(s.first)-1 {
			drawn = binomial(r, left, float64(s.many[n])/float64(rest))
		}
		left, rest = left-drawn, rest-s.many[n]
		for _, kind := range u.members(int(unit)) {
			times[kind] += float64(drawn)
		}
	}
}

// bootstrap returns the values in every resample, made by workers that each have
// a statistic of their own. Resample i depends on the seed and i alone.
func (o Options) bootstrap(u units, width int, like func() statistic) [][]drawn {
	resamples := make([][]drawn, o.Resamples)
	sorted := u.sorted()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(o.Workers, o.Resamples) {
		wg.Go(func() {
			s, times := like(), make([]float64, u.kinds)
			for i := next.Add(1) - 1; i < int64(o.Resamples); i = next.Add(1) - 1 {
				if r := stream(o.Seed, uint64(i)); len(sorted.first) > 0 {
					u.drawSorted(sorted, r, times)
				} else {
					u.draw(r, times)
				}
				resamples[i] = make([]drawn, width)
				evaluate(s, times, resamples[i])
			}
		})
	}
	wg.Wait()
	return resamples
}

func evaluate(s statistic, times []float64, into []drawn) {
	s.clear()
	for kind, weight := range times {
		if weight > 0 {
			s.add(int32(kind), weight)
		}
	}
	s.values(into)
}

// stream returns the random numbers of one resample. Seed and number are mixed
// (splitmix64, Steele et al. 2014) so that neighbours have nothing in common.
func stream(seed, number uint64) *rand.Rand {
	a := mix(seed + 0x9e3779b97f4a7c15)
	b := mix(a ^ (number + 0x632be59bd9b4e019))
	return rand.New(rand.NewPCG(a, b))
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// mostLeft is how many units are left out in turn. What that is for, the skewness
// of their influence, is known well enough from so many, taken evenly.
const mostLeft = 2000

// jackknife returns the values with each unit left out once, or each of mostLeft,
// and how many units each stands for. s holds every item and holds it again
// afterwards.
func (u units) jackknife(s statistic, width int) (values [][]drawn, weight []float64) {
	left := func(unit int) []drawn {
		out := make([]drawn, width)
		for _, kind := range u.members(unit) {
			s.add(kind, -1)
		}
		s.values(out)
		for _, kind := range u.members(unit) {
			s.add(kind, 1)
		}
		return out
	}
	tried := min(u.count(), mostLeft)
	each := float64(u.count()) / float64(max(tried, 1))
	place := make(map[int32]int, tried)
	for n := range tried {
		unit := n * u.count() / tried
		if u.start == nil { // items of one kind have one value
			if was, seen := place[u.kind[unit]]; seen {
				weight[was] += each
				continue
			}
			place[u.kind[unit]] = len(values)
		}
		values, weight = append(values, left(unit)), append(weight, each)
	}
	return values, weight
}
