package sequence

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A shownItem is an item or a break that the simulated annotator met.
type shownItem struct {
	kind       AssignmentKind
	originalNo int // of a duplicate
}

// A simulation is one annotator in a batch that has workItems work items for them.
type simulation struct {
	Arrangement
	Progress
	workItems int
	existing  []Duplicate // all duplicates so far: shown, invalidated or pending
	shown     []shownItem
}

func (p Arrangement) simulate(workItems int) *simulation {
	s := &simulation{Arrangement: p, workItems: workItems, existing: slices.Clone(p.Placed)}
	s.Progress = Progress{Pending: slices.Clone(p.Placed), BreakEvery: p.BreakEvery, ItemsSinceBreak: p.Calibration}
	if p.BreakEvery > 0 {
		s.ItemsSinceBreak, s.HadBreak = p.Calibration%p.BreakEvery, p.Calibration >= p.BreakEvery
	}
	return s
}

// nextItem returns the next duplicate, empty for a work item; false at the end.
func (s *simulation) nextItem() (d Duplicate, hasNext bool) {
	if d, isDue := s.NextDuplicate(); isDue {
		return d, true
	}
	if s.Progress.WorkLabeled < s.workItems {
		return Duplicate{}, true
	}
	return s.RemainingDuplicate()
}

// open shows d, or a work item if d is empty.
func (s *simulation) open(d Duplicate) {
	item := shownItem{kind: KindWork}
	if d != (Duplicate{}) {
		item = shownItem{KindDuplicate, d.OriginalNo}
		s.Progress.Pending = slices.DeleteFunc(s.Progress.Pending, func(other Duplicate) bool { return other == d })
	}
	s.shown = append(s.shown, item)
}

// answer labels the open item. A break follows if one is due and something is left.
func (s *simulation) answer() {
	switch s.shown[len(s.shown)-1].kind {
	case KindWork:
		s.Progress.WorkLabeled++
	case KindDuplicate:
		s.DuplicatesLabeled++
	}
	s.ItemsSinceBreak++
	if _, hasNext := s.nextItem(); hasNext && s.Progress.BreakEvery > 0 && s.ItemsSinceBreak >= s.Progress.BreakEvery {
		s.takeBreak(len(s.shown), rand.New(rand.NewPCG(1, 1)))
	}
}

// takeBreak adds a break before shown[index]. It invalidates a duplicate next to the break
// and schedules a replacement. Items before the break are labeled.
func (s *simulation) takeBreak(index int, rng *rand.Rand) {
	s.ItemsSinceBreak, s.HadBreak = 0, true
	for i := index - 1; i <= index; i++ {
		if i < 0 || i >= len(s.shown) || s.shown[i].kind != KindDuplicate {
			continue
		}
		s.shown[i].kind = KindInvalidated
		if i < index {
			s.DuplicatesLabeled--
		}
		shown := 0
		for _, item := range s.shown {
			if item.kind != kindBreak {
				shown++
			}
		}
		if d, ok := s.Replacement(s.length(), shown, s.existing, rng); ok {
			s.existing = append(s.existing, d)
			s.Progress.Pending = append(s.Progress.Pending, d)
			slices.SortFunc(s.Progress.Pending, func(a, b Duplicate) int { return a.Position - b.Position })
		}
	}
	s.shown = slices.Insert(s.shown, index, shownItem{kind: kindBreak})
}

// run continues to the end. The annotator also takes a break before an item is labeled
// whenever wantsBreak returns true.
func (s *simulation) run(wantsBreak func() bool, rng *rand.Rand) []shownItem {
	for {
		d, hasNext := s.nextItem()
		if !hasNext {
			return s.shown
		}
		s.open(d)
		if wantsBreak() {
			s.takeBreak(len(s.shown)-1, rng)
		}
		s.answer()
	}
}

func TestProgress_KeepsDistances(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, err := drawPlan(t).Fit().Arrange(rapid.Int64().Draw(t, "seed"), 1)
		if err != nil {
			t.Fatal(err)
		}
		workItems := rapid.IntRange(0, p.Work*2).Draw(t, "work items")
		breakRate := rapid.IntRange(0, 9).Draw(t, "break rate")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1))
		shown := p.simulate(workItems).run(func() bool { return breakRate > 0 && rapid.IntRange(0, 20).Draw(t, "break") < breakRate }, rng)
		if work := checkShown(t, p, shown); work != workItems {
			t.Fatalf("%d work items, want %d", work, workItems)
		}
	})
}

// checkShown checks the distances of every duplicate that counts. An invalidated one takes
// a position, but does not make the sequence longer.
func checkShown(t *rapid.T, p Arrangement, shown []shownItem) (work int) {
	workPositions, repeated, counting := []int{0}, map[int]bool{}, 0
	for _, item := range shown {
		if item.kind == KindWork || item.kind == KindDuplicate {
			counting++
		}
	}
	distance, position := min(p.minDistance(), minDistance(counting)), 0
	for i, item := range shown {
		if item.kind != kindBreak {
			position++
		}
		if item.kind == KindWork {
			workPositions = append(workPositions, position)
		}
		if item.kind != KindDuplicate {
			continue
		}
		switch {
		case repeated[item.originalNo] || item.originalNo >= len(workPositions) || position-workPositions[item.originalNo] < distance:
			t.Fatalf("item %d repeated at position %d of %d", item.originalNo, position, counting)
		case i > 0 && shown[i-1].kind == kindBreak || i+1 < len(shown) && shown[i+1].kind == kindBreak:
			t.Fatalf("the duplicate at position %d is next to a break", position)
		}
		repeated[item.originalNo] = true
	}
	return len(workPositions) - 1
}

// TestReplacement_KeepsCount takes a break at the first duplicate: the planned number of
// duplicates still counts.
func TestReplacement_KeepsCount(t *testing.T) {
	t.Parallel()
	for seed := range int64(200) {
		p, err := Plan{Work: 60, Duplicates: 6, BreakEvery: 30}.Arrange(seed, 1)
		if err != nil {
			t.Fatal(err)
		}
		s, hadBreak := p.simulate(60), false
		shown := s.run(func() bool {
			wantsBreak := !hadBreak && s.shown[len(s.shown)-1].kind == KindDuplicate
			hadBreak = hadBreak || wantsBreak
			return wantsBreak
		}, rand.New(rand.NewPCG(uint64(seed), 1)))
		counts := map[AssignmentKind]int{}
		for _, item := range shown {
			counts[item.kind]++
		}
		if counts[KindInvalidated] != 1 || counts[KindDuplicate] != 6 {
			t.Errorf("seed %d: %v", seed, counts)
		}
	}
}

func TestProgress_AsPlanned_MatchesPlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, err := drawPlan(t).Fit().Arrange(rapid.Int64().Draw(t, "seed"), 1)
		if err != nil {
			t.Fatal(err)
		}
		var positions []int
		position := 0
		for _, item := range p.simulate(p.Work).run(func() bool { return false }, nil) {
			if item.kind != kindBreak {
				position++
			}
			if item.kind == KindDuplicate {
				positions = append(positions, position)
			}
		}
		for i, d := range p.Placed {
			if i >= len(positions) || positions[i] != d.Position {
				t.Fatalf("got duplicates at %v, planned %v", positions, p.Placed)
			}
		}
	})
}
