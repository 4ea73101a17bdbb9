package stats

// FleissKappa is Fleiss' κ (1971, Psychological Bulletin 76) in the generalised
// form for unequal numbers of ratings (Gwet 2014, eq. 2.6.4): chance from the
// mean share of each category over all items, those with a single rating
// included. On t.Complete() it is Fleiss' own; on t.Paired() it is items_2plus.
func FleissKappa() Measure {
	return Measure{Coefficient: "fleiss_kappa", Variant: "all_items", single: true, value: fleiss((*sums).shares)}
}

// FleissKappa2Plus leaves items with a single rating out of the chance term.
func FleissKappa2Plus() Measure {
	return Measure{Coefficient: "fleiss_kappa", Variant: "items_2plus", value: fleiss((*sums).pairedShares)}
}

func fleiss(shares func(*sums) []float64) func(*sums) (float64, lack) {
	return func(s *sums) (float64, lack) {
		observed, missing := s.observed(Unweighted)
		if missing != lacksNothing {
			return 0, missing
		}
		return corrected(observed, chance(shares(s), s.matrix(Unweighted)))
	}
}

// shares is the mean share of each category over all items.
func (s *sums) shares() []float64 { return scaled(s.share, s.items) }

// pairedShares is the same over items with two ratings or more.
func (s *sums) pairedShares() []float64 { return scaled(s.sharePaired, s.paired) }
