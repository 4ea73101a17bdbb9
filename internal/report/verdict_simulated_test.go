package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// A verdictDesign is a study whose answers agree by a known κ: each is the item's true value
// with probability √κ and else drawn at random. Items of a record mostly share their true value,
// and half of the records are easier than the others.
type verdictDesign struct {
	name                                  string
	points                                int
	items, perRecord, annotators, perItem int
	shareOfFirst                          float64 // of the lowest value; 0: all are equal
}

var verdictDesigns = []verdictDesign{
	{"20 items × 2, 0–2", 3, 20, 1, 2, 2, 0},
	{"60 items × 2, binary 12%", 2, 60, 1, 2, 2, 0.88},
	{"50 items × 3, 1–5", 5, 50, 1, 3, 3, 0},
	{"150 items × 2", 5, 150, 1, 2, 2, 0},
	{"120 items, 8 annotators, 2 labels", 5, 120, 1, 8, 2, 0},
	{"15 records of 4 items × 3", 5, 60, 4, 3, 3, 0},
	{"30 records of 3 items × 3", 5, 90, 3, 3, 3, 0},
	{"60 records of 3 items × 3", 5, 180, 3, 3, 3, 0},
	{"10 records of 3 items × 3", 5, 30, 3, 3, 3, 0},
	{"10 records of 3 items × 3, binary 30%", 2, 30, 3, 3, 3, 0.7},
	{"12 records of 3 items × 2, binary", 2, 36, 3, 2, 2, 0},
}

func (d verdictDesign) draw(r *rand.Rand) int {
	switch {
	case d.shareOfFirst == 0:
		return r.IntN(d.points)
	case r.Float64() < d.shareOfFirst:
		return 0
	}
	return 1
}

func (d verdictDesign) simulateRatings(r *rand.Rand, κ float64) (ratings []stats.Rating) {
	shared, ofRecord := 0, κ
	for i := range d.items {
		if i%d.perRecord == 0 {
			if shared = d.draw(r); d.perRecord > 1 {
				ofRecord = κ + min(κ, 1-κ)/2*float64(2*r.IntN(2)-1)
			}
		}
		truth, record := shared, ""
		if d.perRecord > 1 {
			if record = fmt.Sprint(i / d.perRecord); r.Float64() < 0.4 {
				truth = d.draw(r)
			}
		}
		for _, g := range r.Perm(d.annotators)[:d.perItem] {
			value := truth
			if r.Float64() >= math.Sqrt(ofRecord) {
				value = d.draw(r)
			}
			ratings = append(ratings, stats.Rating{Item: fmt.Sprint(i), Annotator: fmt.Sprint(g), Value: value, Cluster: record})
		}
	}
	return ratings
}

// simulate returns the verdict on one study, as reports give it.
func (d verdictDesign) simulate(t *testing.T, r *rand.Rand, κ float64) Verdict {
	t.Helper()
	scale := stats.NewRangeScale(0, d.points-1)
	table, err := stats.NewRatingTable(scale, d.simulateRatings(r, κ))
	if err != nil {
		t.Fatal(err)
	}
	q := fieldTable{FieldTable: study.FieldTable{Values: scale, Table: table}}
	f := FieldReport{Scale: scale, Figures: study.FiguresFromEstimates(
		stats.ComputeEstimates(table, stats.IntervalOptions{Workers: 1, Resamples: 100}, stats.PercentAgreement(), stats.SharedKappa(stats.Linear), stats.SuitableAC(scale)))}
	v := newVerdict(f, 0.4)
	v.adjustForPrevalence(q, f, d.annotators)
	return v
}

// count simulates studies and returns how many of the verdicts commit themselves, and how many are wrong.
func (d verdictDesign) count(t *testing.T, studies int, seed uint64, drawκ func(*rand.Rand) float64) (committed, wrong int) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for s := worker; s < studies; s += runtime.GOMAXPROCS(0) {
				r := rand.New(rand.NewPCG(seed, uint64(s)))
				κ := drawκ(r)
				if v := d.simulate(t, r, κ); v.IsConclusive {
					mu.Lock()
					committed, wrong = committed+1, wrong+study.BoolToInt(v.outcomeFor(κ) != v.Outcome)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return committed, wrong
}

// verdictStudies returns the number of simulated studies of each design, and how many standard
// errors a share of them may miss its limit by.
func verdictStudies(t *testing.T) (studies int, standardErrors float64) {
	t.Helper()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	if require.FullSize() {
		return 4000, 2
	}
	return 100, 3
}

// TestVerdict_Committed_IsRight simulates studies whose κ is anywhere from 0 to 1: of the verdicts
// that commit themselves, at least 95% are right in each design.
func TestVerdict_Committed_IsRight(t *testing.T) {
	t.Parallel()
	studies, standardErrors := verdictStudies(t)
	for _, d := range verdictDesigns {
		committed, wrong := d.count(t, studies, 51, (*rand.Rand).Float64)
		share := float64(wrong) / float64(committed)
		t.Logf("%s: %d of %d verdicts commit themselves, %.1f%% of them are right", d.name, committed, studies, 100-100*share)
		if maxShare := 0.05; share > maxShare+standardErrors*math.Sqrt(maxShare*(1-maxShare)/float64(committed)) {
			t.Errorf("%s: %.1f%% of %d committed verdicts are wrong", d.name, 100*share, committed)
		}
	}
}

// TestVerdict_AtLimit_RarelyWrong pins what holds for any single κ. A verdict needs a probability of
// 0.9, so next to a limit 10% of all studies commit themselves to its other side. Most studies there
// do not commit themselves, so that share says nothing about the committed ones: between the limits,
// which are 0.15 apart, few of them can be right in studies of these sizes.
func TestVerdict_AtLimit_RarelyWrong(t *testing.T) {
	t.Parallel()
	studies, standardErrors := verdictStudies(t)
	studies /= 2
	for _, d := range verdictDesigns {
		for _, κ := range []float64{0.249, 0.251, 0.325, 0.399, 0.401} {
			committed, wrong := d.count(t, studies, 52, func(*rand.Rand) float64 { return κ })
			share := float64(wrong) / float64(studies)
			t.Logf("%s, κ %.3f: %d of %d verdicts commit themselves, %.1f%% of all are wrong", d.name, κ, committed, studies, 100*share)
			if maxShare := 0.12; share > maxShare+standardErrors*math.Sqrt(maxShare*(1-maxShare)/float64(studies)) {
				t.Errorf("%s: where κ is %.3f, %.1f%% of all verdicts are wrong", d.name, κ, 100*share)
			}
		}
	}
}
