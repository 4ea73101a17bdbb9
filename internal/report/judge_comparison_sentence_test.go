package report

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// judgedCases are parts of the text on a difference with a judge, each with the condition under which it
// is true.
var judgedCases = []struct {
	part      string
	condition func(*JudgeDifference) bool
}{
	{"“new” scores higher than “base”: ", func(d *JudgeDifference) bool {
		return isClear(d) && *d.WithJudge.Low > 0 && !dependsOnQuestioned(d)
	}},
	{"“new” scores lower than “base”: ", func(d *JudgeDifference) bool {
		return isClear(d) && *d.WithJudge.High < 0 && !dependsOnQuestioned(d)
	}},
	{"“new” scores higher than “base” with the answers of bo", func(d *JudgeDifference) bool {
		return dependsOnQuestioned(d) && !hasNoneLeft(d) && isClear(d) && !d.isConfounded && *d.WithJudge.Low > 0
	}},
	{"“new” scores lower than “base” without the answers of bo", func(d *JudgeDifference) bool {
		return dependsOnQuestioned(d) && !hasNoneLeft(d) && (!isClear(d) || d.isConfounded) && *d.Without.WithJudge.High < 0
	}},
	{"Look at the answers of bo before you draw a conclusion.", func(d *JudgeDifference) bool { return dependsOnQuestioned(d) && !hasNoneLeft(d) }},
	{"nearly all answers in one of the groups are those of bo", hasNoneLeft},
	{"No conclusion, because agreement is low", func(d *JudgeDifference) bool {
		return d.unreliable != "" && d.WithJudge.Low != nil && !isClear(d) // no annotator is questioned as well
	}},
	{"But agreement is low, so it is not clear what differs", func(d *JudgeDifference) bool {
		return d.unreliable != "" && isClear(d) && !d.isConfounded
	}},
	{"But no annotators link the groups", func(d *JudgeDifference) bool {
		return isClear(d) && d.isConfounded && !d.isUneven && !dependsOnQuestioned(d)
	}},
	{"But annotators labeled different shares of the groups", func(d *JudgeDifference) bool {
		return isClear(d) && d.isUneven && !dependsOnQuestioned(d)
	}},
	{"The labels alone show it, too", func(d *JudgeDifference) bool {
		return isClear(d) && !d.isConfounded && isSameSide(d) && !isUnused(d) && !dependsOnQuestioned(d) && d.unreliable == ""
	}},
	{"The labels alone do not show it", func(d *JudgeDifference) bool {
		return isClear(d) && !d.isConfounded && d.LabelsAlone.Value != nil && !isSameSide(d) && !isUnused(d) && !dependsOnQuestioned(d) && d.unreliable == ""
	}},
	{"that can happen by chance", func(d *JudgeDifference) bool {
		return excludesZero(&d.WithJudge) && *d.WithJudge.P <= 0.05 && *d.WithJudge.HolmP > 0.05 && !dependsOnQuestioned(d) && d.unreliable == ""
	}},
	{"too close for a conclusion", func(d *JudgeDifference) bool {
		return excludesZero(&d.WithJudge) && *d.WithJudge.P > 0.05 && !dependsOnQuestioned(d) && d.unreliable == ""
	}},
	{"No difference is shown", func(d *JudgeDifference) bool {
		return d.WithJudge.Low != nil && !excludesZero(&d.WithJudge) && !dependsOnQuestioned(d) && d.unreliable == ""
	}},
	{"No estimate with the judge: ", func(d *JudgeDifference) bool { return d.WithJudge.Low == nil && d.LabelsAlone.Low != nil }},
	{"No estimate: ", func(d *JudgeDifference) bool { return d.WithJudge.Low == nil && d.LabelsAlone.Low == nil }},
	{"from the labels alone", func(d *JudgeDifference) bool {
		return d.WithJudge.Low == nil && d.LabelsAlone.Low != nil || isUnused(d)
	}},
	{" with the judge (", func(d *JudgeDifference) bool { return d.WithJudge.Low != nil && !isUnused(d) }},
}

