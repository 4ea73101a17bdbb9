package project

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
)

// Parts of a plan with random numbers of their own.
const (
	drawPart    = 1<<40 + 1
	overlapPart = 1<<40 + 2
	poolPart    = 1<<40 + 3
)

// A Sample says how many items a batch draws. The zero value is all of them.
type Sample struct {
	Count   int     // items, or records of a batch by record; 0: see Percent
	Percent float64 // of the items or records, rounded, at least one; 0: all, unless Count is set
}

// IsAll reports whether all items are drawn.
func (s Sample) IsAll() bool { return s.Count == 0 && s.Percent == 0 }

func (s Sample) check() error {
	if s.Count < 0 || s.Percent < 0 || s.Percent > 100 {
		return fault.Invalid.Errorf("Enter a number of items, or a percentage from 0 to 100.")
	}
	return nil
}

// of returns the number to draw from total.
func (s Sample) of(total int) int {
	switch {
	case s.Count > 0:
		return s.Count
	case s.Percent > 0:
		return min(max(int(math.Round(s.Percent/100*float64(total))), 1), total)
	}
	return total
}

// An OverlapSample is a sample of the items of a batch that get another number of labels.
// The zero value is none.
type OverlapSample struct {
	Percent float64
	Labels  int
}

func (s OverlapSample) check(annotators int) error {
	switch {
	case s == OverlapSample{}:
	case s.Percent <= 0 || s.Percent > 100:
		return fault.Invalid.Errorf("Enter which percentage of the items gets another number of labels, above 0 and up to 100.")
	case s.Labels < 1 || s.Labels > MaxLabelsPerItem:
		return fault.Invalid.Errorf("Enter how many labels the items of the sample get: 1 to %d.", MaxLabelsPerItem)
	case annotators > 0 && s.Labels > annotators:
		return fault.Invalid.Errorf("%d labels per item need at least %d annotators. You chose %d.", s.Labels, s.Labels,
			annotators)
	}
	return nil
}

// BatchItems describes the items that a batch can draw from, in the order of their ids.
type BatchItems struct {
	Count   int
	Earlier map[int]EarlierLabels // of the few items that have any, by index
	Records []int32               // the record of each item, numbered from 0; nil: not known
	Strata  []int32               // the value of the column to stratify by, numbered from 0; nil: one stratum
}

// EarlierLabels are those that an item got in closed batches.
type EarlierLabels struct {
	Count      int
	Annotators []int32 // of the new batch who had the item, by index
}

// SetEarlier sets the earlier labels of an item.
func (b *BatchItems) SetEarlier(item int, e EarlierLabels) {
	if b.Earlier == nil {
		b.Earlier = map[int]EarlierLabels{}
	}
	b.Earlier[item] = e
}

// at returns the description of some of the items.
func (b BatchItems) at(items []int32) BatchItems {
	pick := func(values []int32) (picked []int32) {
		if values == nil {
			return nil
		}
		for _, i := range items {
			picked = append(picked, values[i])
		}
		return picked
	}
	picked := BatchItems{Count: len(items), Records: pick(b.Records), Strata: pick(b.Strata)}
	if len(b.Earlier) == 0 {
		return picked
	}
	for to, from := range items {
		if e, ok := b.Earlier[int(from)]; ok {
			picked.SetEarlier(to, e)
		}
	}
	return picked
}

// drawItems draws items by the seed, in ascending order. It returns an error if the sample asks for
// more than there are. With strata, each gets a part of the sample by largest remainder, and
// at least one item where the sample is large enough. By record, records are drawn as a whole;
// the first item decides the stratum.
func (s BatchSpec) drawItems(available BatchItems) ([]int32, error) {
	units := newDrawUnits(available, s.ByRecord)
	if s.Sample.Count > len(units.strata) {
		if s.Round != "" {
			return nil, fault.Conflict.Errorf("Only %s %s can be labeled again. You asked for %s.",
				formatCount(len(units.strata)), units.noun, formatCount(s.Sample.Count))
		}
		return nil, fault.Conflict.Errorf("Only %s %s are in no batch. You asked for %s.",
			formatCount(len(units.strata)), units.noun, formatCount(s.Sample.Count))
	}
	return units.draw(newPlanRand(s.Seed, drawPart), s.Sample.of(len(units.strata))), nil
}

