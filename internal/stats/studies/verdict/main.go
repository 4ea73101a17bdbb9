// Command verdict simulates fields with a known κ, and writes how often the verdict on them commits itself and is
// right.
//
//	go run ./internal/stats/studies/verdict -studies 1000 -out internal/stats/studies/verdict
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/studies/simulated"
)

// mostKappa ends the range from which κ is drawn.
const mostKappa = 0.85

// The bars.
const (
	minRight     = 0.95
	minCommitted = 0.6 // of 120 × 2
)

var targets = []float64{0.4, 0.6}

func main() {
	studies := flag.Int("studies", 1000, "simulated studies per design and target")
	out := flag.String("out", ".", "folder of results.md")
	flag.Parse()
	var rows []row
	for _, target := range targets {
		for i, d := range simulated.Designs() {
			rows = append(rows, run(d, target, *studies, uint64(i)))
		}
	}
	simulated.WriteResults(*out, results(rows, *studies))
}

// A row counts the verdicts on the studies of a design.
type row struct {
	simulated.Design
	target          float64
	verdicts, right map[agreement.Verdict]int
	studies         int
	decidable       int // of those whose κ is 0.2 or more from the target: with a verdict
	far             int
}

func (r row) committed() int { return r.verdicts[agreement.Meets] + r.verdicts[agreement.BelowTarget] }

func (r row) rightShare() float64 {
	return simulated.Share(r.right[agreement.Meets]+r.right[agreement.BelowTarget], r.committed())
}

func run(d simulated.Design, target float64, studies int, seed uint64) row {
	r := row{Design: d, target: target, verdicts: map[agreement.Verdict]int{}, right: map[agreement.Verdict]int{},
		studies: studies}
	kappas, verdicts := make([]float64, studies), make([]agreement.Verdict, studies)
	simulated.Run(studies, func(n int) {
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		raters := d.NewRaters(mostKappa*random.Float64(), random)
		kappas[n], verdicts[n] = d.Kappa(raters), verdictOf(d, raters, target, random)
	})
	for n, v := range verdicts {
		r.verdicts[v]++
		isCommitted := v == agreement.Meets || v == agreement.BelowTarget
		if isCommitted && (kappas[n] >= target) == (v == agreement.Meets) {
			r.right[v]++
		}
		if distance := kappas[n] - target; max(distance, -distance) >= 0.2 {
			r.far++
			if isCommitted {
				r.decidable++
			}
		}
	}
	return r
}

// verdictOf returns the verdict on simulated labels of one field.
func verdictOf(d simulated.Design, raters []simulated.Rater, target float64, r *rand.Rand) agreement.Verdict {
	field := protocol.Field{Key: "field", Title: "Field"}
	for point := range d.Shares {
		field.Scale = append(field.Scale, protocol.Point{Value: point})
	}
	data := study.Data{Protocol: protocol.Protocol{Fields: []protocol.Field{field}}}
	data.Protocol.Plan.TargetKappa = target
	truths := d.Truths(r)
	for i, annotators := range simulated.Assign(d.Items, d.Labels, d.Annotators, r) {
		item := study.ItemData{ID: project.ItemID(i + 1), SourceID: fmt.Sprint(i)}
		if d.Records > 0 {
			item.RecordID = fmt.Sprint(d.RecordOf(i))
		}
		data.Items = append(data.Items, item)
		for _, a := range annotators {
			l := study.Label{ID: int64(len(data.Labels) + 1), ItemID: item.ID, Annotator: fmt.Sprintf("a%02d", a),
				Kind: study.Work, Values: map[string]int{}}
			if answer := d.Answer(raters[a], truths[i], r); d.IsAsked(i) {
				l.Values[field.Key] = answer
			}
			data.Labels = append(data.Labels, l)
		}
	}
	s, err := study.New(data, stats.IntervalOptions{Resamples: 50, Seed: 1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fields, err := agreement.ComputeVerdicts(s)
	if err != nil {
		log.Fatal(err)
	}
	return fields[0].Verdict
}

func results(rows []row, studies int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Verdicts on agreement\n\nWritten by `go run ./internal/stats/studies/verdict -studies %d -out internal/stats/studies/verdict`.\n"+
		"%d simulated fields of each design and target, whose κ (linear weights) is uniform on 0 to %g. Annotators differ in level by 0.15\nstandard deviations.\n\n"+
		"Far: verdicts on fields whose κ is at least 0.2 from the target.\n\n", studies, studies, mostKappa)
	b.WriteString("| design | target | meets | right | below target | right | open | too few | right, of both | with a verdict | far |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		of := func(v agreement.Verdict) float64 { return 100 * simulated.Share(r.verdicts[v], r.studies) }
		right := func(v agreement.Verdict) string {
			if r.verdicts[v] == 0 {
				return "–"
			}
			return fmt.Sprintf("%.1f%%", 100*simulated.Share(r.right[v], r.verdicts[v]))
		}
		fmt.Fprintf(&b, "| %s | %g | %.0f%% | %s | %.0f%% | %s | %.0f%% | %.0f%% | %.1f%% | %.0f%% | %.0f%% |\n",
			r.Name, r.target, of(agreement.Meets), right(agreement.Meets),
			of(agreement.BelowTarget), right(agreement.BelowTarget), of(agreement.Open), of(agreement.TooFewItems),
			100*r.rightShare(), 100*simulated.Share(r.committed(), r.studies), 100*simulated.Share(r.decidable, r.far))
	}
	return b.String() + bars(rows)
}

// bars says which bars are met.
func bars(rows []row) string {
	var wrong, few []string
	for _, r := range rows {
		name := fmt.Sprintf("%s, target %g", r.Name, r.target)
		if r.rightShare() < minRight {
			wrong = append(wrong, name)
		}
		if r.Items == 120 && simulated.Share(r.committed(), r.studies) < minCommitted {
			few = append(few, name)
		}
	}
	return fmt.Sprintf("\n## Bars\n\n- Right in at least %.0f%% of the fields with a verdict: %s.\n- A verdict on at least %.0f%% of the fields with 120 items and two labels each: %s.\n",
		100*minRight, simulated.DescribeBar(wrong), 100*minCommitted, simulated.DescribeBar(few))
}
