package ratereffect

import "math"

// The effects on how the answers of one label relate to each other and to the scale: each is a value per label, whose
// mean is compared with that of the others' labels of the same items.

const (
	maxEqualExcess = 0.15 // share of items with equal answers, above the others, that counts as none
	minSpreadRatio = 0.5  // share of the others' variance that careful work has at least
	maxHaloExcess  = 0.2  // correlation of fields, above the others, that counts as none
	minShapeItems  = 20
	minEqualFields = 3
	minScalePoints = 3 // of the scales on which equal answers and spread say something
)

// fieldsForShape returns the fields with at least minScalePoints points.
func (s *labelSet) fieldsForShape() (fields []int) {
	for f, spec := range s.fields {
		if len(spec.Scale) >= minScalePoints && s.variances[f] > 0 {
			fields = append(fields, f)
		}
	}
	return fields
}

// compareValues returns, for the items that an annotator shares, the own values and the mean of the others'; NaN is no
// value.
func (s *labelSet) compareValues(annotator int, own, others func(label int32) float64) (values, ofOthers []float64) {
	n := len(s.byAnnotator[annotator])
	values, ofOthers = make([]float64, 0, n), make([]float64, 0, n)
	for _, l := range s.byAnnotator[annotator] {
		v := own(l)
		if math.IsNaN(v) {
			continue
		}
		sum, n := 0.0, 0.0
		s.others(l, func(other int32) {
			if w := others(other); !math.IsNaN(w) {
				sum, n = sum+w, n+1
			}
		})
		if n > 0 {
			values, ofOthers = append(values, v), append(ofOthers, sum/n)
		}
	}
	return values, ofOthers
}

// testEqualAnswers tests for items with the same point of the scale in all fields, where others do not give one.
// Answers that a rule fixes do not count.
func (s *labelSet) testEqualAnswers() (tests []test) {
	fields := s.fieldsForShape()
	if len(fields) < minEqualFields {
		return nil
	}
	isEqual := func(label int32) float64 {
		first, n, equal := 0.0, 0, 1.0
		for _, f := range fields {
			v, ok := s.score(label, f)
			if !ok || s.IsForced != nil && s.IsForced(label, f) {
				continue
			}
			if n == 0 {
				first = v
			}
			if n++; v != first {
				equal = 0
			}
		}
		if n < minEqualFields {
			return math.NaN()
		}
		return equal
	}
	for a := range s.Annotators {
		own, others := s.compareValues(a, isEqual, isEqual)
		if len(own) < minSharedItems {
			continue
		}
		excess := sampleOf(subtract(own, others, 1))
		excess.standardError = max(excess.standardError, 0.5/float64(len(own)))
		t := test{FoundEffect: FoundEffect{Effect: EqualAnswers, Annotator: s.Annotators[a]},
			detectable: excess.detectable(maxEqualExcess + sampleOf(others).mean)}
		t.Value, t.Others, t.Items, t.P = sampleOf(own).mean, sampleOf(others).mean, len(own),
			excess.above(maxEqualExcess)
		t.Low, t.High = t.Others+excess.mean-normalQuantile975*excess.standardError,
			min(1, t.Others+excess.mean+normalQuantile975*excess.standardError)
		t.Low = max(0, t.Low)
		tests = append(tests, t)
	}
	return tests
}

func subtract(values, others []float64, factor float64) []float64 {
	differences := make([]float64, len(values))
	for i := range values {
		differences[i] = values[i] - factor*others[i]
	}
	return differences
}

// standardize returns the answers of each annotator to a field as distances from the annotator's mean, in units of the
// spread of all annotators or of the annotator; NaN without an answer.
func (s *labelSet) standardize(field int, byOwnSpread bool) []float32 {
	values := make([]float32, len(s.ItemOf))
	for _, own := range s.byAnnotator {
		sum, squares, n := 0.0, 0.0, 0.0
		for _, l := range own {
			if v, ok := s.score(l, field); ok {
				sum, squares, n = sum+v, squares+v*v, n+1
			}
		}
		mean := sum / max(n, 1)
		spread := math.Sqrt(s.variances[field])
		if byOwnSpread {
			spread = math.Sqrt(max(0, squares/max(n, 1)-mean*mean))
		}
		for _, l := range own {
			v, ok := s.score(l, field)
			if values[l] = float32((v - mean) / spread); !ok || spread < epsilon {
				values[l] = float32(math.NaN())
			}
		}
	}
	return values
}