// labelsPerItem returns how many labels each item of the batch gets. The sample of
// OverlapSample is drawn by the seed, like the items. Earlier labels count.
func (s BatchSpec) labelsPerItem(items BatchItems) []uint8 {
	labels := slices.Repeat([]uint8{uint8(s.Overlap)}, items.Count)
	if s.OverlapSample.Percent > 0 {
		units := newDrawUnits(items, s.ByRecord)
		count := Sample{Percent: s.OverlapSample.Percent}.of(len(units.strata))
		for _, i := range units.draw(newPlanRand(s.Seed, overlapPart), count) {
			labels[i] = uint8(s.OverlapSample.Labels)
		}
	}
	for i, e := range items.Earlier {
		labels[i] = uint8(max(int(labels[i])-e.Count, 0))
	}
	return labels
}

// MostLabels returns the most labels that an item of the batch can need.
func (s BatchSpec) MostLabels() int { return max(s.Overlap, s.OverlapSample.Labels) }

// drawUnits are what a sample consists of: items or records.
type drawUnits struct {
	noun   locale.Text
	strata []int32 // of each unit
	unitOf []int32 // of each item
}

func newDrawUnits(items BatchItems, byRecord bool) drawUnits {
	u := drawUnits{noun: locale.Text("items"), unitOf: make([]int32, items.Count)}
	unitOfRecord := map[int32]int32{}
	if byRecord {
		u.noun = locale.Text("records")
	}
	for i := range items.Count {
		unit, isKnown := int32(len(u.strata)), false
		if byRecord {
			if known, ok := unitOfRecord[items.Records[i]]; ok {
				unit, isKnown = known, true
			}
			unitOfRecord[items.Records[i]] = unit
		}
		if u.unitOf[i] = unit; isKnown {
			continue
		}
		stratum := int32(0)
		if items.Strata != nil {
			stratum = items.Strata[i]
		}
		u.strata = append(u.strata, stratum)
	}
	return u
}

// draw returns the items of count random units, in ascending order.
func (u drawUnits) draw(rng *rand.Rand, count int) (items []int32) {
	isDrawn := make([]bool, len(u.strata))
	groups := groupByStratum(u.strata)
	for i, quota := range divideByStrata(groups, count) {
		rng.Shuffle(len(groups[i]), func(a, b int) { groups[i][a], groups[i][b] = groups[i][b], groups[i][a] })
		for _, unit := range groups[i][:quota] {
			isDrawn[unit] = true
		}
	}
	for i, unit := range u.unitOf {
		if isDrawn[unit] {
			items = append(items, int32(i))
		}
	}
	return items
}

// groupByStratum lists the units of each stratum.
func groupByStratum(strata []int32) (groups [][]int32) {
	for unit, stratum := range strata {
		for int(stratum) >= len(groups) {
			groups = append(groups, nil)
		}
		groups[stratum] = append(groups[stratum], int32(unit))
	}
	return slices.DeleteFunc(groups, func(group []int32) bool { return len(group) == 0 })
}

// divideByStrata divides count among groups in proportion to their sizes, by largest
// remainder. Each group gets at least one if count is large enough.
func divideByStrata(groups [][]int32, count int) []int {
	total := 0
	for _, group := range groups {
		total += len(group)
	}
	quotas, order, remaining := make([]int, len(groups)), make([]int, len(groups)), count
	remainders := make([]float64, len(groups))
	for i, group := range groups {
		exact := float64(count) * float64(len(group)) / float64(total)
		quotas[i], order[i] = int(exact), i
		if quotas[i] == 0 && count >= len(groups) {
			quotas[i] = 1
		}
		remainders[i] = exact - float64(quotas[i])
		remaining -= quotas[i]
	}
	for ; remaining != 0 && len(groups) > 0; remaining -= sign(remaining) {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(remainders[b], remainders[a]) })
		i := order[0]
		if remaining < 0 {
			i = largestSurplus(quotas, remainders)
		}
		quotas[i] += sign(remaining)
		remainders[i] -= float64(sign(remaining))
	}
	return quotas
}

// largestSurplus returns the group farthest above its part that keeps one.
func largestSurplus(quotas []int, remainders []float64) int {
	best := -1
	for i, quota := range quotas {
		if quota > 1 && (best < 0 || remainders[i] < remainders[best]) {
			best = i
		}
	}
	return max(best, 0)
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}
