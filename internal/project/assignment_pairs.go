package project

const (
	pairTriesPerLabel = 40
	minPairTries      = 20_000
	maxPairTries      = 2_000_000
	pairCheckInterval = 4096 // tries between two looks at the result
)

// balancePairs exchanges labels between two units of the same size, which keeps the loads,
// as long as that brings the numbers of shared items together.
func (d *distribution) balancePairs() {
	units := d.exchangeableUnits()
	if len(units) < 2 {
		return
	}
	tries := min(max(pairTriesPerLabel*len(d.owners.Values), minPairTries), maxPairTries)
	for try := range tries {
		if try%pairCheckInterval == 0 {
			if r := pairRange(d.pairs, d.n); r.Max-r.Min <= 1 {
				return
			}
		}
		d.tryExchange(int(units[d.rng.IntN(len(units))]), int(units[d.rng.IntN(len(units))]))
	}
}

// exchangeableUnits returns the units whose labels are relevant for pairs.
func (d *distribution) exchangeableUnits() (units []int32) {
	for unit, need := range d.needs {
		if need > 0 && int(need) < d.n {
			units = append(units, int32(unit))
		}
	}
	return units
}

// tryExchange exchanges a random owner of unit i with one of unit j, unless that makes the
// pairs less equal.
func (d *distribution) tryExchange(i, j int) {
	if i == j || d.size(i) != d.size(j) {
		return
	}
	slotI, slotJ := d.rng.IntN(int(d.needs[i])), d.rng.IntN(int(d.needs[j]))
	a, b := d.owners.At(i)[slotI], d.owners.At(j)[slotJ]
	if a == Unassigned || b == Unassigned || !d.mayGet(b, i) || !d.mayGet(a, j) {
		return
	}
	before := d.sumSquares(i, slotI, j, slotJ, a, b)
	d.assign(i, slotI, b)
	d.assign(j, slotJ, a)
	if d.sumSquares(i, slotI, j, slotJ, a, b) > before {
		d.assign(i, slotI, a)
		d.assign(j, slotJ, b)
	}
}

// sumSquares sums the squares of the counts that an exchange of a and b can change. An
// annotator of both units counts twice, before and after.
func (d *distribution) sumSquares(i, slotI, j, slotJ int, a, b int32) (sum int64) {
	add := func(others []int32, skip int) {
		for slot, c := range others {
			if slot == skip || c == Unassigned {
				continue
			}
			withA, withB := int64(d.pairs[int(a)*d.n+int(c)]), int64(d.pairs[int(b)*d.n+int(c)])
			sum += withA*withA + withB*withB
		}
	}
	add(d.owners.At(i), slotI)
	add(d.owners.At(j), slotJ)
	add(d.had.At(i), -1)
	add(d.had.At(j), -1)
	return sum
}
