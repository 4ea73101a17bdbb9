package protocol

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBuiltin_AllowedTicks_HaveAnswer(t *testing.T) {
	t.Parallel()
	for _, p := range Builtin() {
		steps := &stepBudget{maxSteps}
		allowed := 0
		for _, facts := range p.factCases() {
			s := p.newSolver(facts, steps)
			for a := range p.tickSets() {
				if !p.allowsTicks(facts, a) {
					continue
				}
				allowed++
				found, ok := s.findAnswer(p.tickConditions(a))
				if !ok {
					t.Errorf("%s: %v, %v: no answer", p.Key, facts, a.Observations)
				} else if problems := p.Check(facts, p.toAnswers(found)); len(problems) > 0 {
					t.Errorf("%s: %v, %v: %v rejected: %v", p.Key, facts, a.Observations, found, problems)
				}
			}
		}
		t.Logf("%s: %d sets of ticks", p.Key, allowed)
	}
}

// The analysis is compared with enumeration: Check is called with every answer to a
// small protocol.
func TestAnalysis_MatchesEnumeration(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 2))
	deadEnds, impossible := 0, 0
	for round := range 2000 {
		p := randomProtocol(random)
		a := newAnalysis(p, nil, &stepBudget{maxSteps})
		complete := p.completeAnswers()
		for _, conditions := range p.testedConditions() {
			if got, want := a.isPossible(conditions), anyMatches(complete, conditions); got != want {
				t.Fatalf("round %d: isPossible(%v) = %v, enumeration: %v\n%+v", round, conditions, got, want, p.Rules)
			} else if !got {
				impossible++
			}
		}
		deadEnds += p.compareDeadEnds(t, a, complete)
		if t.Failed() {
			t.Fatalf("round %d: %+v", round, p.Rules)
		}
	}
	if deadEnds < 50 || impossible < 500 {
		t.Errorf("only %d dead ends and %d impossible answers: the rules are too weak", deadEnds, impossible)
	}
}

// compareDeadEnds compares the dead ends found with those enumerated: each one found
// is a dead end, and each enumerated one contains one found. It returns their number.
func (p Protocol) compareDeadEnds(t *testing.T, analyzed *analysis, complete []map[string]int) (count int) {
	found := analyzed.findDeadEnds()
	for _, facts := range p.factCases() {
		s := p.newSolver(facts, analyzed.budget)
		if !s.isSatisfiable(nil) {
			continue // reported separately
		}
		for a := range p.tickSets() {
			isDeadEnd := p.allowsTicks(facts, a) && !anyMatches(complete, slices.Concat(p.tickConditions(a),
				factConditions(facts)))
			wasFound := slices.ContainsFunc(found, func(c deadEnd) bool { return isSubset(c.ticks, a.Observations) })
			if isDeadEnd && !wasFound {
				t.Errorf("%v, %v: dead end not found", facts, a.Observations)
			}
			if isDeadEnd {
				count++
			}
		}
	}
	for _, c := range found {
		if anyMatches(complete, slices.Concat(analyzed.exactTicks(c.ticks), factConditions(c.solver.facts))) {
			t.Errorf("%v, %v: not a dead end", c.solver.facts, c.ticks)
		}
	}
	return count
}

func isSubset(subset, set []string) bool {
	return !slices.ContainsFunc(subset, func(key string) bool { return !slices.Contains(set, key) })
}

func factConditions(facts Facts) (conds []Condition) {
	for key, value := range facts {
		conds = append(conds, Condition{key, []int{boolToInt(value)}})
	}
	return conds
}

// tickSets yields every set of observations.
func (p Protocol) tickSets() func(yield func(Answers) bool) {
	return func(yield func(Answers) bool) {
		for mask := range 1 << len(p.Observations) {
			var a Answers
			for i, o := range p.Observations {
				if mask>>i&1 == 1 {
					a.Observations = append(a.Observations, o.Key)
				}
			}
			if !yield(a) {
				return
			}
		}
	}
}

// allowsTicks reports whether a form with only these ticks passes Check, with or
// without a note.
func (p Protocol) allowsTicks(facts Facts, a Answers) bool {
	return slices.ContainsFunc([]string{"", "n"}, func(note string) bool {
		a.Note = note
		problems := slices.DeleteFunc(p.Check(facts, a), func(problem Problem) bool {
			_, field := p.Field(problem.Key)
			return field && problem.Rule == problem.Key+"_given"
		})
		return len(problems) == 0
	})
}

