package protocol

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxSteps limits the work of checking a definition to less than a second.
const maxSteps = 20_000_000

const tooComplex = "These rules are too complex to check. Use fewer answers per rule, or remove some rules."

// checkConsistency reports errors of the definition as a whole. It requires that
// every part could be read.
func (r *reader) checkConsistency(p Protocol) {
	if r.checkEachRule(p); len(r.errs) > 0 {
		return
	}
	r.checkExamples(p)
	a := newAnalysis(p, r.lines, &stepBudget{maxSteps})
	if a.run(); a.budget.remaining < 0 {
		r.errorf(r.firstRuleLine(p), tooComplex)
		return
	}
	for _, f := range a.errs {
		r.errorf(f.Line, "%s", f.Message)
	}
}

func (r *reader) firstRuleLine(p Protocol) int {
	if len(p.Rules) == 0 {
		return 1
	}
	return p.Rules[0].Line
}

// checkEachRule reports rules that require nothing or contradict themselves.
func (r *reader) checkEachRule(p Protocol) {
	for _, rule := range p.Rules {
		allowsAll := true
		for _, c := range rule.Then {
			allowsAll = allowsAll && len(c.Values) == len(r.terms[c.Key].values)
			if rule.contradicts(c) {
				r.errorf(rule.Line, "Rule “%s” contradicts itself: “when” and “then” need different values of “%s”. Change one of them.", rule.ID, c.Key)
			}
		}
		if allowsAll {
			r.errorf(rule.Line, "Rule “%s” allows every answer. Narrow its “then”, or remove it.", rule.ID)
		}
	}
}

// contradicts reports whether demand excludes the conditions that trigger r.
func (r Rule) contradicts(demand Condition) bool {
	return slices.ContainsFunc(r.When, func(when Condition) bool {
		return when.Key == demand.Key && !slices.ContainsFunc(when.Values, func(v int) bool {
			return slices.Contains(demand.Values, v)
		})
	})
}

// factCases returns every possible combination of facts: if two facts count the
// same turns, the larger count implies the smaller.
func (p Protocol) factCases() (cases []Facts) {
	for mask := range 1 << len(p.Facts) {
		facts := Facts{}
		for i, f := range p.Facts {
			facts[f.Key] = mask>>i&1 == 1
		}
		if p.isPossibleCase(facts) {
			cases = append(cases, facts)
		}
	}
	return cases
}

func (p Protocol) isPossibleCase(facts Facts) bool {
	for _, larger := range p.Facts {
		for _, smaller := range p.Facts {
			sameTurns := larger.Part == smaller.Part && larger.Role == smaller.Role
			if sameTurns && larger.MinTurns >= smaller.MinTurns && facts[larger.Key] && !facts[smaller.Key] {
				return false
			}
		}
	}
	return true
}

// An analysis finds answers that are impossible to give.
type analysis struct {
	Protocol
	lines  map[string]int
	cases  []*solver // one per combination of facts
	budget *stepBudget
	errs   DefinitionErrors
}

func newAnalysis(p Protocol, lines map[string]int, budget *stepBudget) *analysis {
	cases := mapSlice(p.factCases(), func(facts Facts) *solver { return p.newSolver(facts, budget) })
	return &analysis{p, lines, cases, budget, nil}
}

func (a *analysis) addErrorf(line int, format string, args ...any) {
	a.errs = append(a.errs, DefinitionError{Line: line, Message: fmt.Sprintf(format, args...)})
}

func (a *analysis) run() {
	if a.checkRules(); len(a.errs) > 0 {
		return // further errors would repeat these
	}
	a.checkAnswers()
	a.checkHints()
	a.checkTicks()
}

// isPossible reports whether a complete answer to some item meets the conditions.
func (a *analysis) isPossible(conditions []Condition) bool {
	return slices.ContainsFunc(a.cases, func(s *solver) bool { return s.isSatisfiable(conditions) })
}

// isPossibleWithout reports the same without one rule.
func (a *analysis) isPossibleWithout(excluded int, conditions []Condition) bool {
	return slices.ContainsFunc(a.cases, func(s *solver) bool {
		return a.newSolver(s.facts, a.budget, excluded).isSatisfiable(conditions)
	})
}

