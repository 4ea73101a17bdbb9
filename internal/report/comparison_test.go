package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// A systemStudy are items of two systems, labeled by a few annotators on a scale from 1 to 5.
type systemStudy struct {
	items      int // of each system
	difference float64
	pairs      int     // inputs that both systems have
	pairShift  float64 // added to the difference in pairs
	annotators int     // 0: 4
	bias       float64 // of half of the annotators, who see mostly the second system
	spread     float64 // of the items, which annotators agree on
	noise      float64
	isSplit    bool // annotators label one system only
}

// build returns the comparison of the first field.
func (s systemStudy) build(t *testing.T) (report.Breakdown, report.GroupDifference) {
	t.Helper()
	d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(7, 8))
	if s.annotators == 0 {
		s.annotators = 4
	}
	for i := range s.items {
		for system := range 2 {
			id := d.addItem(func(item *study.ItemData) {
				item.Meta = map[string]string{"system": []string{"base", "new"}[system]}
				if item.MatchKey = fmt.Sprint(system, i); i < s.pairs {
					item.MatchKey = fmt.Sprint(i)
				}
			})
			quality := 2.5 + s.difference*float64(system)
			if s.spread > 0 {
				quality += s.spread * r.NormFloat64()
			}
			for n := range 2 {
				value := quality + s.noise*r.NormFloat64()
				if i < s.pairs {
					value += s.pairShift * float64(system)
				}
				annotator := (i + n) % s.annotators
				if s.isSplit {
					annotator = system*s.annotators + annotator
				}
				if s.bias != 0 {
					half := s.annotators / 2
					annotator = (i+n)%half + half*boolToInt((system == 1) != (i%5 == 0))
					value += s.bias * float64(annotator/half)
				}
				d.addLabel(id, fmt.Sprintf("a%d", annotator), study.Work, int(min(5, max(1, value+0.5))), 3, 3, 3, 3)
			}
		}
	}
	b := d.build().Breakdown
	return *b, *b.Groups[1].Fields[0].Difference
}

// TestConclusion_Sentences_AreTrue generates data on both sides of the condition of each sentence.
func TestConclusion_Sentences_AreTrue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		study systemStudy
		want  report.Conclusion
		text  string
	}{
		{"higher", systemStudy{items: 40, difference: 1.2, noise: 0.8}, report.Higher, "“new” scores higher than “base”: over all items +1."},
		{"lower", systemStudy{items: 40, difference: -1, noise: 0.8}, report.Lower, "“new” scores lower than “base”: over all items −"},
		{"higher in pairs", systemStudy{items: 40, pairs: 40, difference: 1.2, noise: 0.8}, report.Higher, "within pairs +1."},
		{"half in pairs", systemStudy{items: 40, pairs: 20, difference: 1.2, noise: 0.8}, report.Higher, "20 pairs)"},
		{"less than half in pairs", systemStudy{items: 40, pairs: 19, difference: 1.2, noise: 0.8}, report.Higher, "80 items)"},
		{"none", systemStudy{items: 40, spread: 0.8, noise: 0.5}, report.NoDifferenceShown, "No difference is shown: over all items"},
		{"none that random answers could show", systemStudy{items: 40, noise: 0.8}, report.UnreliableAnswers, "No conclusion, because annotators agree too little on this field (κ −0.15): over all items +0.05 ("},
		{"higher in random answers", systemStudy{items: 40, difference: 0.6, noise: 0.8}, report.Higher, "But annotators agree too little on this field (κ "},
		{"nothing varies", systemStudy{items: 30}, report.NoInterval, "No conclusion without an interval"},
		{"one pair points the other way", systemStudy{items: 40, pairs: 1, difference: 1.3, pairShift: -3, noise: 0.4}, report.Higher, "too few to count."},
		{"ten pairs point the other way", systemStudy{items: 60, pairs: 10, difference: 1.3, pairShift: -3, noise: 0.4}, report.EstimatesDisagree, "opposite directions: over all items +"},
		{"lenient annotators", systemStudy{items: 60, bias: 1.6, noise: 0.5}, report.NotAdjusted, "not clearly when adjusted for annotators: over all items +"},
		{"lenient annotators and better", systemStudy{items: 60, bias: 1, difference: 1, noise: 0.5}, report.Higher, "“new” scores higher"},
		{"annotators of one system each", systemStudy{items: 40, isSplit: true, difference: 1.2, noise: 0.8}, report.Confounded, "more lenient annotators would look the same"},
		{"annotators of one system each, no difference", systemStudy{items: 40, isSplit: true, spread: 0.8, noise: 0.5}, report.NoDifferenceShown, "No difference is shown"},
		{"a single annotator", systemStudy{items: 40, annotators: 1, difference: 1.2, noise: 0.8}, report.Higher, "“new” scores higher"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, d := tt.study.build(t)
			if d.Conclusion != tt.want || !strings.Contains(d.Message, tt.text) {
				t.Errorf("%s: %s\nwant %s: …%s…\n%+v", d.Conclusion, d.Message, tt.want, tt.text, b.Groups[1].Summary)
			}
			t.Log(d.Message, "\n", b.Groups[1].Summary)
		})
	}
}

// TestDifference_FewPairs_ShowsBoth is a study in which one pair contradicts all other items.
func TestDifference_FewPairs_ShowsBoth(t *testing.T) {
	t.Parallel()
	_, d := systemStudy{items: 40, pairs: 1, difference: 1.3, pairShift: -3, noise: 0.4}.build(t)
	if *d.AllItems.Value < 1 || d.AllItems.Items != 80 || *d.Paired.Value >= 0 || d.Paired.Pairs != 1 || d.Paired.Items != 2 || d.Paired.P != nil {
		t.Errorf("all items %+v, in pairs %+v", d.AllItems, d.Paired)
	}
}

