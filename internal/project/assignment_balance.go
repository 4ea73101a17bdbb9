package project

import "slices"

// assignRest assigns the units that are not assigned yet. Each goes to the annotators who
// are farthest below their targets; among equals, to those who share the fewest items with
// its other annotators.
func (d *distribution) assignRest() {
	ranks := d.rng.Perm(d.n)
	isExcluded := make([]bool, d.n)
	for ; d.next < len(d.order); d.next++ {
		unit := int(d.order[d.next])
		had, owners := d.had.At(unit), d.owners.At(unit)
		for _, a := range had {
			isExcluded[a] = true
		}
		for slot := range owners {
			a := d.chooseOwner(unit, slot, isExcluded, ranks)
			if a == Unassigned {
				break
			}
			d.assign(unit, slot, a)
			isExcluded[a] = true
		}
		for _, a := range had {
			isExcluded[a] = false
		}
		for _, a := range owners {
			if a != Unassigned {
				isExcluded[a] = false
			}
		}
		rotate(ranks, d.next)
	}
}

// rotate changes the order of equals from unit to unit.
func rotate(ranks []int, step int) {
	if n := len(ranks); n > 1 {
		i, j := step%n, (step*7+3)%n
		ranks[i], ranks[j] = ranks[j], ranks[i]
	}
}

func (d *distribution) chooseOwner(unit, slot int, isExcluded []bool, ranks []int) int32 {
	best, bestGap, bestShared, bestRank := int32(Unassigned), 0.0, int32(0), 0
	for a := range int32(d.n) {
		if isExcluded[a] {
			continue
		}
		gap := d.targets[a] - float64(d.loads[a])
		if best != Unassigned && gap < bestGap-gapTolerance {
			continue
		}
		shared, rank := d.countShared(a, unit, slot), ranks[a]
		isBetter := best == Unassigned || gap > bestGap+gapTolerance || shared < bestShared || shared == bestShared &&
			rank < bestRank
		if isBetter {
			best, bestGap, bestShared, bestRank = a, gap, shared, rank
		}
	}
	return best
}

const gapTolerance = 1e-6 // below which two gaps are equal

// countShared sums the items that annotator a shares with those who had a unit and with its
// owners before a slot.
func (d *distribution) countShared(a int32, unit, slot int) (shared int32) {
	row := d.pairs[int(a)*d.n : int(a+1)*d.n]
	for _, b := range d.had.At(unit) {
		shared += row[b]
	}
	for _, b := range d.owners.At(unit)[:slot] {
		if b != Unassigned {
			shared += row[b]
		}
	}
	return shared
}

// assign gives a label of a unit to annotator a, in place of its owner.
func (d *distribution) assign(unit, slot int, a int32) {
	owners, size := d.owners.At(unit), d.size(unit)
	if old := owners[slot]; old != Unassigned {
		d.loads[old] -= int(size)
		d.pairWith(unit, slot, old, -size)
	}
	owners[slot] = a
	d.loads[a] += int(size)
	d.pairWith(unit, slot, a, size)
}

// pairWith counts a unit for the pairs of a and its other annotators.
func (d *distribution) pairWith(unit, slot int, a, count int32) {
	for other, b := range d.owners.At(unit) {
		if other != slot && b != Unassigned {
			d.addPair(a, b, count)
		}
	}
	for _, b := range d.had.At(unit) {
		d.addPair(a, b, count)
	}
}

// mayGet reports whether a neither had a unit nor owns a label of it.
func (d *distribution) mayGet(a int32, unit int) bool {
	return !slices.Contains(d.owners.At(unit), a) && !slices.Contains(d.had.At(unit), a)
}
