package stats

// A ReasonCode identifies why a figure or its interval is not defined.
type ReasonCode string

// The codes of coefficients of agreement.
const (
	NoAnswers         ReasonCode = "no_answers"
	SingleAnnotator   ReasonCode = "single_annotator"    // Annotators[0] is the only one
	NoOverlap         ReasonCode = "no_overlap"          // no item has labels from two annotators
	NoSharedItem      ReasonCode = "no_shared_item"      // the two annotators of a pair share none
	NoVariation       ReasonCode = "no_variation"        // every answer is Value; blank: not one value
	NoSharedVariation ReasonCode = "no_shared_variation" // every answer to a shared item is Value
	NoPairVariation   ReasonCode = "no_pair_variation"   // Annotators gave every shared item Value
	UnorderedValues   ReasonCode = "unordered_values"    // words without a declared order
	TooManyPairs      ReasonCode = "too_many_pairs"      // more than maxPairs pairs of annotators
)

// The codes of other figures and of intervals.
const (
	TooFewItems        ReasonCode = "too_few_items"        // fewer than Min
	TooFewUnits        ReasonCode = "too_few_units"        // fewer than Min items or clusters
	NoFigure           ReasonCode = "no_figure"            // the figure itself is not defined
	NothingToCount     ReasonCode = "nothing_to_count"     // a proportion of no answers
	NoCompleteQuery    ReasonCode = "no_complete_query"    // every query lacks labels or ranks of some chunks
	FewResamples       ReasonCode = "few_resamples"        // most resamples have no value
	FewDisagreements   ReasonCode = "few_disagreements"    // agreement is full
	FewVariedAnswers   ReasonCode = "few_varied_answers"   // without one of the units a coefficient is not defined
	UnusedValue        ReasonCode = "unused_value"         // no item with two answers has it
	ConstantResamples  ReasonCode = "constant_resamples"   // every resample has the same value
	ConstantDifference ReasonCode = "constant_differences" // every difference is the same
)

// A Reason is why a figure or its interval is not defined. The zero value is no reason.
type Reason struct {
	Code       ReasonCode
	Annotators [2]string
	Value      string
	Min        int
}

// reasonFor returns why a coefficient is not defined on t.
func reasonFor(missing missingData, t RatingTable, s *agreementSums) Reason {
	switch missing {
	case missingOverlap:
		return t.overlapReason()
	case missingVariation:
		return t.variationReason(s)
	case missingValue:
		return Reason{Code: UnusedValue}
	}
	return Reason{}
}

func (t RatingTable) overlapReason() Reason {
	switch len(t.annotators) {
	case 0:
		return Reason{Code: NoAnswers}
	case 1:
		return Reason{Code: SingleAnnotator, Annotators: [2]string{t.annotators[0]}}
	}
	return Reason{Code: NoOverlap}
}

// variationReason names the constant answer, and its annotators if others vary.
func (t RatingTable) variationReason(s *agreementSums) Reason {
	if v, ok := t.singleValue(); ok {
		return Reason{Code: NoVariation, Value: v}
	}
	if v, ok := t.Paired().singleValue(); ok {
		return Reason{Code: NoSharedVariation, Value: v}
	}
	c := newCohenTable(s.categoryCount, s.weightMatrix(Unweighted))
	for _, p := range s.pairs {
		if _, missing := c.compute(p.cells, s.cellCounts); missing == missingVariation {
			return Reason{Code: NoPairVariation, Annotators: [2]string{t.annotators[p.first], t.annotators[p.second]},
				Value: t.valueText(p.cells[0].first)}
		}
	}
	return Reason{Code: NoVariation}
}