// TestDifference_ThirdGroupNotLinked_IsAdjusted compares two groups of the same annotators, alone and
// next to a group of other annotators.
func TestDifference_ThirdGroupNotLinked_IsAdjusted(t *testing.T) {
	t.Parallel()
	build := func(groups ...string) []report.Group {
		d := newDataBuilder(t, "empathy")
		for system, group := range groups {
			r := rand.New(rand.NewPCG(3, uint64(system)))
			for i := range 40 {
				id := d.addItem(func(item *study.ItemData) {
					item.Meta, item.MatchKey = map[string]string{"system": group}, fmt.Sprint(group, i)
				})
				for n := range 2 {
					value := 2.5 + float64(system) + 0.8*r.NormFloat64()
					d.addLabel(id, fmt.Sprintf("a%d", 4*(system/2)+(i+n)%4), study.Work, int(min(5, max(1, value+0.5))), 3, 3, 3, 3)
				}
			}
		}
		return d.build().Breakdown.Groups
	}
	alone, three := build("base", "new"), build("base", "new", "other")
	want, got := alone[1].Fields[0].Difference, three[1].Fields[0].Difference
	if got.Conclusion != report.Higher || got.Adjusted.Low == nil {
		t.Fatalf("%s, adjusted %+v", got.Conclusion, got.Adjusted)
	}
	checkNear(t, "adjusted difference", got.Adjusted.Value, *want.Adjusted.Value)
	checkNear(t, "its interval", got.Adjusted.Low, *want.Adjusted.Low)
	if other := three[2].Fields[0].Difference; other.Conclusion != report.Confounded || other.Adjusted.Reason != mixed.ConfoundedAnnotators {
		t.Errorf("the group of other annotators: %s, adjusted %+v", other.Conclusion, other.Adjusted)
	}
	if mean := three[1].Fields[0].AdjustedMean; mean.Value != nil {
		t.Errorf("adjusted mean %+v of a group that cannot be compared with all", mean)
	}
}

// TestConclusion_ManyComparisons_NeedMoreEvidence compares a group with the first among two, five and eight.
func TestConclusion_ManyComparisons_NeedMoreEvidence(t *testing.T) {
	t.Parallel()
	conclude := func(systems int) (report.GroupDifference, int) {
		d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(3, 9))
		for i := range 60 {
			for system := range systems {
				id := d.addItem(func(item *study.ItemData) { item.Meta = map[string]string{"system": fmt.Sprint(system)} })
				for n := range 2 {
					value := 3 + 0.42*float64(boolToInt(system == 1)) + r.NormFloat64()
					d.addLabel(id, fmt.Sprint("a", (i+n)%3), study.Work, int(min(5, max(1, value+0.5))), 2+r.IntN(3), 2+r.IntN(3), 2+r.IntN(3), 2+r.IntN(3))
				}
			}
		}
		b := d.build().Breakdown
		return *b.Groups[1].Fields[0].Difference, b.Comparisons
	}
	for systems := 2; systems <= 8; systems += 3 {
		d, comparisons := conclude(systems)
		isSignificant := *d.AllItems.HolmP <= 0.05 && *d.Adjusted.HolmP <= 0.05
		t.Log(systems, comparisons, d.Conclusion, *d.AllItems.P, *d.AllItems.HolmP, d.Message)
		if comparisons != 5*systems*(systems-1)/2 || (d.Conclusion == report.Higher) != (isSignificant && *d.AllItems.Low > 0 && *d.Adjusted.Low > 0) {
			t.Errorf("%d systems: %d comparisons, %s", systems, comparisons, d.Message)
		}
		if *d.AllItems.HolmP < *d.AllItems.P || *d.AllItems.HolmP > 1 {
			t.Errorf("p %g, adjusted %g", *d.AllItems.P, *d.AllItems.HolmP)
		}
	}
}

func TestPairing_DeclaredPairs_ComeFirst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		set   func(item *study.ItemData, input int)
		want  report.Pairing
		pairs int
	}{
		{"nothing shared", func(*study.ItemData, int) {}, "", 0},
		{"same input", func(item *study.ItemData, input int) { item.MatchKey = fmt.Sprint(input) }, report.PairedByInput, 10},
		{"record", func(item *study.ItemData, input int) { item.RecordID = fmt.Sprint(input) }, report.PairedByRecord, 10},
		{"declared", func(item *study.ItemData, input int) {
			item.MatchKey, item.PairID = fmt.Sprint(input), fmt.Sprint(input/2)
		}, report.PairedByColumn, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDataBuilder(t, "empathy")
			for i := range 20 {
				id := d.addItem(func(item *study.ItemData) {
					item.Meta = map[string]string{"system": fmt.Sprint("s", i%2)}
					tt.set(item, i/2)
				})
				d.addLabel(id, "ada", study.Work, 1+i%3, 3, 3, 3, 3)
				d.addLabel(id, "bo", study.Work, 1+i%4, 3, 3, 3, 3)
			}
			r := d.build()
			pairs := 0
			if p := r.Breakdown.Groups[1].Fields[0].Difference.Paired; p != nil {
				pairs = p.Pairs
			}
			if r.Breakdown.PairedBy != tt.want || pairs != tt.pairs || len(r.Columns) != 1 {
				t.Errorf("paired by %q: %d pairs, columns %v", r.Breakdown.PairedBy, pairs, r.Columns)
			}
		})
	}
}
