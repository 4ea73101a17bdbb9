package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// newSimulatedStudy is a study of 160 items by two annotators who agree by κ.
func newSimulatedStudy(t *testing.T, κ float64, seed uint64) *study {
	t.Helper()
	var d Data
	for _, p := range protocol.Builtin() {
		if p.Key == "empathy" {
			d.Protocol = p
		}
	}
	d.Protocol.Fields = d.Protocol.Fields[:1]
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range project.ItemID(160) {
		d.Items = append(d.Items, ItemData{ID: i + 1, SourceID: fmt.Sprint(i)})
		trueScore := 1 + r.IntN(5)
		for n, annotator := range []string{"ada", "bo"} {
			v := trueScore
			if r.Float64() >= math.Sqrt(κ) {
				v = 1 + r.IntN(5)
			}
			id := 2*int64(i) + int64(n) + 1
			d.Labels = append(d.Labels, Label{ID: id, ItemID: i + 1, Annotator: annotator, Kind: Work, Values: map[string]int{"emotion": v}, SubmittedAt: time.Unix(id, 0)})
		}
	}
	s, err := newStudy(d, BuildOptions{Seed: seed, Resamples: 500})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Four looks at each study: what lies right at a limit may settle in one of twenty,
// what lies off it settles on the right side. With LABELWRIGHT_SLOW=1 it takes 400
// studies, of which by chance alone up to 29 of those at a limit may settle.
func TestInterim_Simulated_FewErrors(t *testing.T) {
	t.Parallel()
	studies, maxErrors := 40, 5
	if os.Getenv("LABELWRIGHT_SLOW") == "1" {
		studies, maxErrors = 400, 29
	}
	for _, tt := range []struct {
		κ     float64
		right stats.AgreementVerdict // "": it lies at a limit, where every word is one too many
		some  int                    // studies that settle rightly, at least
	}{{0.4, "", 0}, {0.25, "", 0}, {0.325, stats.VerdictRevise, 0}, {0.6, stats.VerdictMeetsTarget, studies / 2}, {0.1, stats.VerdictRewrite, studies / 3}} {
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
		if wrong > maxErrors || right < tt.some {
			t.Errorf("κ %v: %d of %d studies settle wrongly, %d rightly", tt.κ, wrong, studies, right)
		}
		t.Logf("κ %v: %d of %d studies settle wrongly, %d rightly", tt.κ, wrong, studies, right)
	}
}
