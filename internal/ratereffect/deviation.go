package ratereffect

import (
	"math"
	"slices"
)

// deviations returns the labels of an annotator on items with labels of others, and for each the mean over fields of
// the difference from them, without the others' severity.
func (s *labelSet) deviations(annotator int32) (labels []int32, differences []float64) {
	for _, l := range s.byAnnotator[annotator] {
		sum, fields := 0.0, 0.0
		for f := range s.fields {
			own, ok := s.score(l, f)
			if !ok {
				continue
			}
			others, n := 0.0, 0.0
			s.others(l, func(other int32) {
				if v, ok := s.leveled(other, f); ok {
					others, n = others+v, n+1
				}
			})
			if n > 0 {
				sum, fields = sum+own-others/n, fields+1
			}
		}
		if fields > 0 {
			labels, differences = append(labels, l), append(differences, sum/fields)
		}
	}
	return labels, differences
}

const (
	driftSpan     = 30.0 // items over which a drift is stated
	maxDrift      = 0.02 // drift that counts as none, as a share of the scale
	minDriftItems = 30
	minDriftSD    = 3.0 // of the items since the last break
)

// testDrift tests whether the differences from the others change within sessions. The clearest one is left out of what
// the rest are compared with: next to who becomes more lenient, the others seem to become stricter.
func (s *labelSet) testDrift() (tests []test) {
	excluded := slices.Clone(s.isExcluded)
	defer func() { s.isExcluded = excluded }()
	s.isExcluded = slices.Clone(excluded)
	for {
		rest := s.measureDrifts()
		found := significant(slices.Concat(tests, rest))
		i := slices.IndexFunc(found, func(f FoundEffect) bool {
			return !s.isExcluded[slices.Index(s.Annotators, f.Annotator)]
		})
		if i < 0 || found[i].IsEither {
			return append(tests, rest...)
		}
		clearest := slices.IndexFunc(rest, func(t test) bool { return t.Annotator == found[i].Annotator })
		tests = append(tests, rest[clearest])
		s.exclude(found[i : i+1])
	}
}

func (s *labelSet) measureDrifts() (tests []test) {
	for a := range s.Annotators {
		if s.isExcluded[a] {
			continue
		}
		labels, differences := s.deviations(int32(a))
		times := make([]float64, len(labels))
		for i, l := range labels {
			times[i] = float64(s.ItemsSinceBreak(l)) / driftSpan
		}
		slope, ok := regress(times, differences)
		if !ok {
			continue
		}
		t := test{FoundEffect: s.newFinding(Drift, a), detectable: slope.detectable(maxDrift)}
		t.Value, t.Items, t.P = slope.mean, slope.n, slope.beyond(maxDrift)
		t.Low, t.High = slope.interval()
		tests = append(tests, t)
	}
	return tests
}

// regress returns the slope of y on x, with a standard error that allows for unequal variances.
func regress(x, y []float64) (slope sample, ok bool) {
	if len(x) < minDriftItems {
		return sample{}, false
	}
	meanX, meanY, n := sampleOf(x).mean, sampleOf(y).mean, float64(len(x))
	sxx, sxy := 0.0, 0.0
	for i := range x {
		sxx, sxy = sxx+(x[i]-meanX)*(x[i]-meanX), sxy+(x[i]-meanX)*(y[i]-meanY)
	}
	if math.Sqrt(sxx/n)*driftSpan < minDriftSD {
		return sample{}, false
	}
	slope = sample{mean: sxy / sxx, n: len(x) - 1}
	for i := range x {
		residual := (y[i] - meanY - slope.mean*(x[i]-meanX)) * (x[i] - meanX)
		slope.standardError += residual * residual
	}
	slope.standardError = math.Sqrt(slope.standardError*n/(n-2)) / sxx
	return slope, true
}
