package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// A ratingSet is random ratings, and what the reasons for missing figures claim about them.
type ratingSet struct {
	ratings     []stats.Rating
	annotators  []string
	byItem      map[string][]stats.Rating
	isClustered bool
}

// randomRatings returns up to 45 items of up to four annotators. Some sets have few answers, few
// values, or one annotator who always answers 2.
func randomRatings(r *rand.Rand) ratingSet {
	s := ratingSet{byItem: map[string][]stats.Rating{}, isClustered: r.IntN(2) == 0}
	names := []string{"ada", "bo", "cy", "di"}[:r.IntN(5)]
	items, presence, error := []int{1, 2, 5, 9, 12, 14, 45}[r.IntN(7)], []float64{0.15, 0.5, 1}[r.IntN(3)],
		[]float64{0, 0, 0.03, 0.3, 1}[r.IntN(5)]
	values, constant, sharedItems := 1+r.IntN(3), r.IntN(6), []int{items, items, 1}[r.IntN(3)]
	for i := range items {
		truth := 1 + r.IntN(values)
		for g, name := range names {
			if r.Float64() > presence || i >= sharedItems && g != i%len(names) {
				continue
			}
			rating := stats.Rating{Item: fmt.Sprintf("i%02d", i), Annotator: name, Value: truth}
			if r.Float64() < error {
				rating.Value = 1 + (truth+g)%3
			}
			if g == constant {
				rating.Value = 2
			}
			if s.isClustered {
				rating.Cluster = fmt.Sprintf("c%02d", i/3)
			}
			s.add(rating)
		}
	}
	return s
}

func (s *ratingSet) add(rating stats.Rating) {
	s.ratings, s.byItem[rating.Item] = append(s.ratings, rating), append(s.byItem[rating.Item], rating)
	if !slices.Contains(s.annotators, rating.Annotator) {
		s.annotators = append(s.annotators, rating.Annotator)
	}
}

// unit returns what is resampled with an item.
func (s *ratingSet) unit(item string) string {
	if s.isClustered {
		return s.byItem[item][0].Cluster
	}
	return item
}

// sharesOneValue reports whether all answers to shared items are equal.
func (s *ratingSet) sharesOneValue() bool {
	values := map[int]bool{}
	for _, answers := range s.byItem {
		for _, a := range answers {
			if isShared(answers) {
				values[a.Value] = true
			}
		}
	}
	return len(values) == 1
}

// units returns what is resampled, of the items that a condition holds for.
func (s *ratingSet) units(holds func(answers []stats.Rating) bool) map[string]bool {
	units := map[string]bool{}
	for item, answers := range s.byItem {
		if holds(answers) {
			units[s.unit(item)] = true
		}
	}
	return units
}

func isAny([]stats.Rating) bool            { return true }
func isShared(answers []stats.Rating) bool { return len(answers) > 1 }

// agreeingShare returns the share of equal pairs of answers; 1 of a single answer.
func agreeingShare(answers []stats.Rating) float64 {
	equal, pairs := 0, 0
	for i, a := range answers {
		for _, b := range answers[:i] {
			pairs++
			if a.Value == b.Value {
				equal++
			}
		}
	}
	return float64(max(equal, 1-pairs)) / float64(max(pairs, 1))
}

// single returns the only value of the answers of some annotators to items that they all answered;
// 0 without one.
func (s *ratingSet) single(minAnswers int, annotators ...string) int {
	values := map[int]bool{}
	for _, answers := range s.byItem {
		chosen := slices.DeleteFunc(slices.Clone(answers), func(a stats.Rating) bool {
			return len(annotators) > 0 && !slices.Contains(annotators, a.Annotator)
		})
		for _, a := range chosen {
			if len(chosen) >= minAnswers {
				values[a.Value] = true
			}
		}
	}
	for v := range values {
		if len(values) == 1 {
			return v
		}
	}
	return 0
}

// constantPairs returns what is said of every two annotators who gave all their shared items one value.
func (s *ratingSet) constantPairs() (texts []string) {
	sorted := slices.Sorted(slices.Values(s.annotators))
	for i, a := range sorted {
		for _, b := range sorted[i+1:] {
			if v := s.single(2, a, b); v != 0 {
				texts = append(texts, fmt.Sprintf(
					"%s and %s gave every shared item the answer %d, so the mean over pairs is not defined", a, b, v))
			}
		}
	}
	return texts
}

