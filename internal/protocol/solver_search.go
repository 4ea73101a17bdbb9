package protocol

import (
	"math/bits"
	"slices"
)

// isSatisfiable reports whether a complete answer fulfils conds.
func (s *solver) isSatisfiable(conditions []Condition) bool {
	_, found := s.findAnswer(conditions)
	return found
}

// findAnswer returns a complete answer that fulfils conds, by key.
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

// solve narrows domains to one complete answer and reports whether there is
// one. Pieces are solved one by one, so their difficulties add up and do not
// multiply.
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
		domains[v] = d & -d // what no clause binds takes its first value
	}
	return true
}

// searchComponent settles the variables of one piece: propagate, then try the values of
// the variable that has the fewest left.
func (s *solver) searchComponent(comp component, domains []valueSet) bool {
	if !s.propagate(comp, domains) {
		return false
	}
	branchVariable := -1
	for _, v := range comp.variables {
		if !domains[v].isSingle() && (branchVariable < 0 || bits.OnesCount16(uint16(domains[v])) < bits.OnesCount16(uint16(domains[branchVariable]))) {
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

// narrow draws what follows from c: if it starts, all of then stands; if then
// cannot stand, it does not start.
func (c clause) narrow(domains []valueSet) (changed, ok bool) {
	undecided := -1
	for i, l := range c.when {
		switch d := domains[l.variable]; {
		case d&l.allowed == 0:
			return false, true
		case d&^l.allowed == 0:
		case undecided >= 0:
			return false, true // two are undecided: nothing follows yet
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

// narrowPremise takes out of the last undecided variable what would start c, if c
// could not be kept.
func (c clause) narrowPremise(last literal, domains []valueSet) bool {
	for _, l := range c.then {
		if domains[l.variable]&l.allowed == 0 {
			domains[last.variable] &^= last.allowed
			return true
		}
	}
	return false
}
