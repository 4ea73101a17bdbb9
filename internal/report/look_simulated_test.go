package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
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

// Four looks at each study: what lies right at a limit may settle in one of twenty,
// what lies off it settles on the right side. With LABELWRIGHT_SLOW=1 it takes 400
// studies, of which by chance alone up to 29 of those at a limit may settle.
func TestLookingOftenSettlesNothingByChance(t *testing.T) {
	t.Parallel()
	studies, mayErr := 40, 5
	if os.Getenv("LABELWRIGHT_SLOW") == "1" {
		studies, mayErr = 400, 29
	}
	for _, tt := range []struct {
		κ     float64
		right stats.Verdict // "": it lies at a limit, where every word is one too many
		some  int           // studies that settle rightly, at least
	}{{0.4, "", 0}, {0.25, "", 0}, {0.325, stats.Revise, 0}, {0.6, stats.Go, studies / 2}, {0.1, stats.Rewrite, studies / 3}} {
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
		if wrong > mayErr || right < tt.some {
			t.Errorf("κ %v: %d of %d studies settle wrongly, %d rightly", tt.κ, wrong, studies, right)
		}
		t.Logf("κ %v: %d of %d studies settle wrongly, %d rightly", tt.κ, wrong, studies, right)
	}
}
