package protocol

import (
	"fmt"
	"slices"
)

// A corner is a set of ticks that the form allows and that leaves no answer to
// give: a dead end.
type corner struct {
	ticks []string
	world *puzzle // the first where it is one
	count int     // of worlds where it is one
}

// judgeTicks notes dead ends. Of two that lie within each other the smaller is
// told, and an observation that can never be ticked is told as such.
func (j *judgement) judgeTicks() {
	for _, c := range j.corners() {
		if len(c.ticks) == 1 && j.neverTicked(c.ticks[0]) {
			continue
		}
		world := ""
		if c.count < len(j.worlds) {
			world = j.world(c.world.facts)
		}
		core := j.core(c.world.facts, j.withTicks(c.ticks))
		j.fault(j.lineOf(core), "Dead end: %s leaves no answer to give%s. Loosen %s%s.", told(c.ticks), world, j.names(core), c.wayOut())
	}
}

func (j *judgement) neverTicked(key string) bool {
	o, _ := j.Observation(key)
	return j.untickable(o)
}

func (c corner) wayOut() string {
	if len(c.ticks) < 2 {
		return ""
	}
	return ", or let a rule exclude the ticks from each other"
}

func told(ticks []string) string {
	switch len(ticks) {
	case 0:
		return "ticking nothing"
	case 1:
		return fmt.Sprintf("ticking “%s”", ticks[0])
	}
	return "ticking " + named(ticks) + " together"
}

// corners returns the dead ends of all worlds.
func (j *judgement) corners() (corners []corner) {
	known := map[string][][]string{} // by piece
	for _, z := range j.worlds {
		for _, p := range z.parts {
			name := z.named(p)
			if _, ok := known[name]; !ok {
				known[name] = j.cornersOf(z, p)
			}
			for _, ticks := range known[name] {
				i := slices.IndexFunc(corners, func(c corner) bool { return slices.Equal(c.ticks, ticks) })
				if i < 0 {
					i, corners = len(corners), append(corners, corner{ticks, z, 0})
				}
				corners[i].count++
			}
		}
	}
	return corners
}

// cornersOf returns the dead ends of one piece.
func (j *judgement) cornersOf(z *puzzle, p piece) [][]string {
	b := newBoard(z, p, j.Protocol)
	b.explore(z.open())
	return each(b.dead, func(ticks []int) []string {
		return each(ticks, func(v int) string { return z.keys[v] })
	})
}

// A board is one piece of a puzzle, seen from its ticks.
type board struct {
	*puzzle
	ticks []int        // variables, the fickle ones first
	plain map[int]bool // ticks that only ever start rules: one more leaves fewer answers
	form  piece        // clauses on ticks and the note, which the form checks at once
	rest  piece        // clauses that speak of a field or the note
	dead  [][]int      // the corners found, as variables
}

func newBoard(z *puzzle, p piece, of Protocol) *board {
	b := &board{puzzle: z, plain: map[int]bool{}, form: piece{variables: []int{z.index[Note]}}}
	for _, v := range p.variables {
		if _, ok := of.Observation(z.keys[v]); ok {
			b.ticks = append(b.ticks, v)
			b.plain[v] = true
		} else {
			b.rest.variables = append(b.rest.variables, v)
		}
	}
	for _, i := range p.clauses {
		b.sort(i)
	}
	slices.SortStableFunc(b.ticks, func(a, c int) int { return bit(b.plain[a]) - bit(b.plain[c]) })
	return b
}

// sort puts clause i where it belongs, and marks ticks that do more in it than
// start it.
func (b *board) sort(i int) {
	c := b.clauses[i]
	fields, note := false, false
	for _, l := range slices.Concat(c.when, c.then) {
		note = note || l.variable == b.index[Note]
		fields = fields || l.variable != b.index[Note] && !slices.Contains(b.ticks, l.variable)
	}
	if !fields {
		b.form.clauses = append(b.form.clauses, i)
	}
	if !fields && !note {
		return
	}
	b.rest.clauses = append(b.rest.clauses, i)
	for _, l := range c.then {
		delete(b.plain, l.variable)
	}
	for _, l := range c.when {
		if l.in != 0b10 {
			delete(b.plain, l.variable)
		}
	}
}

// explore looks for corners among the sets of ticks that domains leave open.
// Where even with every open tick there is an answer, no smaller set needs a
// look.
func (b *board) explore(domains []set) {
	if !b.propagate(b.form, domains) || b.cornered(domains) {
		return
	}
	open := slices.IndexFunc(b.ticks, func(v int) bool { return !domains[v].single() })
	if (open < 0 || b.plain[b.ticks[open]]) && b.leads(domains) {
		return
	}
	if open < 0 {
		b.corner(domains)
		return
	}
	for _, value := range []set{0b01, 0b10} {
		next := slices.Clone(domains)
		next[b.ticks[open]] = value
		b.explore(next)
	}
}

// cornered reports whether domains hold a corner that was found already.
func (b *board) cornered(domains []set) bool {
	return slices.ContainsFunc(b.dead, func(ticks []int) bool {
		return !slices.ContainsFunc(ticks, func(v int) bool { return domains[v] != 0b10 })
	})
}

// leads reports whether a complete answer has the ticks of domains, and every
// one that is open.
func (b *board) leads(domains []set) bool {
	tried := slices.Clone(domains)
	for _, v := range b.ticks {
		if !tried[v].single() {
			tried[v] = 0b10
		}
	}
	return b.search(b.rest, tried)
}

// allows reports whether the form accepts the ticks of domains before any
// field is answered, with a note or without.
func (b *board) allows(domains []set) bool { return b.search(b.form, slices.Clone(domains)) }

// corner notes the ticks of domains as a dead end, without those it would be
// one without.
func (b *board) corner(domains []set) {
	if !b.allows(domains) {
		return
	}
	var ticks []int
	for _, v := range slices.Sorted(slices.Values(b.ticks)) {
		if domains[v] == 0b01 {
			continue
		}
		fewer := slices.Clone(domains)
		fewer[v], fewer[b.index[Note]] = 0b01, 0b11
		if b.allows(fewer) && !b.leads(fewer) {
			domains = fewer
		} else {
			ticks = append(ticks, v)
		}
	}
	if b.work.left >= 0 && !b.cornered(domains) {
		b.dead = append(b.dead, ticks)
	}
}
