package protocol

import (
	"fmt"
	"slices"
)

// A deadEnd is a set of ticks that the form allows and that leaves no complete
// answer.
type deadEnd struct {
	ticks     []string
	solver    *solver // for the first combination of facts where it occurs
	caseCount int     // of combinations of facts where it occurs
}

// checkTicks reports dead ends. Supersets of a dead end are omitted, and so are
// observations that can never be ticked, which checkAnswers reports.
func (a *analysis) checkTicks() {
	for _, c := range a.findDeadEnds() {
		if len(c.ticks) == 1 && a.isNeverTickable(c.ticks[0]) {
			continue
		}
		condition := ""
		if c.caseCount < len(a.cases) {
			condition = a.describeFacts(c.solver.facts)
		}
		conflict := a.minimalConflict(c.solver.facts, a.exactTicks(c.ticks))
		a.addErrorf(a.firstLine(conflict), "Dead end: %s leaves no valid answer%s. Relax %s%s.", describeTicks(c.ticks),
			condition, a.quoteRuleIDs(conflict), c.describeFix())
	}
}

func (a *analysis) isNeverTickable(key string) bool {
	o, _ := a.Observation(key)
	return a.isUntickable(o)
}

func (c deadEnd) describeFix() string {
	if len(c.ticks) < 2 {
		return ""
	}
	return ", or let a rule exclude the ticks from each other"
}

func describeTicks(ticks []string) string {
	switch len(ticks) {
	case 0:
		return "ticking nothing"
	case 1:
		return fmt.Sprintf("ticking “%s”", ticks[0])
	}
	return "ticking " + joinQuoted(ticks) + " together"
}

// findDeadEnds returns the dead ends for all combinations of facts.
func (a *analysis) findDeadEnds() (deadEnds []deadEnd) {
	ticksByComponent := map[string][][]string{} // by componentKey
	for _, s := range a.cases {
		for _, comp := range s.components {
			name := s.componentKey(comp)
			if _, ok := ticksByComponent[name]; !ok {
				ticksByComponent[name] = a.findDeadEndsIn(s, comp)
			}
			for _, ticks := range ticksByComponent[name] {
				i := slices.IndexFunc(deadEnds, func(c deadEnd) bool { return slices.Equal(c.ticks, ticks) })
				if i < 0 {
					i, deadEnds = len(deadEnds), append(deadEnds, deadEnd{ticks, s, 0})
				}
				deadEnds[i].caseCount++
			}
		}
	}
	return deadEnds
}

// findDeadEndsIn returns the dead ends of one component.
func (a *analysis) findDeadEndsIn(s *solver, comp component) [][]string {
	search := newTickSearch(s, comp, a.Protocol)
	search.explore(s.openDomains())
	return mapSlice(search.deadEnds, func(ticks []int) []string {
		return mapSlice(ticks, func(v int) string { return s.keys[v] })
	})
}

// A tickSearch searches the sets of ticks of one component.
type tickSearch struct {
	*solver
	ticks          []int        // variables, non-monotone ones first
	isMonotone     map[int]bool // ticks that only trigger rules: one more allows fewer answers
	formComponent  component    // clauses on ticks and the note only, which the form checks before fields
	fieldComponent component    // clauses that involve a field or the note
	deadEnds       [][]int      // found so far, as variables
}

func newTickSearch(s *solver, comp component, p Protocol) *tickSearch {
	search := &tickSearch{solver: s, isMonotone: map[int]bool{},
		formComponent: component{variables: []int{s.variables[NoteKey]}}}
	for _, v := range comp.variables {
		if _, ok := p.Observation(s.keys[v]); ok {
			search.ticks = append(search.ticks, v)
			search.isMonotone[v] = true
		} else {
			search.fieldComponent.variables = append(search.fieldComponent.variables, v)
		}
	}
	for _, i := range comp.clauses {
		search.addClause(i)
	}
	slices.SortStableFunc(search.ticks, func(a, c int) int {
		return boolToInt(search.isMonotone[a]) - boolToInt(search.isMonotone[c])
	})
	return search
}

// addClause adds clause i to the components it belongs to, and marks ticks that do
// more than trigger it as not monotone.
func (t *tickSearch) addClause(i int) {
	c := t.clauses[i]
	hasField, hasNote := false, false
	for _, l := range slices.Concat(c.when, c.then) {
		hasNote = hasNote || l.variable == t.variables[NoteKey]
		hasField = hasField || l.variable != t.variables[NoteKey] && !slices.Contains(t.ticks, l.variable)
	}
	if !hasField {
		t.formComponent.clauses = append(t.formComponent.clauses, i)
	}
	if !hasField && !hasNote {
		return
	}
	t.fieldComponent.clauses = append(t.fieldComponent.clauses, i)
	for _, l := range c.then {
		delete(t.isMonotone, l.variable)
	}
	for _, l := range c.when {
		if l.allowed != 0b10 {
			delete(t.isMonotone, l.variable)
		}
	}
}

// explore finds dead ends among the sets of ticks that domains leave open. If the
// set with every open monotone tick has an answer, so have all its subsets.
func (t *tickSearch) explore(domains []valueSet) {
	if !t.propagate(t.formComponent, domains) || t.containsDeadEnd(domains) {
		return
	}
	undecided := slices.IndexFunc(t.ticks, func(v int) bool { return !domains[v].isSingle() })
	if (undecided < 0 || t.isMonotone[t.ticks[undecided]]) && t.hasAnswer(domains) {
		return
	}
	if undecided < 0 {
		t.recordDeadEnd(domains)
		return
	}
	for _, value := range []valueSet{0b01, 0b10} {
		next := slices.Clone(domains)
		next[t.ticks[undecided]] = value
		t.explore(next)
	}
}

// containsDeadEnd reports whether domains contain a known dead end.
func (t *tickSearch) containsDeadEnd(domains []valueSet) bool {
	return slices.ContainsFunc(t.deadEnds, func(ticks []int) bool {
		return !slices.ContainsFunc(ticks, func(v int) bool { return domains[v] != 0b10 })
	})
}

// hasAnswer reports whether a complete answer exists with the ticks of domains and
// every open one.
func (t *tickSearch) hasAnswer(domains []valueSet) bool {
	trial := slices.Clone(domains)
	for _, v := range t.ticks {
		if !trial[v].isSingle() {
			trial[v] = 0b10
		}
	}
	return t.searchComponent(t.fieldComponent, trial)
}

// formAllows reports whether the form accepts the ticks of domains before any
// field is answered, with a note or without.
func (t *tickSearch) formAllows(domains []valueSet) bool {
	return t.searchComponent(t.formComponent, slices.Clone(domains))
}

// recordDeadEnd adds the ticks of domains as a dead end, reduced to a minimal set.
func (t *tickSearch) recordDeadEnd(domains []valueSet) {
	if !t.formAllows(domains) {
		return
	}
	var ticks []int
	for _, v := range slices.Sorted(slices.Values(t.ticks)) {
		if domains[v] == 0b01 {
			continue
		}
		reduced := slices.Clone(domains)
		reduced[v], reduced[t.variables[NoteKey]] = 0b01, 0b11
		if t.formAllows(reduced) && !t.hasAnswer(reduced) {
			domains = reduced
		} else {
			ticks = append(ticks, v)
		}
	}
	if t.budget.remaining >= 0 && !t.containsDeadEnd(domains) {
		t.deadEnds = append(t.deadEnds, ticks)
	}
}
