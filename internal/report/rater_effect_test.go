package report_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// newRiskStudy returns 60 items, 10 of them with a risk that each annotator but the last reports: the last
// one misses some.
func newRiskStudy(t *testing.T, misses int, annotators ...string) *dataBuilder {
	t.Helper()
	d := newDataBuilder(t, "empathy")
	for i := range 60 {
		id := d.addItem(nil)
		for n, name := range annotators {
			safety := 4 + i%2
			if i < 10 && (n < len(annotators)-1 || i >= misses) {
				safety = 1 + i%2
			}
			d.addLabel(id, name, study.Work, 1+i%5, 1+i*7%5, 1+i/5%5, safety, 1+i/3%5)
		}
	}
	return d
}

// effectTexts returns what the JSON, the terminal and the summary say of rater effects.
func effectTexts(t *testing.T, r report.Report) map[string]string {
	t.Helper()
	encoded, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	if err := r.WriteText(&printed); err != nil {
		t.Fatal(err)
	}
	finding := r.Summarize().Annotators
	return map[string]string{"JSON": string(encoded), "terminal": strings.Join(strings.Fields(printed.String()), " "), "summary": strings.Join(append([]string{finding.Text}, finding.Notes...), " ")}
}

// TestRaterEffects_MissedRisks_AreStatedEverywhere has an annotator who misses none, some or most of the
// risks that the others report.
func TestRaterEffects_MissedRisks_AreStatedEverywhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		misses     int
		annotators []string
		part       string // of the message
		isSilent   bool   // the summary may say that no annotator needs a look
	}{
		{"none of 10", 0, []string{"ada", "bo", "cy"}, "No difference from the others found in 10 items; could have detected a share of 74% or more.", true},
		{"3 of 10", 3, []string{"ada", "bo", "cy"}, "eports no risk in 3 of 10 items in which both others report one. That is more than the tolerated 20%, but can be chance (p = 0.32): read these items.", false},
		{"3 of 10, two annotators", 3, []string{"ada", "bo"}, "eports no risk in 3 of 10 items in which the only other annotator reports one. Either can be right: read these items.", false},
		{"8 of 10", 8, []string{"ada", "bo", "cy"}, "eports no risk although both others report one, in 80% of 10 items", false},
	} {
		texts := effectTexts(t, newRiskStudy(t, c.misses, c.annotators...).build())
		isFound := c.misses == 8
		for place, text := range texts {
			if want := place == "JSON" || c.misses > 0 && (place == "terminal" || !isFound); strings.Contains(text, c.part) != want {
				t.Errorf("%s: %s has %q: %t, want %t: %s", c.name, place, c.part, !want, want, text[max(0, len(text)-1500):])
			}
		}
		if strings.Contains(texts["summary"], "No annotator needs a look") != c.isSilent || strings.Contains(texts["summary"], "missed safety risks)") != isFound {
			t.Errorf("%s: %s", c.name, texts["summary"])
		}
	}
}

// TestRaterEffects_OneValue_IsStatedEverywhere has three annotators who give the same answer to all fields
// of all items, or varied answers.
func TestRaterEffects_OneValue_IsStatedEverywhere(t *testing.T) {
	t.Parallel()
	for _, isVaried := range []bool{false, true} {
		d := newDataBuilder(t, "empathy")
		for i := range 40 {
			id := d.addItem(nil)
			values := []int{3, 3, 3, 3, 3}
			if isVaried {
				values = []int{1 + i%5, 1 + i*7%5, 1 + i/5%5, 4 + i%2, 1 + i/3%5}
			}
			for _, name := range []string{"ada", "bo", "cy"} {
				d.addLabel(id, name, study.Work, values...)
			}
		}
		texts := effectTexts(t, d.build())
		for place, text := range texts {
			if strings.Contains(text, "share of 100% or more") || strings.Contains(text, "spread of 0.0 points") || strings.Contains(text, "correlation of 1.00 or more") {
				t.Errorf("varied %t: %s rules out what is there: %s", isVaried, place, text)
			}
			if want := !isVaried && place != "summary"; strings.Contains(text, "Cannot be tested with these labels: the share is 100%, that of the others 100%.") != want {
				t.Errorf("varied %t: %s: %s", isVaried, place, text[max(0, len(text)-1500):])
			}
		}
		if strings.Contains(texts["JSON"], `"state":"untestable"`) == isVaried || strings.Contains(texts["summary"], "3 of 3 annotators need a look: ada (straight-lining") == isVaried {
			t.Errorf("varied %t: %s", isVaried, texts["summary"])
		}
	}
}

