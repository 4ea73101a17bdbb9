package protocol

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A solver finds the answers that the rules allow for an item with given facts. Its
// variables are the applicable fields, the observations and the note; each has a
// small domain.
type solver struct {
	facts      Facts
	variables  map[string]int // key → variable
	keys       []string       // by variable
	domains    [][]int        // by variable
	clauses    []clause
	components []component
	budget     *stepBudget
}

// A clause is a rule without the conditions that the facts decide.
type clause struct {
	when, then []literal
	ruleIndex  int // in Protocol.Rules
}

// A literal holds when a variable has one of the allowed values.
type literal struct {
	variable int
	allowed  valueSet
}

// A valueSet is a set of values, one bit per position in the variable's domain.
type valueSet uint16

func (s valueSet) isSingle() bool { return bits.OnesCount16(uint16(s)) == 1 }

// A component is a set of variables connected by clauses.
type component struct {
	variables []int
	clauses   []int
}

// solverBuildCost is the cost of adding a rule to a solver, in steps of propagation.
const solverBuildCost = 40

// A stepBudget counts steps instead of time, so that the result is the same on every
// machine. When it is spent, all searches end and their results are discarded.
type stepBudget struct{ remaining int }

func (b *stepBudget) spend(steps int) bool {
	b.remaining -= steps
	return b.remaining >= 0
}

// newSolver returns a solver for the rules of p, without those excluded, and an item
// with these facts.
func (p Protocol) newSolver(facts Facts, budget *stepBudget, excluded ...int) *solver {
	s := &solver{facts: facts, variables: map[string]int{}, budget: budget}
	budget.spend(len(p.Rules) * solverBuildCost)
	for _, f := range p.ApplicableFields(facts) {
		s.addVariable(f.Key, f.Scale.Values())
	}
	for _, o := range p.Observations {
		s.addVariable(o.Key, []int{0, 1})
	}
	s.addVariable(NoteKey, []int{0, 1})
	for i, r := range p.Rules {
		if slices.Contains(excluded, i) {
			continue
		}
		when, isPossible := s.toLiterals(r.When)
		then, _ := s.toLiterals(r.Then)
		if isPossible && len(then) > 0 {
			s.clauses = append(s.clauses, clause{when, then, i})
		}
	}
	s.components = s.findComponents()
	return s
}

func (s *solver) addVariable(key string, values []int) {
	s.variables[key] = len(s.domains)
	s.keys = append(s.keys, key)
	s.domains = append(s.domains, values)
}

// toLiterals converts conditions to literals, without those that the facts meet.
// isPossible is false if the facts contradict one.
func (s *solver) toLiterals(conditions []Condition) (literals []literal, isPossible bool) {
	isPossible = true
	for _, c := range conditions {
		variable, isVariable := s.variables[c.Key]
		value, isFact := s.facts[c.Key]
		switch {
		case isVariable:
			literals = append(literals, literal{variable, s.toValueSet(variable, c.Values)})
		case !isFact || !slices.Contains(c.Values, boolToInt(value)):
			isPossible = false
		}
	}
	return literals, isPossible
}

func (s *solver) toValueSet(variable int, values []int) (result valueSet) {
	for i, v := range s.domains[variable] {
		if slices.Contains(values, v) {
			result |= 1 << i
		}
	}
	return result
}

// componentKey returns a text that identifies the component in every combination of
// facts.
func (s *solver) componentKey(comp component) string {
	var b strings.Builder
	for _, i := range comp.clauses {
		fmt.Fprint(&b, s.clauses[i].ruleIndex)
		for _, l := range s.clauses[i].then {
			fmt.Fprint(&b, " ", s.keys[l.variable])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// openDomains returns the domains before any answer.
func (s *solver) openDomains() []valueSet {
	return mapSlice(s.domains, func(values []int) valueSet { return 1<<len(values) - 1 })
}

// findComponents groups the variables that clauses connect.
func (s *solver) findComponents() (components []component) {
	group := make([]int, len(s.domains))
	for v := range group {
		group[v] = v
	}
	for _, c := range s.clauses {
		literals := slices.Concat(c.when, c.then)
		for _, l := range literals[1:] {
			mergeGroups(group, group[literals[0].variable], group[l.variable])
		}
	}
	for g := range group {
		var comp component
		for v := range group {
			if group[v] == g {
				comp.variables = append(comp.variables, v)
			}
		}
		for i, c := range s.clauses {
			if group[c.then[0].variable] == g {
				comp.clauses = append(comp.clauses, i)
			}
		}
		if len(comp.clauses) > 0 {
			components = append(components, comp)
		}
	}
	return components
}

func mergeGroups(group []int, to, from int) {
	for v := range group {
		if group[v] == from {
			group[v] = to
		}
	}
}