// isUnused reports whether the judge is used in neither group.
func isUnused(d *JudgeDifference) bool {
	return d.GainUndefined != "" && *d.WithJudge.Value == *d.LabelsAlone.Value
}

// isClear reports whether a difference is significant.
func isClear(d *JudgeDifference) bool {
	return excludesZero(&d.WithJudge) && *d.WithJudge.HolmP <= 0.05
}

// dependsOnQuestioned reports whether the estimates show a difference only with a questioned annotator, or only without.
func dependsOnQuestioned(d *JudgeDifference) bool {
	side := func(d *JudgeDifference) int {
		if !isClear(d) || d.isConfounded {
			return 0
		}
		return d.WithJudge.side()
	}
	if d.Without == nil || d.WithJudge.Low == nil || hasNoneLeft(d) {
		return hasNoneLeft(d)
	}
	return d.Without.WithJudge.Low != nil && side(d) != side(d.Without) && !(side(d.Without) == 0 && isAlike(&d.WithJudge, &d.Without.WithJudge))
}

// hasNoneLeft reports whether nothing is left without a questioned annotator.
func hasNoneLeft(d *JudgeDifference) bool {
	return d.Without != nil && d.WithJudge.Low != nil && d.Without.WithJudge.Value == nil
}

// isAlike reports whether a second estimate of the same sign is in the interval of the first one, and at least half of it.
func isAlike(all, second *DifferenceEstimate) bool {
	return *second.Value >= *all.Low && *second.Value <= *all.High && *second.Value / *all.Value >= 0.5
}

// isSameSide reports whether the labels alone show what the estimate with the judge shows.
func isSameSide(d *JudgeDifference) bool {
	return excludesZero(&d.LabelsAlone) && *d.LabelsAlone.HolmP <= 0.05 && *d.LabelsAlone.Low**d.WithJudge.Low > 0
}

func randomJudged(r *rand.Rand, field, value string) JudgeDifference {
	d := randomJudgedEstimates(r, field, value)
	switch r.IntN(6) {
	case 0:
		d.unreliable = "agreement is low"
	case 1:
		d.Questioned, d.Without = []string{"bo"}, new(randomJudgedEstimates(r, field, value))
		if r.IntN(8) == 0 {
			d.Without.WithJudge = DifferenceEstimate{}
		}
		d.Without.Conclusion = d.Without.conclude()
	}
	d.Conclusion = d.conclude()
	return d
}

func randomJudgedEstimates(r *rand.Rand, field, value string) JudgeDifference {
	d := JudgeDifference{Field: field, Baseline: "base", Value: value, LabelsAlone: randomEstimate(r), WithJudge: randomEstimate(r), isConfounded: r.IntN(4) == 0}
	d.isUneven = d.isConfounded && r.IntN(2) == 0
	if d.WithJudge.Low == nil {
		d.Undefined = "no item has a label"
	}
	if r.IntN(8) == 0 {
		d.LabelsAlone = DifferenceEstimate{}
	}
	if d.LabelsAlone.Low != nil && r.IntN(5) == 0 {
		d.WithJudge, d.Undefined, d.GainUndefined = d.LabelsAlone, "", judge.FewRarerOfGroup.Text()
		if r.IntN(2) == 0 { // it is used in one group
			d.WithJudge.Value = new(*d.WithJudge.Value + 1e-3)
		}
	}
	return d
}

