package report

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats/judge"
)

// TestJudge_Message_IsTrue checks that each part of what is said of a judge is there if and only if random
// fields give it.
func TestJudge_Message_IsTrue(t *testing.T) {
	t.Parallel()
	titleOf, seen := map[string]string{"a": "Tone", "b": "Safety"}, map[string]int{}
	r := rand.New(rand.NewPCG(34, 0))
	const judges = 2000
	for range judges {
		var j Judge
		for _, key := range []string{"a", "b"} {
			f := JudgeField{Field: key, Alternative: AlternativeTest{Epsilon: 0.2, Undefined: "few items"}, Estimate: JudgeEstimate{Labels: 100, Judgments: 900, Undefined: "no item is labeled"}}
			if r.IntN(4) > 0 {
				f.Alternative.WinningRate = new(float64(r.IntN(4)) / 3)
			}
			if f.Alternative.isWon() && r.IntN(3) == 0 {
				f.Alternative.Obstacle, f.Alternative.ShortReason = judge.NeverGivesValue, "it never answers 1"
			}
			if r.IntN(4) > 0 {
				f.Estimate.EquivalentLabels, f.Estimate.Undefined = new(float64(95+10*r.IntN(4))), ""
			}
			if r.IntN(4) == 0 {
				f.Estimate.Design = &Design{}
			}
			f.Use = f.chooseUse()
			j.Fields = append(j.Fields, f)
		}
		text := joinSentences(j.describeTests(titleOf), j.describeGain())
		a, b := j.Fields[0], j.Fields[1]
		wins := func(f JudgeField) bool {
			return f.Alternative.WinningRate != nil && *f.Alternative.WinningRate >= 0.5 && f.Alternative.Obstacle == ""
		}
		isObstructed := func(f JudgeField) bool { return f.Alternative.Obstacle != "" }
		loses := func(f JudgeField) bool { return f.Alternative.WinningRate != nil && !wins(f) }
		gains := func(f JudgeField) bool {
			return f.Estimate.EquivalentLabels != nil && *f.Estimate.EquivalentLabels >= 110
		}
		isEstimated := a.Estimate.EquivalentLabels != nil || b.Estimate.EquivalentLabels != nil
		hasGain := gains(a) || gains(b)
		isMixed := a.Estimate.EquivalentLabels != nil && b.Estimate.EquivalentLabels != nil && *a.Estimate.EquivalentLabels != *b.Estimate.EquivalentLabels
		isDrawn := a.Estimate.EquivalentLabels != nil && a.Estimate.Design != nil || b.Estimate.EquivalentLabels != nil && b.Estimate.Design != nil
		uses := j.describeUse(titleOf)
		for i, f := range []JudgeField{a, b} {
			title := []string{"“Tone”", "“Safety”"}[i]
			isNamed := isObstructed(f) && f.Use != JudgeSupports
			if got := strings.Contains(uses, "is not recommended on "+title+", because it never answers 1") || strings.Contains(uses, "is not recommended on “Tone” and “Safety”, because"); got != isNamed || strings.Contains(uses, "can replace an annotator on "+title) != (wins(f) && (i == 0 || !wins(a))) {
				t.Fatalf("%q, want obstacle of %s: %t", uses, title, isNamed)
			}
		}
		for part, want := range map[string]bool{
			"may replace an annotator for “Tone” (ω = ":                         wins(a),
			"may replace an annotator for “Safety” (ω = ":                       wins(b) && !wins(a),
			"may not replace an annotator for “Tone” (ω = ":                     loses(a) && !wins(b),
			", not for “Tone” (ω = ":                                            loses(a) && wins(b),
			", not for “Safety” (ω = ":                                          wins(a) && loses(b),
			" and “Safety” (ω = ":                                               wins(a) && wins(b) || loses(a) && loses(b),
			", but it never answers 1)":                                         isObstructed(a) || isObstructed(b),
			"Too few items have labels of two annotators":                       a.Alternative.WinningRate == nil && b.Alternative.WinningRate == nil,
			"With the judge on 1,000 items, 100 labeled items give the precisi": hasGain,
			"hardly more precise":                                               isEstimated && !hasGain,
			"depending on the field":                                            hasGain && isMixed,
			"if those were drawn at random":                                     hasGain && isDrawn,
			"precision of 95 to 125 labeled items":                              hasGain && isMixed && *a.Estimate.EquivalentLabels+*b.Estimate.EquivalentLabels == 220 && *a.Estimate.EquivalentLabels != 105 && *a.Estimate.EquivalentLabels != 115,
		} {
			seen[part] += boolToInt(want)
			if got := strings.Contains(text, part); got != want {
				t.Fatalf("%q in %q: %t, want %t", part, text, got, want)
			}
		}
	}
	for part, n := range seen {
		if n < 15 || n > judges-15 {
			t.Errorf("%q holds for %d of %d judges", part, n, judges)
		}
	}
}
