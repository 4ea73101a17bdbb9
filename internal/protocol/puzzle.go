package protocol

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A puzzle is the question which answers the rules leave possible for an item
// with given facts. Its variables are the fields asked, the observations and
// the note; each has a domain of a few values.
type puzzle struct {
	facts   Facts
	index   map[string]int // key → variable
	keys    []string       // by variable
	values  [][]int        // by variable
	clauses []clause
	parts   []piece
	work    *budget
}

// A clause is a rule with what the facts settle taken out.
type clause struct {
	when, then []literal
	rule       int // in Protocol.Rules
}

// A literal says that a variable has one of a set of values.
type literal struct {
	variable int
	in       set
}

// A set holds values by their position in the variable's domain, as bits.
type set uint16

func (s set) single() bool { return bits.OnesCount16(uint16(s)) == 1 }

// A piece is a group of variables that no clause ties to any other.
type piece struct {
	variables []int
	clauses   []int
}

// stepsToBuild is what a rule costs to put into a puzzle, measured in clauses
// to propagate.
const stepsToBuild = 40

// A budget counts steps, so that a definition is judged alike on every
// machine. Once it is spent every search ends, and none of them counts.
type budget struct{ left int }

func (b *budget) spend(steps int) bool {
	b.left -= steps
	return b.left >= 0
}

// puzzle returns what the rules of p, but for those skipped, ask of an item
// with these facts.
func (p Protocol) puzzle(facts Facts, work *budget, skipped ...int) *puzzle {
	z := &puzzle{facts: facts, index: map[string]int{}, work: work}
	work.spend(len(p.Rules) * stepsToBuild)
	for _, f := range p.Asked(facts) {
		z.add(f.Key, f.Scale.Values())
	}
	for _, o := range p.Observations {
		z.add(o.Key, []int{0, 1})
	}
	z.add(Note, []int{0, 1})
	for i, r := range p.Rules {
		if slices.Contains(skipped, i) {
			continue
		}
		when, starts := z.literals(r.When)
		then, _ := z.literals(r.Then)
		if starts && len(then) > 0 {
			z.clauses = append(z.clauses, clause{when, then, i})
		}
	}
	z.parts = z.split()
	return z
}

func (z *puzzle) add(key string, values []int) {
	z.index[key] = len(z.values)
	z.keys = append(z.keys, key)
	z.values = append(z.values, values)
}

// literals translates conds, leaving out what the facts fulfil and keys that
// are not asked; possible tells whether all of them can stand together.
func (z *puzzle) literals(conds []Cond) (literals []literal, possible bool) {
	possible = true
	for _, c := range conds {
		variable, asked := z.index[c.Key]
		value, settled := z.facts[c.Key]
		switch {
		case asked:
			literals = append(literals, literal{variable, z.setOf(variable, c.In)})
		case !settled || !slices.Contains(c.In, bit(value)):
			possible = false
		}
	}
	return literals, possible
}

func (z *puzzle) setOf(variable int, values []int) (s set) {
	for i, v := range z.values[variable] {
		if slices.Contains(values, v) {
			s |= 1 << i
		}
	}
	return s
}

// named returns the piece in words that are the same in every world where the
// piece is the same.
func (z *puzzle) named(p piece) string {
	var b strings.Builder
	for _, i := range p.clauses {
		fmt.Fprint(&b, z.clauses[i].rule)
		for _, l := range z.clauses[i].then {
			fmt.Fprint(&b, " ", z.keys[l.variable])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// open returns the domains where nothing is answered yet.
func (z *puzzle) open() []set {
	return each(z.values, func(values []int) set { return 1<<len(values) - 1 })
}

// split groups the variables that clauses tie together.
func (z *puzzle) split() (pieces []piece) {
	group := make([]int, len(z.values))
	for v := range group {
		group[v] = v
	}
	for _, c := range z.clauses {
		literals := slices.Concat(c.when, c.then)
		for _, l := range literals[1:] {
			merge(group, group[literals[0].variable], group[l.variable])
		}
	}
	for g := range group {
		var p piece
		for v := range group {
			if group[v] == g {
				p.variables = append(p.variables, v)
			}
		}
		for i, c := range z.clauses {
			if group[c.then[0].variable] == g {
				p.clauses = append(p.clauses, i)
			}
		}
		if len(p.clauses) > 0 {
			pieces = append(pieces, p)
		}
	}
	return pieces
}

func merge(group []int, to, from int) {
	for v := range group {
		if group[v] == from {
			group[v] = to
		}
	}
}
