package protocol

import (
	"math/bits"
	"slices"
)

// isSatisfiable reports whether a complete answer meets the conditions.
func (s *solver) isSatisfiable(conditions []Condition) bool {
	_, found := s.findAnswer(conditions)
	return found
}

// findAnswer returns a complete answer that meets the conditions, by key.
func (s *solver) findAnswer(conditions []Condition) (map[string]int, bool) {
	literals, isPossible := s.toLiterals(conditions)
	domains := s.openDomains()
	for _, l := range literals {
		domains[l.variable] &= l.allowed
	}
	if !isPossible || !s.solve(domains) {
		return nil, false
	}
	answer := map[string]int{}
	for key, v := range s.variables {
		answer[key] = s.domains[v][bits.TrailingZeros16(uint16(domains[v]))]
	}
	return answer, true
}

// solve narrows domains to one complete answer and reports whether there is one.
// Components are independent, so their search costs add up instead of multiplying.
func (s *solver) solve(domains []valueSet) bool {
	if slices.Contains(domains, 0) {
		return false
	}
	for _, comp := range s.components {
		if !s.searchComponent(comp, domains) {
			return false
		}
	}
	for v, d := range domains {
		domains[v] = d & -d // unconstrained: take the first value
	}
	return true
}

// searchComponent assigns the variables of a component: it propagates, then tries
// the values of the variable with the fewest left.
func (s *solver) searchComponent(comp component, domains []valueSet) bool {
	if !s.propagate(comp, domains) {
		return false
	}
	branchVariable := -1
	for _, v := range comp.variables {
		if !domains[v].isSingle() && (branchVariable < 0 ||
			bits.OnesCount16(uint16(domains[v])) < bits.OnesCount16(uint16(domains[branchVariable]))) {
			branchVariable = v
		}
	}
	if branchVariable < 0 {
		return true
	}
	for untried := domains[branchVariable]; untried != 0; untried &= untried - 1 {
		trial := slices.Clone(domains)
		trial[branchVariable] = untried & -untried
		if s.searchComponent(comp, trial) {
			copy(domains, trial)
			return true
		}
	}
	return false
}

// propagate narrows domains until no clause can narrow them further.
func (s *solver) propagate(comp component, domains []valueSet) bool {
	for changed := true; changed; {
		if !s.budget.spend(len(comp.clauses)) {
			return false
		}
		changed = false
		for _, i := range comp.clauses {
			narrowed, ok := s.clauses[i].narrow(domains)
			if !ok {
				return false
			}
			changed = changed || narrowed
		}
	}
	return true
}

// narrow applies c to domains: if its premise holds, its conclusion must hold; if
// the conclusion cannot hold, neither can the premise.
func (c clause) narrow(domains []valueSet) (changed, ok bool) {
	undecided := -1
	for i, l := range c.when {
		switch d := domains[l.variable]; {
		case d&l.allowed == 0:
			return false, true
		case d&^l.allowed == 0:
		case undecided >= 0:
			return false, true // two undecided: no inference yet
		default:
			undecided = i
		}
	}
	if undecided >= 0 {
		return c.narrowPremise(c.when[undecided], domains), true
	}
	for _, l := range c.then {
		narrowed := domains[l.variable] & l.allowed
		changed = changed || narrowed != domains[l.variable]
		domains[l.variable] = narrowed
		if narrowed == 0 {
			return changed, false
		}
	}
	return changed, true
}

// narrowPremise removes the values of the last undecided variable that would trigger
// c, if the conclusion of c cannot hold.
func (c clause) narrowPremise(last literal, domains []valueSet) bool {
	for _, l := range c.then {
		if domains[l.variable]&l.allowed == 0 {
			domains[last.variable] &^= last.allowed
			return true
		}
	}
	return false
}
