// Command comparison simulates studies that compare two groups: how often the primary estimate shows a difference where
// there is none, and where there is one, next to a plain mixed model with Wald's test on the same data, as statsmodels
// fits it.
//
//	go run ./internal/stats/studies/comparison -studies 1000 -out internal/stats/studies/comparison
//
// The tests of package mixed compare the model with that of statsmodels.
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/stats/comparison"
	"github.com/labelwright/labelwright/internal/stats/mixed"
	"github.com/labelwright/labelwright/internal/stats/studies/simulated"
)

func main() {
	studies := flag.Int("studies", 1000, "simulated studies of each design and effect")
	out := flag.String("out", ".", "folder of results.md")
	flag.Parse()
	simulated.WriteResults(*out, results(simulateAll(*studies), *studies))
}

// A row is the shares of the studies of a design in which a difference is shown.
type row struct {
	design
	falsePositives, plainFalsePositives float64
	power, plainPower                   float64
	meanDetectable                      float64 // where there is no difference
}

func simulateAll(studies int) []row {
	rows := make([]row, len(designs))
	simulated.Run(len(designs), func(i int) { rows[i] = designs[i].run(studies, uint64(i)) })
	return rows
}

func (d design) run(studies int, seed uint64) row {
	result := row{design: d}
	for n := range studies {
		for _, effect := range []float64{0, d.effect} {
			study := d.simulate(effect, rand.New(rand.NewPCG(seed, uint64(n))))
			r := comparison.Compare(study)
			shown, plain := r.Reason == "" && r.Primary.PValue < 0.05, plainP(study) < 0.05
			share := 1 / float64(studies)
			switch {
			case effect == 0:
				result.falsePositives += share * number(shown)
				result.plainFalsePositives += share * number(plain)
				result.meanDetectable += share * r.Primary.Detectable(0.05)
			default:
				result.power += share * number(shown)
				result.plainPower += share * number(plain)
			}
		}
	}
	return result
}

// plainP returns the p-value of Wald's test of the plain model; 1 without a model.
func plainP(d comparison.Data) float64 {
	m, reason := mixed.Fit(mixed.Data{Labels: d.Labels, Annotators: d.Annotators, Conditions: 2})
	if reason != "" {
		return 1
	}
	e := m.Estimate(m.Difference(0, 1))
	return math.Erfc(math.Abs(e.Value/e.Error) / math.Sqrt2)
}

func number(isTrue bool) float64 {
	if isTrue {
		return 1
	}
	return 0
}

func results(rows []row, studies int) string {
	text := fmt.Sprintf("# Comparisons of two groups\n\n%d simulated studies of each design and effect. Plain: a mixed model of all labels with Wald's test, as statsmodels fits it.\n\n"+
		"| design | effect | false positives | plain | power | plain | mean detectable difference |\n|---|---|---|---|---|---|---|\n", studies)
	for _, r := range rows {
		text += fmt.Sprintf("| %s | %g | %.3f | %.3f | %.3f | %.3f | %.2f |\n", r.name, r.effect, r.falsePositives,
			r.plainFalsePositives, r.power, r.plainPower, r.meanDetectable)
	}
	return text
}

// A scale maps a latent value to an answer.
type scale func(latent float64) float64

func points(low, high float64) scale {
	return func(latent float64) float64 { return min(max(math.Round(latent), low), high) }
}

// yes answers yes above the value that a share of latent values with this deviation exceeds.
func yes(share, deviation float64) scale {
	limit := deviation * math.Sqrt2 * math.Erfinv(1-2*share)
	return func(latent float64) float64 { return number(latent > limit) }
}
