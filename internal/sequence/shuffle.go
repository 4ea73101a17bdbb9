// Package sequence lays out one annotator's path through a batch. Everything
// follows from a recorded seed: the same seed gives the same path.
package sequence

import (
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/account"
)

// Shuffle returns a copy of items in the order that seed gives to one
// annotator.
func Shuffle[T any](seed int64, annotatorID account.ID, items []T) []T {
	shuffled := make([]T, len(items))
	permutation := rand.New(rand.NewPCG(uint64(seed), uint64(annotatorID))).Perm(len(items))
	for to, from := range permutation {
		shuffled[to] = items[from]
	}
	return shuffled
}

// ShuffleAttempt returns a copy of items in the order of an annotator's n-th
// passage through them, another for each n.
func ShuffleAttempt[T any](seed int64, annotatorID account.ID, attemptNo int, items []T) []T {
	const multiplier = 0x1e3779b97f4a7c15 // spreads n over all bits, so that no two passages share a seed
	return Shuffle(seed^int64(attemptNo)*multiplier, annotatorID, items)
}
