package protocol

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestEveryTickSetThatAFormAllowsHasAnAnswer(t *testing.T) {
	t.Parallel()
	for _, p := range Builtin() {
		work := &budget{patience}
		allowed := 0
		for _, facts := range p.worlds() {
			z := p.puzzle(facts, work)
			for a := range p.tickings() {
				if !p.allowsTicks(facts, a) {
					continue
				}
				allowed++
				found, ok := z.answer(p.asConds(a))
				if !ok {
					t.Errorf("%s: %v, %v: no answer", p.Key, facts, a.Observations)
				} else if problems := p.Check(facts, p.asAnswers(found)); len(problems) > 0 {
					t.Errorf("%s: %v, %v: %v is refused: %v", p.Key, facts, a.Observations, found, problems)
				}
			}
		}
		t.Logf("%s: %d sets of ticks", p.Key, allowed)
	}
}

func TestEveryAnswerOfTheBuiltinProtocolsCanBeGiven(t *testing.T) {
	t.Parallel()
	for _, p := range Builtin() {
		work := &budget{patience}
		j := newJudgement(p, nil, work)
		if j.judge(); len(j.faults) > 0 || work.left < 0 {
			t.Errorf("%s: %v", p.Key, j.faults)
		}
		t.Logf("%s: judged in %d of %d steps", p.Key, patience-work.left, patience)
	}
}

// The judgement is compared with plain counting: every answer to a small
// protocol is put through Check, which knows nothing of puzzles.
func TestJudgementAgreesWithCounting(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 2))
	dead, stuck := 0, 0
	for round := range 2000 {
		p := randomProtocol(random)
		j := newJudgement(p, nil, &budget{patience})
		complete := p.countComplete()
		for _, c := range p.everyCond() {
			if got, want := j.possible(c), fits(complete, c); got != want {
				t.Fatalf("round %d: possible(%v) = %v, counting says %v\n%+v", round, c, got, want, p.Rules)
			} else if !got {
				stuck++
			}
		}
		dead += p.compareCorners(t, j, complete)
		if t.Failed() {
			t.Fatalf("round %d: %+v", round, p.Rules)
		}
	}
	if dead < 50 || stuck < 500 {
		t.Errorf("only %d dead ends and %d impossible answers were met: the rules are too tame", dead, stuck)
	}
}

// compareCorners holds the corners found against the dead ends counted: each
// found is one, and none counted lacks a corner. It returns how many there are.
func (p Protocol) compareCorners(t *testing.T, j *judgement, complete []map[string]int) (dead int) {
	corners := j.corners()
	for _, facts := range p.worlds() {
		z := p.puzzle(facts, j.work)
		if !z.allow(nil) {
			continue // told by itself
		}
		for a := range p.tickings() {
			ends := p.allowsTicks(facts, a) && !fits(complete, slices.Concat(p.asConds(a), asFacts(facts)))
			cornered := slices.ContainsFunc(corners, func(c corner) bool { return within(c.ticks, a.Observations) })
			if ends && !cornered {
				t.Errorf("%v, %v is a dead end, and no corner was found", facts, a.Observations)
			}
			if ends {
				dead++
			}
		}
	}
	for _, c := range corners {
		if fits(complete, slices.Concat(j.withTicks(c.ticks), asFacts(c.world.facts))) {
			t.Errorf("%v, %v is called a dead end, and there is an answer", c.world.facts, c.ticks)
		}
	}
	return dead
}

func within(few, many []string) bool {
	return !slices.ContainsFunc(few, func(key string) bool { return !slices.Contains(many, key) })
}

func asFacts(facts Facts) (conds []Cond) {
	for key, value := range facts {
		conds = append(conds, Cond{key, []int{bit(value)}})
	}
	return conds
}

