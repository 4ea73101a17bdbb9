package protocol

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// patience is how many steps judging a definition may take: less than a second.
const patience = 20_000_000

// judge notes what is wrong with a definition as a whole. It is called once
// every part of it can be read.
func (r *reader) judge(p Protocol) {
	if r.judgeEach(p); len(r.faults) > 0 {
		return
	}
	j := newJudgement(p, r.lines, &budget{patience})
	if j.judge(); j.work.left < 0 {
		r.fault(r.firstRule(p), "These rules are too intertwined to judge. Let each rule speak of fewer answers, or take some out.")
		return
	}
	for _, f := range j.faults {
		r.fault(f.Line, "%s", f.Says)
	}
}

func (r *reader) firstRule(p Protocol) int {
	if len(p.Rules) == 0 {
		return 1
	}
	return p.Rules[0].Line
}

// judgeEach notes rules that say nothing, or the opposite of themselves.
func (r *reader) judgeEach(p Protocol) {
	for _, rule := range p.Rules {
		void := true
		for _, c := range rule.Then {
			void = void && len(c.In) == len(r.terms[c.Key].values)
			if rule.contradicts(c) {
				r.fault(rule.Line, "Rule “%s” contradicts itself: “%s” cannot be both what starts it and what it demands. Change one of the two.", rule.ID, c.Key)
			}
		}
		if void {
			r.fault(rule.Line, "Rule “%s” allows every answer, so it asks for nothing. Narrow its “then”, or take it out.", rule.ID)
		}
	}
}

// contradicts reports whether c, a demand of r, rules out what starts r.
func (r Rule) contradicts(c Cond) bool {
	return slices.ContainsFunc(r.When, func(when Cond) bool {
		return when.Key == c.Key && !slices.ContainsFunc(when.In, func(v int) bool { return slices.Contains(c.In, v) })
	})
}

// worlds returns every combination of facts that an item can have: where two
// facts count the same turns, the greater count includes the smaller.
func (p Protocol) worlds() (worlds []Facts) {
	for mask := range 1 << len(p.Facts) {
		facts := Facts{}
		for i, f := range p.Facts {
			facts[f.Key] = mask>>i&1 == 1
		}
		if p.consistent(facts) {
			worlds = append(worlds, facts)
		}
	}
	return worlds
}

func (p Protocol) consistent(facts Facts) bool {
	for _, more := range p.Facts {
		for _, less := range p.Facts {
			alike := more.Part == less.Part && more.Role == less.Role
			if alike && more.AtLeast >= less.AtLeast && facts[more.Key] && !facts[less.Key] {
				return false
			}
		}
	}
	return true
}

// A judgement looks for answers that nobody could give.
type judgement struct {
	Protocol
	lines  map[string]int
	worlds []*puzzle // one for each combination of facts
	work   *budget
	faults Faults
}

func newJudgement(p Protocol, lines map[string]int, work *budget) *judgement {
	worlds := each(p.worlds(), func(facts Facts) *puzzle { return p.puzzle(facts, work) })
	return &judgement{p, lines, worlds, work, nil}
}

func (j *judgement) fault(line int, says string, args ...any) {
	j.faults = append(j.faults, Fault{Line: line, Says: fmt.Sprintf(says, args...)})
}

func (j *judgement) judge() {
	if j.judgeRules(); len(j.faults) > 0 {
		return // all else would be the same again in other words
	}
	j.judgeAnswers()
	j.judgeHints()
	j.judgeTicks()
}

// possible reports whether some complete answer to some item fulfils conds.
func (j *judgement) possible(conds []Cond) bool {
	return slices.ContainsFunc(j.worlds, func(z *puzzle) bool { return z.allow(conds) })
}

// possibleWithout reports the same with one rule left out.
func (j *judgement) possibleWithout(rule int, conds []Cond) bool {
	return slices.ContainsFunc(j.worlds, func(z *puzzle) bool { return j.puzzle(z.facts, j.work, rule).allow(conds) })
}

