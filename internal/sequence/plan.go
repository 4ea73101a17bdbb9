// Package sequence decides what an annotator gets next in a batch, and when hidden
// items come. Every random choice follows from the seed of the batch.
//
// A hidden item is a duplicate of an item that the annotator labeled, or a gold item, whose reference
// answer is known. It comes at a position that is drawn when the batch opens: the n-th item
// that an annotator is shown is hidden or not, whatever the annotator does before.
// The file observables.md lists what an annotator can observe, and why none of it identifies a hidden item.
package sequence

import (
	"math/rand/v2"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// A Plan is the number of items of one annotator's sequence in a batch. Work items are
// numbered in the order of this annotator, because items are assigned only when claimed.
type Plan struct {
	Calibration int // items before the work
	Work        int // expected work items
	Duplicates  int // hidden among the work items
	Gold        int // hidden among the work items
}

// A Duplicate is one hidden duplicate. Positions count the work items and hidden items that
// the annotator is shown, each once, from 1. Skipped items count, calibration does not.
type Duplicate struct {
	Position   int
	OriginalNo int // the work item to repeat, in the order of submission, from 1
}

// An Arrangement is a plan with the positions of its hidden items.
type Arrangement struct {
	Plan
	Placed []Duplicate // by position
	GoldAt []int       // positions, in order
}

// An AssignmentKind is why an item was assigned.
type AssignmentKind string

// The kinds of assignments.
const (
	KindCalibration AssignmentKind = "calibration"
	KindWork        AssignmentKind = "work"
	KindDuplicate   AssignmentKind = "duplicate"
	KindGold        AssignmentKind = "gold"
)

const (
	itemsPerHidden = 5   // work items per duplicate, and per gold item, that Fit keeps
	leastDistance  = 5   // items from an original to its duplicate, in a short sequence
	placementTries = 100 // random placements to try before the last positions are used
)

// Fit returns p with at most one duplicate and one gold item per five work items, and no more
// duplicates than can be placed.
func (p Plan) Fit() Plan {
	p.Gold = min(p.Gold, p.Work/itemsPerHidden)
	p.Duplicates = min(p.Duplicates, p.Work/itemsPerHidden)
	for p.Duplicates > 0 && !p.canHold(p.latestPositions()) {
		p.Duplicates--
	}
	return p
}

// Arrange draws the positions of the hidden items from the seed and the annotator. A work item
// follows the last of them. Each duplicate is at least MinDistance after its original, and all originals
// differ. Breaks have no influence. It returns fault.Invalid if that is not possible.
func (p Plan) Arrange(seed int64, annotatorID account.ID) (Arrangement, error) {
	if err := p.check(); err != nil {
		return Arrangement{}, err
	}
	rng := rand.New(rand.NewPCG(uint64(seed), ^uint64(annotatorID)))
	duplicates, gold := p.drawPositions(rng)
	return Arrangement{p, p.chooseOriginals(rng, duplicates, gold), gold}, nil
}

// CheckGold rejects more than one gold item per five work items.
func (p Plan) CheckGold() error {
	if most := p.Work / itemsPerHidden; p.Gold > most {
		return fault.Invalid.Errorf("%d gold items are too many. Each annotator labels about %d items of this batch, and at most one in five can be gold: %d.", p.Gold, p.Work, most)
	}
	return nil
}

func (p Plan) check() error {
	switch {
	case p.Calibration < 0 || p.Work < 0 || p.Duplicates < 0 || p.Gold < 0:
		return fault.Invalid.Errorf("The numbers of calibration items, work items, duplicates and gold items cannot be negative.")
	case p.Duplicates > p.Work:
		return fault.Invalid.Errorf("%d hidden duplicates need at least as many work items. Each annotator labels about %d items of this batch.", p.Duplicates, p.Work)
	case !p.canHold(p.latestPositions()):
		return fault.Invalid.Errorf("%d hidden duplicates do not fit into %d items. Each must come at least %d items after its original and before the last item. "+
			"Choose fewer duplicates.", p.Duplicates, p.Work, p.minDistance())
	}
	return nil
}

func (p Plan) length() int { return p.Work + p.Duplicates + p.Gold }

func (p Plan) minDistance() int { return MinDistance(p.length()) }

// MinDistance returns the least distance between a duplicate and its original in a planned
// sequence of n positions: a third, rounded up, and never less than five.
func MinDistance(n int) int { return max((n+2)/3, leastDistance) }

// freePositions lists the positions where a duplicate is allowed. Because of the distance to
// the original, none is in the first tenth. A work item follows the last one.
func (p Plan) freePositions() (positions []int) {
	for position := 1 + p.minDistance(); position < p.length(); position++ {
		positions = append(positions, position)
	}
	return positions
}

// drawPositions draws positions that can hold the duplicates, and those of the gold items. Only if
// nearly every free position is needed, it takes the last ones.
func (p Plan) drawPositions(rng *rand.Rand) (duplicates, gold []int) {
	for range placementTries {
		duplicates = p.spreadPositions(rng)
		if len(duplicates) < p.Duplicates {
			continue
		}
		if gold = p.drawGold(rng, duplicates); p.canHold(duplicates, gold) {
			return duplicates, gold
		}
	}
	return p.latestPositions()
}

// latestPositions returns the last free positions. If these are not possible, no others are:
// later positions have more originals to choose from.
func (p Plan) latestPositions() (duplicates, gold []int) {
	positions := p.freePositions()
	duplicates = positions[max(0, len(positions)-p.Duplicates):]
	free := p.goldPositions(duplicates)
	return duplicates, free[max(0, len(free)-p.Gold):]
}

// goldPositions lists the positions without a duplicate, except the last one.
func (p Plan) goldPositions(duplicates []int) (free []int) {
	for position := 1; position < p.length(); position++ {
		if !slices.Contains(duplicates, position) {
			free = append(free, position)
		}
	}
	return free
}

// drawGold draws the positions of the gold items: each other position is as likely.
func (p Plan) drawGold(rng *rand.Rand, duplicates []int) []int {
	if p.Gold == 0 {
		return nil
	}
	free := p.goldPositions(duplicates)
	rng.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	gold := free[:min(p.Gold, len(free))]
	slices.Sort(gold)
	return gold
}

// spreadPositions draws one free position from each of p.Duplicates equal stretches.
func (p Plan) spreadPositions(rng *rand.Rand) []int {
	free, positions := p.freePositions(), make([]int, p.Duplicates)
	for i := range positions {
		from, to := i*len(free)/p.Duplicates, (i+1)*len(free)/p.Duplicates
		if from == to {
			return nil
		}
		positions[i] = free[from+rng.IntN(to-from)]
	}
	return positions
}

// canHold reports whether duplicates at these ascending positions can all have different
// originals: the n-th needs n work items far enough before it.
func (p Plan) canHold(duplicates, gold []int) bool {
	if len(duplicates) < p.Duplicates || len(gold) < p.Gold {
		return false
	}
	for i, position := range duplicates {
		if countWorkUpTo(position-p.minDistance(), duplicates, gold) < i+1 {
			return false
		}
	}
	return true
}

// countWorkUpTo counts the work items at positions up to last.
func countWorkUpTo(last int, duplicates, gold []int) int {
	before, _ := slices.BinarySearch(duplicates, last+1)
	goldBefore, _ := slices.BinarySearch(gold, last+1)
	return last - before - goldBefore
}

// chooseOriginals draws an original for each duplicate. Later duplicates have more originals
// to choose from, so each finds one.
func (p Plan) chooseOriginals(rng *rand.Rand, positions, gold []int) []Duplicate {
	duplicates, available, highest := make([]Duplicate, len(positions)), []int{}, 0
	for i, position := range positions {
		for upTo := countWorkUpTo(position-p.minDistance(), positions, gold); highest < upTo; {
			highest++
			available = append(available, highest)
		}
		pick := rng.IntN(len(available))
		duplicates[i] = Duplicate{Position: position, OriginalNo: available[pick]}
		available = slices.Delete(available, pick, pick+1)
	}
	return duplicates
}
