package stats

import "fmt"

// because says in words why a coefficient is undefined on t.
func because(missing lack, t Table, s *sums) string {
	switch missing {
	case lacksOverlap:
		return lacksOverlapIn(t)
	case lacksVariation:
		return t.sameEverywhere(s)
	}
	return ""
}

func lacksOverlapIn(t Table) string {
	switch len(t.annotators) {
	case 0:
		return "there are no answers yet"
	case 1:
		return fmt.Sprintf("only %s has answered: agreement needs two annotators", t.annotators[0])
	}
	return "no item was judged by two annotators: there is nothing to compare"
}

// sameEverywhere names the answer that leaves nothing to agree on, and the two
// annotators it comes from where others differ.
func (t Table) sameEverywhere(s *sums) string {
	if v, ok := t.only(); ok {
		return fmt.Sprintf("every answer is %s: there is no variation to agree on", v)
	}
	if v, ok := t.Paired().only(); ok {
		return fmt.Sprintf("every answer to an item that two annotators judged is %s: there is no variation to agree on", v)
	}
	for _, p := range s.pairs {
		if _, lacks := s.cohen(p, Unweighted); lacks == lacksVariation {
			return fmt.Sprintf("every answer that %s and %s both gave is %s: there is no variation to agree on, so the mean over pairs has no value",
				t.annotators[p.first], t.annotators[p.second], t.write(p.cells[0].first))
		}
	}
	return "the answers do not vary: there is nothing to agree on"
}
