package sequence

import (
	"math/rand/v2"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// A Plan says what one annotator's path is to hold. It speaks of the first,
// second, … work item of this annotator, since which item that is shows only
// when it is claimed; Work is how many are expected, the annotator's share.
type Plan struct {
	Calibration int // items that come first
	Work        int
	Duplicates  int // hidden among the work
	BreakEvery  int // items, calibration included; 0: no breaks
}

// A Duplicate is one hidden duplicate. Places count the work and the duplicates,
// from 1; calibration stands apart.
type Duplicate struct {
	Position   int // its place
	OriginalNo int // the work item it repeats, from 1
}

// A Arrangement is a plan laid out.
type Arrangement struct {
	Plan
	Placed []Duplicate // by place
}

// itemsPerDuplicate is how many work items there have to be for each duplicate, unless a
// lead asks for more.
const itemsPerDuplicate = 5

// Fit returns p with as many duplicates as a batch of its length bears: no
// more than it asks for, one in five work items, and what can be placed.
func (p Plan) Fit() Plan {
	p.Duplicates = min(p.Duplicates, p.Work/itemsPerDuplicate)
	for p.Duplicates > 0 && !p.canHold(p.latestPositions()) {
		p.Duplicates--
	}
	return p
}

// Arrange places the duplicates of p by a seed and an annotator: each a third of
// the sequence or more behind its original, none in the first tenth, none
// beside a break, all of different originals. A plan that cannot hold is a
// fault that says why.
func (p Plan) Arrange(seed int64, annotatorID account.ID) (Arrangement, error) {
	if err := p.check(); err != nil {
		return Arrangement{}, err
	}
	rng := rand.New(rand.NewPCG(uint64(seed), ^uint64(annotatorID)))
	positions := p.spreadPositions(rng)
	if !p.canHold(positions) {
		positions = p.latestPositions()
	}
	return Arrangement{p, p.chooseOriginals(rng, positions)}, nil
}

func (p Plan) check() error {
	switch {
	case p.Calibration < 0 || p.Work < 0 || p.Duplicates < 0 || p.BreakEvery < 0:
		return fault.Invalid.Errorf("A session has 0 or more calibration items, work items, duplicates, and items between breaks.")
	case p.Duplicates > p.Work:
		return fault.Invalid.Errorf("%d hidden duplicates need as many items to repeat; an annotator's share of this batch is %d.", p.Duplicates, p.Work)
	case !p.canHold(p.latestPositions()):
		return fault.Invalid.Errorf("%d hidden duplicates do not fit into %d items with a break every %d: each has to be a third of the sequence behind its original, and not beside a break. Ask for fewer.",
			p.Duplicates, p.Work, p.BreakEvery)
	}
	return nil
}

// length is how many places the work and its duplicates take.
func (p Plan) length() int { return p.Work + p.Duplicates }

// minDistance is how far a duplicate lies behind its original, at the least.
func (p Plan) minDistance() int { return minDistance(p.length()) }

// minDistance returns a third of n places, rounded up.
func minDistance(n int) int { return (n + 2) / 3 }

// freePositions lists the places that may hold a duplicate. A place a third behind the
// first is never in the first tenth.
func (p Plan) freePositions() (positions []int) {
	for position := 1 + p.minDistance(); position <= p.length(); position++ {
		if !p.isBesideBreak(position) {
			positions = append(positions, position)
		}
	}
	return positions
}

// isBesideBreak reports whether a break is due just before or just after a
// place. None follows the last.
func (p Plan) isBesideBreak(position int) bool {
	if p.BreakEvery == 0 {
		return false
	}
	sequenceNo := p.Calibration + position
	breakBefore := (sequenceNo-1)%p.BreakEvery == 0
	breakAfter := sequenceNo%p.BreakEvery == 0 && position < p.length()
	return breakBefore || breakAfter
}

// latestPositions returns the last free places. Where even these do not hold, none do:
// later places leave every duplicate more to repeat.
func (p Plan) latestPositions() []int {
	positions := p.freePositions()
	return positions[max(0, len(positions)-p.Duplicates):]
}

// spreadPositions returns free places from all over the sequence, one drawn from each
// of as many stretches.
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

// canHold reports whether duplicates at these ascending places can all have an
// original of their own: the n-th needs n work items far enough before it.
func (p Plan) canHold(positions []int) bool {
	if len(positions) < p.Duplicates {
		return false
	}
	for i, position := range positions {
		if p.countWorkUpTo(position-p.minDistance(), positions) < i+1 {
			return false
		}
	}
	return true
}

// countWorkUpTo counts the work items at places up to last.
func (p Plan) countWorkUpTo(last int, positions []int) int {
	duplicates, _ := slices.BinarySearch(positions, last+1)
	return last - duplicates
}

// chooseOriginals draws an original for each duplicate. What one may repeat, all later
// ones may too, so that none is left without.
func (p Plan) chooseOriginals(rng *rand.Rand, positions []int) []Duplicate {
	duplicates, available, highest := make([]Duplicate, len(positions)), []int{}, 0
	for i, position := range positions {
		for upTo := p.countWorkUpTo(position-p.minDistance(), positions); highest < upTo; {
			highest++
			available = append(available, highest)
		}
		pick := rng.IntN(len(available))
		duplicates[i] = Duplicate{Position: position, OriginalNo: available[pick]}
		available = slices.Delete(available, pick, pick+1)
	}
	return duplicates
}
