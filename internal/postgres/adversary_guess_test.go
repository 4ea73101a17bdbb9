package postgres

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"
)

// checkGuesses checks that no observation, and no combination of them, identifies hidden items.
func checkGuesses(t *testing.T, items []observedItem, leastSessions int, z float64) {
	t.Helper()
	sessions := map[int]bool{}
	for _, item := range items {
		sessions[item.session] = true
	}
	// Everybody may know where hidden items cannot come.
	items = slices.DeleteFunc(items, func(i observedItem) bool {
		return i.position < firstHidden || i.position > lastHidden
	})
	all := countGuesses(items)
	t.Logf("%d sessions, %d items where duplicates can come, %d hidden", len(sessions), all.items, all.hidden)
	if len(sessions) < leastSessions || all.hidden < leastSessions {
		t.Fatal("too few sessions or hidden items to detect a difference")
	}
	checkSingleObservations(t, items)
	for _, half := range []int{0, 1} {
		isTraining := func(i observedItem) bool { return i.session%2 == half }
		test := slices.DeleteFunc(slices.Clone(items), isTraining)
		training := slices.DeleteFunc(slices.Clone(items), func(i observedItem) bool { return !isTraining(i) })
		guessed := newGuesser(training).pickMostLikely(test, countGuesses(test).hidden)
		low, high := guessed.interval(z)
		t.Logf("half %d: %d of %d guesses are right (±%.2f standard errors %.2f–%.2f), by chance %.2f", half,
			guessed.hidden, guessed.items, z, low, high, adversaryRate)
		if low > adversaryRate {
			t.Errorf("half %d: guesses are better than chance", half)
		}
	}
}

// checkSingleObservations checks each observation by itself: with the number of them, chance
// must not explain how often it goes with hidden items, at 1% for all together.
func checkSingleObservations(t *testing.T, items []observedItem) {
	t.Helper()
	byObservation := map[string][]observedItem{}
	for _, item := range items {
		for _, o := range uniqueObservations(item) {
			byObservation[o] = append(byObservation[o], item)
		}
	}
	for _, o := range slices.Sorted(maps.Keys(byObservation)) {
		found := countGuesses(byObservation[o])
		if found.chance(adversaryRate) < 0.01/float64(len(byObservation)) {
			t.Errorf("%q goes with hidden items: %d of %d", o, found.hidden, found.items)
		}
	}
	t.Logf("%d different observations", len(byObservation))
}

func uniqueObservations(i observedItem) []string {
	return slices.Compact(slices.Sorted(slices.Values(i.observations)))
}

// guesses counts items that were guessed to be hidden, and those that are.
type guesses struct{ items, hidden int }

func countGuesses(items []observedItem) (g guesses) {
	for _, item := range items {
		if g.items++; item.isHidden {
			g.hidden++
		}
	}
	return g
}

// chance returns the probability of at least as many right guesses if each is right with
// probability p.
func (g guesses) chance(p float64) (sum float64) {
	for k := g.hidden; k <= g.items; k++ {
		sum += math.Exp(logChoose(g.items, k) + float64(k)*math.Log(p) + float64(g.items-k)*math.Log(1-p))
	}
	return sum
}

func logChoose(n, k int) float64 {
	logFactorial := func(n int) float64 { value, _ := math.Lgamma(float64(n + 1)); return value }
	return logFactorial(n) - logFactorial(k) - logFactorial(n-k)
}

// interval returns the Wilson interval of the share of right guesses.
func (g guesses) interval(z float64) (low, high float64) {
	n := float64(g.items)
	share := float64(g.hidden) / n
	center, margin := share+z*z/(2*n), z*math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return (center - margin) / (1 + z*z/n), (center + margin) / (1 + z*z/n)
}

// A guesser weighs observations by how much more often they go with hidden items.
type guesser map[string]float64

func newGuesser(items []observedItem) guesser {
	total, counts := countGuesses(items), map[string]guesses{}
	for _, item := range items {
		for _, o := range uniqueObservations(item) {
			c := counts[o]
			if c.items++; item.isHidden {
				c.hidden++
			}
			counts[o] = c
		}
	}
	g := guesser{}
	for o, c := range counts {
		hidden := (float64(c.hidden) + 1) / (float64(total.hidden) + 2)
		work := (float64(c.items-c.hidden) + 1) / (float64(total.items-total.hidden) + 2)
		g[o] = math.Log(hidden / work)
	}
	return g
}

func (g guesser) score(i observedItem) (score float64) {
	for _, o := range uniqueObservations(i) {
		score += g[o]
	}
	return score
}

// pickMostLikely guesses the n items with the highest score.
func (g guesser) pickMostLikely(items []observedItem, n int) guesses {
	sorted := slices.SortedStableFunc(slices.Values(items), func(a, b observedItem) int {
		return cmp.Compare(g.score(b), g.score(a))
	})
	return countGuesses(sorted[:n])
}
