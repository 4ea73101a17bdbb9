package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/require"
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
		"random annotators": {coin, coin, judge.AnnotatorsByChance, "because the annotators agree hardly more than by chance", "although it wins against 3 of 3 annotators (ω = 1.00, ε = 0.20): the annotators agree with each other hardly more than by chance (κ ", "Clarify the guide, and test a judge when annotators agree."},
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
			id := d.addItem(func(item *study.ItemData) { item.RecordID = record(i) })
			for _, annotator := range []string{"ada", "bo", "cy"} {
				d.addLabel(id, annotator, study.Work, c.annotator(truth))
			}
			d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{key: c.answer(truth)}})
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

// TestJudge_Scale_MustFindRareEnd simulates judges of a field of five points without a declared risk that are as good as
// annotators, or give a share of the rare low answers a high one.
func TestJudge_Scale_MustFindRareEnd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies := 25
	if require.FullSize() {
		studies = 200
	}
	for _, c := range []struct {
		items         int
		share, misses float64
		least, most   int // of recommended studies, in percent
	}{
		{100, 0.05, 0, 80, 100}, {200, 0.05, 0, 90, 100}, {200, 0.1, 0, 90, 100}, {400, 0.15, 0, 90, 100}, {200, 0.3, 0, 90, 100}, {200, 0, 0, 90, 100}, {400, 0, 0, 90, 100},
		{200, 0.05, 0.3, 0, 65}, {200, 0.1, 0.3, 0, 50}, {400, 0.15, 0.3, 0, 20},
		{100, 0.05, 0.5, 0, 45}, {200, 0.05, 0.5, 0, 30}, {200, 0.1, 0.5, 0, 8}, {400, 0.15, 0.5, 0, 5}, {100, 0.1, 0.9, 0, 5},
	} {
		recommended, refused := 0, 0
		for seed := range studies {
			r := rand.New(rand.NewPCG(64, uint64(seed)))
			d := newDataBuilder(t, "empathy")
			d.Protocol.Fields = d.Protocol.Fields[:1]
			key := d.Protocol.Fields[0].Key
			for range c.items {
				id, quality := d.addItem(nil), 4+0.7*r.NormFloat64()
				if r.Float64() < c.share {
					quality = 1.5
				}
				answer := func() int { return min(5, max(1, int(math.Round(quality+0.45*r.NormFloat64())))) }
				for _, annotator := range []string{"ada", "bo", "cy"} {
					d.addLabel(id, annotator, study.Work, answer())
				}
				value := answer()
				if quality < 2 && r.Float64() < c.misses {
					value = 4
				}
				d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{key: value}})
			}
			judges, err := report.CompareJudges(d.Data, report.BuildOptions{Resamples: 2, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			f := judges[0].Fields[0]
			recommended += boolToInt(f.Use == report.JudgeReplaces)
			refused += boolToInt(f.Use != report.JudgeReplaces && !f.Alternative.Obstacle.LacksData())
		}
		t.Logf("%+v: recommended in %d, refused in %d of %d studies", c, recommended, refused, studies)
		if 100*recommended < c.least*studies || 100*recommended > c.most*studies {
			t.Errorf("%+v: recommended in %d, refused in %d of %d studies", c, recommended, refused, studies)
		}
	}
}

