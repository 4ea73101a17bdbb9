package stats

import "fmt"

// explainMissing says in words why a coefficient is undefined on t.
func explainMissing(missing missingData, t RatingTable, s *agreementSums) string {
	switch missing {
	case missingOverlap:
		return explainNoOverlap(t)
	case missingVariation:
		return t.explainNoVariation(s)
	}
	return ""
}

func explainNoOverlap(t RatingTable) string {
	switch len(t.annotators) {
	case 0:
		return "there are no answers yet"
	case 1:
		return fmt.Sprintf("only %s has answered: agreement needs two annotators", t.annotators[0])
	}
	return "no item was judged by two annotators: there is nothing to compare"
}

// explainNoVariation names the answer that leaves nothing to agree on, and the two
// annotators it comes from where others differ.
func (t RatingTable) explainNoVariation(s *agreementSums) string {
	if v, ok := t.singleValue(); ok {
		return fmt.Sprintf("every answer is %s: there is no variation to agree on", v)
	}
	if v, ok := t.Paired().singleValue(); ok {
		return fmt.Sprintf("every answer to an item that two annotators judged is %s: there is no variation to agree on", v)
	}
	for _, p := range s.pairs {
		if _, missing := s.cohenKappa(p, Unweighted); missing == missingVariation {
			return fmt.Sprintf("every answer that %s and %s both gave is %s: there is no variation to agree on, so the mean over pairs has no value",
				t.annotators[p.first], t.annotators[p.second], t.valueText(p.cells[0].first))
		}
	}
	return "the answers do not vary: there is nothing to agree on"
}
