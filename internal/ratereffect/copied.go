package ratereffect

import (
	"cmp"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

const (
	// minCopiedItems is the number of shared items that a comparison of whole rows needs.
	minCopiedItems = 8
	// maxLikeness is the logarithm of how many times higher the odds of equal rows of two careful annotators may be
	// than what their agreement with others predicts.
	maxLikeness = 0.3
	// minCopied is the estimated share of copied rows that a finding has at least.
	minCopied = 0.2
	// maxPlainP is the p-value of a finding at most, by the numbers of equal rows alone. The models of the fields may
	// misjudge how probable a row is where annotators agree almost always; the rows of other pairs do not.
	maxPlainP = 0.02
	// minAgainst is the disagreement, of which chance gives 1, from which answers are against those of the others.
	minAgainst = 1.2
	// minLead is the share of equal rows that who copied labeled later, less those that the other did, at least.
	minLead = 0.6
)

// rowBins are the numbers of items by how probable equal answers to all fields are: log-odds from −maxRowLogit to
// maxRowLogit.
const rowBins, maxRowLogit = 32, 8.0

// equalRows are shared items of some pairs, and those with equal answers to all fields.
type equalRows struct{ items, equal [rowBins]float64 }

func (e *equalRows) add(other *equalRows, factor float64) {
	for i := range e.items {
		e.items[i], e.equal[i] = e.items[i]+factor*other.items[i], e.equal[i]+factor*other.equal[i]
	}
}

// binOf returns the bin of a probability.
func binOf(p float64) int {
	logit := math.Log(p / (1 - min(p, 1-epsilon)))
	return int(max(0, min(rowBins-1, (logit+maxRowLogit)*rowBins/(2*maxRowLogit))))
}

// probabilityIn returns the probability of equal rows in a bin, with odds that are higher by the exponential of more.
func probabilityIn(bin int, more float64) float64 {
	logit := (float64(bin)+0.5)*2*maxRowLogit/rowBins - maxRowLogit
	return 1 / (1 + math.Exp(-logit-more))
}

// alikeness returns by how much the log-odds of equal rows are above those of the model, and the standard error.
func (e *equalRows) alikeness() (more, standardError float64) {
	information := 0.0
	for range 20 {
		excess := 0.5 // a prior of one item with even odds
		excess -= probabilityIn(rowBins/2, more)
		information = 0.25
		for bin, n := range e.items {
			p := probabilityIn(bin, more)
			excess, information = excess+e.equal[bin]-n*p, information+n*p*(1-p)
		}
		more += max(-1, min(1, excess/information))
	}
	return more, 1 / math.Sqrt(information)
}

// evidence returns the weighted number of equal rows: by the likelihood ratio of half of the rows being copied.
func evidence(bin int, more float64) float64 { return math.Log1p(1 / probabilityIn(bin, more)) }

// above returns the p-value of the evidence of equal rows, if their log-odds are above those of the model by more, by
// the saddlepoint approximation (Lugannani & Rice 1980, Advances in Applied Probability 12).
func (e *equalRows) above(weights *[rowBins]float64, more float64) float64 {
	observed, mean := 0.0, 0.0
	var p [rowBins]float64
	for bin, n := range e.items {
		p[bin] = probabilityIn(bin, more)
		observed, mean = observed+e.equal[bin]*weights[bin], mean+n*p[bin]*weights[bin]
	}
	if observed <= mean {
		return 1
	}
	slope, variance, cumulant := 0.0, 0.0, 0.0
	least, most := 0.0, 50.0
	for range 60 {
		slope, variance, cumulant = (least+most)/2, 0, 0
		tilted := 0.0
		for bin, n := range e.items {
			if n == 0 {
				continue
			}
			grown := p[bin] * math.Exp(slope*weights[bin])
			q := grown / (1 - p[bin] + grown)
			tilted, variance = tilted+n*q*weights[bin], variance+n*q*(1-q)*weights[bin]*weights[bin]
			cumulant += n * math.Log(1-p[bin]+grown)
		}
		if tilted < observed {
			least = slope
		} else {
			most = slope
		}
	}
	w, u := math.Sqrt(2*max(0, slope*observed-cumulant)), slope*math.Sqrt(variance)
	if w < 1e-3 || u < 1e-9 {
		return 0.5
	}
	return max(0, min(1, normalTail(w)+math.Exp(-w*w/2)/math.Sqrt(2*math.Pi)*(1/u-1/w)))
}

// comparedWith returns the p-value of the share of equal rows against that of others, whose log-odds may be lower by
// maxLikeness, whatever the rows are. Each share has an equal and a different row more than were counted.
func (e *equalRows) comparedWith(others *equalRows) float64 {
	logOdds := func(rows *equalRows) (value, variance float64) {
		equal, different := sumOf(rows.equal[:])+1, sumOf(rows.items[:])-sumOf(rows.equal[:])+1
		return math.Log(equal / different), 1/equal + 1/different
	}
	own, ownVariance := logOdds(e)
	other, otherVariance := logOdds(others)
	return normalTail((own - other - maxLikeness) / math.Sqrt(ownVariance+otherVariance))
}

// likelyErrors are equally likely distances of an estimate from the true value, in standard errors.
var likelyErrors = [...]float64{-1.645, -1.036, -0.674, -0.385, -0.126, 0.126, 0.385, 0.674, 1.036, 1.645}

// testCopied tests pairs of annotators for more equal rows than the agreement of each with others predicts. Agreement
// with those of another standard, or who answer against the others, predicts nothing.
func (s *labelSet) testCopied(ofOtherStandard []FoundEffect) (tests []test) {
	rows := s.collectEqualRows()
	byAnnotator := make([]equalRows, len(s.Annotators))
	isOther := make([]bool, len(s.Annotators))
	for _, f := range ofOtherStandard {
		isOther[slices.Index(s.Annotators, f.Annotator)] = !f.IsEither
	}
	for a := range isOther {
		isOther[a] = isOther[a] || s.isAgainstOthers(a)
	}
	for n, p := range s.pairs.list {
		if !s.isExcluded[p.second] && !isOther[p.second] {
			byAnnotator[p.first].add(&rows[n], 1)
		}
		if !s.isExcluded[p.first] && !isOther[p.first] {
			byAnnotator[p.second].add(&rows[n], 1)
		}
	}
	for n, p := range s.pairs.list {
		if s.isExcluded[p.first] || s.isExcluded[p.second] {
			continue
		}
		first, second, own := byAnnotator[p.first], byAnnotator[p.second], rows[n]
		if !isOther[p.second] {
			first.add(&own, -1)
		}
		if !isOther[p.first] {
			second.add(&own, -1)
		}
		items, equal := sumOf(own.items[:]), sumOf(own.equal[:])
		if items < minCopiedItems || sumOf(first.items[:]) < minCopiedItems || sumOf(second.items[:]) < minCopiedItems {
			continue
		}
		more, standardError := first.alikeness()
		if m, e := second.alikeness(); m > more {
			more, standardError = m, e
		}
		t := test{FoundEffect: FoundEffect{Effect: Copied, Annotator: s.Annotators[p.first],
			Other: s.Annotators[p.second], IsEither: true,
			Value: equal / items, Items: int(items)}}
		var weights [rowBins]float64
		expected, deviation, gain := 0.0, 0.0, 0.0 // of the evidence: without copies, and with only these
		for bin, n := range own.items {
			weights[bin] = evidence(bin, more+maxLikeness)
			b := probabilityIn(bin, more+maxLikeness)
			t.Others += n * probabilityIn(bin, more) / items
			expected, deviation = expected+n*b*weights[bin], deviation+n*b*(1-b)*weights[bin]*weights[bin]
			gain += n * (1 - probabilityIn(bin, more)) * weights[bin]
			expected -= n * probabilityIn(bin, more) * weights[bin]
		}
		for _, z := range likelyErrors {
			t.P += own.above(&weights, more+z*standardError+maxLikeness) / float64(len(likelyErrors))
		}
		isPlain := max(own.comparedWith(&first), own.comparedWith(&second)) <= maxPlainP
		if t.Value < t.Others+minCopied*(1-t.Others) || !isPlain {
			t.P = 1
		}
		interval := stats.NewProportion(int(equal), int(items)).Interval
		t.Low, t.High = interval.Low, interval.High
		if s.SubmittedAt != nil {
			switch lead := float64(p.later) / max(equal, 1); {
			case lead >= minLead:
				t.IsEither = false
			case lead <= -minLead:
				t.IsEither, t.Annotator, t.Other = false, t.Other, t.Annotator
			}
		}
		smallest := minCopied + normalQuantile80*math.Sqrt(minCopied*(1-minCopied)/items)
		t.detectable = func(critical float64) float64 {
			return min(1, max(smallest, (expected+(critical+normalQuantile80)*math.Sqrt(deviation))/max(gain, epsilon)))
		}
		tests = append(tests, t)
	}
	return tests
}

// isAgainstOthers reports whether the answers of an annotator are further from the others' than chance would have them,
// as those of someone who has mistaken the ends of the scale for each other.
func (s *labelSet) isAgainstOthers(annotator int) bool {
	disagreement, items := 0.0, 0.0
	for _, n := range s.pairs.of[annotator] {
		p := s.pairs.list[n]
		disagreement, items = disagreement+p.disagreement, items+p.items
	}
	return items >= minSharedItems && disagreement > minAgainst*items
}

func sumOf(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// collectEqualRows returns the equal rows of all pairs, by how probable they are by the models of the fields.
func (s *labelSet) collectEqualRows() []equalRows {
	// field → point → of the probability of the same answer
	logs, random := make([][]float64, len(s.fields)), make([]float64, len(s.ItemOf))
	for f := range s.fields {
		if s.variances[f] == 0 {
			continue
		}
		m := s.fitModel(f, random)
		for x := range s.fields[f].Scale {
			p := m.predict([]uint8{uint8(x)}, m.usual)
			logs[f] = append(logs[f], math.Log(p[x]/sumOf(p)))
		}
	}
	rows := make([]equalRows, len(s.pairs.list))
	s.visitPairs(func(a, b int32) {
		probability, isEqual, isShared := 0.0, 1.0, false
		for f, points := range s.Points {
			if points[a] != points[b] {
				isEqual = 0
			}
			if x, y := points[a], points[b]; x != NoPoint && y != NoPoint && logs[f] != nil {
				probability, isShared = probability+(logs[f][x]+logs[f][y])/2, true
			}
		}
		if !isShared {
			return
		}
		r := &rows[s.pairs.number[[2]int32{s.AnnotatorOf[a], s.AnnotatorOf[b]}]]
		bin := binOf(math.Exp(probability))
		r.items[bin]++
		r.equal[bin] += isEqual
		if isEqual == 1 && s.SubmittedAt != nil {
			p := s.pairs.pair(s.AnnotatorOf[a], s.AnnotatorOf[b])
			p.later += cmp.Compare(s.SubmittedAt(a), s.SubmittedAt(b))
		}
	})
	return rows
}

// comparePairs adds up the disagreement of pairs on their items: the mean over fields of the squared difference without
// differences of severity, divided by that expected by chance. It is 1 − κ with quadratic weights.
func (s *labelSet) comparePairs() {
	s.visitPairs(func(a, b int32) {
		p := s.pairs.pair(s.AnnotatorOf[a], s.AnnotatorOf[b])
		sum, n := 0.0, 0.0
		for f := range s.fields {
			x, ok := s.leveled(a, f)
			if y, isBoth := s.leveled(b, f); ok && isBoth && s.variances[f] > 0 {
				sum, n = sum+(x-y)*(x-y)/(2*s.variances[f]), n+1
			}
		}
		if n == 0 {
			return
		}
		p.disagreement += sum / n
	})
}
