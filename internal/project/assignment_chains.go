package project

import (
	"cmp"
	"slices"
)

// balanceLoads moves labels, along chains of annotators, from those above their targets to
// those below, until no chain makes the loads more equal. Records keep their owners.
func (d *distribution) balanceLoads() {
	if d.sizes != nil || d.isOnTarget() {
		return
	}
	owned := d.unitsByOwner()
	for d.moveAlongChain(owned) {
	}
}

// excess returns how far annotator a is above the target.
func (d *distribution) excess(a int) float64 { return float64(d.loads[a]) - d.targets[a] }

// isOnTarget reports whether no two annotators are more than one label apart.
func (d *distribution) isOnTarget() bool {
	least, most := 0.0, 0.0
	for a := range d.n {
		least, most = min(least, d.excess(a)), max(most, d.excess(a))
	}
	return !isWorthMoving(most, least)
}

// isWorthMoving reports whether a label that moves makes the loads more equal.
func isWorthMoving(from, to float64) bool { return from-to > 1+gapTolerance }

// unitsByOwner lists the units of each annotator.
func (d *distribution) unitsByOwner() [][]int32 {
	owned := make([][]int32, d.n)
	for unit := range d.needs {
		for _, a := range d.owners.At(unit) {
			if a != Unassigned {
				owned[a] = append(owned[a], int32(unit))
			}
		}
	}
	return owned
}

// A chainLink is how a chain reaches an annotator: the unit moves from the annotator before.
type chainLink struct {
	from, unit int32
	isReached  bool
}

// moveAlongChain moves one label from the first annotator of a chain to the last, so that
// the loads become more equal. It returns false if there is no such chain. owned may list
// units that have moved on.
func (d *distribution) moveAlongChain(owned [][]int32) bool {
	sources := make([]int, d.n)
	for a := range sources {
		sources[a] = a
	}
	slices.SortStableFunc(sources, func(a, b int) int { return cmp.Compare(d.excess(b), d.excess(a)) })
	for _, source := range sources {
		if !isWorthMoving(d.excess(source), d.excess(sources[d.n-1])) {
			return false
		}
		links := d.reachFrom(source, owned)
		target := source
		for a := range links {
			if links[a].isReached && d.excess(a) < d.excess(target) {
				target = a
			}
		}
		if isWorthMoving(d.excess(source), d.excess(target)) {
			d.moveUnits(links, int32(source), int32(target), owned)
			return true
		}
	}
	return false
}

// reachFrom finds the annotators to whom labels can move from a source, directly or along a
// chain, by breadth-first search.
func (d *distribution) reachFrom(source int, owned [][]int32) []chainLink {
	links := make([]chainLink, d.n)
	links[source].isReached = true
	queue := []int32{int32(source)}
	for ; len(queue) > 0 && len(queue) <= d.n; queue = queue[1:] {
		a := queue[0]
		missing := d.n - countReached(links)
		for _, unit := range owned[a] {
			if missing == 0 {
				return links
			}
			if !slices.Contains(d.owners.At(int(unit)), a) {
				continue
			}
			for b := range int32(d.n) {
				if !links[b].isReached && d.mayGet(b, int(unit)) {
					links[b] = chainLink{a, unit, true}
					queue = append(queue, b)
					missing--
				}
			}
		}
	}
	return links
}

func countReached(links []chainLink) (count int) {
	for _, l := range links {
		if l.isReached {
			count++
		}
	}
	return count
}

// moveUnits moves a label along the links that lead from source to target.
func (d *distribution) moveUnits(links []chainLink, source, target int32, owned [][]int32) {
	for to := target; to != source; to = links[to].from {
		unit := links[to].unit
		d.assign(int(unit), slices.Index(d.owners.At(int(unit)), links[to].from), to)
		owned[to] = append(owned[to], unit)
	}
}
