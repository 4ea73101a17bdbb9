package protocol

import (
	"fmt"
	"slices"
)

// A deadEnd is a set of ticks that the form allows and that leaves no answer to
// give: a dead end.
type deadEnd struct {
	ticks     []string
	solver    *solver // the first where it is one
	caseCount int     // of worlds where it is one
}

// checkTicks notes dead ends. Of two that lie within each other the smaller is
// told, and an observation that can never be ticked is told as such.
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
		a.addErrorf(a.firstLine(conflict), "Dead end: %s leaves no answer to give%s. Loosen %s%s.", describeTicks(c.ticks), condition, a.quoteRuleIDs(conflict), c.describeFix())
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

// findDeadEnds returns the dead ends of all worlds.
func (a *analysis) findDeadEnds() (deadEnds []deadEnd) {
	ticksByComponent := map[string][][]string{} // by piece
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

// findDeadEndsIn returns the dead ends of one piece.
func (a *analysis) findDeadEndsIn(s *solver, comp component) [][]string {
	search := newTickSearch(s, comp, a.Protocol)
	search.explore(s.openDomains())
	return mapSlice(search.deadEnds, func(ticks []int) []string {
		return mapSlice(ticks, func(v int) string { return s.keys[v] })
	})
}

// A tickSearch is one piece of a puzzle, seen from its ticks.
type tickSearch struct {
	*solver
	ticks          []int        // variables, the fickle ones first
	isMonotone     map[int]bool // ticks that only ever start rules: one more leaves fewer answers
	formComponent  component    // clauses on ticks and the note, which the form checks at once
	fieldComponent component    // clauses that speak of a field or the note
	deadEnds       [][]int      // the corners found, as variables
}

func newTickSearch(s *solver, comp component, p Protocol) *tickSearch {
	search := &tickSearch{solver: s, isMonotone: map[int]bool{}, formComponent: component{variables: []int{s.variables[NoteKey]}}}
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
	slices.SortStableFunc(search.ticks, func(a, c int) int { return boolToInt(search.isMonotone[a]) - boolToInt(search.isMonotone[c]) })
	return search
}

// addClause puts clause i where it belongs, and marks ticks that do more in it than
// start it.
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

// explore looks for corners among the sets of ticks that domains leave open.
// Where even with every open tick there is an answer, no smaller set needs a
// look.
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

// containsDeadEnd reports whether domains hold a corner that was found already.
func (t *tickSearch) containsDeadEnd(domains []valueSet) bool {
	return slices.ContainsFunc(t.deadEnds, func(ticks []int) bool {
		return !slices.ContainsFunc(ticks, func(v int) bool { return domains[v] != 0b10 })
	})
}

// hasAnswer reports whether a complete answer has the ticks of domains, and every
// one that is open.
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

// recordDeadEnd notes the ticks of domains as a dead end, without those it would be
// one without.
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
