package stats

// FleissKappa returns Fleiss' κ (1971, Psychological Bulletin 76), generalized to unequal
// numbers of ratings (Gwet 2014, eq. 2.6.4): chance from the mean share of each category
// over all items, including those with a single rating. On items that every annotator
// labeled it is Fleiss' original κ.
func FleissKappa() Measure {
	return Measure{Coefficient: "fleiss_kappa", Variant: "all_items", itemMethod: Jackknife, includesSingles: true,
		value: fleiss((*agreementSums).meanShares)}
}

// FleissKappa2Plus returns Fleiss' κ without the items with a single rating.
func FleissKappa2Plus() Measure {
	return Measure{Coefficient: "fleiss_kappa", Variant: "items_2plus", itemMethod: Jackknife,
		value: fleiss((*agreementSums).meanPairedShares)}
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

// meanShares returns the mean share of each category over all items.
func (s *agreementSums) meanShares() []float64 { return divideAll(s.categoryShares, s.items) }

// meanPairedShares returns the same over items with at least two ratings.
func (s *agreementSums) meanPairedShares() []float64 {
	return divideAll(s.pairedCategoryShares, s.pairedItems)
}
