package protocol

import (
	"maps"
	"slices"
)

// A Filled is an answer that ticked observations force.
type Filled struct {
	Field       string
	Before      *int   // the answer that it replaces; nil: none
	WasUnsure   bool   // that answer was "between two values"
	Observation string // whose tick forces it; empty: several do
}

// FillForced returns a with the answers that its ticked observations force, also over
// answers given before, and what it changed.
func (p Protocol) FillForced(facts Facts, a Answers) (Answers, []Filled) {
	without := p.forcedValues(facts, a.withoutTick(a.Observations...))
	forced := p.forcedValues(facts, a)
	result, filled := a, []Filled(nil)
	result.Values = maps.Clone(a.Values)
	for _, f := range p.ApplicableFields(facts) {
		value, isForced := forced[f.Key]
		before, isAnswered := a.Values[f.Key]
		if free, ok := without[f.Key]; !isForced || ok && free == value || isAnswered && before == value {
			continue
		}
		change := Filled{Field: f.Key, WasUnsure: slices.Contains(a.Unsure, f.Key),
			Observation: p.forcingTick(facts, a, f.Key)}
		if isAnswered {
			change.Before = &before
		}
		if result.Values == nil {
			result.Values = map[string]int{}
		}
		result.Values[f.Key] = value
		result.Unsure = withoutKeys(result.Unsure, f.Key)
		filled = append(filled, change)
	}
	return result, filled
}

// forcingTick returns the ticked observation that forces a field alone, or "".
func (p Protocol) forcingTick(facts Facts, a Answers, field string) string {
	for _, key := range a.Observations {
		if _, isForced := p.forcedValues(facts, a.withoutTick(key))[field]; !isForced {
			return key
		}
	}
	return ""
}

func (a Answers) withoutTick(keys ...string) Answers {
	a.Observations = withoutKeys(a.Observations, keys...)
	return a
}

func withoutKeys(list []string, keys ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(key string) bool { return slices.Contains(keys, key) })
}

// forcedValues returns the fields with one possible answer, whatever their present one:
// any other would break a rule at a field.
func (p Protocol) forcedValues(facts Facts, a Answers) map[string]int {
	values, forced := p.flattenAnswers(facts, a), map[string]int{}
	for _, f := range p.ApplicableFields(facts) {
		tried := maps.Clone(values)
		delete(tried, f.Key)
		before, possible := p.countFieldProblems(tried), []int(nil)
		for _, v := range f.Scale.Values() {
			if tried[f.Key] = v; p.countFieldProblems(tried) == before {
				possible = append(possible, v)
			}
		}
		if len(possible) == 1 {
			forced[f.Key] = possible[0]
		}
	}
	return forced
}

// countFieldProblems counts the problems that rules have with fields.
func (p Protocol) countFieldProblems(values map[string]int) (count int) {
	for _, r := range p.AllRules() {
		for _, problem := range r.findProblems(values) {
			if _, isField := p.Field(problem.Key); isField {
				count++
			}
		}
	}
	return count
}
