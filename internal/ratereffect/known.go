package ratereffect

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// KnownAnswers are labels of items whose right answers are known: adjudicated items, and calibration items with
// reference answers. They show effects that all annotators share.
type KnownAnswers struct {
	AnnotatorOf []int32   // label → annotator
	ItemOf      []int32   // label → item
	Points      [][]uint8 // field → label → index of the given answer on the scale, or NoPoint
	Right       [][]uint8 // field → label → index of the known answer
	IsReference []bool    // label → is of a calibration item
}

const (
	minReferences  = 10 // reference answers that a mean difference needs
	minKnownRisks  = 5
	maxMissedShare = 0.1 // share of known risks, above that of the others, that careful work may miss
)

// testReferences tests whether annotators score differently from reference answers.
func (s *labelSet) testReferences(known KnownAnswers) (tests []test) {
	differences := make([][]float64, len(s.Annotators))
	for l, annotator := range known.AnnotatorOf {
		sum, n := 0.0, 0.0
		for f := range s.fields {
			if given, right := known.Points[f][l], known.Right[f][l]; given != NoPoint && right != NoPoint {
				sum, n = sum+s.scores[f][given]-s.scores[f][right], n+1
			}
		}
		if n > 0 && known.IsReference[l] {
			differences[annotator] = append(differences[annotator], sum/n)
		}
	}
	for a, values := range differences {
		if len(values) < minReferences {
			continue
		}
		bias := sampleOf(values)
		t := test{FoundEffect: FoundEffect{Effect: DifferentStandard, Annotator: s.Annotators[a], HasReferences: true},
			detectable: bias.detectable(s.margin)}
		t.Value, t.Items, t.P = bias.mean, bias.n, bias.beyond(s.margin)
		t.Low, t.High = bias.interval()
		tests = append(tests, t)
	}
	return tests
}

// testMissedRisks tests whether annotators report fewer of the known risks than the others of the same items do.
func (s *labelSet) testMissedRisks(known KnownAnswers) (tests []test) {
	type risk struct {
		item  int32
		field int
	}
	type count struct{ missed, all int }
	of := map[risk]count{}
	visit := func(visit func(annotator int32, r risk, isMissed int)) {
		for f, field := range s.fields {
			if len(field.UnsafeAnswers) == 0 {
				continue
			}
			for l, annotator := range known.AnnotatorOf {
				given, right := known.Points[f][l], known.Right[f][l]
				if given == NoPoint || right == NoPoint || !field.isUnsafe(right) {
					continue
				}
				isMissed := 0
				if !field.isUnsafe(given) {
					isMissed = 1
				}
				visit(annotator, risk{known.ItemOf[l], f}, isMissed)
			}
		}
	}
	visit(func(_ int32, r risk, isMissed int) { of[r] = count{of[r].missed + isMissed, of[r].all + 1} })
	own, expected := make([]count, len(s.Annotators)), make([]float64, len(s.Annotators))
	visit(func(a int32, r risk, isMissed int) {
		own[a] = count{own[a].missed + isMissed, own[a].all + 1}
		if others := of[r].all - 1; others > 0 {
			expected[a] += float64(of[r].missed-isMissed) / float64(others)
		}
	})
	for a, c := range own {
		if c.all < minKnownRisks {
			continue
		}
		n := float64(c.all)
		others := expected[a] / n
		bound := min(others+maxMissedShare, 1)
		share := stats.NewProportion(c.missed, c.all)
		t := test{FoundEffect: FoundEffect{Effect: MissedRisks, Annotator: s.Annotators[a], HasReferences: true,
			Value: share.Value(),
			Low:   share.Interval.Low, High: share.Interval.High, Others: others, Items: c.all,
			P: stats.BinomialTail(c.missed, c.all, bound)}}
		t.detectable = sample{standardError: math.Sqrt(bound * (1 - bound) / n)}.detectable(bound)
		tests = append(tests, t)
	}
	return tests
}

// isUnsafe reports whether a point of the scale reports a risk.
func (f FieldSpec) isUnsafe(point uint8) bool {
	return slices.Contains(f.UnsafeAnswers, f.Scale[point])
}

const maxUnreadShare = 0.2 // share of items below the time to read them that errors of the clock can give

// secondsToRead returns the time in which no one can read an item: one second, and as much again for every 100
// characters, four times the speed of fast readers (Brysbaert 2019, Journal of Memory and Language 109).
func secondsToRead(textLength float64) float64 { return 1 + textLength/100 }

// testTooFast tests whether annotators who seem careless label items in less than the time to read them. Speed alone is
// no evidence: both have to be shown.
func (s *labelSet) testTooFast(careless []test) (tests []test) {
	for _, c := range careless {
		hits, n := 0, 0
		for _, l := range s.byAnnotator[slices.Index(s.Annotators, c.Annotator)] {
			if seconds := s.ActiveSeconds(l); seconds > 0 {
				n++
				if seconds < secondsToRead(s.TextLength(l)) {
					hits++
				}
			}
		}
		if n < minSharedItems {
			continue
		}
		share := stats.NewProportion(hits, n)
		t := test{FoundEffect: FoundEffect{Effect: TooFast, Annotator: c.Annotator, Value: share.Value(),
			Low: share.Interval.Low, High: share.Interval.High,
			Others: maxUnreadShare, Items: n, P: max(c.P, stats.BinomialTail(hits, n, maxUnreadShare))}}
		t.detectable = sample{standardError: math.Sqrt(maxUnreadShare * (1 - maxUnreadShare) / float64(n))}.detectable(
			maxUnreadShare)
		tests = append(tests, t)
	}
	return tests
}