// undefinedText returns why a figure of all annotators is missing, from the ratings alone.
func (s *ratingSet) undefinedText(coefficient string) []string {
	needsVariation := coefficient == "cohen_kappa" || coefficient == "conger_kappa" || coefficient == "shared_kappa" ||
		coefficient == "fleiss_kappa" || coefficient == "alpha"
	var value int
	_, _ = fmt.Sscanf(coefficient, "specific_agreement[%d]", &value)
	hasSharedValue := slices.ContainsFunc(s.ratings, func(a stats.Rating) bool {
		return a.Value == value &&
			isShared(s.byItem[a.Item])
	})
	all, shared := s.single(1), s.single(2)
	switch {
	case len(s.ratings) == 0:
		return []string{"there are no answers yet"}
	case len(s.annotators) == 1:
		return []string{"only " + s.annotators[0] + " has labeled items, and agreement needs two annotators"}
	case len(s.units(isShared)) == 0:
		return []string{"no item has labels from two annotators"}
	case value > 0 && !hasSharedValue:
		return []string{"no item with labels from two annotators has this value"}
	case needsVariation && all != 0:
		return []string{fmt.Sprintf("every answer is %d, and agreement needs answers that vary", all)}
	case (coefficient == "cohen_kappa" || coefficient == "alpha") && shared != 0:
		return []string{fmt.Sprintf("every answer to a shared item is %d, and agreement needs answers that vary",
			shared)}
	case coefficient == "cohen_kappa" && len(s.constantPairs()) > 0:
		return s.constantPairs()
	}
	return []string{""}
}

// pairText returns why a figure of two annotators is missing.
func (s *ratingSet) pairText(a, b string) string {
	if v := s.single(2, a, b); v != 0 {
		return fmt.Sprintf("every answer to a shared item is %d, and agreement needs answers that vary", v)
	}
	for _, answers := range s.byItem {
		if n := len(slices.DeleteFunc(slices.Clone(answers),
			func(r stats.Rating) bool { return r.Annotator != a && r.Annotator != b })); n == 2 {
			return ""
		}
	}
	return "the two annotators share no items"
}

// TestReasons_Missing_AreTrue checks that a figure is missing if and only if the data give a reason,
// and that the reason is the one that holds, in random sets of ratings.
func TestReasons_Missing_AreTrue(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(31, 0)), map[string]int{}
	for n := range 600 {
		s := randomRatings(r)
		for _, result := range computeRandom(t, s, 2).Results {
			var want []string
			if a, b, isPair := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(result.Coefficient, "pair_cohen["),
				"]"), "|"); isPair {
				want = []string{s.pairText(a, b)}
			} else if (result.Variant == "items_2plus" || result.Coefficient == "shared_kappa") && s.single(1) == 0 &&
				s.single(2) != 0 {
				want = s.undefinedText("alpha")
			} else {
				want = s.undefinedText(result.Coefficient)
			}
			if !slices.Contains(want, result.Undefined) || (result.Undefined == "") != (result.Value != nil) {
				t.Fatalf("set %d, %s %s: %q, want one of %q: %v", n, result.Coefficient, result.Variant,
					result.Undefined, want, s.ratings)
			}
			seen[string(result.Reason)]++
		}
	}
	for _, code := range []stats.ReasonCode{"", stats.NoAnswers, stats.SingleAnnotator, stats.NoOverlap,
		stats.NoSharedItem, stats.NoVariation,
		stats.NoSharedVariation, stats.NoPairVariation, stats.UnusedValue} {
		if seen[string(code)] == 0 {
			t.Errorf("no figure has the reason %q", code)
		}
	}
}

func computeRandom(t *testing.T, s ratingSet, resamples int) stats.AgreementReport {
	t.Helper()
	table, err := stats.CollectRatingTable(stats.NewRangeScale(1, 3), slices.Values(s.ratings))
	if err != nil {
		t.Fatal(err)
	}
	return stats.ComputeAgreement([]stats.Dimension{{Name: "tone", Table: table, Declared: true}},
		stats.IntervalOptions{Resamples: resamples, Seed: 1})
}

