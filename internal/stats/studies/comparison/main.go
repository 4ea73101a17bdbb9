// Command comparison simulates studies that compare two groups: how often the primary estimate shows a difference where
// there is none, and where there is one, next to a plain mixed model with Wald's test on the same data, as statsmodels
// fits it.
//
//	go run ./internal/stats/studies/comparison -studies 1000 -out internal/stats/studies/comparison
//
// It writes results.md and results.svg. With -data FILE it writes a few of the studies and what the plain model says
// about them, for check.py, which compares that with statsmodels.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/labelwright/labelwright/internal/stats/comparison"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

func main() {
	studies := flag.Int("studies", 1000, "simulated studies of each design and effect")
	out := flag.String("out", ".", "folder of results.md and results.svg")
	data := flag.String("data", "", "file for check.py, instead of the results")
	flag.Parse()
	var err error
	if *data != "" {
		err = writeData(*data)
	} else {
		err = writeResults(*out, simulateAll(*studies), *studies)
	}
	if err != nil {
		log.Fatal(err)
	}
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
	var wg sync.WaitGroup
	free := make(chan bool, runtime.GOMAXPROCS(0))
	for i, d := range designs {
		wg.Go(func() {
			free <- true
			rows[i] = d.run(studies, uint64(i))
			<-free
		})
	}
	wg.Wait()
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

func writeResults(dir string, rows []row, studies int) error {
	text := fmt.Sprintf("# Comparisons of two groups\n\n%d simulated studies of each design and effect. Plain: a mixed model of all labels with Wald's test, as statsmodels fits it.\n\n"+
		"| design | effect | false positives | plain | power | plain | mean detectable difference |\n|---|---|---|---|---|---|---|\n", studies)
	for _, r := range rows {
		text += fmt.Sprintf("| %s | %g | %.3f | %.3f | %.3f | %.3f | %.2f |\n", r.name, r.effect, r.falsePositives,
			r.plainFalsePositives, r.power, r.plainPower, r.meanDetectable)
	}
	if err := os.WriteFile(filepath.Join(dir, "results.md"), []byte(text), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "results.svg"), []byte(drawRows(rows)), 0o600)
}

// drawRows returns a picture of the power of both methods, and of their false positives.
func drawRows(rows []row) string {
	const left, width, height = 330, 400, 22
	svg := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", left+width+30, height*len(rows)+50)
	svg += `<rect width="100%" height="100%" fill="white"/>` + "\n"
	x := func(share float64) float64 { return left + width*share }
	for _, share := range []float64{0, 0.05, 0.5, 1} {
		svg += fmt.Sprintf(`<path d="M%.1f 30V%d" stroke="#ccc"/><text x="%.1f" y="20" text-anchor="middle">%g</text>`+
			"\n", x(share), height*len(rows)+35, x(share), share)
	}
	for i, r := range rows {
		y := 45 + height*i
		svg += fmt.Sprintf(`<text x="10" y="%d">%s</text>`+"\n", y+4, r.name)
		for _, p := range []struct {
			value float64
			fill  string
			size  int
		}{{r.plainFalsePositives, "none", 6}, {r.plainPower, "none", 6}, {r.falsePositives, "#b33", 4},
			{r.power, "#237", 4}} {
			svg += fmt.Sprintf(`<circle cx="%.1f" cy="%d" r="%d" fill="%s" stroke="#555"/>`+"\n", x(p.value), y, p.size,
				p.fill)
		}
	}
	return svg + fmt.Sprintf(`<text x="10" y="%d">red: false positives · blue: power · circles: plain mixed model</text></svg>`+"\n", height*len(rows)+46)
}

// A checkedStudy is a study with the plain model's difference and its error.
type checkedStudy struct {
	Name              string
	Labels            []mixed.Label
	Difference, Error float64
}

func writeData(path string) error {
	var list []checkedStudy
	for i, d := range designs {
		for n := range 3 {
			study := d.simulate(d.effect, rand.New(rand.NewPCG(uint64(i), uint64(n))))
			if len(study.Labels) > 700 {
				continue // statsmodels would take minutes
			}
			m, reason := mixed.Fit(mixed.Data{Labels: study.Labels, Annotators: study.Annotators, Conditions: 2})
			if reason == "" {
				e := m.Estimate(m.Difference(0, 1))
				list = append(list, checkedStudy{d.name, study.Labels, e.Value, e.Error})
			}
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
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