// checkRules reports rules that can never apply, and rules that cannot be satisfied
// when they apply.
func (a *analysis) checkRules() {
	for _, s := range a.cases {
		if !s.isSatisfiable(nil) {
			conflict := a.minimalConflict(s.facts, nil)
			a.addErrorf(a.firstLine(conflict), "These rules leave no complete answer%s. Relax %s.",
				a.describeFacts(s.facts), a.quoteRuleIDs(conflict))
			return
		}
	}
	for i, r := range a.Rules {
		switch {
		case a.isPossible(r.When):
		case a.isPossibleWithout(i, r.When):
			a.addErrorf(r.Line, "Rule “%s” can never be satisfied when it applies. Relax %s.", r.ID,
				a.describeConflict(r.When))
		default:
			a.addErrorf(r.Line, "Rule “%s” can never apply: no complete answer meets its “when”. Correct it, or remove it.", r.ID)
		}
	}
}

// firstLine returns the line of the first rule.
func (a *analysis) firstLine(rules []int) int {
	if len(rules) == 0 {
		return 1
	}
	return a.Rules[rules[0]].Line
}

// checkAnswers reports values and observations that no complete answer can have.
func (a *analysis) checkAnswers() {
	for _, f := range a.Fields {
		for _, v := range f.Scale.Values() {
			if condition := []Condition{{f.Key, []int{v}}}; !a.isPossible(condition) {
				a.addErrorf(a.lines[fmt.Sprintf("%s=%d", f.Key, v)],
					"No complete answer can have %d for “%s”. Remove the point, or relax %s.", v, f.Key,
					a.describeConflict(condition))
			}
		}
	}
	for _, o := range a.Observations {
		if a.isUntickable(o) {
			a.addErrorf(a.lines[o.Key], "“%s” can never be ticked in a complete answer. Remove it, or relax %s.", o.Key,
				a.describeConflict(tickedCondition(o)))
		}
	}
}

func tickedCondition(o Observation) []Condition { return []Condition{{o.Key, []int{1}}} }

func (a *analysis) isUntickable(o Observation) bool { return !a.isPossible(tickedCondition(o)) }

// checkHints reports hints that never appear, and suggestions that the rules
// forbid.
func (a *analysis) checkHints() {
	for _, h := range a.Hints {
		line := a.lines["rule "+h.ID]
		switch {
		case !a.isPossible(h.When):
			a.addErrorf(line, "Hint “%s” can never appear: no complete answer meets its “when”. Correct it, or remove it.", h.ID)
		case !a.isPossible(slices.Concat(h.When, h.Suggestions)):
			a.addErrorf(line, "Hint “%s” suggests answers that the rules forbid. Change it, or relax %s.", h.ID,
				a.describeConflict(slices.Concat(h.When, h.Suggestions)))
		}
	}
}

// describeConflict names a minimal set of rules that together make the conditions
// impossible, for the first combination of facts where rules are the reason.
func (a *analysis) describeConflict(conditions []Condition) string {
	var conflict []int
	for _, s := range a.cases {
		if found := a.minimalConflict(s.facts, conditions); len(found) > 0 {
			conflict = found
			break
		}
	}
	if len(conflict) == 0 {
		return "the facts it depends on"
	}
	return a.quoteRuleIDs(conflict)
}

func (a *analysis) quoteRuleIDs(rules []int) string {
	return joinQuoted(mapSlice(rules, func(i int) string { return a.Rules[i].ID }))
}

// minimalConflict returns a minimal set of rules that make the conditions impossible.
func (a *analysis) minimalConflict(facts Facts, conditions []Condition) []int {
	var excluded, conflict []int
	for i := range a.Rules {
		if a.newSolver(facts, a.budget, append(excluded, i)...).isSatisfiable(conditions) {
			conflict = append(conflict, i)
		} else {
			excluded = append(excluded, i)
		}
	}
	if len(conflict) == 0 {
		return nil
	}
	slices.SortFunc(conflict, func(x, y int) int { return cmp.Compare(a.Rules[x].Line, a.Rules[y].Line) })
	return conflict
}

// joinQuoted returns "“a”, “b” and “c”", at most four of them.
func joinQuoted(ids []string) string {
	const maxItems = 4
	items := mapSlice(ids, func(id string) string { return "“" + id + "”" })
	if len(items) > maxItems {
		items = append(items[:maxItems-1], "others")
	}
	return joinWithAnd(items)
}

// exactTicks returns the conditions that exactly these observations are ticked.
func (a *analysis) exactTicks(keys []string) []Condition {
	return mapSlice(a.Observations, func(o Observation) Condition {
		return Condition{o.Key, []int{boolToInt(slices.Contains(keys, o.Key))}}
	})
}

// describeFacts returns a phrase such as "for an item where multi_turn is no".
func (a *analysis) describeFacts(facts Facts) string {
	if len(a.Facts) == 0 {
		return ""
	}
	return " for an item where " + joinWithAnd(mapSlice(a.Facts, func(f Fact) string {
		return f.Key + " is " + strings.Fields("no yes")[boolToInt(facts[f.Key])]
	}))
}
