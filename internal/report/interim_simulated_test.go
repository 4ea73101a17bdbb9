package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/require"
)

// newSimulatedStudy returns a study of 160 items by two annotators with a true κ.
func newSimulatedStudy(t *testing.T, κ float64, seed uint64) *builder {
	t.Helper()
	var d study.Data
	for _, p := range protocol.Builtin() {
		if p.Key == "empathy" {
			d.Protocol = p
		}
	}
	d.Protocol.Fields = d.Protocol.Fields[:1]
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range project.ItemID(160) {
		d.Items = append(d.Items, study.ItemData{ID: i + 1, SourceID: fmt.Sprint(i)})
		trueScore := 1 + r.IntN(5)
		for n, annotator := range []string{"ada", "bo"} {
			v := trueScore
			if r.Float64() >= math.Sqrt(κ) {
				v = 1 + r.IntN(5)
			}
			id := 2*int64(i) + int64(n) + 1
			d.Labels = append(d.Labels, study.Label{ID: id, ItemID: i + 1, Annotator: annotator, Kind: study.Work, Values: map[string]int{"emotion": v}, SubmittedAt: time.Unix(id, 0)})
		}
	}
	s, err := newBuilder(d, BuildOptions{Seed: seed, Resamples: 500})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// With four interim analyses per study, a κ at a limit may be conclusive in 5% of studies.
// With LABELWRIGHT_SLOW=1 there are 400 studies, and 29 is the 97.5% quantile of chance.
func TestInterim_Simulated_FewErrors(t *testing.T) {
	t.Parallel()
	studies, maxErrors := 40, 5
	if require.FullSize() {
		studies, maxErrors = 400, 29
	}
	for _, tt := range []struct {
		κ        float64
		right    Outcome // empty: κ is at a limit, so every conclusion is an error
		minRight int     // conclusive studies with the right outcome
	}{{0.4, "", 0}, {0.25, "", 0}, {0.325, Revise, 0}, {0.6, Go, studies * 2 / 5}, {0.1, Rewrite, studies / 3}} {
		right, wrong := 0, 0
		for seed := range uint64(studies) {
			s := newSimulatedStudy(t, tt.κ, seed)
			analyses := s.runInterimAnalyses(s.fields[0], &Verdict{Target: 0.4})
			switch last := analyses[len(analyses)-1]; {
			case last.IsConclusive && last.Outcome == tt.right:
				right++
			case last.IsConclusive:
				wrong++
			}
		}
		if wrong > maxErrors || right < tt.minRight {
			t.Errorf("κ %v: %d of %d studies conclude wrongly, %d rightly", tt.κ, wrong, studies, right)
		}
		t.Logf("κ %v: %d of %d studies conclude wrongly, %d rightly", tt.κ, wrong, studies, right)
	}
}
