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
