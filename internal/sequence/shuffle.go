// Package sequence lays out one annotator's path through a batch. Everything
// follows from a recorded seed: the same seed gives the same path.
package sequence

import "math/rand/v2"

// Shuffle returns a copy of items in the order that seed gives to one
// annotator.
func Shuffle(seed, annotator int64, items []int64) []int64 {
	shuffled := make([]int64, len(items))
	order := rand.New(rand.NewPCG(uint64(seed), uint64(annotator))).Perm(len(items))
	for to, from := range order {
		shuffled[to] = items[from]
	}
	return shuffled
}

// ShuffleAgain returns a copy of items in the order of an annotator's n-th
// passage through them, another for each n.
func ShuffleAgain(seed, annotator int64, n int, items []int64) []int64 {
	const odd = 0x1e3779b97f4a7c15 // spreads n over all bits, so that no two passages share a seed
	return Shuffle(seed^int64(n)*odd, annotator, items)
}
