package report_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

func TestATerminalShowsTheReport(t *testing.T) {
	t.Parallel()
	d := newDeck(t, "empathy")
	two(d, 40, 4)
	d.Models = []report.Judgement{{ItemID: 1, Model: "judge", Values: map[string]int{"emotion": 1}}}
	var b strings.Builder
	if err := d.report().WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"80 labels of 40 items by 2 annotators", "Go on: agreement reaches the target of 0.40", "every answer is 3",
		"The model judge", "ada 4, bo 5", "not the choice of annotators",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "NaN") {
		t.Error("NaN is shown")
	}
}

func TestATerminalSaysThatThereIsNothingYet(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := newDeck(t, "empathy").report().WriteText(&b); err != nil || !strings.Contains(b.String(), "nothing to report yet") {
		t.Errorf("%v: %s", err, b.String())
	}
}
