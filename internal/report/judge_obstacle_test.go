package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// TestJudge_Obstacle_NeedsChance checks that a judge that wins the test is recommended if and only if it
// and the annotators agree more than by chance, it gives every value, and records are enough, wherever that is said.
func TestJudge_Obstacle_NeedsChance(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(62, 0))
	same := func(truth int) int { return truth }
	coin := func(int) int { return r.IntN(2) }
	zero := func(int) int { return 0 }
	oneInSix := func(truth int) int { return truth * boolToInt(r.IntN(6) == 0) }
	mistaken := func(truth int) int {
		if r.IntN(12) == 0 {
			return 1 - truth
		}
		return truth
	}
	item, wrongRecords := 0, 0 // of 20
	wrongByRecord := func(truth int) int {
		item++
		return truth ^ boolToInt((item-1)/30 < wrongRecords)
	}
	for name, c := range map[string]struct {
		annotator, answer func(int) int
		want              judge.Obstacle
		summary, message  string
		next              string
	}{
		"good":              {mistaken, mistaken, "", "” may replace an annotator on “", "The judge may replace an annotator: it wins against 3 of 3", ""},
		"misses most":       {same, oneInSix, judge.MissesValue, "because it misses ", "s that all annotators answered 1 (Yes). Keep annotators on this field, or use a judge that finds", "Keep annotators on this field, or use a judge that finds this answer."},
		"constant":          {same, zero, judge.NeverGivesValue, "is not recommended on “", "it never answers 1 (Yes), and so missed 48 of 48 items with this answer of all annotators. Keep annotators", "Keep annotators on this field, or use a judge that gives this answer."},
		"few records":       {same, wrongByRecord, judge.FewRecords, "“critic” needs more records to show whether it may replace an annotator on “", "Whether the judge may replace an annotator is not known: it wins against 3 of 3 annotators (ω = 1.00, ε = 0.20), but items of a record are alike, and by record it wins against only 0 of 3 (20 records). Label items of more records", "Label items of more records before the judge replaces an annotator."},
		"random annotators": {coin, coin, judge.AnnotatorsByChance, "because the annotators may agree only by chance", "although it wins against 3 of 3 annotators (ω = 1.00, ε = 0.20): the annotators are not shown to agree with each other more than by chance (κ ", "Have two annotators label more items; if they still agree only by chance, clarify the guide before you test a judge."},
	} {
		d := newDataBuilder(t, "rag-generation")
		d.Protocol.Fields = d.Protocol.Fields[:1]
		record := func(i int) string { return fmt.Sprint("r", i) }
		if item, wrongRecords = 0, 2; c.want == judge.FewRecords {
			record = func(i int) string { return fmt.Sprint("r", i/30) }
		}
		key := d.Protocol.Fields[0].Key
		for i := range 600 {
			truth := boolToInt(i%25 < 2)
			if c.want == "" || c.want == judge.FewRecords {
				truth = i % 2
			}
			id := d.addItem(func(item *report.ItemData) { item.RecordID = record(i) })
			for _, annotator := range []string{"ada", "bo", "cy"} {
				d.addLabel(id, annotator, report.Work, c.annotator(truth))
			}
			d.Judgments = append(d.Judgments, report.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{key: c.answer(truth)}})
		}
		built := d.build()
		f := built.Judges[0].Fields[0]
		if f.Alternative.Obstacle != c.want || *f.Alternative.WinningRate < 0.5 || (f.Use == report.JudgeReplaces) != (c.want == "") || (f.Use == report.JudgeUntested) != (c.want == judge.FewRecords) || f.Alternative.NextAction != c.next {
			t.Errorf("%s: use %s, %+v", name, f.Use, f.Alternative)
		}
		var b strings.Builder
		if err := report.WriteJudgesText(&b, built.Judges); err != nil {
			t.Fatal(err)
		}
		for where, texts := range map[string][2]string{"summary": {built.DescribeJudge(built.Judges[0]), c.summary}, "field": {f.Message, c.message}, "terminal": {b.String(), f.Message}, "judge": {built.Judges[0].Message, fmt.Sprintf("replace an annotator for “%s” (ω = 1.00", d.Protocol.Fields[0].Title)}} {
			if !strings.Contains(texts[0], texts[1]) {
				t.Errorf("%s, %s: no %q in %q", name, where, texts[1], texts[0])
			}
		}
	}
}