// judgeRules notes rules that never start, and rules that could not be kept if
// they did.
func (j *judgement) judgeRules() {
	for _, z := range j.worlds {
		if !z.allow(nil) {
			core := j.core(z.facts, nil)
			j.fault(j.lineOf(core), "These rules leave no complete answer%s. Loosen %s.", j.world(z.facts), j.names(core))
			return
		}
	}
	for i, r := range j.Rules {
		switch {
		case j.possible(r.When):
		case j.possibleWithout(i, r.When):
			j.fault(r.Line, "Rule “%s” can never be kept once it starts. Loosen %s.", r.ID, j.blame(r.When))
		default:
			j.fault(r.Line, "Rule “%s” can never start, because no complete answer fulfils its “when”. Correct it, or take it out.", r.ID)
		}
	}
}

// lineOf returns the line of the first of rules.
func (j *judgement) lineOf(rules []int) int {
	if len(rules) == 0 {
		return 1
	}
	return j.Rules[rules[0]].Line
}

// judgeAnswers notes values and observations that no complete answer can hold.
func (j *judgement) judgeAnswers() {
	for _, f := range j.Fields {
		for _, v := range f.Scale.Values() {
			if only := []Cond{{f.Key, []int{v}}}; !j.possible(only) {
				j.fault(j.lines[fmt.Sprintf("%s=%d", f.Key, v)], "No complete answer can have %d for “%s”. Take the point out, or loosen %s.", v, f.Key, j.blame(only))
			}
		}
	}
	for _, o := range j.Observations {
		if j.untickable(o) {
			j.fault(j.lines[o.Key], "“%s” can never be ticked in a complete answer. Take it out, or loosen %s.", o.Key, j.blame(ticked(o)))
		}
	}
}

func ticked(o Observation) []Cond { return []Cond{{o.Key, []int{1}}} }

func (j *judgement) untickable(o Observation) bool { return !j.possible(ticked(o)) }

// judgeHints notes hints that never show, and suggestions that cannot be
// followed.
func (j *judgement) judgeHints() {
	for _, h := range j.Hints {
		line := j.lines["rule "+h.ID]
		switch {
		case !j.possible(h.When):
			j.fault(line, "Hint “%s” can never show, because no complete answer fulfils its “when”. Correct it, or take it out.", h.ID)
		case !j.possible(slices.Concat(h.When, h.Suggest)):
			j.fault(line, "Hint “%s” suggests what the rules forbid. Change it, or loosen %s.", h.ID, j.blame(slices.Concat(h.When, h.Suggest)))
		}
	}
}

// blame names rules that together make conds impossible: none of them could
// be left out. It looks at the first world that settles nothing by itself.
func (j *judgement) blame(conds []Cond) string {
	var core []int
	for _, z := range j.worlds {
		if found := j.core(z.facts, conds); len(found) > 0 {
			core = found
			break
		}
	}
	if len(core) == 0 {
		return "the facts it depends on"
	}
	return j.names(core)
}

func (j *judgement) names(rules []int) string {
	return named(each(rules, func(i int) string { return j.Rules[i].ID }))
}

// core returns the fewest rules it finds that make conds impossible.
func (j *judgement) core(facts Facts, conds []Cond) []int {
	var skipped, core []int
	for i := range j.Rules {
		if j.puzzle(facts, j.work, append(skipped, i)...).allow(conds) {
			core = append(core, i)
		} else {
			skipped = append(skipped, i)
		}
	}
	if len(core) == 0 {
		return nil
	}
	slices.SortFunc(core, func(a, b int) int { return cmp.Compare(j.Rules[a].Line, j.Rules[b].Line) })
	return core
}

// named returns "“a”, “b” and “c”", at most four of them.
func named(ids []string) string {
	const most = 4
	words := each(ids, func(id string) string { return "“" + id + "”" })
	if len(words) > most {
		words = append(words[:most-1], "others")
	}
	return listed(words)
}

// withTicks returns the condition that of all observations just these are
// ticked.
func (j *judgement) withTicks(keys []string) []Cond {
	return each(j.Observations, func(o Observation) Cond {
		return Cond{o.Key, []int{bit(slices.Contains(keys, o.Key))}}
	})
}

// world returns "where multi_turn is no" for the sentence of a fault.
func (j *judgement) world(facts Facts) string {
	if len(j.Facts) == 0 {
		return ""
	}
	return " for an item where " + listed(each(j.Facts, func(f Fact) string {
		return f.Key + " is " + strings.Fields("no yes")[bit(facts[f.Key])]
	}))
}
