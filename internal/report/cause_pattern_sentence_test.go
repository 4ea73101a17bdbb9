package report_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A recordStudy is random answers to one field of items in records.
type recordStudy struct {
	*dataBuilder
	answers map[string][]map[string]int // by record, then item

	isSwapped bool // bo's scale
	isClear   bool // the others agree on all records
}

// newRecordStudy returns items of two or three annotators. One of them can mistake the ends of the
// scale for each other, and all can disagree on the items of one large record.
func newRecordStudy(t *testing.T, r *rand.Rand) recordStudy {
	s := recordStudy{newDataBuilder(t, "empathy"), map[string][]map[string]int{}, false, false}
	s.Protocol.Fields = s.Protocol.Fields[:1]
	names := []string{"ada", "bo", "cy"}[:2+r.IntN(2)]
	noise, isSwapped, hasBadRecord := []float64{0.1, 0.4, 0.8}[r.IntN(3)], r.IntN(3) == 0, r.IntN(2) == 0
	s.isSwapped, s.isClear = isSwapped, noise == 0.1 && !hasBadRecord
	for record := range 18 + r.IntN(8) {
		name, items := fmt.Sprint("r", record), 1+r.IntN(2)
		if hasBadRecord && record == 0 {
			items = 4 + r.IntN(8)
		}
		for range items {
			truth, answers := 1+r.IntN(5), map[string]int{}
			for i, annotator := range names {
				v := truth
				if r.Float64() < noise {
					v = 1 + r.IntN(5)
				}
				if hasBadRecord && record == 0 {
					v = 1 + 4*(i%2)
				}
				if isSwapped && annotator == "bo" {
					v = 6 - v
				}
				answers[annotator] = v
			}
			s.answers[name] = append(s.answers[name], answers)
			id := s.addItem(func(item *study.ItemData) { item.RecordID = name })
			for _, annotator := range names {
				s.addLabel(id, annotator, study.Work, answers[annotator])
			}
		}
	}
	return s
}

// isDecidedWithout reports whether the verdict without a record is conclusive.
func (s recordStudy) isDecidedWithout(t *testing.T, record string) bool {
	t.Helper()
	d, isLeft := s.Data, map[project.ItemID]bool{}
	d.Items, d.Labels = nil, nil
	for _, item := range s.Items {
		if item.RecordID != record {
			d.Items, isLeft[item.ID] = append(d.Items, item), true
		}
	}
	for _, l := range s.Labels {
		if isLeft[l.ItemID] {
			d.Labels = append(d.Labels, l)
		}
	}
	built, err := report.Build(d, report.BuildOptions{Resamples: 50, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	v := built.Fields[0].Verdict
	return *v.GoProbability >= 0.9 || *v.RewriteProbability >= 0.9 || *v.GoProbability+*v.RewriteProbability <= 0.1 || *v.Kappa.Low >= 0.25 && *v.Kappa.High < v.Target
}

// kappa returns linearly weighted Cohen's κ of the answers of one annotator and of each other one, without
// a record.
func (s recordStudy) kappa(annotator, without string) float64 {
	var first, second [6]float64
	distance, n := 0.0, 0.0
	for record, items := range s.answers {
		for _, answers := range items {
			for other, v := range answers {
				if other != annotator && record != without {
					first[answers[annotator]]++
					second[v]++
					distance, n = distance+math.Abs(float64(answers[annotator]-v)), n+1
				}
			}
		}
	}
	expected := 0.0
	for a := range first {
		for b := range second {
			expected += first[a] * second[b] / n * math.Abs(float64(a-b))
		}
	}
	return 1 - distance/expected
}

// TestCauses_Patterns_AreTrue checks what is said of swapped scales and of records that drive κ
// against the answers.
func TestCauses_Patterns_AreTrue(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(62, 0)), map[string][2]int{}
	check := func(n int, key string, said, want bool) {
		if said != want {
			t.Fatalf("study %d: %s is said: %t, want %t", n, key, said, want)
		}
		seen[key] = [2]int{seen[key][0] + boolToInt(want), seen[key][1] + boolToInt(!want)}
	}
	for n := range 250 {
		s := newRecordStudy(t, r)
		built, err := report.Build(s.Data, report.BuildOptions{Resamples: 50, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		v, said := built.Fields[0].Verdict, ""
		for _, c := range v.Causes {
			said += c.Message + " "
		}
		if v.Kappa.Value == nil || v.Outcome == report.Go {
			if said != "" {
				t.Fatalf("study %d: a cause without low agreement: %s", n, said)
			}
			continue
		}
		if len(built.Annotators) > 2 {
			for _, a := range built.Annotators {
				isSwapped := s.isSwapped && a.Name == "bo"
				if isSwapped && (!s.isClear || s.kappa("bo", "") > -0.4) { // it can be too little for a test
					isSwapped = strings.Contains(said, "bo answers against the others") && s.kappa("bo", "") < -0.2 && *a.Fields[0].Kappa.High < 0
				}
				check(n, "an annotator against the others", strings.Contains(said, a.Name+" answers against the others"), isSwapped)
			}
			continue
		}
		κ := s.kappa("ada", "")
		if math.Abs(κ-*v.Kappa.Value) > 1e-9 {
			t.Fatalf("study %d: κ %g, by hand %g", n, *v.Kappa.Value, κ)
		}
		isSaid := strings.Contains(said, "answer against each other: κ is below 0") // by a test, so near its limit either is right
		check(n, "two annotators against each other", isSaid, isSaid && κ < -0.2 && *v.Kappa.High < 0 || κ < -0.3 && *v.Kappa.High < -0.1)
		most, without := "", κ
		for _, record := range slices.Sorted(maps.Keys(s.answers)) {
			if w := s.kappa("ada", record); math.Abs(w-κ) > math.Abs(without-κ) {
				most, without = record, w
			}
		}
		outcome := func(κ float64) int { return boolToInt(κ >= 0.25) + boolToInt(κ >= v.Target) }
		check(n, "one record", strings.Contains(said, "; without "+most+" alone it is "), without-κ >= 0.05 && outcome(without) != outcome(κ) && s.isDecidedWithout(t, most))
		for _, c := range v.Causes {
			if c.Kind == report.OneRecord && (c.Record != most || math.Abs(*c.KappaWithout-without) > 1e-9) {
				t.Fatalf("study %d: %s, want %s and %g", n, c.Message, most, without)
			}
		}
	}
	for key, n := range seen {
		if n[0] < 3 || n[1] < 3 {
			t.Errorf("%s: it is true in %d cases and false in %d", key, n[0], n[1])
		}
	}
	if t.Logf("%v", seen); len(seen) < 3 {
		t.Errorf("only %v", seen)
	}
}
