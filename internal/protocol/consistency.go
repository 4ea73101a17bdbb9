package protocol

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxSteps is how many steps judging a definition may take: less than a second.
const maxSteps = 20_000_000

// checkConsistency notes what is wrong with a definition as a whole. It is called once
// every part of it can be read.
func (r *reader) checkConsistency(p Protocol) {
	if r.checkEachRule(p); len(r.errs) > 0 {
		return
	}
	a := newAnalysis(p, r.lines, &stepBudget{maxSteps})
	if a.run(); a.budget.remaining < 0 {
		r.errorf(r.firstRuleLine(p), "These rules are too intertwined to judge. Let each rule speak of fewer answers, or take some out.")
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

// checkEachRule notes rules that say nothing, or the opposite of themselves.
func (r *reader) checkEachRule(p Protocol) {
	for _, rule := range p.Rules {
		allowsAll := true
		for _, c := range rule.Then {
			allowsAll = allowsAll && len(c.Values) == len(r.terms[c.Key].values)
			if rule.contradicts(c) {
				r.errorf(rule.Line, "Rule “%s” contradicts itself: “%s” cannot be both what starts it and what it demands. Change one of the two.", rule.ID, c.Key)
			}
		}
		if allowsAll {
			r.errorf(rule.Line, "Rule “%s” allows every answer, so it asks for nothing. Narrow its “then”, or take it out.", rule.ID)
		}
	}
}

// contradicts reports whether c, a demand of r, rules out what starts r.
func (r Rule) contradicts(demand Condition) bool {
	return slices.ContainsFunc(r.When, func(when Condition) bool {
		return when.Key == demand.Key && !slices.ContainsFunc(when.Values, func(v int) bool { return slices.Contains(demand.Values, v) })
	})
}

// factCases returns every combination of facts that an item can have: where two
// facts count the same turns, the greater count includes the smaller.
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

// A analysis looks for answers that nobody could give.
type analysis struct {
	Protocol
	lines  map[string]int
	cases  []*solver // one for each combination of facts
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
		return // all else would be the same again in other words
	}
	a.checkAnswers()
	a.checkHints()
	a.checkTicks()
}

// isPossible reports whether some complete answer to some item fulfils conds.
func (a *analysis) isPossible(conditions []Condition) bool {
	return slices.ContainsFunc(a.cases, func(s *solver) bool { return s.isSatisfiable(conditions) })
}

// isPossibleWithout reports the same with one rule left out.
func (a *analysis) isPossibleWithout(excluded int, conditions []Condition) bool {
	return slices.ContainsFunc(a.cases, func(s *solver) bool { return a.newSolver(s.facts, a.budget, excluded).isSatisfiable(conditions) })
}

// checkRules notes rules that never start, and rules that could not be kept if
// they did.
func (a *analysis) checkRules() {
	for _, s := range a.cases {
		if !s.isSatisfiable(nil) {
			conflict := a.minimalConflict(s.facts, nil)
			a.addErrorf(a.firstLine(conflict), "These rules leave no complete answer%s. Loosen %s.", a.describeFacts(s.facts), a.quoteRuleIDs(conflict))
			return
		}
	}
	for i, r := range a.Rules {
		switch {
		case a.isPossible(r.When):
		case a.isPossibleWithout(i, r.When):
			a.addErrorf(r.Line, "Rule “%s” can never be kept once it starts. Loosen %s.", r.ID, a.describeConflict(r.When))
		default:
			a.addErrorf(r.Line, "Rule “%s” can never start, because no complete answer fulfils its “when”. Correct it, or take it out.", r.ID)
		}
	}
}

// linePattern returns the line of the first of rules.
func (a *analysis) firstLine(rules []int) int {
	if len(rules) == 0 {
		return 1
	}
	return a.Rules[rules[0]].Line
}

// checkAnswers notes values and observations that no complete answer can hold.
func (a *analysis) checkAnswers() {
	for _, f := range a.Fields {
		for _, v := range f.Scale.Values() {
			if condition := []Condition{{f.Key, []int{v}}}; !a.isPossible(condition) {
				a.addErrorf(a.lines[fmt.Sprintf("%s=%d", f.Key, v)], "No complete answer can have %d for “%s”. Take the point out, or loosen %s.", v, f.Key, a.describeConflict(condition))
			}
		}
	}
	for _, o := range a.Observations {
		if a.isUntickable(o) {
			a.addErrorf(a.lines[o.Key], "“%s” can never be ticked in a complete answer. Take it out, or loosen %s.", o.Key, a.describeConflict(tickedCondition(o)))
		}
	}
}

func tickedCondition(o Observation) []Condition { return []Condition{{o.Key, []int{1}}} }

func (a *analysis) isUntickable(o Observation) bool { return !a.isPossible(tickedCondition(o)) }

// checkHints notes hints that never show, and suggestions that cannot be
// followed.
func (a *analysis) checkHints() {
	for _, h := range a.Hints {
		line := a.lines["rule "+h.ID]
		switch {
		case !a.isPossible(h.When):
			a.addErrorf(line, "Hint “%s” can never show, because no complete answer fulfils its “when”. Correct it, or take it out.", h.ID)
		case !a.isPossible(slices.Concat(h.When, h.Suggestions)):
			a.addErrorf(line, "Hint “%s” suggests what the rules forbid. Change it, or loosen %s.", h.ID, a.describeConflict(slices.Concat(h.When, h.Suggestions)))
		}
	}
}

// describeConflict names rules that together make conds impossible: none of them could
// be left out. It looks at the first world that settles nothing by itself.
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

// minimalConflict returns the fewest rules it finds that make conds impossible.
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

// exactTicks returns the condition that of all observations just these are
// ticked.
func (a *analysis) exactTicks(keys []string) []Condition {
	return mapSlice(a.Observations, func(o Observation) Condition {
		return Condition{o.Key, []int{boolToInt(slices.Contains(keys, o.Key))}}
	})
}

// describeFacts returns "where multi_turn is no" for the sentence of a fault.
func (a *analysis) describeFacts(facts Facts) string {
	if len(a.Facts) == 0 {
		return ""
	}
	return " for an item where " + joinWithAnd(mapSlice(a.Facts, func(f Fact) string {
		return f.Key + " is " + strings.Fields("no yes")[boolToInt(facts[f.Key])]
	}))
}
