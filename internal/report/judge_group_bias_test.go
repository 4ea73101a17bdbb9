package report_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// TestJudge_GroupBias_IsNotRecommended simulates three annotators and a judge that is as good as they are, or that answers the
// items of one group higher. The groups are equal, or one is better by a point.
func TestJudge_GroupBias_IsNotRecommended(t *testing.T) {
	t.Parallel()
	studies := 25
	if require.FullSize() {
		studies = 300
	}
	for _, c := range []struct{ favor, better float64 }{{0, 0}, {0, 1}, {0.8, 0}, {0.8, 1}} {
		refused, recommended := 0, 0
		for seed := range studies {
			r := rand.New(rand.NewPCG(72, uint64(seed)))
			d := newDataBuilder(t, "empathy")
			d.Protocol.Fields = d.Protocol.Fields[:1]
			key := d.Protocol.Fields[0].Key
			for i := range 120 {
				group := []string{"base", "new"}[i%2]
				id := d.addItem(func(item *study.ItemData) { item.Meta = map[string]string{"system": group} })
				quality := 1 + 3*r.Float64() + c.better*float64(i%2)
				answer := func(bias, errors float64) int {
					return min(5, max(1, int(math.Round(quality+bias+errors*r.NormFloat64()))))
				}
				for _, annotator := range []string{"ada", "bo", "cy"} {
					d.addLabel(id, annotator, study.Work, answer(0, 0.7))
				}
				d.Judgments = append(d.Judgments, study.Judgment{ItemID: id, Judge: "critic", Values: map[string]int{key: answer(c.favor*float64(i%2), 0.4)}})
			}
			judges, err := report.CompareJudges(d.Data, report.BuildOptions{Resamples: 2, Seed: 1, Column: "system"})
			if err != nil {
				t.Fatal(err)
			}
			f := judges[0].Fields[0]
			recommended += boolToInt(f.Use == report.JudgeReplaces)
			if isFavored := f.Alternative.Obstacle == judge.FavorsGroup; isFavored {
				refused++
				if !strings.Contains(f.Message, "it favors “new” over “base” by ") || !strings.HasSuffix(f.Message, "Keep annotators on this field where groups are compared.") {
					t.Error(f.Message)
				}
			}
		}
		t.Logf("%+v: recommended in %d, refused in %d of %d studies", c, recommended, refused, studies)
		if c.favor == 0 && (refused > studies/25 || 10*recommended < 8*studies) || c.favor > 0 && 20*recommended > studies {
			t.Errorf("%+v: recommended in %d, refused in %d of %d studies", c, recommended, refused, studies)
		}
	}
}
