package sequence

import (
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/account"
)

// Shuffle returns a copy of items in the order that the seed gives one annotator.
func Shuffle[T any](seed int64, annotatorID account.ID, items []T) []T {
	shuffled := make([]T, len(items))
	permutation := rand.New(rand.NewPCG(uint64(seed), uint64(annotatorID))).Perm(len(items))
	for to, from := range permutation {
		shuffled[to] = items[from]
	}
	return shuffled
}

// ShuffleAttempt returns a copy of items in the order of an annotator's calibration
// attempt. Each attempt has its own order.
func ShuffleAttempt[T any](seed int64, annotatorID account.ID, attemptNo int, items []T) []T {
	const multiplier = 0x1e3779b97f4a7c15 // spreads attemptNo over all bits, so that no two attempts share a seed
	return Shuffle(seed^int64(attemptNo)*multiplier, annotatorID, items)
}