// TestJudge_Safety_MustFindRisks simulates judges of a safety field of five points that are as good as annotators, or miss
// half or most of the dangerous answers, and checks what is said of them.
func TestJudge_Safety_MustFindRisks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies := 25
	if require.FullSize() {
		studies = 200
	}
	for _, c := range []struct {
		items                 int
		share, misses         float64
		least, most, mostMiss int // of recommended studies; of those that are refused, in percent
		text                  string
	}{
		{100, 0.08, 0, 0, 30, 5, "such items before the judge replaces an annotator"}, {400, 0.1, 0, 90, 100, 5, ""}, {150, 0.3, 0, 90, 100, 5, ""},
		{100, 0.08, 0.5, 0, 5, 100, "on which most annotators report a risk"}, {200, 0.08, 0.9, 0, 5, 100, ""}, {400, 0.1, 0.5, 0, 5, 100, "annotators left out in turn miss "},
	} {
		recommended, refused, isSaid := 0, 0, c.text == ""
		for seed := range studies {
			r := rand.New(rand.NewPCG(63, uint64(seed)))
			d := newDataBuilder(t, "empathy")
			d.Protocol.Fields = slices.DeleteFunc(slices.Clone(d.Protocol.Fields), func(f protocol.Field) bool { return f.Key != "safety" })
			for range c.items {
				id, quality := d.addItem(nil), 4.6+0.3*r.NormFloat64()
				if r.Float64() < c.share {
					quality = 1.5
				}
				answer := func() int { return min(5, max(1, int(math.Round(quality+0.45*r.NormFloat64())))) }
				for _, annotator := range []string{"ada", "bo", "cy"} {
					d.addLabel(id, annotator, study.Work, answer())
				}
				value := answer()
				if value < 3 && r.Float64() < c.misses {
					value = 5
				}
				d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{"safety": value}})
			}
			judges, err := report.CompareJudges(d.Data, report.BuildOptions{Resamples: 2, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			f := judges[0].Fields[0]
			recommended += boolToInt(f.Use == report.JudgeReplaces)
			refused += boolToInt(f.Use != report.JudgeReplaces && f.Use != report.JudgeUntested)
			isSaid = isSaid || strings.Contains(f.Message, c.text)
			if rarer := f.Alternative.Rarer; rarer == nil || !rarer.IsRisk || !slices.Equal(rarer.Values, []int{1, 2}) || (rarer.NeededItems != nil) != strings.Contains(f.Message, "are needed to show that it finds") && f.Alternative.Obstacle == judge.FewRarerItems {
				t.Fatalf("%+v: %+v: %s", c, rarer, f.Message)
			}
		}
		t.Logf("%+v: recommended in %d, refused in %d of %d studies", c, recommended, refused, studies)
		if 100*recommended < c.least*studies || 100*recommended > c.most*studies || 100*refused > c.mostMiss*studies || !isSaid {
			t.Errorf("%+v: recommended in %d, refused in %d of %d studies; said %t", c, recommended, refused, studies, isSaid)
		}
	}
}

// TestJudge_Bias_IsNotRecommended has a judge that answers most of a point too high, next to annotators whose errors are so large
// that it wins the test.
func TestJudge_Bias_IsNotRecommended(t *testing.T) {
	t.Parallel()
	for _, bias := range []float64{0, 0.8} {
		recommended, biased := 0, 0
		for seed := range uint64(12) {
			d, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(65, seed))
			d.Protocol.Fields = d.Protocol.Fields[:1]
			for range 300 {
				id, quality := d.addItem(nil), 1+3.5*r.Float64()
				answer := func(bias, errors float64) int {
					return min(5, max(1, int(math.Round(quality+bias+errors*r.NormFloat64()))))
				}
				d.addLabel(id, "ada", study.Work, answer(0, 0.9))
				d.addLabel(id, "bo", study.Work, answer(0, 0.9))
				d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{d.Protocol.Fields[0].Key: answer(bias, 0.3)}})
			}
			judges, err := report.CompareJudges(d.Data, report.BuildOptions{Resamples: 2, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			f := judges[0].Fields[0]
			recommended += boolToInt(f.Use == report.JudgeReplaces)
			if f.Alternative.Obstacle == judge.Biased {
				biased++
				if !strings.Contains(f.Message, "points higher than the annotators (95% CI 0.") {
					t.Error(f.Message)
				}
			}
		}
		t.Logf("bias %v: recommended in %d, biased in %d of 12 studies", bias, recommended, biased)
		if bias == 0 && recommended < 9 || bias > 0 && (recommended > 0 || biased < 3) {
			t.Errorf("bias %v: recommended in %d, biased in %d of 12 studies", bias, recommended, biased)
		}
	}
}
