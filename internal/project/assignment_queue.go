package project

import (
	"cmp"
	"slices"
)

// orderQueues returns the place of each label in its owner's queue. The order depends on the
// seed and the annotator.
func orderQueues(r AssignmentRequest, p AssignmentPlan) []int32 {
	places := make([]int32, len(p.Owners.Values))
	labels, items := groupByOwner(p), []int32(nil)
	if r.Records != nil {
		items = itemOfLabels(p.Owners)
	}
	for a, own := range labels {
		rng := newPlanRand(r.Seed, uint64(r.Annotators[a].ID))
		rng.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		if r.Records != nil {
			gatherRecords(own, func(label int32) int32 { return r.Records[items[label]] })
		}
		for i, label := range own {
			places[label] = int32(i + 1)
		}
	}
	return places
}

// orderPool returns the place of each label in a pool. The order depends on the seed.
func orderPool(r AssignmentRequest, owners Lists) []int32 {
	labels := make([]int32, len(owners.Values))
	for i := range labels {
		labels[i] = int32(i)
	}
	rng := newPlanRand(r.Seed, poolPart)
	rng.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	if r.Records != nil {
		items := itemOfLabels(owners)
		gatherRecords(labels, func(label int32) int32 { return r.Records[items[label]] })
	}
	places := make([]int32, len(labels))
	for i, label := range labels {
		places[label] = int32(i + 1)
	}
	return places
}

// groupByOwner lists the labels of each annotator, as indexes of Owners.Values.
func groupByOwner(p AssignmentPlan) [][]int32 {
	groups := make([][]int32, len(p.Loads))
	for a, load := range p.Loads {
		groups[a] = make([]int32, 0, load)
	}
	for label, a := range p.Owners.Values {
		if a != Unassigned {
			groups[a] = append(groups[a], int32(label))
		}
	}
	return groups
}

// itemOfLabels returns the item of each label.
func itemOfLabels(owners Lists) []int32 {
	items := make([]int32, len(owners.Values))
	for item := range max(len(owners.Start)-1, 0) {
		for label := owners.Start[item]; label < owners.Start[item+1]; label++ {
			items[label] = int32(item)
		}
	}
	return items
}

// gatherRecords brings the labels of a record together at the place of the first.
func gatherRecords(labels []int32, recordOf func(int32) int32) {
	first := map[int32]int{}
	for i, label := range labels {
		if _, isKnown := first[recordOf(label)]; !isKnown {
			first[recordOf(label)] = i
		}
	}
	slices.SortStableFunc(labels, func(a, b int32) int { return cmp.Compare(first[recordOf(a)], first[recordOf(b)]) })
}