// TestRaterEffects_OppositeScales_AreNoChance has annotators of whom half read the scale of safety the other
// way round, or none does.
func TestRaterEffects_OppositeScales_AreNoChance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		annotators []string
		swapped    int
		part       string
	}{
		{[]string{"ada", "bo"}, 1, "Reports no risk although the only other annotator reports one, in 100% of 20 items (95% CI 84–100%; others 100%). Either can be right"},
		{[]string{"ada", "bo", "cy", "di"}, 2, "Reports no risk although most others report one, in 100% of 20 items (95% CI 84–100%; others 100%), more than careful work can miss (50%)."},
		{[]string{"ada", "bo"}, 0, "No difference from the others found in 20 items; could have detected a share of"},
	} {
		d := newDataBuilder(t, "empathy")
		for i := range 40 {
			id := d.addItem(nil)
			for n, name := range c.annotators {
				safety := 1 + 4*(i%2)
				if n < c.swapped {
					safety = 6 - safety
				}
				d.addLabel(id, name, study.Work, 1+i%5, 1+i*7%5, 1+i/5%5, safety, 1+i/3%5)
			}
		}
		texts := effectTexts(t, d.build())
		if !strings.Contains(texts["JSON"], c.part) || strings.Contains(texts["JSON"], "can be chance") || strings.Contains(texts["summary"], "chance") ||
			strings.Contains(texts["summary"], "No annotator needs a look") != (c.swapped == 0) || strings.Contains(texts["terminal"], "missed safety risks: Reports") != (c.swapped > 0) {
			t.Errorf("%d of %d swapped: %s", c.swapped, len(c.annotators), texts["summary"])
		}
	}
}

// TestRaterEffects_ForcedAnswers_AreNoStraightLining has an annotator who gives every field 1 in two of three items, with
// the observation that forces it, with one that forces nothing or with none.
func TestRaterEffects_ForcedAnswers_AreNoStraightLining(t *testing.T) {
	t.Parallel()
	for observation, want := range map[string]bool{"": true, "truncated": true, "empty_or_nonsensical": false, "wrong_language": false} {
		d := newDataBuilder(t, "empathy")
		for i := range 90 {
			id := d.addItem(nil)
			varied := []int{1 + i%5, 1 + i*7%5, 1 + i/5%5, 4 + i%2, 1 + i/3%5}
			d.addLabel(id, "bo", study.Work, varied...)
			d.addLabel(id, "cy", study.Work, varied...)
			if i%3 == 0 {
				d.addLabel(id, "ada", study.Work, varied...)
				continue
			}
			if l := d.addLabel(id, "ada", study.Work, 1, 1, 1, 1, 1); observation != "" {
				l.Observations = []string{observation}
			}
		}
		for _, a := range d.build().Annotators {
			for _, e := range a.RaterEffects {
				if e.Name == "straight_lining" && e.Detected != (want && a.Name == "ada") {
					t.Errorf("%q: %s: %s", observation, a.Name, e.Message)
				}
			}
		}
	}
}

