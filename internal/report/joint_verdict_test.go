package report

import (
	"math"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// TestVerdicts_TiedFields_UseJointModel compares the chances of verdicts with the probabilities of the combinations of answers
// that meet them, in the model of three fields that rules tie to each other.
func TestVerdicts_TiedFields_UseJointModel(t *testing.T) {
	t.Parallel()
	d, _ := simulatedQueries{60, 0.15, 5}.simulate(t, 3)
	d.Protocol.Verdicts = []protocol.VerdictRule{{Key: "none", Title: "None", None: []int{1}}, {Key: "any", Title: "Any", Any: []int{1}}}
	s, err := newStudy(d, BuildOptions{Resamples: 1, Consensus: consensus.ByDawidSkene})
	if err != nil {
		t.Fatal(err)
	}
	joint, open := 0, 0
	for _, f := range s.consensus.fits {
		if len(f.fields) < len(s.fields) {
			continue
		}
		for row, item := range s.fields[f.fields[0]].items {
			joint++
			none := 0.0
			for n, c := range f.combinations {
				if !slices.Contains(c, 1) {
					none += f.fit.ItemPosterior(row)[n]
				}
			}
			open += boolToInt(none > 0.01 && none < 0.99)
			for i, want := range []float64{none, 1 - none} {
				if unit, ok := s.verdictChance(item, d.Protocol.Verdicts[i], s.answerChance); !ok || math.Abs(unit.Value-want) > 1e-12 {
					t.Fatalf("item %d, %s: %v, want %v", item, d.Protocol.Verdicts[i].Key, unit.Value, want)
				}
			}
		}
	}
	if joint < 200 || open < 20 {
		t.Errorf("%d items with one model of all fields, %d of them open", joint, open)
	}
}
