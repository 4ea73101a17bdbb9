package stats

// GwetAC1 returns Gwet's AC1 (2008, British Journal of Mathematical and Statistical
// Psychology 61): chance is Σ π(1−π) / (q−1) over the q declared categories, with π their
// mean share over all items, including those with a single rating.
func GwetAC1() Measure {
	return Measure{Coefficient: "gwet_ac1", Variant: "declared_categories", itemMethod: Jackknife,
		includesSingles: true, value: gwet(Unweighted)}
}

// GwetAC2 returns AC1 with weights (Gwet 2014, ch. 3): chance is T Σ π(1−π) / (q(q−1)),
// with T the sum of the q×q weights.
func GwetAC2(w Weighting) Measure {
	return Measure{Coefficient: "gwet_ac2", Variant: string(w), itemMethod: Jackknife, includesSingles: true,
		value: gwet(w)}
}

// SuitableAC returns Gwet's coefficient that suits a scale: AC1 for two points, else AC2
// with linear weights.
func SuitableAC(scale NumericScale) Measure {
	if len(scale) == 2 {
		return GwetAC1()
	}
	return GwetAC2(Linear)
}

func gwet(w Weighting) func(*agreementSums) (float64, missingData) {
	return func(s *agreementSums) (float64, missingData) {
		observed, missing := s.observedAgreement(w)
		if missing != missingNothing {
			return 0, missing
		}
		return correctForChance(observed, s.chanceAgreementGwet(w))
	}
}

// chanceAgreementGwet returns 0 on a scale of one point, as on a longer scale of which
// only one point is used.
func (s *agreementSums) chanceAgreementGwet(w Weighting) float64 {
	if s.categoryCount < 2 {
		return 0
	}
	total := 0.0
	for _, weight := range s.weightMatrix(w) {
		total += weight
	}
	spread := 0.0
	for _, p := range s.meanShares() {
		spread += p * (1 - p)
	}
	return total * spread / float64(s.categoryCount*(s.categoryCount-1))
}
