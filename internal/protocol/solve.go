package protocol

import (
	"math/bits"
	"slices"
)

// allow reports whether a complete answer fulfils conds.
func (z *puzzle) allow(conds []Cond) bool {
	_, found := z.answer(conds)
	return found
}

// answer returns a complete answer that fulfils conds, by key.
func (z *puzzle) answer(conds []Cond) (map[string]int, bool) {
	literals, possible := z.literals(conds)
	domains := z.open()
	for _, l := range literals {
		domains[l.variable] &= l.in
	}
	if !possible || !z.solve(domains) {
		return nil, false
	}
	found := map[string]int{}
	for key, v := range z.index {
		found[key] = z.values[v][bits.TrailingZeros16(uint16(domains[v]))]
	}
	return found, true
}

// solve narrows domains to one complete answer and reports whether there is
// one. Pieces are solved one by one, so their difficulties add up and do not
// multiply.
func (z *puzzle) solve(domains []set) bool {
	if slices.Contains(domains, 0) {
		return false
	}
	for _, p := range z.parts {
		if !z.search(p, domains) {
			return false
		}
	}
	for v, d := range domains {
		domains[v] = d & -d // what no clause binds takes its first value
	}
	return true
}

// search settles the variables of one piece: propagate, then try the values of
// the variable that has the fewest left.
func (z *puzzle) search(p piece, domains []set) bool {
	if !z.propagate(p, domains) {
		return false
	}
	branch := -1
	for _, v := range p.variables {
		if !domains[v].single() && (branch < 0 || bits.OnesCount16(uint16(domains[v])) < bits.OnesCount16(uint16(domains[branch]))) {
			branch = v
		}
	}
	if branch < 0 {
		return true
	}
	for rest := domains[branch]; rest != 0; rest &= rest - 1 {
		tried := slices.Clone(domains)
		tried[branch] = rest & -rest
		if z.search(p, tried) {
			copy(domains, tried)
			return true
		}
	}
	return false
}

// propagate narrows domains until no clause can narrow them further.
func (z *puzzle) propagate(p piece, domains []set) bool {
	for moved := true; moved; {
		if !z.work.spend(len(p.clauses)) {
			return false
		}
		moved = false
		for _, i := range p.clauses {
			narrowed, ok := z.clauses[i].narrow(domains)
			if !ok {
				return false
			}
			moved = moved || narrowed
		}
	}
	return true
}

// narrow draws what follows from c: if it starts, all of then stands; if then
// cannot stand, it does not start.
func (c clause) narrow(domains []set) (moved, ok bool) {
	open := -1
	for i, l := range c.when {
		switch d := domains[l.variable]; {
		case d&l.in == 0:
			return false, true
		case d&^l.in == 0:
		case open >= 0:
			return false, true // two are undecided: nothing follows yet
		default:
			open = i
		}
	}
	if open >= 0 {
		return c.narrowWhen(c.when[open], domains), true
	}
	for _, l := range c.then {
		narrowed := domains[l.variable] & l.in
		moved = moved || narrowed != domains[l.variable]
		domains[l.variable] = narrowed
		if narrowed == 0 {
			return moved, false
		}
	}
	return moved, true
}

// narrowWhen takes out of the last undecided variable what would start c, if c
// could not be kept.
func (c clause) narrowWhen(last literal, domains []set) bool {
	for _, l := range c.then {
		if domains[l.variable]&l.in == 0 {
			domains[last.variable] &^= last.in
			return true
		}
	}
	return false
}
