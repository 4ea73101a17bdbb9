package report_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
)

func TestWriteText_Report_ShowsTables(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 40, 4)
	d.Judgments = []study.Judgment{{ItemID: 1, Judge: "judge", Values: map[string]int{"emotion": 1}}}
	var b strings.Builder
	if err := d.build().WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"80 labels of 40 items by 2 annotators", "\nSummary\n  Agreement meets the target on", "Agreement meets the target of 0.40", "Every answer is 3",
		"Model judge judge compared with the annotators", "ada 4, bo 5", "sampling of items, not of annotators",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "NaN") {
		t.Error("the text contains NaN")
	}
}

func TestWriteText_NoLabels_ExplainsWhy(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := newDataBuilder(t, "empathy").build().WriteText(&b); err != nil || !strings.Contains(b.String(), "nothing to report yet") {
		t.Errorf("%v: %s", err, b.String())
	}
}
