package stats

import (
	"fmt"
	"math"
	"slices"
)

// A Method makes an interval of resamples.
type Method string

// The methods: Percentile takes the quantiles of the resamples as they are; BCa
// corrects them for bias and skewness (Efron 1987, JASA 82). Both are too narrow
// where few clusters are drawn: a resample of G clusters varies by √((G−1)/G) too
// little, and G of them are too few for the normal's quantiles. Expanded is BCa
// with z replaced by √(G/(G−1)) t, the quantile of Student's t with G − 1 degrees
// (Hesterberg 2015, The American Statistician 69, “expanded” intervals).
//
// Which is taken where none is asked for was settled by TestCoverage: Percentile
// for agreement over items, as the figures of other programs are, and Expanded for
// agreement over clusters and for means.
const (
	Percentile Method = "percentile"
	BCa        Method = "bca"
	Expanded   Method = "expanded"
)

// An Interval is how sure a figure is, or the reason why that cannot be said.
type Interval struct {
	Low, High float64
	Undefined string // why there is no interval; blank where there is one

	Level     float64
	Units     int    // how many items or clusters were drawn from
	Of        string // what they are: "items", "clusters"
	Resamples int    // how many were used
	Unvaried  int    // among them, without any variation: they count as full agreement
	Dropped   int    // not used: nothing in them could be compared
}

// Defined says whether there is an interval.
func (i Interval) Defined() bool { return i.Undefined == "" }

// Covers says in words what the interval covers and what it does not.
func (i Interval) Covers() string {
	if !i.Defined() {
		return i.Undefined
	}
	says := fmt.Sprintf("covers the draw of %d %s; not the choice of annotators", i.Units, i.Of)
	if i.Units < fewUnits {
		says += fmt.Sprintf("; with fewer than %d %s it is rough", fewUnits, i.Of)
	}
	if i.Unvaried > 0 {
		says += fmt.Sprintf("; %d of %d resamples had no variation and count as full agreement", i.Unvaried, i.Resamples)
	}
	if i.Dropped > 0 {
		says += fmt.Sprintf("; %d resamples had nothing to compare and were left out", i.Dropped)
	}
	return says
}

// fewUnits is below what a bootstrap interval is known to cover as it says.
const fewUnits = 30

// A copied statistic can make empty ones of its kind, for workers of their own.
type copied interface {
	statistic
	like() statistic
}

// intervals makes the intervals of all values of s, which holds every item once.
func (o Options) intervals(u units, of string, s copied, width int) []Interval {
	o = o.complete().methodFor(u)
	estimates := make([]drawn, width)
	s.values(estimates)
	resamples := o.bootstrap(u, width, s.like)
	var left [][]drawn
	var weight []float64
	if o.Method != Percentile {
		left, weight = u.jackknife(s, width)
	}
	made := make([]Interval, width)
	for n, e := range estimates {
		i := Interval{Level: o.Level, Units: u.count(), Of: of}
		values := i.take(resamples, n)
		if i.Undefined = i.impossible(values); i.Defined() {
			low, high := (1-o.Level)/2, (1+o.Level)/2
			if o.Method != Percentile {
				low, high = accelerated(e.value, values, acceleration(left, weight, n), o.reach(u))
			}
			i.Low, i.High = quantile(values, low), quantile(values, high)
		}
		made[n] = i
	}
	return made
}

// impossible says why the sorted values make no interval.
func (i Interval) impossible(values []float64) string {
	switch {
	case i.Units < 2:
		return fmt.Sprintf("fewer than two %s: nothing can be drawn anew", i.Of)
	case i.Resamples < i.Dropped:
		return "fewer than half of the resamples had anything to compare"
	case values[0] == values[len(values)-1]:
		return "every resample gives the same figure, so how sure it is cannot be said"
	}
	return ""
}

// take counts the resamples and returns the usable values of the nth, ascending.
func (i *Interval) take(resamples [][]drawn, n int) []float64 {
	var values []float64
	for _, row := range resamples {
		d := row[n]
		if !d.usable() {
			i.Dropped++
			continue
		}
		if d.lacks == lacksVariation {
			i.Unvaried++
		}
		values = append(values, d.value)
	}
	i.Resamples = len(values)
	slices.Sort(values)
	return values
}

// methodFor chooses a method where none is asked for.
func (o Options) methodFor(u units) Options {
	switch {
	case o.Method != "":
	case u.start == nil:
		o.Method = Percentile
	default:
		o.Method = Expanded
	}
	return o
}

// reach is how many standard errors an interval reaches to either side.
func (o Options) reach(u units) float64 {
	if n := float64(u.count()); o.Method == Expanded && n > 1 {
		return math.Sqrt(n/(n-1)) * tQuantile((1+o.Level)/2, n-1)
	}
	return normalQuantile((1 + o.Level) / 2)
}

// accelerated returns the shares of the resamples at which a BCa interval ends
// that reaches so many standard errors to either side.
func accelerated(estimate float64, sorted []float64, a, reach float64) (low, high float64) {
	below := 0.0
	for _, v := range sorted {
		if v < estimate {
			below++
		} else if v == estimate {
			below += 0.5
		}
	}
	n := float64(len(sorted))
	bias := normalQuantile(min(max(below/n, 0.5/n), 1-0.5/n))
	end := func(z float64) float64 {
		z += bias
		if 1-a*z <= 0 { // so skewed that the end lies beyond every resample
			return max(0, math.Copysign(1, z))
		}
		return normal(bias + z/(1-a*z))
	}
	return end(-reach), end(reach)
}

// acceleration is Σ d³ / (6 (Σ d²)^1.5) over the distances of the nth jackknife
// values from their mean.
func acceleration(left [][]drawn, weight []float64, n int) float64 {
	mean, total := 0.0, 0.0
	for i, row := range left {
		if row[n].usable() {
			mean, total = mean+weight[i]*row[n].value, total+weight[i]
		}
	}
	squares, cubes := 0.0, 0.0
	for i, row := range left {
		if apart := mean/total - row[n].value; row[n].usable() {
			squares += weight[i] * apart * apart
			cubes += weight[i] * apart * apart * apart
		}
	}
	if squares == 0 {
		return 0
	}
	return cubes / (6 * math.Pow(squares, 1.5))
}

// quantile interpolates between the sorted values (Hyndman & Fan 1996, type 7).
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	below := min(int(at), len(sorted)-1)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}

// normal is the distribution function of the standard normal.
func normal(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }

// normalQuantile is its inverse.
func normalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }
