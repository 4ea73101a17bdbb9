package report_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A causeStudy is random answers to one field, by annotator and item.
type causeStudy struct {
	*dataBuilder
	answers []map[string]int // by item
}

// newCauseStudy returns items that two or three annotators share, and items of ada alone. Ada can give all
// shared items one answer, and one answer can dominate.
func newCauseStudy(t *testing.T, r *rand.Rand) causeStudy {
	s := causeStudy{dataBuilder: newDataBuilder(t, "empathy")}
	s.Protocol.Fields = s.Protocol.Fields[:1]
	dominance, error, third := []float64{0, 0.7, 0.93}[r.IntN(3)], []float64{0.1, 0.7}[r.IntN(2)], r.IntN(3) // 0: bo and ada only
	isConstant, isErratic := dominance < 0.9 && r.IntN(3) == 0, dominance < 0.9 && r.IntN(2) == 0
	for range 25 + r.IntN(25) {
		truth, answers := 1+r.IntN(5), map[string]int{}
		if r.Float64() < dominance {
			truth = 2
		}
		for _, name := range []string{"ada", "bo", "cy"} {
			v := truth
			if r.Float64() < error && dominance < 0.9 {
				v = 1 + r.IntN(5)
			}
			switch {
			case name == "ada" && isConstant:
				v = 3
			case name == "ada" && isErratic:
				v = 1 + r.IntN(5)
			}
			if name != "cy" || third > 0 && r.IntN(3) < third {
				answers[name] = v
			}
		}
		s.answers = append(s.answers, answers)
	}
	for range r.IntN(5) {
		s.answers = append(s.answers, map[string]int{"ada": 1 + r.IntN(5)})
	}
	for _, answers := range s.answers {
		id := s.addItem(nil)
		for _, name := range []string{"ada", "bo", "cy"} {
			if v, ok := answers[name]; ok {
				s.addLabel(id, name, study.Work, v)
			}
		}
	}
	return s
}

// shared returns the answers to shared items, of one annotator or of all.
func (s causeStudy) shared(annotator string) (values []int) {
	for _, answers := range s.answers {
		for name, v := range answers {
			if len(answers) > 1 && (annotator == "" || name == annotator) {
				values = append(values, v)
			}
		}
	}
	return values
}

// TestCauses_Sentences_AreTrue checks what is said of annotators who give one answer, and of an answer that
// dominates, against the answers to shared items.
func TestCauses_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(61, 0)), map[string][2]int{}
	check := func(n int, key, text, part string, want bool) {
		if got := strings.Contains(text, part); got != want {
			t.Fatalf("study %d: %q is %t, want %t: %s", n, part, got, want, text)
		}
		seen[key] = [2]int{seen[key][0] + boolToInt(want), seen[key][1] + boolToInt(!want)}
	}
	for n := range 200 {
		s := newCauseStudy(t, r)
		built, err := report.Build(s.Data, report.BuildOptions{Resamples: 20, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		v, counts, all := built.Fields[0].Verdict, map[int]int{}, s.shared("")
		most := 1
		for _, value := range all {
			counts[value]++
		}
		for value := 2; value <= 5; value++ {
			if counts[value] > counts[most] {
				most = value
			}
		}
		others := 0
		for _, answers := range s.answers {
			values := slices.Collect(maps.Values(answers))
			others += boolToInt(len(values) > 1 && slices.ContainsFunc(values, func(v int) bool { return v != most }))
		}
		reachesTarget := v.GoProbability != nil && *v.GoProbability >= 0.9
		check(n, "few other answers", v.Message, fmt.Sprintf("another answer than %d and a verdict needs 5", most), reachesTarget && others < 5)
		isDominant := 10*counts[most] >= 8*len(all)
		said := v.Message
		for _, c := range v.Causes {
			said += " " + c.Message
			if value, isConstant := singleValue(s.shared(c.Annotator)); c.Kind == report.ConstantAnswers || c.Kind == report.OneAnnotator {
				check(n, "one answer", c.Message, c.Annotator+" gave every shared item the", isConstant)
				check(n, "value of one answer", c.Message, fmt.Sprintf("gave every shared item the answer %d", value), c.Kind == report.ConstantAnswers)
			}
		}
		if reachesTarget || v.Outcome == report.NotEnoughData || v.Kappa.Value == nil {
			continue
		}
		percent := fmt.Sprintf("%.0f%% of the answers to shared items are %d", 100*float64(counts[most])/float64(len(all)), most)
		check(n, "dominant answer", said, "of the answers to shared items are ", isDominant)
		check(n, "share of the dominant answer", said, percent, isDominant)
	}
	for key, n := range seen {
		if n[0] < 3 || n[1] < 3 {
			t.Errorf("%s: it is true in %d cases and false in %d", key, n[0], n[1])
		}
	}
	if len(seen) < 5 {
		t.Errorf("%v", seen)
	}
}
