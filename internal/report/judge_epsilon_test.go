package report_test

import (
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// TestJudge_SmallerEpsilon_IsHarderToWin tests a judge that is as good as annotators with a large and with no advantage in cost.
func TestJudge_SmallerEpsilon_IsHarderToWin(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	for i := range 60 {
		id, answer := d.addItem(nil), 1+i%5
		for n, name := range []string{"ada", "bo", "cy"} {
			value := answer
			if (i+n)%6 == 0 {
				value = 1 + (answer+1)%5
			}
			d.addLabel(id, name, study.Work, value, value, value, value, value)
		}
		if i%8 == 0 {
			answer = 1 + (answer+2)%5
		}
		d.Judgments = append(d.Judgments, study.Judgment{Judge: "m", ItemID: id, Values: map[string]int{"emotion": answer}})
	}
	var rates []float64
	for _, epsilon := range []*float64{nil, new(report.DefaultEpsilon), new(0.0)} {
		judges, err := report.CompareJudges(d.Data, report.BuildOptions{Epsilon: epsilon})
		if err != nil {
			t.Fatal(err)
		}
		test := judges[0].Fields[0].Alternative
		if want := report.DefaultEpsilon; epsilon != nil && test.Epsilon != *epsilon || epsilon == nil && test.Epsilon != want {
			t.Errorf("ε is %g", test.Epsilon)
		}
		rates = append(rates, *test.WinningRate)
	}
	if rates[0] != 1 || rates[1] != 1 || rates[2] != 0 {
		t.Errorf("winning rates %v", rates)
	}
}
