package stats

// FleissKappa is Fleiss' κ (1971, Psychological Bulletin 76) in the generalised
// form for unequal numbers of ratings (Gwet 2014, eq. 2.6.4): chance from the
// mean share of each category over all items, those with a single rating
// included. On t.completeItems() it is Fleiss' own; on t.Paired() it is items_2plus.
func FleissKappa() Measure {
	return Measure{Coefficient: "fleiss_kappa", Variant: "all_items", includesSingles: true, value: fleiss((*agreementSums).meanShares)}
}

// FleissKappa2Plus leaves items with a single rating out of the chance term.
func FleissKappa2Plus() Measure {
	return Measure{Coefficient: "fleiss_kappa", Variant: "items_2plus", value: fleiss((*agreementSums).meanPairedShares)}
}

func fleiss(shares func(*agreementSums) []float64) func(*agreementSums) (float64, missingData) {
	return func(s *agreementSums) (float64, missingData) {
		observed, missing := s.observedAgreement(Unweighted)
		if missing != missingNothing {
			return 0, missing
		}
		return correctForChance(observed, chanceAgreement(shares(s), s.weightMatrix(Unweighted)))
	}
}

// meanShares is the mean share of each category over all items.
func (s *agreementSums) meanShares() []float64 { return divideAll(s.categoryShares, s.items) }

// meanPairedShares is the same over items with two ratings or more.
func (s *agreementSums) meanPairedShares() []float64 {
	return divideAll(s.pairedCategoryShares, s.pairedItems)
}
