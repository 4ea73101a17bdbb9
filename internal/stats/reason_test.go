package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
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

// constantPairs returns the reason of every two annotators who gave all their shared items one value.
func (s *ratingSet) constantPairs() (reasons []stats.Reason) {
	sorted := slices.Sorted(slices.Values(s.annotators))
	for i, a := range sorted {
		for _, b := range sorted[i+1:] {
			if v := s.single(2, a, b); v != 0 {
				reasons = append(reasons, stats.Reason{Code: stats.NoPairVariation, Annotators: [2]string{a, b},
					Value: strconv.Itoa(v)})
			}
		}
	}
	return reasons
}

// reasonsOf returns why a figure of all annotators is missing, from the ratings alone.
func (s *ratingSet) reasonsOf(coefficient string) []stats.Reason {
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
		return []stats.Reason{{Code: stats.NoAnswers}}
	case len(s.annotators) == 1:
		return []stats.Reason{{Code: stats.SingleAnnotator, Annotators: [2]string{s.annotators[0]}}}
	case len(s.units(isShared)) == 0:
		return []stats.Reason{{Code: stats.NoOverlap}}
	case value > 0 && !hasSharedValue:
		return []stats.Reason{{Code: stats.UnusedValue}}
	case needsVariation && all != 0:
		return []stats.Reason{{Code: stats.NoVariation, Value: strconv.Itoa(all)}}
	case (coefficient == "cohen_kappa" || coefficient == "alpha") && shared != 0:
		return []stats.Reason{{Code: stats.NoSharedVariation, Value: strconv.Itoa(shared)}}
	case coefficient == "cohen_kappa" && len(s.constantPairs()) > 0:
		return s.constantPairs()
	}
	return []stats.Reason{{}}
}

// reasonOfPair returns why a figure of two annotators is missing.
func (s *ratingSet) reasonOfPair(a, b string) stats.Reason {
	if v := s.single(2, a, b); v != 0 {
		return stats.Reason{Code: stats.NoSharedVariation, Value: strconv.Itoa(v)}
	}
	for _, answers := range s.byItem {
		if n := len(slices.DeleteFunc(slices.Clone(answers),
			func(r stats.Rating) bool { return r.Annotator != a && r.Annotator != b })); n == 2 {
			return stats.Reason{}
		}
	}
	return stats.Reason{Code: stats.NoSharedItem}
}

// TestReasons_Missing_AreTrue checks that a figure is missing if and only if the data give a reason,
// and that the reason is the one that holds, in random sets of ratings.
func TestReasons_Missing_AreTrue(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(31, 0)), map[stats.ReasonCode]int{}
	for n := range 600 {
		s := randomRatings(r)
		for _, result := range computeRandom(t, s, 2).Results {
			var want []stats.Reason
			if a, b, isPair := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(result.Coefficient, "pair_cohen["),
				"]"), "|"); isPair {
				want = []stats.Reason{s.reasonOfPair(a, b)}
			} else if (result.Variant == "items_2plus" || result.Coefficient == "shared_kappa") && s.single(1) == 0 &&
				s.single(2) != 0 {
				want = s.reasonsOf("alpha")
			} else {
				want = s.reasonsOf(result.Coefficient)
			}
			if !slices.Contains(want, result.Reason) || (result.Undefined == "") != (result.Value != nil) {
				t.Fatalf("set %d, %s %s: %+v, want one of %+v: %v", n, result.Coefficient, result.Variant,
					result.Reason, want, s.ratings)
			}
			seen[result.Undefined]++
		}
	}
	for _, code := range []stats.ReasonCode{"", stats.NoAnswers, stats.SingleAnnotator, stats.NoOverlap,
		stats.NoSharedItem, stats.NoVariation,
		stats.NoSharedVariation, stats.NoPairVariation, stats.UnusedValue} {
		if seen[code] == 0 {
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

// wantInterval returns the reason of a missing interval of a figure with a value, from the ratings alone; false where
// it depends on the resamples.
func (s *ratingSet) wantInterval(coefficient string) (stats.ReasonCode, bool) {
	shared := len(s.units(isShared))
	switch {
	case coefficient == "percent_agreement":
		switch {
		case shared < 2 || s.isClustered && shared < stats.MinIntervalUnits:
			return stats.TooFewUnits, true
		case !s.agreementVaries():
			return stats.ConstantResamples, true
		}
		return "", true
	case coefficient == "conger_kappa" && shared < stats.MinIntervalUnits:
		return stats.TooFewUnits, true
	case coefficient == "conger_kappa" && s.sharesOneValue():
		return stats.FewDisagreements, true
	}
	return "", false
}

// TestIntervals_Missing_AreTrue checks that the reason for a missing interval is given if and only if it holds, and
// what is resampled, in random sets of ratings.
func TestIntervals_Missing_AreTrue(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(32, 0)), map[stats.ReasonCode]int{}
	for n := range 500 {
		s := randomRatings(r)
		shared, all := len(s.units(isShared)), len(s.units(isAny))
		for _, result := range computeRandom(t, s, 200).Results {
			isPair := strings.HasPrefix(result.Coefficient, "pair")
			if result.Value == nil || isPair || result.Variant != "" && result.Variant != "unweighted" {
				continue
			}
			if want, isKnown := s.wantInterval(result.Coefficient); isKnown {
				if seen[want]++; result.IntervalUndefined != want {
					t.Fatalf("set %d, %s: %q, want %q: %v", n, result.Coefficient, result.IntervalUndefined, want,
						s.ratings)
				}
			}
			if (result.Low == nil) != (result.IntervalUndefined != "") {
				t.Fatalf("set %d, %s: an interval and a reason: %+v", n, result.Coefficient, result)
			}
			i := result.Interval
			if units := map[bool]int{true: shared, false: all}[i.IsShared]; i.Level > 0 && i.Units != units &&
				i.Units != shared || i.Level > 0 && i.IsClustered != s.isClustered {
				t.Fatalf("set %d, %s: %d units, want %d: %+v", n, result.Coefficient, i.Units, units, i)
			}
		}
	}
	for _, code := range []stats.ReasonCode{"", stats.TooFewUnits, stats.ConstantResamples, stats.FewDisagreements} {
		if seen[code] == 0 {
			t.Errorf("no interval has the reason %q", code)
		}
	}
}
