package report

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// A differenceCase is a part of the text on a difference, and the condition under which it is true.
type differenceCase struct {
	part      string
	condition func(*GroupDifference) bool
}

func hasMainValue(d *GroupDifference, positive bool) bool {
	return d.main().Value != nil && *d.main().Value > 0 == positive
}

func concludes(d *GroupDifference, conclusions ...Conclusion) bool {
	for _, c := range conclusions {
		if d.Conclusion == c {
			return true
		}
	}
	return false
}

// excludesZero reports whether an interval is on one side of 0.
func excludesZero(e *DifferenceEstimate) bool { return e.Low != nil && *e.Low**e.High > 0 }

var differenceCases = []differenceCase{
	{"“new” scores higher than “base”", func(d *GroupDifference) bool {
		return concludes(d, Higher, NotAdjusted, Confounded) && hasMainValue(d, true) || concludes(d, OnlyAdjusted) && *d.Adjusted.Value > 0 ||
			concludes(d, DependsOnAnnotators) && d.Without.main().Value != nil && (isSignificant(d, true) || isSignificant(d.Without, true) && !isSignificant(d, false))
	}},
	{"“new” scores lower than “base”", func(d *GroupDifference) bool {
		return concludes(d, Lower, NotAdjusted, Confounded) && hasMainValue(d, false) || concludes(d, OnlyAdjusted) && *d.Adjusted.Value < 0 ||
			concludes(d, DependsOnAnnotators) && d.Without.main().Value != nil && (isSignificant(d, false) || isSignificant(d.Without, false) && !isSignificant(d, true))
	}},
	{"with the answers of bo, but not clearly without them", func(d *GroupDifference) bool {
		return d.Without != nil && d.Without.main().Low != nil && hasSide(d) && !hasSide(d.Without) && !isAlike(d.main(), d.Without.main())
	}},
	{"without the answers of bo, but not clearly with them", func(d *GroupDifference) bool {
		return d.Without != nil && d.main().Low != nil && !hasSide(d) && hasSide(d.Without)
	}},
	{"No conclusion, because nearly all answers in one of the groups are those of bo", func(d *GroupDifference) bool {
		return d.Without != nil && d.main().Low != nil && d.Without.main().Value == nil
	}},
	{"which can be chance (p ", func(d *GroupDifference) bool {
		return d.Without != nil && concludes(d.Without, NotAfterHolm) && d.main().Value != nil
	}},
	{"No conclusion, because agreement is low", func(d *GroupDifference) bool {
		c := d.concludeFromAll()
		return d.unreliable != "" && (c == NoDifferenceShown || c == NotAfterHolm)
	}},
	{"But agreement is low, so it is not clear what differs", func(d *GroupDifference) bool {
		return d.unreliable != "" && (isSignificant(d, true) || isSignificant(d, false))
	}},
	{"without bo ", func(d *GroupDifference) bool {
		return d.Without != nil && d.Without.main().Value != nil && d.main().Value != nil
	}},
	{"but not clearly when adjusted for annotators", func(d *GroupDifference) bool {
		return concludes(d, NotAdjusted) && d.main().isSignificant() && !d.Adjusted.isSignificant()
	}},
	{"when adjusted for annotators, but not over all items", func(d *GroupDifference) bool {
		return concludes(d, OnlyAdjusted) && !d.isMainPaired() && !excludesZero(&d.AllItems) && excludesZero(&d.Adjusted)
	}},
	{"when adjusted for annotators, but not within pairs", func(d *GroupDifference) bool {
		return concludes(d, OnlyAdjusted) && d.isMainPaired() && !excludesZero(d.Paired) && excludesZero(&d.Adjusted)
	}},
	{"too few annotators link the groups", func(d *GroupDifference) bool {
		return concludes(d, Confounded, NoDifferenceShown) && d.Adjusted.Reason == study.WeaklyLinked
	}},
	{"no annotators link the groups", func(d *GroupDifference) bool {
		return concludes(d, Confounded, NoDifferenceShown) && d.Adjusted.Reason == mixed.ConfoundedAnnotators
	}},
	{"point in opposite directions", func(d *GroupDifference) bool {
		return concludes(d, EstimatesDisagree) && d.disagree() && d.main().Low != nil
	}},
	{"No difference is shown", func(d *GroupDifference) bool {
		return concludes(d, NoDifferenceShown) && !excludesZero(d.main()) && !d.disagree() && (!d.Adjusted.isSignificant() || d.adjustsNothing())
	}},
	{"remain possible", func(d *GroupDifference) bool {
		return concludes(d, NoDifferenceShown) && d.Adjusted.Reason != mixed.ConfoundedAnnotators && d.Adjusted.Reason != study.WeaklyLinked
	}},
	{"The interval excludes 0, but", func(d *GroupDifference) bool {
		return concludes(d, NotAfterHolm) && excludesZero(d.main())
	}},
	{"too close for a conclusion", func(d *GroupDifference) bool { return concludes(d, NotAfterHolm) && *d.main().P > maxHolmP }},
	{"but adjusted for 6 comparisons this can be chance (p ", func(d *GroupDifference) bool {
		return concludes(d, NotAfterHolm) && *d.main().P <= maxHolmP && *d.main().HolmP > maxHolmP
	}},
	{"No conclusion", func(d *GroupDifference) bool {
		return d.main().Low == nil || concludes(d, UnreliableAnswers) || concludes(d, DependsOnAnnotators) && d.Without.main().Value == nil
	}},
	{"No conclusion without an interval", func(d *GroupDifference) bool { return d.main().Low == nil && d.main().Value != nil }},
	{"too few to count", func(d *GroupDifference) bool {
		return concludes(d, Higher, Lower) && d.unreliable == "" && d.Paired != nil && d.Paired.Pairs < minMainPairs && *d.Paired.Value**d.AllItems.Value < 0
	}},
}