// TestJudgeDifference_Sentences_AreTrue checks that each part of the text is there if and only if its
// condition holds.
func TestJudgeDifference_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r, holds := rand.New(rand.NewPCG(32, 0)), make([]int, len(judgedCases))
	const differences = 10_000
	for range differences {
		d := randomJudged(r, "f", "new")
		text := d.describe(6)
		for i, c := range judgedCases {
			want := c.condition(&d)
			holds[i] += study.BoolToInt(want)
			if got := strings.Contains(text, c.part); got != want {
				t.Fatalf("%q in %q (%s): %t, want %t", c.part, text, d.Conclusion, got, want)
			}
		}
	}
	for i, c := range judgedCases {
		if holds[i] < 15 || holds[i] > differences-15 {
			t.Errorf("%q: its condition holds for %d of %d differences", c.part, holds[i], differences)
		}
	}
}

// isWithoutInterval reports whether groups cannot be compared with the judge, which has answered items of them or not.
func isWithoutInterval(d JudgeDifference, isJudged bool) bool {
	return d.Conclusion == NoInterval && (d.GroupItems.Labels > 0) == isJudged
}

// TestJudgeComparison_Message_NamesEachField checks that the summary names each field of up to two groups
// with what is shown of it, and counts what the labels alone show.
func TestJudgeComparison_Message_NamesEachField(t *testing.T) {
	t.Parallel()
	titleOf := map[string]string{"a": "Tone", "b": "Safety"}
	r, seen := rand.New(rand.NewPCG(33, 0)), map[string]int{}
	for range 20_000 {
		c := JudgeComparison{Differences: []JudgeDifference{randomJudged(r, "a", "new"), randomJudged(r, "b", "new")}}
		for i := range c.Differences {
			c.Differences[i].GroupItems.Labels = 5 * r.IntN(2)
		}
		c.setTexts(titleOf)
		text, shown, alone := strings.Join(append([]string{c.Message}, c.Notes...), " "), 0, 0
		for i := range c.Differences {
			d := &c.Differences[i]
			if d.Conclusion == Higher || d.Conclusion == Lower {
				shown++
				alone += study.BoolToInt(isSameSide(d))
			}
		}
		allUnclear := true
		for _, d := range c.Differences {
			allUnclear = allUnclear && (d.Conclusion == NoDifferenceShown || d.Conclusion == NotAfterHolm)
		}
		for part, want := range map[string]bool{
			"With the judge, “new” scores ":                                     shown > 0,
			"With the judge, no clear difference between “new” and “base”":      allUnclear,
			"The labels alone do not show this difference.":                     shown == 1 && alone == 0,
			"The labels alone show this difference, too.":                       shown == 1 && alone == 1,
			"The labels alone show 0 of these 2 differences.":                   shown == 2 && alone == 0,
			"The labels alone show 1 of these 2 differences.":                   shown == 2 && alone == 1,
			"n “Tone” and “Safety”, “new” and “base” differ, but so do their":   c.Differences[0].Conclusion == Confounded && c.Differences[1].Conclusion == Confounded,
			"n “Tone”, “new” and “base” cannot be compared with the judge":      isWithoutInterval(c.Differences[0], true) && !isWithoutInterval(c.Differences[1], true),
			"he judge gave no answers on “Tone”: compare the labels there.":     isWithoutInterval(c.Differences[0], false) && !isWithoutInterval(c.Differences[1], false),
			"scores higher than “base” on “Tone” and lower than “base” on “Saf": c.Differences[0].Conclusion == Higher && c.Differences[1].Conclusion == Lower,
		} {
			seen[part] += study.BoolToInt(want)
			if got := strings.Contains(text, part); got != want {
				t.Fatalf("%q in %q (%s, %s): %t, want %t", part, text, c.Differences[0].Conclusion, c.Differences[1].Conclusion, got, want)
			}
		}
		for title, d := range map[string]JudgeDifference{"Tone": c.Differences[0], "Safety": c.Differences[1]} {
			if strings.Count(text, title) != 1 && !allUnclear {
				t.Fatalf("%s (%s) is named %d times in %q", title, d.Conclusion, strings.Count(text, title), text)
			}
		}
	}
	for part, n := range seen {
		if n < 15 {
			t.Errorf("%q: its condition holds %d times", part, n)
		}
	}
}
