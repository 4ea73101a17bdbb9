package project

import (
	"math/rand/v2"
	"slices"
)

// A distribution is an assignment in progress. It assigns units: items, or whole records.
type distribution struct {
	n       int       // annotators
	shares  []float64 // of the annotators
	needs   []uint8   // labels of each unit
	sizes   []int32   // items of each unit; nil: one each
	had     Lists     // of each unit
	owners  Lists     // of each unit
	unitOf  []int32   // of each item; nil: the unit is the item
	order   []int32   // units in the order of assignment
	next    int       // in order
	targets []float64 // labels that each annotator should get
	loads   []int     // labels that each annotator gets
	pairs   []int32   // items that two annotators share, at a×n+b and b×n+a
	rng     *rand.Rand
}

const distributionPart = 1 << 40 // apart from account ids, which number the random queues

func newDistribution(r AssignmentRequest) *distribution {
	n := len(r.Annotators)
	d := &distribution{n: n, needs: r.Labels, had: r.Had, loads: make([]int, n), pairs: make([]int32, n*n),
		rng: newPlanRand(r.Seed, distributionPart)}
	for _, a := range r.Annotators {
		d.shares = append(d.shares, a.Share)
	}
	if r.Records != nil {
		d.groupRecords(r)
	}
	d.owners.Start = make([]int32, 1, len(d.needs)+1)
	for _, need := range d.needs {
		d.owners.Start = append(d.owners.Start, d.owners.Start[len(d.owners.Start)-1]+int32(need))
	}
	d.owners.Values = slices.Repeat([]int32{Unassigned}, int(d.owners.Start[len(d.needs)]))
	d.countEarlierPairs(r.Pairs)
	d.orderUnits()
	d.setTargets(r.Annotators)
	return d
}

// groupRecords makes a unit of the items of a record that need equally many labels. If
// different annotators had its items, so that too few are left for all of them, each item is
// a unit.
func (d *distribution) groupRecords(r AssignmentRequest) {
	type groupKey struct {
		record int32
		need   uint8
	}
	groups, had := map[groupKey]int32{}, [][]int32{}
	d.needs, d.unitOf = nil, make([]int32, len(r.Labels))
	for item, need := range r.Labels {
		key := groupKey{r.Records[item], need}
		unit, isKnown := groups[key]
		union := r.Had.At(item)
		if isKnown {
			union = unite(had[unit], r.Had.At(item))
		}
		if !isKnown || len(union)+int(need) > d.n {
			unit, union = int32(len(d.needs)), r.Had.At(item)
			groups[key] = unit
			d.needs, d.sizes, had = append(d.needs, need), append(d.sizes, 0), append(had, nil)
		}
		d.unitOf[item], had[unit] = unit, union
		d.sizes[unit]++
	}
	d.had = Lists{}
	for _, list := range had {
		d.had.Append(list...)
	}
}

// unite returns the elements of a or b.
func unite(a, b []int32) []int32 {
	union := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(union, v) {
			union = append(union, v)
		}
	}
	return union
}

// countEarlierPairs counts the items that two annotators had before.
func (d *distribution) countEarlierPairs(pairs []int32) {
	if pairs != nil {
		copy(d.pairs, pairs)
		return
	}
	for unit := range len(d.needs) {
		had := d.had.At(unit)
		for i, a := range had {
			for _, b := range had[:i] {
				d.addPair(a, b, d.size(unit))
			}
		}
	}
}

func (d *distribution) addPair(a, b, count int32) {
	d.pairs[int(a)*d.n+int(b)] += count
	d.pairs[int(b)*d.n+int(a)] += count
}

func (d *distribution) size(unit int) int32 {
	if d.sizes == nil {
		return 1
	}
	return d.sizes[unit]
}

// orderUnits orders the units at random, those with the most labels first, then the largest.
func (d *distribution) orderUnits() {
	d.order = make([]int32, len(d.needs))
	for i := range d.order {
		d.order[i] = int32(i)
	}
	d.rng.Shuffle(len(d.order), func(i, j int) { d.order[i], d.order[j] = d.order[j], d.order[i] })
	if d.sizes != nil || !isUniform(d.needs) {
		slices.SortStableFunc(d.order, func(a, b int32) int {
			if d.needs[a] != d.needs[b] {
				return int(d.needs[b]) - int(d.needs[a])
			}
			return int(d.size(int(b)) - d.size(int(a)))
		})
	}
}

func isUniform[T comparable](values []T) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

// splitRecords makes each item a unit again, with the owners of its record.
func (d *distribution) splitRecords(r AssignmentRequest) {
	if d.unitOf == nil {
		return
	}
	var owners Lists
	for _, unit := range d.unitOf {
		owners.Append(d.owners.At(int(unit))...)
	}
	d.owners, d.had, d.needs, d.sizes = owners, r.Had, r.Labels, nil
	clear(d.pairs)
	d.countEarlierPairs(r.Pairs)
	for item := range d.needs {
		for i, a := range owners.At(item) {
			if a != Unassigned {
				d.pairBefore(item, i, a)
			}
		}
	}
}

// pairBefore counts a unit for the pairs of a, which owns a slot of it, with those who had it and
// the owners of earlier slots.
func (d *distribution) pairBefore(unit, slot int, a int32) {
	for _, b := range d.had.At(unit) {
		d.addPair(a, b, 1)
	}
	for _, b := range d.owners.At(unit)[:slot] {
		if b != Unassigned {
			d.addPair(a, b, 1)
		}
	}
}