func (p Protocol) tickConditions(a Answers) []Condition {
	return mapSlice(p.Observations, func(o Observation) Condition {
		return Condition{o.Key, []int{boolToInt(slices.Contains(a.Observations, o.Key))}}
	})
}

func (p Protocol) toAnswers(values map[string]int) Answers {
	a := Answers{Values: map[string]int{}}
	for key, value := range values {
		if _, ok := p.Field(key); ok {
			a.Values[key] = value
		} else if key == NoteKey && value == 1 {
			a.Note = "n"
		} else if value == 1 {
			a.Observations = append(a.Observations, key)
		}
	}
	return a
}

// completeAnswers returns every submission that Check accepts, with its facts.
func (p Protocol) completeAnswers() (complete []map[string]int) {
	for _, facts := range p.factCases() {
		drafts := []map[string]int{{}}
		choices := map[string][]int{NoteKey: {0, 1}}
		for _, f := range p.ApplicableFields(facts) {
			choices[f.Key] = f.Scale.Values()
		}
		for _, o := range p.Observations {
			choices[o.Key] = []int{0, 1}
		}
		for key, values := range choices {
			drafts = expandDrafts(drafts, key, values)
		}
		for _, draft := range drafts {
			if len(p.Check(facts, p.toAnswers(draft))) == 0 {
				for key, value := range facts {
					draft[key] = boolToInt(value)
				}
				complete = append(complete, draft)
			}
		}
	}
	return complete
}

func expandDrafts(drafts []map[string]int, key string, values []int) (expanded []map[string]int) {
	for _, draft := range drafts {
		for _, value := range values {
			next := maps.Clone(draft)
			next[key] = value
			expanded = append(expanded, next)
		}
	}
	return expanded
}

// anyMatches reports whether a complete submission meets the conditions.
func anyMatches(complete []map[string]int, conditions []Condition) bool {
	return slices.ContainsFunc(complete, func(values map[string]int) bool {
		return areMet(conditions, values)
	})
}

// testedConditions returns each value of each key, and the premise of each rule.
func (p Protocol) testedConditions() (conditions [][]Condition) {
	for _, f := range p.Fields {
		for _, v := range f.Scale.Values() {
			conditions = append(conditions, []Condition{{f.Key, []int{v}}})
		}
	}
	for _, o := range p.Observations {
		conditions = append(conditions, tickedCondition(o))
	}
	for _, r := range p.Rules {
		conditions = append(conditions, r.When)
	}
	return conditions
}

func randomProtocol(random *rand.Rand) (p Protocol) {
	p.Facts = []Fact{{Key: "f0"}}
	for i := range 1 + random.IntN(3) {
		f := Field{Key: fmt.Sprint("v", i), Scale: Scale{{Value: 1}, {Value: 2}, {Value: 4}}[:2+random.IntN(2)]}
		if random.IntN(4) == 0 {
			f.OnlyWhen = "f0"
		}
		p.Fields = append(p.Fields, f)
	}
	for i := range random.IntN(4) {
		p.Observations = append(p.Observations, Observation{Key: fmt.Sprint("o", i)})
	}
	for i := range 1 + random.IntN(7) {
		p.Rules = append(p.Rules, Rule{ID: fmt.Sprint("r", i), When: p.randomConditions(random, true),
			Then: p.randomConditions(random, false)})
	}
	return p
}

// randomConditions returns one to three conditions on different keys, with facts only
// where they are allowed.
func (p Protocol) randomConditions(random *rand.Rand, allowFacts bool) (conditions []Condition) {
	choices := map[string][]int{NoteKey: {0, 1}}
	for _, f := range p.Fields {
		choices[f.Key] = f.Scale.Values()
	}
	for _, o := range p.Observations {
		choices[o.Key] = []int{0, 1}
	}
	if allowFacts {
		choices["f0"] = []int{0, 1}
	}
	keys := slices.Sorted(maps.Keys(choices))
	random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys[:min(len(keys), 1+random.IntN(3))] {
		values := slices.DeleteFunc(slices.Clone(choices[key]), func(int) bool { return random.IntN(3) == 0 })
		if len(values) == 0 || len(choices[key]) == 2 {
			values = choices[key][random.IntN(2):][:1]
		}
		conditions = append(conditions, Condition{key, values})
	}
	return conditions
}
