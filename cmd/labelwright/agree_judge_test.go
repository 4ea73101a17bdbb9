package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats/judge"
)

// newJudgedTable returns three annotators and a judge: on 40 items of helpful the judge gives
// the answer of all, on safety always the other one. 40 more items have judgments only.
func newJudgedTable() string {
	var b strings.Builder
	b.WriteString("item,annotator,dimension,value\n")
	for i := range 80 {
		value := i % 2
		for _, annotator := range []string{"ada", "bo", "cy"} {
			if i < 40 {
				fmt.Fprintf(&b, "u%d,%s,helpful,%d\nu%d,%s,safety,%d\n", i, annotator, value, i, annotator, value)
			}
		}
		fmt.Fprintf(&b, "u%d,model,helpful,%d\nu%d,model,safety,%d\n", i, value, i, 1-value)
	}
	return b.String()
}

func TestAgree_Judge_TestedPerDimension(t *testing.T) {
	t.Parallel()
	code, out, stderr := runCommand(t, newJudgedTable(), "agree", "-", "--judge", "model", "--format", "json",
		"--resamples", "20")
	var got agreeResult
	if err := json.Unmarshal([]byte(out), &got); code != exitOK || err != nil {
		t.Fatalf("exit %d: %s %v", code, stderr, err)
	}
	helpful, safety := got.Judges[0], got.Judges[1]
	if !helpful.Replaces || *helpful.WinningRate != 1 || helpful.Score != "accuracy" || len(helpful.Annotators) != 3 ||
		helpful.Annotators[0].Items != 40 {
		t.Errorf("helpful: %+v", helpful)
	}
	if helpful.Conclusion != judge.AsPeople || *helpful.People.Value != 1 || *helpful.WithPeople.Value != 1 ||
		*helpful.Bias.Value != 0 || safety.Conclusion != judge.LessThanPeople {
		t.Errorf("helpful: %+v", helpful)
	}
	if safety.Replaces || *safety.WinningRate != 0 || *safety.AdvantageProbability != 0 {
		t.Errorf("safety: %+v", safety)
	}
	if p := helpful.PPI; p.Labels != 40 || p.Judgments != 40 || math.Abs(*p.Mean-0.5) > 1e-9 ||
		*p.EquivalentLabels < 65 {
		t.Errorf("PPI: %+v, mean %v", p, *p.Mean)
	}
	for _, r := range got.Results {
		if r.Annotators > 3 || strings.Contains(r.Coefficient, "model") {
			t.Errorf("the judge counts as an annotator: %+v", r)
		}
	}
}

func TestAgree_Judge_Text(t *testing.T) {
	t.Parallel()
	code, out, _ := runCommand(t, newJudgedTable(), "agree", "-", "--judge", "model", "--resamples", "20")
	for _, want := range []string{
		"model, helpful: It agrees with people as they do with each other: κ with people is 1.00 (95% CI ",
		"Alternative annotator test: ω = 1.000, ρ = 1.000, ε = 0.2, accuracy.",
		"model, safety: It agrees with people less than they do with each other: κ with people is −1.00 (95% CI ",
		"Mean answer over 80 judged items, of which 40 have labels: 0.500",
		"), if the labeled items are a random sample of them. This is as precise as labels alone of ",
	} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit %d without %q:\n%s", code, want, out)
		}
	}
	_, out, _ = runCommand(t, numericTable, "agree", "-", "--judge", "bo", "--resamples", "20")
	if !strings.Contains(out, "No annotator has 30 items") || !strings.Contains(out, "No mean with the judge. ") {
		t.Errorf("too few items:\n%s", out)
	}
	for _, args := range [][]string{{"--judge", "eve"}, {"--epsilon", "2"}, {"--judge", "bo", "--epsilon", "NaN"},
		{"--score", "f1"}} {
		if code, _, _ := runCommand(t, newJudgedTable(), append([]string{"agree", "-"},
			args...)...); code != exitUsage {
			t.Errorf("%v: exit %d", args, code)
		}
	}
}

// TestAgree_Judge_FewRarerLabels_PrintsLabelsAlone has two labels of the rarer answer, then three, and a judge that
// gives it
// more often to the other items.
func TestAgree_Judge_FewRarerLabels_PrintsLabelsAlone(t *testing.T) {
	t.Parallel()
	for rarer, want := range map[int]string{2: "Mean answer over 80 judged items, of which 40 have labels: 0.050 (95% CI 0.006 to 0.171), if the labeled items are a random sample of them. " +
		"Fewer than 3 labels have the rarer answer, so the estimate is that of the labels alone.",
		3: "This is as precise as labels alone of "} {
		var b strings.Builder
		b.WriteString("item,annotator,dimension,value\n")
		for i := range 80 {
			value := 0
			if i < rarer || i >= 40 && i <= 40+rarer {
				value = 1
			}
			if i < 40 {
				fmt.Fprintf(&b, "u%d,ada,safe,%d\n", i, value)
			}
			fmt.Fprintf(&b, "u%d,model,safe,%d\n", i, value)
		}
		code, out, _ := runCommand(t, b.String(), "agree", "-", "--judge", "model", "--resamples", "20")
		if code != exitOK || !strings.Contains(out, want) || strings.Contains(out, "rarer answer") != (rarer < 3) {
			t.Errorf("%d: exit %d without %q:\n%s", rarer, code, want, out)
		}
		_, out, _ = runCommand(t, b.String(), "agree", "-", "--judge", "model", "--resamples", "20", "--format", "json")
		var got agreeResult
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if p := got.Judges[0].PPI; *p.Mean <= float64(rarer)/40 || *p.Concluded.Value != map[int]float64{2: 0.05,
			3: *p.Mean}[rarer] || (p.EquivalentLabels == nil) != (rarer < 3) {
			t.Errorf("%d: %s", rarer, out)
		}
	}
}

func TestFormatP_StaysOnItsSideOfTheLimit(t *testing.T) {
	t.Parallel()
	for p, want := range map[float64]string{0.0004: "<0.001", 0.0496: "0.050", 0.05: "0.050", 0.0501: "0.051",
		0.0504: "0.051", 0.1204: "0.120", 1: "1.000"} {
		if got := formatP(p); got != want {
			t.Errorf("%v: %s, want %s", p, got, want)
		}
	}
}