// agreementVaries reports whether percent agreement differs between the units that have any.
func (s *ratingSet) agreementVaries() bool {
	sums, counts := map[string]float64{}, map[string]float64{}
	for item, answers := range s.byItem {
		if isShared(answers) {
			sums[s.unit(item)] += agreeingShare(answers)
			counts[s.unit(item)]++
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for unit, sum := range sums {
		low, high = min(low, sum/counts[unit]), max(high, sum/counts[unit])
	}
	return high-low > 1e-9
}

// An intervalCase is a part of the note of an interval, and the condition under which it is true of
// a figure that has a value.
type intervalCase struct {
	coefficient, part string
	condition         func(s ratingSet, unitName string) bool
}

// needsUnits returns the case of fewer units than a coefficient needs; those of sharing, if some
// are not shared.
func needsUnits(coefficient, name string, minUnits int) intervalCase {
	return intervalCase{coefficient, fmt.Sprintf("an interval needs at least %d %s", minUnits, name),
		func(s ratingSet, unitName string) bool {
			shared := len(s.units(isShared))
			if shared < len(s.units(isAny)) {
				unitName = "shared " + unitName
			}
			return unitName == name && shared < minUnits
		}}
}

var intervalCases = []intervalCase{
	needsUnits("percent_agreement", "items", 2),
	needsUnits("percent_agreement", "shared items", 2),
	needsUnits("percent_agreement", "clusters", 10),
	needsUnits("percent_agreement", "shared clusters", 10),
	{"percent_agreement", "every resample has the same value", func(s ratingSet, unitName string) bool {
		isTooFew := unitName == "items" && len(s.units(isShared)) < 2 || unitName == "clusters" &&
			len(s.units(isShared)) < 10
		return len(s.units(isAny)) > 1 && !isTooFew && !s.agreementVaries()
	}},
	needsUnits("conger_kappa", "items", 10),
	needsUnits("conger_kappa", "shared items", 10),
	needsUnits("conger_kappa", "clusters", 10),
	needsUnits("conger_kappa", "shared clusters", 10),
	{"conger_kappa", "agreement is full", func(s ratingSet, _ string) bool {
		return len(s.units(isShared)) >= 10 && s.sharesOneValue()
	}},
}

// TestIntervals_Missing_AreTrue checks that the reason for a missing interval is given if and only if
// it holds, in random sets of ratings.
func TestIntervals_Missing_AreTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(32, 0))
	holds, fails := make([]int, len(intervalCases)), make([]int, len(intervalCases))
	for n := range 500 {
		s := randomRatings(r)
		unitName := map[bool]string{true: "clusters", false: "items"}[s.isClustered]
		for _, result := range computeRandom(t, s, 200).Results {
			for i, c := range intervalCases {
				if result.Value == nil || result.Coefficient != c.coefficient || result.Variant != "" &&
					result.Variant != "unweighted" {
					continue
				}
				want := c.condition(s, unitName)
				if got := strings.Contains(result.IntervalNote, c.part); got != want {
					t.Fatalf("set %d, %s: %q is %t in %q, want %t: %v", n, c.coefficient, c.part, got,
						result.IntervalNote, want, s.ratings)
				}
				if want {
					holds[i]++
				} else {
					fails[i]++
				}
			}
			units, unitName := s.units(isAny), unitName
			if name := "shared " + unitName; strings.Contains(result.IntervalNote, name) {
				units, unitName = s.units(isShared), name
			}
			if isFew := len(units) < 30; result.Low != nil && !strings.HasPrefix(result.Coefficient, "pair") &&
				strings.Contains(result.IntervalNote, "approximate, with fewer than 30 "+unitName) != isFew {
				t.Fatalf("set %d, %s: %q with %d %s", n, result.Coefficient, result.IntervalNote, len(units), unitName)
			}
		}
	}
	for i, c := range intervalCases {
		if holds[i] == 0 || fails[i] == 0 {
			t.Errorf("%s, %q holds in %d sets and fails in %d; want both", c.coefficient, c.part, holds[i], fails[i])
		}
	}
}
