package protocol

import (
	"slices"
	"strconv"
)

// checkGuidance reports guidance that contradicts the scales and rules.
func (r *reader) checkGuidance(p Protocol) {
	for _, f := range p.Fields {
		r.checkDecisionTree(f)
	}
	for _, e := range p.Examples {
		r.checkUntickedObservations(p, e)
	}
	r.checkSuggestions(p)
}

// checkDecisionTree reports values that a tree does not reach: the highest branch that fits
// counts, so the branches ascend and each point has one.
func (r *reader) checkDecisionTree(f Field) {
	if len(f.DecisionTree) == 0 {
		return
	}
	line, previous, reached := r.lines["tree "+f.Key], -1, map[int]bool{}
	for _, b := range f.DecisionTree {
		value, _ := strconv.Atoi(b.Then)
		if value <= previous {
			r.errorf(line, "The decision tree of “%s” leads to %d after %d. The highest branch that fits counts: "+
				"write one branch per point, from low to high.", f.Key, value, previous)
		}
		previous, reached[value] = value, true
	}
	for _, v := range f.Scale.Values() {
		if !reached[v] {
			r.errorf(line, "The decision tree of “%s” never leads to %d. Add a branch for it.", f.Key, v)
		}
	}
}

// checkUntickedObservations reports an answer of an example that an observation forces
// without any such observation being ticked. Annotators would learn to leave it unticked.
func (r *reader) checkUntickedObservations(p Protocol, e Example) {
	facts := e.facts(p)
	for _, f := range p.ApplicableFields(facts) {
		var forcing []string
		for _, o := range p.Observations {
			if value, ok := p.onlyForced(facts, o)[f.Key]; ok && value == e.Answers.Values[f.Key] {
				forcing = append(forcing, o.Key)
			}
		}
		if len(forcing) > 0 && !slices.ContainsFunc(forcing, func(key string) bool {
			return slices.Contains(e.Answers.Observations, key)
		}) {
			r.errorf(r.lines["example "+e.Key], "Example “%s” answers %d to “%s”, which %s would force, and ticks none of these. "+
				"Tick what the item shows, or give another answer.",
				e.Key, e.Answers.Values[f.Key], f.Key, joinQuoted(forcing))
		}
	}
}

// onlyForced returns the answer that an observation forces by itself, if that is one field.
// Observations that force more, such as an empty response, do not name the fault of a field.
func (p Protocol) onlyForced(facts Facts, o Observation) map[string]int {
	forced := p.forcedValues(facts, Answers{Observations: []string{o.Key}})
	for key, value := range p.forcedValues(facts, Answers{}) {
		if forced[key] == value {
			delete(forced, key)
		}
	}
	if len(forced) > 1 {
		return nil
	}
	return forced
}

// checkSuggestions reports hints that suggest an answer that the rules forbid when another
// observation is ticked as well.
func (r *reader) checkSuggestions(p Protocol) {
	a := newAnalysis(p, r.lines, &stepBudget{maxSteps})
	for _, h := range p.Hints {
		for _, suggestion := range h.Suggestions {
			if forbidden := a.forbiddenWith(h, suggestion); forbidden != "" {
				r.errorf(r.lines["rule "+h.ID], "Hint “%s” suggests %s for “%s”, which the rules forbid when “%s” is ticked too. "+
					"Add “%s: not ticked” to its “when”, or suggest it in a second hint.",
					h.ID, joinNumbers(suggestion.Values), suggestion.Key, forbidden, forbidden)
			}
		}
	}
	if a.budget.remaining < 0 {
		r.errorf(r.firstRuleLine(p), tooComplex)
	}
}

// forbiddenWith returns an observation that can be ticked next to those of a hint, and no
// others, and with which the rules forbid the suggestion; or "".
func (a *analysis) forbiddenWith(h Hint, suggestion Condition) string {
	for _, o := range a.Observations {
		if isMentioned(h.When, o) {
			continue
		}
		ticks := slices.Concat(h.When, tickedCondition(o))
		for _, other := range a.Observations {
			if !isMentioned(ticks, other) {
				ticks = append(ticks, Condition{other.Key, []int{0}})
			}
		}
		if a.isPossible(ticks) && !a.isPossible(append(ticks, suggestion)) {
			return o.Key
		}
	}
	return ""
}

func isMentioned(conditions []Condition, o Observation) bool {
	return slices.ContainsFunc(conditions, func(c Condition) bool { return c.Key == o.Key })
}