// combine returns for each label the value that its standardized answers give; NaN with fewer than two answers.
func (s *labelSet) combine(columns [][]float32, value func(sum, squares, n float64) float64) func(label int32) float64 {
	values := make([]float32, len(s.ItemOf))
	for l := range values {
		sum, squares, n := 0.0, 0.0, 0.0
		for _, column := range columns {
			if v := float64(column[l]); !math.IsNaN(v) {
				sum, squares, n = sum+v, squares+v*v, n+1
			}
		}
		values[l] = float32(value(sum, squares, n))
	}
	return func(label int32) float64 { return float64(values[label]) }
}

func (s *labelSet) standardizeAll(byOwnSpread bool) (columns [][]float32) {
	for _, f := range s.fieldsForShape() {
		columns = append(columns, s.standardize(f, byOwnSpread))
	}
	return columns
}

// testNarrowUse tests whether the answers vary less than those of the others on the same items.
func (s *labelSet) testNarrowUse() (tests []test) {
	square := s.combine(s.standardizeAll(false), func(_, squares, n float64) float64 { return squares / n })
	for a := range s.Annotators {
		own, others := s.compareValues(a, square, square)
		if len(own) < minShapeItems {
			continue
		}
		if _, isOnly := s.onlyOther(a); isOnly { // whose answers also vary more if that one errs more
			continue
		}
		lack := sampleOf(subtract(own, others, minSpreadRatio))
		lack.mean = -lack.mean
		ratio := sampleOf(own).mean / max(sampleOf(others).mean, epsilon)
		spread := sampleOf(subtract(own, others, ratio))
		relative := spread.standardError / max(sampleOf(others).mean, epsilon)
		t := test{FoundEffect: s.newFinding(NarrowUse, a), detectable: func(critical float64) float64 {
			return math.Sqrt(max(0, minSpreadRatio-(critical+normalQuantile80)*lack.standardError/max(
				sampleOf(others).mean, epsilon)))
		}}
		t.Value, t.Others, t.Items, t.P = math.Sqrt(ratio), 1, len(own), lack.above(0)
		t.Low, t.High = math.Sqrt(max(0, ratio-normalQuantile975*relative)), math.Sqrt(ratio+normalQuantile975*relative)
		tests = append(tests, t)
	}
	return tests
}

// reliabilityOfOnlyOther returns how far errors may lower the correlations of the only other annotator: κ of both; 1
// with more others, of whom careless ones are left out.
func (s *labelSet) reliabilityOfOnlyOther(annotator int) float64 {
	if _, isOnly := s.onlyOther(annotator); !isOnly {
		return 1
	}
	p := s.pairs.list[s.pairs.of[annotator][0]]
	return max(0.05, 1-p.disagreement/max(p.items, 1))
}

// testHalo tests whether fields correlate more than those of the others on the same items.
func (s *labelSet) testHalo() (tests []test) {
	columns := s.standardizeAll(true)
	if len(columns) < 2 {
		return nil
	}
	product := s.combine(columns, func(sum, squares, n float64) float64 {
		if n < 2 {
			return math.NaN()
		}
		return (sum*sum - squares) / (n * (n - 1))
	})
	square := s.combine(columns, func(_, squares, n float64) float64 { return squares / n })
	for a := range s.Annotators {
		own, others := s.compareValues(a, product, product)
		if len(own) < minShapeItems {
			continue
		}
		correlation, ofOthers := sampleOf(own).mean, sampleOf(others).mean
		ownSquares, otherSquares := s.compareValues(a, square, square)
		if len(ownSquares) != len(own) {
			continue
		}
		ownPart, otherPart := subtract(own, ownSquares, correlation), subtract(others, otherSquares, ofOthers)
		excess := sampleOf(subtract(ownPart, otherPart, 1))
		excess.mean = correlation - ofOthers
		bound := maxHaloExcess + max(0, ofOthers)*(1/s.reliabilityOfOnlyOther(a)-1)
		t := test{FoundEffect: s.newFinding(Halo, a), detectable: func(critical float64) float64 {
			return min(1, ofOthers+bound+(critical+normalQuantile80)*excess.standardError)
		}}
		t.Value, t.Others, t.Items, t.P = correlation, ofOthers, len(own), excess.above(bound)
		t.Low, t.High = excess.interval()
		t.Low, t.High = t.Low+ofOthers, min(1, t.High+ofOthers)
		tests = append(tests, t)
	}
	return tests
}
