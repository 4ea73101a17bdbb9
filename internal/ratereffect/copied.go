package ratereffect

import (
	"cmp"
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

const (
	// minCopiedItems is the number of shared items that a comparison of whole rows needs.
	minCopiedItems = 8
	// maxLikeness is the share of rows that two annotators may have equal beyond what their agreement with others predicts.
	maxLikeness = 0.1
	// minLikeness is the same as a share of all rows, at least.
	minLikeness = 0.05
	// minLead is the share of equal rows that who copied labeled later, less those that the other did, at least.
	minLead = 0.6
)

// rarityOfRows returns how rare the answers of a label to all fields are, in bits.
func (s *labelSet) rarityOfRows() func(label int32) float64 {
	counts, keys := map[uint64]float64{}, make([]uint64, len(s.ItemOf))
	for l := range s.ItemOf {
		key := uint64(14695981039346656037)
		for _, points := range s.Points {
			key = (key ^ uint64(points[l])) * 1099511628211
		}
		keys[l] = key
		counts[key]++
	}
	return func(label int32) float64 { return math.Log2(float64(len(keys)+1) / counts[keys[label]]) }
}

// equalRows are the items with equal answers to all fields of some pairs, each by how rare the answers are.
type equalRows struct{ equal, weight, equalItems, items float64 }

func (e *equalRows) add(p *pairSums) {
	e.equal, e.weight, e.equalItems, e.items = e.equal+p.equal, e.weight+p.weight, e.equalItems+float64(p.equalItems), e.items+p.items
}

func (e *equalRows) subtract(p *pairSums) {
	e.equal, e.weight, e.equalItems, e.items = e.equal-p.equal, e.weight-p.weight, e.equalItems-float64(p.equalItems), e.items-p.items
}

// share returns the share of equal rows, and its standard error.
func (e *equalRows) share() (share, standardError float64) {
	share = e.equal / e.weight
	return share, math.Sqrt(max(share*(1-share), 0.01) / e.items)
}

// likelyShares are equally likely standard errors by which a share differs from the true one.
var likelyShares = [...]float64{-1.645, -1.036, -0.674, -0.385, -0.126, 0.126, 0.385, 0.674, 1.036, 1.645}

// boundOf returns the share of equal rows that a share which others predict explains.
func boundOf(predicted float64) float64 {
	predicted = min(max(predicted, 0), 1)
	return min(1, predicted+max(minLikeness, maxLikeness*(1-predicted)))
}

// testCopied tests pairs of annotators for more equal rows than the agreement of each with others predicts.
func (s *labelSet) testCopied() (tests []test) {
	byAnnotator := make([]equalRows, len(s.Annotators))
	for _, p := range s.pairs.list {
		if !s.isExcluded[p.second] {
			byAnnotator[p.first].add(p)
		}
		if !s.isExcluded[p.first] {
			byAnnotator[p.second].add(p)
		}
	}
	for _, p := range s.pairs.list {
		if s.isExcluded[p.first] || s.isExcluded[p.second] {
			continue
		}
		first, second := byAnnotator[p.first], byAnnotator[p.second]
		first.subtract(p)
		second.subtract(p)
		if p.items < minCopiedItems || first.items < minCopiedItems || second.items < minCopiedItems || p.weight == 0 {
			continue
		}
		predicted, standardError := first.share()
		if share, e := second.share(); share > predicted {
			predicted, standardError = share, e
		}
		n := p.weight * p.weight / p.weightSquared
		t := test{FoundEffect: FoundEffect{Effect: Copied, Annotator: s.Annotators[p.first], Other: s.Annotators[p.second], IsEither: true,
			Value: float64(p.equalItems) / p.items, Others: max(first.equalItems/first.items, second.equalItems/second.items), Items: int(p.items)}}
		for _, z := range likelyShares {
			t.P += stats.FractionalBinomialTail(p.equal/p.weight*n, n, boundOf(predicted+z*standardError)) / float64(len(likelyShares))
		}
		interval := stats.NewProportion(p.equalItems, int(p.items)).Interval
		t.Low, t.High = interval.Low, interval.High
		if s.SubmittedAt != nil {
			switch lead := float64(p.later) / max(float64(p.equalItems), 1); {
			case lead >= minLead:
				t.IsEither = false
			case lead <= -minLead:
				t.IsEither, t.Annotator, t.Other = false, t.Other, t.Annotator
			}
		}
		t.detectable = func(critical float64) float64 {
			bound := boundOf(predicted)
			needed := bound + (critical+normalQuantile80)*math.Sqrt(bound*(1-bound)/n+standardError*standardError)
			return min(1, (needed-predicted)/max(1-predicted, epsilon))
		}
		tests = append(tests, t)
	}
	return tests
}

// comparePairs adds up the disagreement of pairs on their items: the mean over fields of the squared difference without
// differences of severity, divided by that expected by chance. It is 1 − κ with quadratic weights.
func (s *labelSet) comparePairs() {
	rarity := s.rarityOfRows()
	s.visitPairs(func(a, b int32) {
		p := s.pairs.pair(s.AnnotatorOf[a], s.AnnotatorOf[b])
		sum, n, isEqual := 0.0, 0.0, true
		for f, points := range s.Points {
			isEqual = isEqual && points[a] == points[b]
			x, ok := s.leveled(a, f)
			if y, isBoth := s.leveled(b, f); ok && isBoth && s.variances[f] > 0 {
				sum, n = sum+(x-y)*(x-y)/(2*s.variances[f]), n+1
			}
		}
		if n == 0 {
			return
		}
		p.disagreement += sum / n
		weight := max(rarity(a), rarity(b))
		p.weight, p.weightSquared = p.weight+weight, p.weightSquared+weight*weight
		if isEqual {
			p.equal += weight
			p.equalItems++
			if s.SubmittedAt != nil {
				p.later += cmp.Compare(s.SubmittedAt(a), s.SubmittedAt(b))
			}
		}
	})
}