// randomEstimate returns an estimate of any size; sometimes without an interval.
func randomEstimate(r *rand.Rand) DifferenceEstimate {
	value := r.NormFloat64()
	low, high, p, holm := value-r.Float64(), value+r.Float64(), 0.2*r.Float64(), 0.0
	e := DifferenceEstimate{Number: study.Number{Value: &value, IntervalNote: "it needs at least two records"}, Items: 40}
	if r.IntN(6) > 0 {
		if low*high > 0 {
			p /= 3
		}
		holm = min(1, 2*p)
		e.Low, e.High, e.P, e.HolmP, e.Tested = &low, &high, &p, &holm, 6
	}
	return e
}

// hasSide reports whether all estimates of a difference show it.
func hasSide(d *GroupDifference) bool { return isSignificant(d, true) || isSignificant(d, false) }

// isSignificant reports whether all estimates of a difference show it on one side.
func isSignificant(d *GroupDifference, isHigher bool) bool {
	c := d.concludeFromAll()
	return isHigher && c == Higher || !isHigher && c == Lower
}

// randomDifference returns estimates of a difference, sometimes of unreliable answers or next to those without an annotator.
func randomDifference(r *rand.Rand) *GroupDifference {
	d := randomEstimates(r)
	switch r.IntN(6) {
	case 0:
		d.unreliable = "agreement is low"
	case 1, 2:
		d.Questioned, d.Without = []string{"bo"}, randomEstimates(r)
		d.Without.Conclusion = d.Without.conclude()
	}
	d.Conclusion = d.conclude()
	return d
}

func randomEstimates(r *rand.Rand) *GroupDifference {
	d := &GroupDifference{Baseline: "base", AllItems: randomEstimate(r), Adjusted: randomEstimate(r)}
	if r.IntN(5) == 0 {
		d.Adjusted = DifferenceEstimate{Number: study.Number{Reason: []stats.ReasonCode{mixed.ConfoundedAnnotators, study.WeaklyLinked}[r.IntN(2)]}}
	}
	if r.IntN(12) == 0 {
		d.AllItems = DifferenceEstimate{Number: study.MissingNumber(stats.NoVariation)}
	} else if r.IntN(2) == 0 {
		paired := randomEstimate(r)
		paired.Pairs = 1 + r.IntN(20)
		paired.Items = 2 * paired.Pairs
		d.Paired = &paired
	}
	return d
}

