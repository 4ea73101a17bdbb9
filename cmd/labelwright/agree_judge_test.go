package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
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
	code, out, stderr := runCommand(t, newJudgedTable(), "agree", "-", "--judge", "model", "--format", "json", "--resamples", "20")
	var got agreeResult
	if err := json.Unmarshal([]byte(out), &got); code != exitOK || err != nil {
		t.Fatalf("exit %d: %s %v", code, stderr, err)
	}
	helpful, safety := got.Judges[0], got.Judges[1]
	if !helpful.Replaces || *helpful.WinningRate != 1 || helpful.Score != "accuracy" || len(helpful.Annotators) != 3 || helpful.Annotators[0].Items != 40 {
		t.Errorf("helpful: %+v", helpful)
	}
	if helpful.Obstacle != "" || helpful.Reason != "" || helpful.NextAction != "" || *helpful.Evidence.Annotators.Value != 1 {
		t.Errorf("helpful: %+v", helpful)
	}
	if safety.Replaces || *safety.WinningRate != 0 || *safety.AdvantageProbability != 0 {
		t.Errorf("safety: %+v", safety)
	}
	if p := helpful.PPI; p.Labels != 40 || p.Judgments != 40 || *p.Mean != 0.5 || *p.EquivalentLabels < 65 {
		t.Errorf("PPI: %+v", p)
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
		"model, helpful: the judge may replace an annotator: it wins against 3 of 3 annotators (ω = 1.000, ρ = 1.000, ε = 0.2, accuracy).",
		"model, safety: the judge may not replace an annotator: it wins against 0 of 3 annotators (ω = 0.000",
		"Mean answer over 80 judged items, of which 40 have labels: 0.500",
		"), if the labeled items are a random sample of them. The judge adds nothing: the labels alone are about as precise.",
		"), if the labeled items are a random sample of them. With the judge, the labels give the precision of labels of ",
	} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit %d without %q:\n%s", code, want, out)
		}
	}
	_, out, _ = runCommand(t, numericTable, "agree", "-", "--judge", "bo", "--resamples", "20")
	if !strings.Contains(out, "is not known: no annotator has 30 items") || !strings.Contains(out, "No estimate with the judge: ") {
		t.Errorf("too few items:\n%s", out)
	}
	for _, args := range [][]string{{"--judge", "eve"}, {"--epsilon", "2"}, {"--judge", "bo", "--epsilon", "NaN"}, {"--score", "f1"}} {
		if code, _, _ := runCommand(t, newJudgedTable(), append([]string{"agree", "-"}, args...)...); code != exitUsage {
			t.Errorf("%v: exit %d", args, code)
		}
	}
}

// TestAgree_Judge_Constant_IsNotRecommended has a judge that never gives a rare value.
func TestAgree_Judge_Constant_IsNotRecommended(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("item,annotator,dimension,value\n")
	for i := range 100 {
		value := "safe"
		if i%25 < 2 {
			value = "unsafe"
		}
		fmt.Fprintf(&b, "u%d,ada,safety,%s\nu%d,bo,safety,%s\nu%d,model,safety,safe\n", i, value, i, value, i)
	}
	code, out, _ := runCommand(t, b.String(), "agree", "-", "--judge", "model", "--resamples", "20")
	if want := "model, safety: the judge is not recommended to replace an annotator, although it wins against 2 of 2 annotators (ω = 1.000, ρ = 0.920, ε = 0.2, accuracy): it never answers “unsafe”, and so missed 8 of 8 items with this answer of all annotators. Keep annotators on this field, or use a judge that gives this answer.\n"; code != exitOK || !strings.Contains(out, want) {
		t.Errorf("exit %d without %q:\n%s", code, want, out)
	}
	_, out, _ = runCommand(t, b.String(), "agree", "-", "--judge", "model", "--resamples", "20", "--format", "json")
	var got agreeResult
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if r := got.Judges[0]; !r.Replaces || *r.WinningRate != 1 || r.Obstacle != "never_gives_value" || len(r.Missed) != 1 || r.Missed[0].Items != 8 || r.NextAction == "" || !strings.Contains(r.Reason, "missed 8 of 8") {
		t.Errorf("%+v", r)
	}
}

// TestAgree_Judge_FewRarerLabels_PrintsLabelsAlone has two labels of the rarer answer, then three, and a judge that gives it
// more often to the other items.
func TestAgree_Judge_FewRarerLabels_PrintsLabelsAlone(t *testing.T) {
	t.Parallel()
	for rarer, want := range map[int]string{2: "Mean answer over 80 judged items, of which 40 have labels: 0.050 (95% CI 0.006 to 0.171), if the labeled items are a random sample of them. " +
		"How many labels the judgments are worth is not known: fewer than 3 labels have the rarer answer, so the estimate is that of the labels alone.", 3: "the labels give the precision of labels of "} {
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
		if p := got.Judges[0].PPI; *p.Mean <= float64(rarer)/40 || *p.IntervalMean != map[int]float64{2: 0.05, 3: *p.Mean}[rarer] || (p.EquivalentLabels == nil) != (rarer < 3) {
			t.Errorf("%d: %s", rarer, out)
		}
	}
}

func TestFormatP_StaysOnItsSideOfTheLimit(t *testing.T) {
	t.Parallel()
	for p, want := range map[float64]string{0.0004: "<0.001", 0.0496: "0.050", 0.05: "0.050", 0.0501: "0.051", 0.0504: "0.051", 0.1204: "0.120", 1: "1.000"} {
		if got := formatP(p); got != want {
			t.Errorf("%v: %s, want %s", p, got, want)
		}
	}
}
