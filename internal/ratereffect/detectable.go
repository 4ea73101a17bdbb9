package ratereffect

import (
	"math"
	"sort"

	"github.com/labelwright/labelwright/internal/stats"
)

// What a test that finds nothing could have found: the smallest value that as many items show with a
// probability of about 80%. It is detectableChance for the annotator's own items; the value of the others is
// an estimate too, and takes the rest.

const (
	detectableChance  = 0.9
	normalQuantile90  = 1.2816
	normalQuantile975 = 1.96
	// maxExactItems is the number of items up to which probabilities are exact.
	maxExactItems = 2000
)

// smallestDetectable returns the value outside the tolerance that the test would find.
func (r *Result) smallestDetectable(toleratedLow, toleratedHigh float64) float64 {
	low, high := r.bounds()
	standardError := (high - low) / (2 * normalQuantile975)
	distance := (normalQuantile975 + normalQuantile90) * standardError
	switch r.Effect {
	case Leniency: // the level of the others, from which it is measured, is an estimate too
		distance *= 1.2
	case ScoreCompression: // the standard error of a spread is in proportion to it
		if r.Value <= 0 {
			return 0
		}
		return toleratedLow / (1 + distance/r.Value)
	case HaloEffect: // Fisher's z
		if toleratedHigh >= 1 || toleratedHigh <= -1 || r.Value*r.Value >= 1 {
			return 1
		}
		return math.Tanh(math.Atanh(toleratedHigh) + distance/(1-r.Value*r.Value))
	case CentralTendency: // the fields of an item count as fewer answers where they depend on each other
		n := float64(r.ItemCount)
		if standardError > 0 {
			n = max(n, r.Value*(1-r.Value)/(standardError*standardError))
		}
		return detectableShare(int(n), toleratedHigh)
	case StraightLining, Speeding:
		return detectableShare(r.ItemCount, toleratedHigh)
	}
	return toleratedHigh + distance
}

// detectableShare returns the share whose interval is above the tolerated one with detectableChance; 1
// if there is none.
func detectableShare(n int, tolerated float64) float64 {
	fewest := sort.Search(n+1, func(hits int) bool { return stats.NewProportion(hits, n).Interval.Low > tolerated })
	if fewest > n {
		return 1
	}
	return shareToExceed(fewest, n)
}

// shareToExceed returns the share with which there are at least as many hits among n with detectableChance.
func shareToExceed(fewest, n int) float64 {
	if fewest <= 0 {
		return 0
	}
	low, high := 0.0, 1.0
	for high-low > 1e-6 {
		p := (low + high) / 2
		if reachesWithChance(fewest, n, p) {
			high = p
		} else {
			low = p
		}
	}
	return high
}

// reachesWithChance reports whether at least as many hits among n have detectableChance where their share is p.
func reachesWithChance(fewest, n int, p float64) bool {
	if n > maxExactItems {
		mean, sd := p*float64(n), math.Sqrt(p*(1-p)*float64(n))
		return mean-normalQuantile90*sd >= float64(fewest)
	}
	return stats.BinomialTail(fewest, n, p) >= detectableChance
}
