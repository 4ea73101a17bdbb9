package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/require"
)

// TestJudgeBias_Records_CoversTruth has a judge that scores whole records too high or too low, without bias on average.
func TestJudgeBias_Records_CoversTruth(t *testing.T) {
	t.Parallel()
	studies, least := 60, 0.85
	if require.FullSize() {
		studies, least = 1000, 0.92
	}
	for _, design := range [][2]int{{20, 10}, {15, 4}, {14, 10}} { // records and items of each
		covered, given := 0.0, 0.0
		for seed := range studies {
			r, d := rand.New(rand.NewPCG(8, uint64(seed))), newDataBuilder(t, "empathy")
			d.Protocol.Fields = d.Protocol.Fields[:1]
			for record := range design[0] {
				shift := 0.6 * r.NormFloat64()
				for range design[1] {
					id, truth := d.addItem(func(i *study.ItemData) { i.RecordID = fmt.Sprint("r", record) }), 2+r.IntN(3)
					d.addLabel(id, "ada", study.Work, truth)
					answer := math.Round(float64(truth) + shift + 0.3*r.NormFloat64())
					d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{"emotion": int(min(max(answer, 1), 5))}})
				}
			}
			judges, err := report.CompareJudges(d.Data, report.BuildOptions{Resamples: 2, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if b := judges[0].Fields[0].BlandAltman.Bias; b.Low != nil {
				given++
				covered += float64(boolToInt(*b.Low <= 0 && 0 <= *b.High))
			}
		}
		if (given > 0) != (design[0] >= 15) || covered < least*given {
			t.Errorf("%v: %.0f of %.0f intervals contain the bias", design, covered, given)
		}
	}
}
