package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// pair is a study of 160 items by two annotators who agree by κ.
func pair(t *testing.T, κ float64, seed uint64) *study {
	t.Helper()
	var d Data
	for _, p := range protocol.Builtin() {
		if p.Key == "empathy" {
			d.Protocol = p
		}
	}
	d.Protocol.Fields = d.Protocol.Fields[:1]
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range int64(160) {
		d.Items = append(d.Items, Item{ID: i + 1, Source: fmt.Sprint(i)})
		own := 1 + r.IntN(5)
		for n, who := range []string{"ada", "bo"} {
			v := own
			if r.Float64() >= math.Sqrt(κ) {
				v = 1 + r.IntN(5)
			}
			id := 2*i + int64(n) + 1
			d.Labels = append(d.Labels, Label{ID: id, ItemID: i + 1, Annotator: who, Kind: Work, Values: map[string]int{"emotion": v}, Submitted: time.Unix(id, 0)})
		}
	}
	s, err := newStudy(d, Options{Seed: seed, Resamples: 500})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Four looks at each study: what lies right at the target may settle in one of
// twenty, what lies off it settles on the right side.
func TestLookingOftenSettlesNothingByChance(t *testing.T) {
	t.Parallel()
	const studies = 40
	for _, tt := range []struct {
		κ           float64
		right       stats.Verdict
		wrong, some int // at most, and at least
	}{{0.4, "", 2, 0}, {0.6, stats.Go, 0, studies / 2}, {0.1, stats.Rewrite, 0, studies / 3}} {
		right, wrong := 0, 0
		for seed := range uint64(studies) {
			s := pair(t, tt.κ, seed)
			looks := s.looks(s.fields[0], &Verdict{Target: 0.4})
			switch last := looks[len(looks)-1]; {
			case last.Settled && last.Word == tt.right:
				right++
			case last.Settled:
				wrong++
			}
		}
		if wrong > tt.wrong || right < tt.some {
			t.Errorf("κ %v: %d of %d studies settle wrongly, %d rightly", tt.κ, wrong, studies, right)
		}
		t.Logf("κ %v: %d of %d studies settle wrongly, %d rightly", tt.κ, wrong, studies, right)
	}
}