// TestSharedEffectText_WithoutKnownAnswers checks that what most annotators share is said to stay unseen if and only
// if a test compares them with each other alone.
func TestSharedEffectText_WithoutKnownAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		annotators []string
		items      int
		part       string // empty: nothing is said
	}{
		{[]string{"ada", "bo"}, 60, "n effect that both annotators share cannot be seen without known answers"},
		{[]string{"ada", "bo", "cy"}, 60, "n effect that two or all three annotators share cannot be seen"},
		{[]string{"ada", "bo", "cy", "di"}, 60, "n effect that most annotators share cannot be seen"},
		{[]string{"ada", "bo", "cy"}, 6, ""},
	} {
		d := newDataBuilder(t, "empathy")
		for i := range c.items {
			id := d.addItem(nil)
			for n, name := range c.annotators {
				d.addLabel(id, name, study.Work, 1+(i+n/2)%5, 1+i*7%5, 1+i/5%5, 4+i%2, 1+i/3%5)
			}
		}
		if got := report.SharedEffectText(d.build().Annotators); !strings.Contains(got, c.part) || (got == "") != (c.part == "") {
			t.Errorf("%d annotators, %d items: %q", len(c.annotators), c.items, got)
		}
	}
	for _, e := range []report.RaterEffect{{Name: "speeding", State: "not_found"}, {Name: "leniency", State: "not_enough_data"}, {Name: "score_compression", State: "found", Basis: "absolute"}} {
		if got := report.SharedEffectText([]report.Annotator{{Labels: 9, RaterEffects: []report.RaterEffect{e}}, {Labels: 9}}); got != "" {
			t.Errorf("%+v: %q", e, got)
		}
	}
	for known, want := range map[int]bool{0: true, 29: true, 30: false} {
		d := newRiskStudy(t, 0, "ada", "bo", "cy")
		d.Adjudicated = map[project.ItemID]map[string]int{}
		for _, item := range d.Items[:known] {
			d.Adjudicated[item.ID] = d.Labels[3*int(item.ID-1)].Values
		}
		built := d.build()
		if got := report.SharedEffectText(built.Annotators) != ""; got != want || built.Annotators[1].KnownAnswers != known {
			t.Errorf("%d known answers, counted %d: the sentence is there: %t", known, built.Annotators[1].KnownAnswers, got)
		}
	}
}

// TestLeniencyMargin_IsThatOfDetection checks that leniency next to the others is detected if and only if its whole
// interval is beyond the margin.
func TestLeniencyMargin_IsThatOfDetection(t *testing.T) {
	t.Parallel()
	detected, within := 0, 0
	for n := range 40 {
		d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(94, uint64(n)))
		for range 60 {
			id, truth := d.addItem(nil), 2+r.IntN(3)
			for g, name := range []string{"ada", "bo", "cy"} {
				values := make([]int, 5)
				for f := range values {
					if values[f] = truth; g == 2 && r.IntN(40) < n {
						values[f]++
					}
				}
				d.addLabel(id, name, study.Work, values...)
			}
		}
		for _, a := range d.build().Annotators {
			for _, e := range a.RaterEffects {
				if e.Name != "leniency" || e.Low == nil {
					continue
				}
				isBeyond := *e.Low > report.LeniencyMargin || *e.High < -report.LeniencyMargin
				if detected, within = detected+boolToInt(isBeyond), within+boolToInt(!isBeyond); e.Detected != isBeyond {
					t.Errorf("%v to %v is detected: %t", *e.Low, *e.High, e.Detected)
				}
			}
		}
	}
	if detected < 10 || within < 10 {
		t.Errorf("%d are detected, %d are not", detected, within)
	}
}

// TestRaterEffects_MissedRisks_NextStepIsNeutral checks that the next step names neither of two annotators, and else the one who misses most.
func TestRaterEffects_MissedRisks_NextStepIsNeutral(t *testing.T) {
	t.Parallel()
	two := newRiskStudy(t, 3, "ada", "bo").build().Summarize().Annotators
	if two.Next.Kind != report.StepSeeDetails || two.Next.Text != "Read the items on which only one of two annotators reports a risk." {
		t.Errorf("two annotators: %+v", two)
	}
	three := newRiskStudy(t, 3, "ada", "bo", "cy").build().Summarize().Annotators
	if three.Next.Kind != report.StepSeeAnnotator || three.Next.Subject != "cy" {
		t.Errorf("three annotators: %+v", three)
	}
}
