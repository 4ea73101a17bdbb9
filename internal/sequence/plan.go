package sequence

import (
	"math/rand/v2"
	"slices"

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

// A Repeat is one hidden duplicate. Places count the work and the duplicates,
// from 1; calibration stands apart.
type Repeat struct {
	At int // its place
	Of int // the work item it repeats, from 1
}

// A Path is a plan laid out.
type Path struct {
	Plan
	Repeats []Repeat // by place
}

// share is how many work items there have to be for each duplicate, unless a
// lead asks for more.
const share = 5

// Fewer returns p with as many duplicates as a batch of its length bears: no
// more than it asks for, one in five work items, and what can be placed.
func (p Plan) Fewer() Plan {
	p.Duplicates = min(p.Duplicates, p.Work/share)
	for p.Duplicates > 0 && !p.holds(p.latest()) {
		p.Duplicates--
	}
	return p
}

// Lay places the duplicates of p by a seed and an annotator: each a third of
// the sequence or more behind its original, none in the first tenth, none
// beside a break, all of different originals. A plan that cannot hold is a
// fault that says why.
func (p Plan) Lay(seed, annotator int64) (Path, error) {
	if err := p.check(); err != nil {
		return Path{}, err
	}
	order := rand.New(rand.NewPCG(uint64(seed), ^uint64(annotator)))
	at := p.spread(order)
	if !p.holds(at) {
		at = p.latest()
	}
	return Path{p, p.match(order, at)}, nil
}

func (p Plan) check() error {
	switch {
	case p.Calibration < 0 || p.Work < 0 || p.Duplicates < 0 || p.BreakEvery < 0:
		return fault.Invalid.Says("A session has 0 or more calibration items, work items, duplicates, and items between breaks.")
	case p.Duplicates > p.Work:
		return fault.Invalid.Says("%d hidden duplicates need as many items to repeat; an annotator's share of this batch is %d.", p.Duplicates, p.Work)
	case !p.holds(p.latest()):
		return fault.Invalid.Says("%d hidden duplicates do not fit into %d items with a break every %d: each has to be a third of the sequence behind its original, and not beside a break. Ask for fewer.",
			p.Duplicates, p.Work, p.BreakEvery)
	}
	return nil
}

// length is how many places the work and its duplicates take.
func (p Plan) length() int { return p.Work + p.Duplicates }

// Apart is how far a duplicate lies behind its original, at the least.
func (p Plan) Apart() int { return Third(p.length()) }

// Third returns a third of n places, rounded up.
func Third(n int) int { return (n + 2) / 3 }

// free lists the places that may hold a duplicate. A place a third behind the
// first is never in the first tenth.
func (p Plan) free() (places []int) {
	for at := 1 + p.Apart(); at <= p.length(); at++ {
		if !p.besideBreak(at) {
			places = append(places, at)
		}
	}
	return places
}

// besideBreak reports whether a break is due just before or just after a
// place. None follows the last.
func (p Plan) besideBreak(at int) bool {
	if p.BreakEvery == 0 {
		return false
	}
	walked := p.Calibration + at
	before := (walked-1)%p.BreakEvery == 0
	after := walked%p.BreakEvery == 0 && at < p.length()
	return before || after
}

// latest returns the last free places. Where even these do not hold, none do:
// later places leave every duplicate more to repeat.
func (p Plan) latest() []int {
	places := p.free()
	return places[max(0, len(places)-p.Duplicates):]
}

// spread returns free places from all over the sequence, one drawn from each
// of as many stretches.
func (p Plan) spread(order *rand.Rand) []int {
	places, at := p.free(), make([]int, p.Duplicates)
	for i := range at {
		from, to := i*len(places)/p.Duplicates, (i+1)*len(places)/p.Duplicates
		if from == to {
			return nil
		}
		at[i] = places[from+order.IntN(to-from)]
	}
	return at
}

// holds reports whether duplicates at these ascending places can all have an
// original of their own: the n-th needs n work items far enough before it.
func (p Plan) holds(at []int) bool {
	if len(at) < p.Duplicates {
		return false
	}
	for n, place := range at {
		if p.workUpTo(place-p.Apart(), at) < n+1 {
			return false
		}
	}
	return true
}

// workUpTo counts the work items at places up to last.
func (p Plan) workUpTo(last int, at []int) int {
	duplicates, _ := slices.BinarySearch(at, last+1)
	return last - duplicates
}

// match draws an original for each duplicate. What one may repeat, all later
// ones may too, so that none is left without.
func (p Plan) match(order *rand.Rand, at []int) []Repeat {
	repeats, open, known := make([]Repeat, len(at)), []int{}, 0
	for i, place := range at {
		for upTo := p.workUpTo(place-p.Apart(), at); known < upTo; {
			known++
			open = append(open, known)
		}
		n := order.IntN(len(open))
		repeats[i] = Repeat{At: place, Of: open[n]}
		open = slices.Delete(open, n, n+1)
	}
	return repeats
}
