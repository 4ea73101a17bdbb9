package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/require"
)

// A divergentDesign is a study in five fields whose annotators err equally often, but for the last one.
type divergentDesign struct {
	annotators, items, perItem int
	perRecord                  int                                // items of one record mostly have the same true value
	error                      float64                            // probability of a random answer
	dominance                  float64                            // probability that the true value is 4
	last                       func(r *rand.Rand, answer int) int // nil: as the others
}

func (d divergentDesign) String() string {
	return fmt.Sprintf("%d annotators, %d items with %d labels, %d per record, error %.2f, dominance %.1f", d.annotators, d.items, d.perItem, d.perRecord, d.error, d.dominance)
}

// countNamed simulates studies. It returns how many annotators are named as a cause on some field, and in
// how many studies the last one is, on some field and on every field.
func (d divergentDesign) countNamed(t *testing.T, studies int, seed uint64) (annotators, lastOnSome, lastOnAll int) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		wg.Go(func() {
			for n := worker; n < studies; n += workers {
				r, err := report.Build(d.build(t, rand.New(rand.NewPCG(seed, uint64(n)))), report.BuildOptions{Resamples: 20, Seed: 1})
				if err != nil {
					t.Error(err)
					return
				}
				fieldsOf := map[string]int{}
				for _, f := range r.Fields {
					var named []string
					for _, c := range f.Verdict.Causes {
						named = append(named, c.Annotator)
					}
					slices.Sort(named)
					for _, name := range slices.Compact(named) {
						fieldsOf[name]++
					}
				}
				delete(fieldsOf, "")
				last := fieldsOf[fmt.Sprint("a-", d.annotators)]
				mu.Lock()
				annotators, lastOnSome, lastOnAll = annotators+len(fieldsOf), lastOnSome+boolToInt(last > 0), lastOnAll+boolToInt(last == len(r.Fields))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return annotators, lastOnSome, lastOnAll
}

func (d divergentDesign) build(t *testing.T, r *rand.Rand) study.Data {
	b := newDataBuilder(t, "empathy")
	truths := make([]int, len(b.Protocol.Fields))
	draw := func() int {
		if r.Float64() < d.dominance {
			return 4
		}
		return 1 + r.IntN(5)
	}
	for i := range d.items {
		for f := range truths {
			if i%max(d.perRecord, 1) == 0 || r.Float64() < 0.4 {
				truths[f] = draw()
			}
		}
		id := b.addItem(func(item *study.ItemData) {
			if d.perRecord > 1 {
				item.RecordID = fmt.Sprint("r", i/d.perRecord)
			}
		})
		for _, g := range r.Perm(d.annotators)[:d.perItem] {
			values := slices.Clone(truths)
			for f := range values {
				if r.Float64() < d.error {
					values[f] = draw()
				}
				if g == d.annotators-1 && d.last != nil {
					values[f] = d.last(r, values[f])
				}
			}
			b.addLabel(id, fmt.Sprint("a-", g+1), study.Work, values...)
		}
	}
	return b.Data
}

// causeStudies returns the number of simulated studies of each design.
func causeStudies(t *testing.T) int {
	t.Helper()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	if require.FullSize() {
		return 200
	}
	return 12
}

// TestCauses_EqualAnnotators_RarelyNamed simulates annotators who err equally often: at most 5% of them
// are named as the cause of low agreement on any of five fields.
func TestCauses_EqualAnnotators_RarelyNamed(t *testing.T) {
	t.Parallel()
	studies := causeStudies(t)
	for _, d := range []divergentDesign{
		{annotators: 3, items: 60, perItem: 3, error: 0.3},
		{annotators: 3, items: 60, perItem: 3, error: 0.45},
		{annotators: 3, items: 20, perItem: 3, error: 0.45},
		{annotators: 3, items: 20, perItem: 3, error: 1},
		{annotators: 4, items: 60, perItem: 4, error: 0.4},
		{annotators: 8, items: 60, perItem: 8, error: 0.4},
		{annotators: 8, items: 120, perItem: 2, error: 0.4},
		{annotators: 3, items: 60, perItem: 3, perRecord: 4, error: 0.4},
		{annotators: 4, items: 60, perItem: 3, error: 0.5, dominance: 0.9},
	} {
		named, _, _ := d.countNamed(t, studies, 71)
		all := float64(studies * d.annotators)
		t.Logf("%s: %d of %.0f annotators are named (%.1f%%)", d, named, all, 100*float64(named)/all)
		if limit := 0.05; float64(named)/all > limit+3*math.Sqrt(limit*(1-limit)/all) {
			t.Errorf("%s: %d of %.0f annotators are named", d, named, all)
		}
	}
}

// TestCauses_DivergentAnnotator_IsNamed simulates one annotator who answers at random, always the same or
// with a swapped scale: in 90% of the studies the annotator is named.
func TestCauses_DivergentAnnotator_IsNamed(t *testing.T) {
	t.Parallel()
	studies := max(causeStudies(t)/2, 10)
	for name, last := range map[string]func(r *rand.Rand, answer int) int{
		"random":   func(r *rand.Rand, _ int) int { return 1 + r.IntN(5) },
		"constant": func(*rand.Rand, int) int { return 3 },
		"swapped":  func(_ *rand.Rand, answer int) int { return 6 - answer },
	} {
		for _, d := range []divergentDesign{
			{annotators: 3, items: 60, perItem: 3, error: 0.1, last: last},
			{annotators: 3, items: 60, perItem: 3, error: 0.2, last: last},
			{annotators: 3, items: 60, perItem: 3, error: 0.2, dominance: 0.5, last: last},
			{annotators: 3, items: 60, perItem: 3, error: 0.1, perRecord: 4, last: last},
			{annotators: 5, items: 60, perItem: 3, error: 0.2, last: last},
		} {
			others, onSome, onAll := d.countNamed(t, studies, 72)
			t.Logf("%s, %s: named in %d of %d studies, in %d on all fields; %d others", name, d, onSome, studies, onAll, others-onSome)
			if float64(onSome) < 0.9*float64(studies)-3*math.Sqrt(0.09*float64(studies)) {
				t.Errorf("%s, %s: named in %d of %d studies", name, d, onSome, studies)
			}
		}
	}
}

// TestCauses_OneRecord_IsNotChance simulates studies of few items. Without one that differs from the others
// a record is hardly ever named; a record of items with opposite answers mostly is.
func TestCauses_OneRecord_IsNotChance(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies := 50
	if require.FullSize() {
		studies = 1000
	}
	count := func(records, annotators, opposite int, error float64) (named, wrong int) {
		r := rand.New(rand.NewPCG(81, uint64(records)))
		for range studies {
			d := newDataBuilder(t, "empathy")
			d.Protocol.Fields = d.Protocol.Fields[:1]
			for record := range records {
				items := 1
				if record == 0 && opposite > 0 {
					items = opposite
				}
				for range items {
					truth := 1 + r.IntN(5)
					id := d.addItem(func(item *study.ItemData) { item.RecordID = fmt.Sprintf("r%02d", record) })
					for g := range annotators {
						v := truth
						switch {
						case record == 0 && opposite > 0:
							v = 1 + 4*(g%2)
						case r.Float64() < error:
							v = 1 + r.IntN(5)
						}
						d.addLabel(id, fmt.Sprint("a-", g), study.Work, v)
					}
				}
			}
			for _, c := range d.build().Fields[0].Verdict.Causes {
				if c.Kind == report.OneRecord {
					named, wrong = named+boolToInt(c.Record == "r00"), wrong+boolToInt(c.Record != "r00" || opposite == 0)
				}
			}
		}
		return named, wrong
	}
	for _, records := range []int{20, 30} {
		for annotators := 2; annotators <= 3; annotators++ {
			for _, error := range []float64{0.3, 0.5, 0.7} {
				_, wrong := count(records, annotators, 0, error)
				t.Logf("%d items, %d annotators, error %.1f: a record is named in %d of %d studies", records, annotators, error, wrong, studies)
				if share := float64(wrong) / float64(studies); share > 0.05+2*math.Sqrt(0.05*0.95/float64(studies)) {
					t.Errorf("%d items, %d annotators, error %.1f: a record is named in %d of %d studies", records, annotators, error, wrong, studies)
				}
			}
		}
	}
	named, wrong := count(30, 2, 12, 0.15)
	t.Logf("one record of 12 opposite answers is named in %d of %d studies, another one in %d", named, studies, wrong)
	if float64(named) < 0.8*float64(studies) || wrong > studies/50 {
		t.Errorf("one record of 12 opposite answers is named in %d of %d studies, another one in %d", named, studies, wrong)
	}
}
