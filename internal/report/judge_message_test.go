package report

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
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
			if f.Alternative.isWon() {
				switch r.IntN(4) {
				case 3:
					f.Alternative.Obstacle, f.Alternative.ShortReason = judge.FewRarerItems, "more items with rare answers are needed to show it"
				case 0:
					f.Alternative.Obstacle, f.Alternative.ShortReason = judge.NeverGivesValue, "it never answers 1"
				case 1:
					f.Alternative.Obstacle, f.Alternative.ShortReason = judge.FewRecords, "more records are needed to show it"
				}
			} else if f.Alternative.WinningRate != nil && r.IntN(2) == 0 {
				f.Alternative.Obstacle, f.Alternative.ShortReason = judge.FewItems, "more items are needed to show it"
			}
			if r.IntN(4) > 0 {
				f.Estimate.EquivalentLabels, f.Estimate.Undefined = new(float64(85+10*r.IntN(5))), ""
			} else if f.Alternative.WinningRate == nil && r.IntN(2) == 0 {
				f.Estimate.Labels, f.Estimate.Judgments = 0, 0
			}
			if r.IntN(4) == 0 {
				f.Estimate.Design = &Design{}
			}
			f.Use = f.chooseUse()
			j.Fields = append(j.Fields, f)
		}
		text := joinSentences(j.describeTests(titleOf), j.describeGain(titleOf))
		a, b := j.Fields[0], j.Fields[1]
		hasObstacle := func(o judge.Obstacle) func(JudgeField) bool {
			return func(f JudgeField) bool { return f.Alternative.Obstacle == o }
		}
		isObstructed, isUnclear := hasObstacle(judge.NeverGivesValue), func(f JudgeField) bool { return f.Alternative.Obstacle.LacksData() }
		wins := func(f JudgeField) bool { return f.Alternative.isWon() && hasObstacle("")(f) }
		loses := func(f JudgeField) bool { return f.Alternative.WinningRate != nil && !wins(f) && !isUnclear(f) }
		gains := func(f JudgeField) bool {
			return f.Estimate.EquivalentLabels != nil && *f.Estimate.EquivalentLabels >= 110
		}
		isUseless := func(f JudgeField) bool { return f.Estimate.EquivalentLabels != nil && !gains(f) }
		isWorse := func(f JudgeField) bool {
			return f.Estimate.EquivalentLabels != nil && *f.Estimate.EquivalentLabels == 85
		}
		isMixed := gains(a) && gains(b) && *a.Estimate.EquivalentLabels != *b.Estimate.EquivalentLabels
		hasAnswers := func(f JudgeField) bool { return f.Estimate.Labels > 0 }
		uses := j.describeUse(titleOf)
		for clause, holds := range map[string]func(JudgeField) bool{
			"may replace an annotator on":     wins,
			"supports estimates on":           func(f JudgeField) bool { return gains(f) && !wins(f) },
			"may not replace an annotator on": func(f JudgeField) bool { return f.Use == JudgeNoReplacement && !isObstructed(f) },
			"cannot be used on":               func(f JudgeField) bool { return f.Use == JudgeFails && !isObstructed(f) },
			"needs more records to show whether it may replace an annotator on":                 func(f JudgeField) bool { return hasObstacle(judge.FewRecords)(f) && !gains(f) },
			"needs more items with rare answers to show whether it may replace an annotator on": func(f JudgeField) bool { return hasObstacle(judge.FewRarerItems)(f) && !gains(f) },
			"is not tested enough on": func(f JudgeField) bool {
				return (f.Alternative.WinningRate == nil || hasObstacle(judge.FewItems)(f)) && !gains(f) && hasAnswers(f)
			},
			"gave no answers on":    func(f JudgeField) bool { return !hasAnswers(f) },
			"is not recommended on": func(f JudgeField) bool { return isObstructed(f) && !gains(f) },
		} {
			var titles []string
			for i, f := range j.Fields {
				if holds(f) {
					titles = append(titles, []string{"“Tone”", "“Safety”"}[i])
				}
			}
			want := clause + " " + strings.Join(titles, " and ")
			seen[clause] += study.BoolToInt(len(titles) > 0)
			isSaid := strings.Contains(uses, "“” "+clause) || strings.Contains(uses, "; it "+clause)
			if isSaid != (len(titles) > 0) || isSaid && !strings.Contains(uses, want+".") && !strings.Contains(uses, want+";") && !strings.Contains(uses, want+",") {
				t.Fatalf("%q, want %q: %t", uses, want, !isSaid)
			}
		}
		for part, want := range map[string]bool{
			"may replace an annotator for “Tone” (ω = ":                         wins(a) || isUnclear(a) && !loses(b) && !wins(b),
			"may replace an annotator for “Safety” (ω = ":                       !wins(a) && wins(b) || isUnclear(b) && a.Alternative.WinningRate == nil,
			"Whether the judge may replace an annotator for ":                   (isUnclear(a) || isUnclear(b)) && !wins(a) && !wins(b) && !loses(a) && !loses(b),
			"; more labels are needed for “Tone” (ω = ":                         isUnclear(a) && (wins(b) || loses(b)),
			"; more labels are needed for “Safety” (ω = ":                       isUnclear(b) && (wins(a) || loses(a)),
			"may not replace an annotator for “Tone” (ω = ":                     loses(a) && !wins(b),
			", not for “Tone” (ω = ":                                            loses(a) && wins(b),
			", not for “Safety” (ω = ":                                          wins(a) && loses(b),
			" and “Safety” (ω = ":                                               wins(a) && wins(b) || loses(a) && loses(b) || isUnclear(a) && isUnclear(b),
			", but it never answers 1)":                                         isObstructed(a) || isObstructed(b),
			"Too few items have an answer of the judge and labels of two":       a.Alternative.WinningRate == nil && b.Alternative.WinningRate == nil,
			"With the judge on 1,000 items, 100 labeled items give the precisi": gains(a) || gains(b),
			"The judge adds nothing: the labels alone are about as precise.":    (isUseless(a) || isUseless(b)) && !gains(a) && !gains(b) && !isWorse(a) && !isWorse(b),
			"The judge adds nothing: the labels alone are more precise.":        (isWorse(a) || isWorse(b)) && !gains(a) && !gains(b),
			"; it adds nothing on “Tone”.":                                      isUseless(a) && gains(b),
			"; it adds nothing on “Safety”.":                                    isUseless(b) && gains(a),
			"depending on the field":                                            isMixed,
			"if those were chosen in the same way":                              gains(a) && a.Estimate.Design != nil || gains(b) && b.Estimate.Design != nil,
			"precision of 115 to 125 labeled items":                             isMixed,
		} {
			seen[part] += study.BoolToInt(want)
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