// TestGroupDifference_Sentences_AreTrue checks that each part of the text on a difference is there if
// and only if its condition holds, with random estimates on both sides of every condition.
func TestGroupDifference_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(22, 0))
	holds, fails := make([]int, len(differenceCases)), make([]int, len(differenceCases))
	for range 10_000 {
		d := randomDifference(r)
		text := d.describe("new")
		for i, c := range differenceCases {
			want := c.condition(d)
			if want {
				holds[i]++
			} else {
				fails[i]++
			}
			if got := strings.Contains(text, c.part); got != want {
				t.Fatalf("%q in %q (%s): %t, want %t", c.part, text, d.Conclusion, got, want)
			}
		}
	}
	for i, c := range differenceCases {
		if holds[i] < 15 || fails[i] < 15 {
			t.Errorf("%q: its condition holds for %d differences and fails for %d", c.part, holds[i], fails[i])
		}
	}
}

// TestDescribeDependence_Directions names the direction with and without the answers of questioned annotators.
func TestDescribeDependence_Directions(t *testing.T) {
	t.Parallel()
	for want, conclusions := range map[string][2]Conclusion{
		"“new” scores higher than “base” with the answers of bo, and lower without them":       {Higher, Lower},
		"“new” scores lower than “base” with the answers of bo, and higher without them":       {Lower, Higher},
		"“new” scores lower than “base” with the answers of bo, but not clearly without them":  {Lower, NotAdjusted},
		"“new” scores higher than “base” without the answers of bo, but not clearly with them": {NoDifferenceShown, Higher},
	} {
		if got := describeDependence("new", "base", []string{"bo"}, conclusions[0], conclusions[1]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSummarizeFields_NamesEachField checks that the summary of a group names each field once, in the
// sentence of its conclusion.
func TestSummarizeFields_NamesEachField(t *testing.T) {
	t.Parallel()
	parts := map[Conclusion]string{Higher: "higher than “base” on", Lower: "lower than “base” on", NoDifferenceShown: "o difference ", NotAfterHolm: "the difference between “new” and “base” can be chance",
		NotAdjusted: "it depends on the adjustment for annotators whether “new” and “base” differ", OnlyAdjusted: "it depends on the adjustment for annotators whether “new” and “base” differ", EstimatesDisagree: "the estimates point in opposite directions", Confounded: "the groups differ, but so do their annotators",
		NoInterval: "the uncertainty of the difference cannot be estimated", DependsOnAnnotators: "t depends on the answers of bo whether “new” and “base” differ", UnreliableAnswers: "the answers are too unreliable to compare “new” and “base”"}
	conclusions := []Conclusion{Higher, Lower, NoDifferenceShown, NotAfterHolm, NotAdjusted, OnlyAdjusted, EstimatesDisagree, Confounded, NoInterval, DependsOnAnnotators, UnreliableAnswers}
	titles, r := map[string]string{"a": "Tone", "b": "Safety", "c": "Depth"}, rand.New(rand.NewPCG(23, 0))
	for range 2000 {
		var list []FieldDifference
		present := map[string]bool{}
		for _, key := range []string{"a", "b", "c"}[:1+r.IntN(3)] {
			c := conclusions[r.IntN(len(conclusions))]
			list = append(list, FieldDifference{key, &GroupDifference{Baseline: "base", Conclusion: c, Questioned: []string{"bo"}}})
			present[parts[c]] = true
		}
		text := describeFields("new", list, titles).summarize()
		finding, others := describeFields("new", list, titles).split()
		if joined := strings.ReplaceAll(strings.ToLower(joinSentences(finding, others)), ". ", "; "); joined != strings.ReplaceAll(strings.ToLower(text), ". ", "; ") {
			t.Fatalf("the finding %q and %q are not %q", finding, others, text)
		}
		for _, part := range parts {
			if strings.Contains(text, part) != present[part] {
				t.Fatalf("%q in %q: want %t", part, text, present[part])
			}
		}
		isUnclear := len(present) == 1 && present["o difference "]
		for _, f := range list {
			if n := strings.Count(text, titles[f.Field]); n != 1 && !(isUnclear && n == 0) && !strings.Contains(text, "all 3 fields") {
				t.Fatalf("%s is named %d times: %s", titles[f.Field], n, text)
			}
		}
	}
}

// TestPossibleText_CoversIntervals checks that the differences that remain possible are those of the widest
// intervals of the fields without a difference, that it is said where these are not of the main estimates, and none where nothing can be said of all of them.
func TestPossibleText_CoversIntervals(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(24, 1)), map[string]int{}
	for range 2000 {
		var list []FieldDifference
		var low, high [3]float64
		widen := func(level int, estimates ...*DifferenceEstimate) {
			for _, e := range estimates {
				if e.Low != nil {
					low[level], high[level] = min(low[level], *e.Low), max(high[level], *e.High)
				}
			}
		}
		points, shares, place, isHidden := 0, 0, "", false
		for range 1 + r.IntN(3) {
			d := randomDifference(r)
			d.IsShare = r.IntN(4) == 0
			list = append(list, FieldDifference{"a", d})
			if d.Conclusion != NoDifferenceShown {
				place = " there"
				continue
			}
			isHidden = isHidden || d.isConfounded()
			points, shares = points+study.BoolToInt(!d.IsShare), shares+study.BoolToInt(d.IsShare)
			widen(0, d.main())
			widen(1, d.main(), &d.Adjusted)
			if widen(2, d.main(), &d.Adjusted); d.Without != nil && d.Without.main().Low != nil {
				widen(2, d.Without.main(), &d.Without.Adjusted)
			}
		}
		format := func(level int) string {
			n := study.Number{Value: new(0.0), Low: &low[level], High: &high[level]}
			if shares > 0 {
				return n.SignedPercentRange()
			}
			return n.SignedRange() + " points"
		}
		want := ""
		if !isHidden && (points > 0) != (shares > 0) {
			want = "differences of " + format(2) + " remain possible" + place
			if format(0) != format(1) {
				want += ", adjusted for annotators or not"
			}
			if format(1) != format(2) {
				want += map[bool]string{true: " and", false: ","}[format(0) != format(1)] + " with or without the answers of bo"
			}
		}
		if got := possibleText(list); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
		if text := describeFields("new", list, map[string]string{"a": "Tone"}).summarize(); strings.Contains(text, "remain possible") != (want != "") {
			t.Fatalf("%q in %q", want, text)
		}
		seen[want[:min(1, len(want))]]++
	}
	if seen[""] < 20 || seen["d"] < 20 {
		t.Errorf("%v", seen)
	}
}

// TestNoDifference_AdjustedWithoutZero_IsNamed checks that an adjusted interval without 0 stands beside “no difference”.
func TestNoDifference_AdjustedWithoutZero_IsNamed(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(25, 1)), 0
	for range 20_000 {
		d := randomDifference(r)
		if d.Conclusion != NoDifferenceShown || d.Adjusted.Low == nil || *d.Adjusted.Low <= 0 && *d.Adjusted.High >= 0 {
			continue
		}
		seen++
		if text := d.describe("new"); !strings.Contains(text, "adjusted for annotators "+d.Format(d.Adjusted.Number)+" (95% CI "+d.FormatRange(d.Adjusted.Number)+", p ") {
			t.Fatalf("%+v: %s", d.Adjusted, text)
		}
	}
	if seen < 15 {
		t.Errorf("%d differences", seen)
	}
}
