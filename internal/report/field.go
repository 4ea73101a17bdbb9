package report

import (
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Field is how far annotators agree on one field.
type Field struct {
	Key       string    `json:"key"`
	Title     string    `json:"title"`
	Scale     []int     `json:"scale"`
	Verdict   Verdict   `json:"verdict"`
	Figures   []Figure  `json:"figures"` // every coefficient
	Pairs     []Pair    `json:"pairs"`
	Confusion [][]int   `json:"confusion"` // of all pairs together, by scale, both ways around
	Settling  []Outcome `json:"settling"`
	Time      []Window  `json:"time"`
	Means     []Mean    `json:"means"` // of successive stretches of time
}

// An Outcome is how many items came to one answer in a way.
type Outcome struct {
	How   stats.Settling `json:"how"`
	Items int            `json:"items"`
}

// A Pair is how two annotators agree on the items both judged.
type Pair struct {
	First     string  `json:"first"`
	Second    string  `json:"second"`
	Percent   Figure  `json:"percent"`
	Kappa     Figure  `json:"kappa"` // linear-weighted
	Confusion [][]int `json:"confusion"`
}

// A Window is a stretch of time with enough items in it to say something.
type Window struct {
	From  time.Time `json:"from"` // when its first item had its second label
	To    time.Time `json:"to"`
	Kappa Figure    `json:"kappa"` // linear-weighted, Conger's
}

// Get returns the figure of that coefficient in that variant.
func (f Field) Get(coefficient, variant string) Figure {
	i := slices.IndexFunc(f.Figures, func(g Figure) bool { return g.Coefficient == coefficient && g.Variant == variant })
	if i < 0 {
		return Figure{}
	}
	return f.Figures[i]
}

func (s *study) field(q question) Field {
	f := Field{Key: q.Key, Title: q.Title, Scale: q.scale}
	s.tell("agreement on “" + q.Title + "”")
	f.Figures = figuresOf(stats.Estimates(q.table, s.o, stats.Measures()...))
	f.Confusion = s.confusion(q)
	f.Verdict = verdictOf(f, s.Protocol.Plan.Target)
	never, annotators := q.unvarying()
	f.Verdict.temper(f, never, annotators)
	s.tell("whether the overlap on “" + q.Title + "” is enough")
	f.Verdict.look(s.looks(q, &f.Verdict))
	s.tell("“" + q.Title + "” by pair and over time")
	f.Pairs = s.pairs(q)
	f.Settling = s.settling(q)
	f.Time = s.windows(q)
	f.Means = s.course(q)
	return f
}

// fullPairs is up to how many pairs each gets an interval and a table of its
// own; beyond, nobody reads them, and they cost.
const fullPairs = 66

// pairs compares every two annotators who share an item.
func (s *study) pairs(q question) []Pair {
	shared := s.sharing(q.Key)
	names, pairs := q.table.Annotators(), []Pair{}
	for i, a := range names {
		for _, b := range names[i+1:] {
			if shared[[2]string{a, b}] {
				pairs = append(pairs, Pair{First: a, Second: b})
			}
		}
	}
	measures := []stats.Measure{stats.PercentAgreement(), stats.LightKappa(stats.Linear)}
	for i := range pairs {
		p := &pairs[i]
		t := q.table.Pair(p.First, p.Second)
		if len(pairs) <= fullPairs {
			figures := figuresOf(stats.Estimates(t, s.o, measures...))
			p.Percent, p.Kappa = figures[0], figures[1]
			p.Confusion = q.table.Confusion(p.First, p.Second).Counts
			continue
		}
		p.Percent, p.Kappa = pointOnly(t, measures[0]), pointOnly(t, measures[1])
	}
	return pairs
}

func pointOnly(t stats.Table, m stats.Measure) Figure {
	return figureOf(stats.Estimate{Coefficient: m.Coefficient, Variant: m.Variant, Figure: m.Of(t),
		Interval: stats.Interval{Undefined: "there are too many pairs to compute the interval of each"}})
}

// sharing returns which annotators, in order, share an item.
func (s *study) sharing(field string) map[[2]string]bool {
	shared := map[[2]string]bool{}
	for _, labels := range s.on {
		for i, l := range labels {
			for _, m := range labels[i+1:] {
				a, b := s.work[l], s.work[m]
				_, one := a.Values[field]
				_, other := b.Values[field]
				if one && other {
					shared[[2]string{min(a.Annotator, b.Annotator), max(a.Annotator, b.Annotator)}] = true
				}
			}
		}
	}
	return shared
}

// confusion counts the answers of every two annotators to the same item, both
// ways around.
func (s *study) confusion(q question) [][]int {
	counts := make([][]int, len(q.scale))
	for i := range counts {
		counts[i] = make([]int, len(q.scale))
	}
	for _, labels := range s.on {
		for _, l := range labels {
			for _, m := range labels {
				first, one := s.work[l].Values[q.Key]
				second, other := s.work[m].Values[q.Key]
				if l != m && one && other {
					a, _ := q.scale.Index(first)
					b, _ := q.scale.Index(second)
					counts[a][b]++
				}
			}
		}
	}
	return counts
}
