package project

// setTargets sets the labels that each annotator should get, so that the loads, with those
// before, follow the shares. Targets are not rounded: the loads with the least squared
// distance from them are the targets rounded by largest remainder. They are negative for
// those who had more before.
func (d *distribution) setTargets(annotators []PlanAnnotator) {
	least, most := make([]float64, d.n), make([]float64, d.n)
	total := 0.0
	for i, a := range annotators {
		least[i], most[i] = float64(a.Load), float64(a.Load)
		total += float64(a.Load)
	}
	for unit, need := range d.needs {
		if need == 0 {
			continue
		}
		size, had := float64(d.size(unit)), d.had.At(unit)
		total += size * float64(min(int(need), d.n-len(had)))
		for a := range most {
			most[a] += size
		}
		for _, a := range had {
			most[a] -= size
		}
	}
	level := findLevel(d.shares, least, most, total)
	for i, share := range d.shares {
		d.targets = append(d.targets, level*share-least[i])
	}
}

// findLevel returns the number of labels for a share of 1, if total is divided by shares within
// each one's limits. What a limit takes from or adds to one is divided among the others.
func findLevel(shares, least, most []float64, total float64) float64 {
	sumAt := func(level float64) (sum float64) {
		for i, share := range shares {
			sum += min(max(level*share, least[i]), most[i])
		}
		return sum
	}
	low, high := 0.0, 1.0
	for range 64 {
		if sumAt(high) >= total {
			break
		}
		high *= 2
	}
	for range 100 {
		if middle := (low + high) / 2; sumAt(middle) < total {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
