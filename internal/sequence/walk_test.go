package sequence

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A met thing is what an annotator met, walking: an item, or a break.
type met struct {
	kind Kind
	of   int // of a duplicate
}

// A stroll is a walk under way, of which the work ends after real items.
type stroll struct {
	Path
	Walk
	real  int
	taken []Repeat // what stands in the plan by now: given, spoiled or to come
	all   []met
}

func (p Path) stroll(real int) *stroll {
	s := &stroll{Path: p, real: real, taken: slices.Clone(p.Repeats)}
	s.Walk = Walk{Repeats: slices.Clone(p.Repeats), BreakEvery: p.BreakEvery, SinceBreak: p.Calibration}
	if p.BreakEvery > 0 {
		s.SinceBreak, s.Rested = p.Calibration%p.BreakEvery, p.Calibration >= p.BreakEvery
	}
	return s
}

// next returns what is to be met; false at the end.
func (s *stroll) next() (r Repeat, more bool) {
	if r, due := s.Due(); due {
		return r, true
	}
	if s.Walk.Work < s.real {
		return Repeat{}, true
	}
	return s.Last()
}

// open shows r, or a work item.
func (s *stroll) open(r Repeat) {
	m := met{kind: Work}
	if r != (Repeat{}) {
		m = met{Duplicate, r.Of}
		s.Walk.Repeats = slices.DeleteFunc(s.Walk.Repeats, func(o Repeat) bool { return o == r })
	}
	s.all = append(s.all, m)
}

// answer labels what is open. A break follows where one is due and something
// is left.
func (s *stroll) answer() {
	switch s.all[len(s.all)-1].kind {
	case Work:
		s.Walk.Work++
	case Duplicate:
		s.Given++
	}
	s.SinceBreak++
	if _, more := s.next(); more && s.Walk.BreakEvery > 0 && s.SinceBreak >= s.Walk.BreakEvery {
		s.rest(len(s.all), rand.New(rand.NewPCG(1, 1)))
	}
}

// rest puts a break before all[at]. A duplicate beside it is spoiled, is given
// no more, and another comes instead. What stands before the break is answered.
func (s *stroll) rest(at int, order *rand.Rand) {
	s.SinceBreak, s.Rested = 0, true
	for i := at - 1; i <= at; i++ {
		if i < 0 || i >= len(s.all) || s.all[i].kind != Duplicate {
			continue
		}
		s.all[i].kind = Spoiled
		if i < at {
			s.Given--
		}
		walked := 0
		for _, m := range s.all {
			if m.kind != Break {
				walked++
			}
		}
		if r, ok := s.Instead(s.length(), walked, s.taken, order); ok {
			s.taken = append(s.taken, r)
			s.Walk.Repeats = append(s.Walk.Repeats, r)
			slices.SortFunc(s.Walk.Repeats, func(a, b Repeat) int { return a.At - b.At })
		}
	}
	s.all = slices.Insert(s.all, at, met{kind: Break})
}

// walk goes to the end. The annotator rests before an item is answered
// whenever rests says so, besides the breaks that are due.
func (s *stroll) walk(rests func() bool, order *rand.Rand) []met {
	for {
		r, more := s.next()
		if !more {
			return s.all
		}
		s.open(r)
		if rests() {
			s.rest(len(s.all)-1, order)
		}
		s.answer()
	}
}

func TestHoweverTheWalkGoesDuplicatesStayApartAndClearOfBreaks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, err := anyPlan(t).Fewer().Lay(rapid.Int64().Draw(t, "seed"), 1)
		if err != nil {
			t.Fatal(err)
		}
		real := rapid.IntRange(0, p.Work*2).Draw(t, "real")
		often := rapid.IntRange(0, 9).Draw(t, "rests")
		order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1))
		all := p.stroll(real).walk(func() bool { return often > 0 && rapid.IntRange(0, 20).Draw(t, "rest") < often }, order)
		if work := checkMet(t, p, all); work != real {
			t.Fatalf("%d work items, want %d", work, real)
		}
	})
}

// checkMet holds every duplicate that counts against what is promised of it.
// A spoiled one takes a place, but makes the sequence no longer than it is.
func checkMet(t *rapid.T, p Path, all []met) (work int) {
	places, given, counting := []int{0}, map[int]bool{}, 0
	for _, m := range all {
		if m.kind == Work || m.kind == Duplicate {
			counting++
		}
	}
	apart, place := min(p.Apart(), Third(counting)), 0
	for i, m := range all {
		if m.kind != Break {
			place++
		}
		if m.kind == Work {
			places = append(places, place)
		}
		if m.kind != Duplicate {
			continue
		}
		switch {
		case given[m.of] || m.of >= len(places) || place-places[m.of] < apart:
			t.Fatalf("item %d again at place %d of a sequence of %d", m.of, place, counting)
		case i > 0 && all[i-1].kind == Break || i+1 < len(all) && all[i+1].kind == Break:
			t.Fatalf("the duplicate at place %d is beside a break", place)
		}
		given[m.of] = true
	}
	return len(places) - 1
}

// TestABreakBesideADuplicateCostsNoneWhileThereIsRoom rests at the first
// duplicate: as many are met afterwards as were planned.
func TestABreakBesideADuplicateCostsNoneWhileThereIsRoom(t *testing.T) {
	t.Parallel()
	for seed := range int64(200) {
		p, err := Plan{Work: 60, Duplicates: 6, BreakEvery: 30}.Lay(seed, 1)
		if err != nil {
			t.Fatal(err)
		}
		s, rested := p.stroll(60), false
		all := s.walk(func() bool {
			now := !rested && s.all[len(s.all)-1].kind == Duplicate
			rested = rested || now
			return now
		}, rand.New(rand.NewPCG(uint64(seed), 1)))
		counts := map[Kind]int{}
		for _, m := range all {
			counts[m.kind]++
		}
		if counts[Spoiled] != 1 || counts[Duplicate] != 6 {
			t.Errorf("seed %d: %v", seed, counts)
		}
	}
}

func TestAWalkAsExpectedIsThePath(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, err := anyPlan(t).Fewer().Lay(rapid.Int64().Draw(t, "seed"), 1)
		if err != nil {
			t.Fatal(err)
		}
		var at []int
		place := 0
		for _, m := range p.stroll(p.Work).walk(func() bool { return false }, nil) {
			if m.kind != Break {
				place++
			}
			if m.kind == Duplicate {
				at = append(at, place)
			}
		}
		for i, r := range p.Repeats {
			if i >= len(at) || at[i] != r.At {
				t.Fatalf("duplicates came at %v, planned %v", at, p.Repeats)
			}
		}
	})
}
