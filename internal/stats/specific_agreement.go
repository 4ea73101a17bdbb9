package stats

// SpecificAgreement returns the agreement on one point of the scale: of the answers that
// have it, the share of other answers to the same item that have it too (Cicchetti &
// Feinstein 1990, Journal of Clinical Epidemiology 43; for several annotators Fleiss 1981,
// Statistical Methods for Rates and Proportions, ch. 13). Each item counts by its
// number of answers. For two values these are positive and negative agreement.
func (t RatingTable) SpecificAgreement(category int) Measure {
	return Measure{Coefficient: "specific_agreement[" + t.valueText(uint8(category)) + "]", itemMethod: Share,
		value: func(s *agreementSums) (float64, missingData) {
			return s.specificAgreement(category)
		}}
}

func (s *agreementSums) specificAgreement(category int) (float64, missingData) {
	row := s.coincidences[category*s.categoryCount : (category+1)*s.categoryCount]
	total := 0.0
	for _, n := range row {
		total += n
	}
	switch {
	case s.pairedItems < epsilon:
		return 0, missingOverlap
	case total < epsilon:
		return 0, missingValue
	}
	return row[category] / total, missingNothing
}

// SpecificAgreements returns the measure of every point of the scale.
func (t RatingTable) SpecificAgreements() (measures []Measure) {
	for c := range t.Scale {
		measures = append(measures, t.SpecificAgreement(c))
	}
	return measures
}
