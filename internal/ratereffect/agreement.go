package ratereffect

import (
	"math"
	"slices"
)

// Errors make the scores of an annotator vary more, and its fields correlate less, than the qualities of the items do.
// Next to one who errs often, one who errs rarely looks as if it had an effect. How much annotators agree shows how often
// they err.

// minCorrelation is the correlation of two annotators' answers from which they agree enough to be compared.
const minCorrelation = 0.3

// correlateAnnotators sets correlations and their errors.
func (c *labelSet) correlateAnnotators() {
	c.correlations, c.correlationErrors = make([][]float64, len(c.Annotators)), make([][]float64, len(c.Annotators))
	inParallel(len(c.Annotators), func(a int) {
		c.correlations[a], c.correlationErrors[a] = make([]float64, len(c.Annotators)), make([]float64, len(c.Annotators))
		for _, pair := range c.pairLabels(c.labelsByAnnotator[a]) {
			if !pair.isRest {
				r, other := c.correlatePair(pair), c.AnnotatorOf[pair.other[0]]
				c.correlations[a][other], c.correlationErrors[a][other] = r, correlationError(r, len(pair.own))
			}
		}
	})
}

// correlationError returns the standard error of a correlation over n items.
func correlationError(r float64, n int) float64 { return (1 - r*r) / math.Sqrt(float64(n)) }

// correlatePair returns the mean correlation of two annotators' answers to the same field; 0 if it is not clearly
// above 0.
func (c *labelSet) correlatePair(pair labelPair) float64 {
	sum, n, weights := 0.0, 0.0, ones(len(pair.own))
	for f := range c.fields {
		if r, ok := weightedCorrelation(c.fieldScores(pair.own, f), c.fieldScores(pair.other, f), weights); ok {
			sum, n = sum+r, n+1
		}
	}
	if r := sum / max(n, 1); r >= max(minCorrelation, normalQuantile975/math.Sqrt(float64(len(pair.own)))) {
		return r
	}
	return 0
}

// boundHalo returns the highest correlation of fields that an annotator without a halo effect can have where that of
// the other one of a pair is known; false if the other one may err so often that it shows nothing.
func (c *labelSet) boundHalo(pair labelPair, ofOther float64) (bound float64, ok bool) {
	ratio := math.Inf(1) // of the reliabilities, at most
	r := c.correlatePair(pair)
	if !c.isOneOfTwo(int(c.AnnotatorOf[pair.own[0]])) { // of whom either can be right
		r -= correlationError(r, len(pair.own))
	}
	if r > 0 {
		ratio = 1 / (r * r)
	}
	if !pair.isRest {
		ratio = min(ratio, c.compareReliability(c.AnnotatorOf[pair.own[0]], c.AnnotatorOf[pair.other[0]]))
	}
	return max(ofOther, ofOther*ratio), !math.IsInf(ratio, 1)
}

// compareReliability returns the highest likely ratio of two annotators' reliabilities, as third ones show it by how much
// they agree with each of the two, within a standard error of each; at least 1, and infinite if none agrees with the
// other.
func (c *labelSet) compareReliability(own, other int32) float64 {
	ofOwn, ofOther, ownVariance, otherVariance := 0.0, 0.0, 0.0, 0.0
	for third, r := range c.correlations[other] {
		if int32(third) != own && r > 0 {
			ofOwn, ofOther = ofOwn+c.correlations[own][third], ofOther+r
			ownVariance += c.correlationErrors[own][third] * c.correlationErrors[own][third]
			otherVariance += c.correlationErrors[other][third] * c.correlationErrors[other][third]
		}
	}
	ofOwn, ofOther = ofOwn+math.Sqrt(ownVariance), ofOther-math.Sqrt(otherVariance)
	if ofOther <= 0 {
		return math.Inf(1)
	}
	return max(1, (ofOwn/ofOther)*(ofOwn/ofOther))
}

// shareOfSpread returns which share of the spread of the other one of a pair an annotator who errs rarely shows at
// least; 0 if it is unknown. It is the correlation of the other one's answers with the qualities of the items, as others
// show it by how much they agree, and 1 where the annotator errs as often. Of two annotators who are compared with each
// other only, either can be right, so that agreement beyond chance is enough.
func (c *labelSet) shareOfSpread(pair labelPair) float64 {
	reliability := c.correlatePair(pair)
	if pair.isRest {
		return reliability
	}
	own, other := c.AnnotatorOf[pair.own[0]], c.AnnotatorOf[pair.other[0]]
	if c.isOneOfTwo(int(own)) {
		return math.Ceil(reliability)
	}
	return max(reliability, slices.Max(c.correlations[other]), 1/math.Sqrt(c.compareReliability(own, other)))
}

// boundCompression returns the lowest spread of an annotator without compression. Answers that are all equal are no
// matter of errors.
func (c *labelSet) boundCompression(pair labelPair, ofOther float64) (bound float64, ok bool) {
	if c.areConstant(pair.own) {
		return ofOther, true
	}
	share := c.shareOfSpread(pair)
	return ofOther * share, share > 0
}

// boundCentralTendency returns the highest share of middle answers of an annotator without a central tendency. Those of
// the other one are about as much rarer as errors spread the answers.
func (c *labelSet) boundCentralTendency(pair labelPair, ofOther float64) (bound float64, ok bool) {
	if c.areConstant(pair.own) {
		return ofOther, true
	}
	share := c.shareOfSpread(pair)
	return min(1, ofOther/max(share, epsilon)), share > 0
}

// areConstant reports whether no field has two different answers.
func (c *labelSet) areConstant(labels []int32) bool {
	for f := range c.fields {
		if v, ok := weightedVariance(c.fieldScores(labels, f), ones(len(labels))); ok && v > epsilon {
			return false
		}
	}
	return true
}

// doOthersAgree reports whether the others who share items with an annotator agree beyond chance with anyone, so that
// their labels show something. Next to answers that are all equal they need not.
func (c *labelSet) doOthersAgree(own []int32) bool {
	if c.areConstant(own) {
		return true
	}
	return slices.ContainsFunc(c.pairLabels(own), func(pair labelPair) bool {
		return c.correlatePair(pair) > 0 || !pair.isRest && slices.Max(c.correlations[c.AnnotatorOf[pair.other[0]]]) > 0
	})
}
