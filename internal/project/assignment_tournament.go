package project

// isTournament reports whether items with two labels can be assigned by a tournament, which
// balances loads and pairs exactly.
func (d *distribution) isTournament(r AssignmentRequest) bool {
	if d.n < 2 || d.unitOf != nil || r.Pairs != nil || len(r.Had.Values) > 0 || !isUniform(d.shares) {
		return false
	}
	for _, a := range r.Annotators {
		if a.Load != 0 {
			return false
		}
	}
	return len(d.order) > 0 && d.needs[d.order[0]] == 2
}

// assignTournament assigns the items with two labels, which come first in the order.
func (d *distribution) assignTournament() {
	matches := orderMatches(d.n)
	names := d.rng.Perm(d.n)
	for ; d.next < len(d.order) && d.needs[d.order[d.next]] == 2; d.next++ {
		match := matches[d.next%len(matches)]
		d.assign(int(d.order[d.next]), 0, int32(names[match[0]]))
		d.assign(int(d.order[d.next]), 1, int32(names[match[1]]))
	}
}

// orderMatches lists all pairs of n players, so that after each match the numbers of matches
// of two players differ by at most one.
func orderMatches(n int) [][2]int {
	if n%2 == 0 {
		return orderRounds(n)
	}
	return orderCycles(n)
}

// orderRounds arranges the pairs of an even number of players in rounds, in which each plays
// once (the circle method).
func orderRounds(n int) (matches [][2]int) {
	for round := range n - 1 {
		matches = append(matches, [2]int{n - 1, round})
		for i := 1; i < n/2; i++ {
			matches = append(matches, [2]int{(round + i) % (n - 1), (round - i + n - 1) % (n - 1)})
		}
	}
	return matches
}

// orderCycles arranges the pairs of an odd number of players in cycles through all players
// (Walecki's construction). Every second edge of a cycle is taken first.
func orderCycles(n int) (matches [][2]int) {
	m := n - 1
	for start := range m / 2 {
		cycle := []int{m, start}
		for i := 1; len(cycle) < n; i++ {
			cycle = append(cycle, (start+i)%m)
			if len(cycle) < n {
				cycle = append(cycle, (start-i+m)%m)
			}
		}
		for i := range n {
			edge := 2 * i % n
			matches = append(matches, [2]int{cycle[edge], cycle[(edge+1)%n]})
		}
	}
	return matches
}