// tickings yields every set of observations.
func (p Protocol) tickings() func(yield func(Answers) bool) {
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

// allowsTicks asks Check whether a form with nothing but these ticks breaks a
// rule, with a note or without.
func (p Protocol) allowsTicks(facts Facts, a Answers) bool {
	return slices.ContainsFunc([]string{"", "n"}, func(note string) bool {
		a.Note = note
		broken := slices.DeleteFunc(p.Check(facts, a), func(q Problem) bool {
			_, field := p.Field(q.Key)
			return field && q.Rule == q.Key+"_given"
		})
		return len(broken) == 0
	})
}

func (p Protocol) asConds(a Answers) []Cond {
	return each(p.Observations, func(o Observation) Cond {
		return Cond{o.Key, []int{bit(slices.Contains(a.Observations, o.Key))}}
	})
}

func (p Protocol) asAnswers(found map[string]int) Answers {
	a := Answers{Values: map[string]int{}}
	for key, value := range found {
		if _, ok := p.Field(key); ok {
			a.Values[key] = value
		} else if key == Note && value == 1 {
			a.Note = "n"
		} else if value == 1 {
			a.Observations = append(a.Observations, key)
		}
	}
	return a
}

// countComplete returns every submission that Check accepts, with its facts.
func (p Protocol) countComplete() (complete []map[string]int) {
	for _, facts := range p.worlds() {
		drafts := []map[string]int{{}}
		choices := map[string][]int{Note: {0, 1}}
		for _, f := range p.Asked(facts) {
			choices[f.Key] = f.Scale.Values()
		}
		for _, o := range p.Observations {
			choices[o.Key] = []int{0, 1}
		}
		for key, values := range choices {
			drafts = spread(drafts, key, values)
		}
		for _, draft := range drafts {
			if len(p.Check(facts, p.asAnswers(draft))) == 0 {
				for key, value := range facts {
					draft[key] = bit(value)
				}
				complete = append(complete, draft)
			}
		}
	}
	return complete
}

func spread(drafts []map[string]int, key string, values []int) (more []map[string]int) {
	for _, draft := range drafts {
		for _, value := range values {
			next := maps.Clone(draft)
			next[key] = value
			more = append(more, next)
		}
	}
	return more
}

// fits reports whether some complete submission fulfils conds.
func fits(complete []map[string]int, conds []Cond) bool {
	return slices.ContainsFunc(complete, func(values map[string]int) bool {
		return Rule{When: conds}.starts(values)
	})
}

// everyCond returns each value of each key alone, and the start of each rule.
func (p Protocol) everyCond() (conds [][]Cond) {
	for _, f := range p.Fields {
		for _, v := range f.Scale.Values() {
			conds = append(conds, []Cond{{f.Key, []int{v}}})
		}
	}
	for _, o := range p.Observations {
		conds = append(conds, ticked(o))
	}
	for _, r := range p.Rules {
		conds = append(conds, r.When)
	}
	return conds
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
		p.Rules = append(p.Rules, Rule{ID: fmt.Sprint("r", i), When: p.randomConds(random, true), Then: p.randomConds(random, false)})
	}
	return p
}

// randomConds returns one to three conditions on different keys, on facts only
// where they may stand.
func (p Protocol) randomConds(random *rand.Rand, when bool) (conds []Cond) {
	choices := map[string][]int{Note: {0, 1}}
	for _, f := range p.Fields {
		choices[f.Key] = f.Scale.Values()
	}
	for _, o := range p.Observations {
		choices[o.Key] = []int{0, 1}
	}
	if when {
		choices["f0"] = []int{0, 1}
	}
	keys := slices.Sorted(maps.Keys(choices))
	random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys[:min(len(keys), 1+random.IntN(3))] {
		values := slices.DeleteFunc(slices.Clone(choices[key]), func(int) bool { return random.IntN(3) == 0 })
		if len(values) == 0 || len(choices[key]) == 2 {
			values = choices[key][random.IntN(2):][:1]
		}
		conds = append(conds, Cond{key, values})
	}
	return conds
}
