package ratereffect

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

var updateFlag = flag.Bool("update", false, "write rater_effect_power.md anew")

// powerFile holds the power curves. TestPowerCurves_MatchFile writes it.
const powerFile = "rater_effect_power.md"

// The simulated studies: so many runs of each, with people who have so many items.
const (
	powerRuns = 200
	powerSeed = 77
)

var powerItems = []int{15, 20, 30, 40, 60, 90, 120, 180, 240}

// countDetected counts in how many runs the first of five people, who have a habit and n
// items each, is found to have it; planted blank: in how many anybody is found to
// have t.
func countDetected(t effectSpec, planted EffectName, n int) int {
	hits := make([]bool, powerRuns)
	var wg sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for run := worker; run < powerRuns; run += runtime.GOMAXPROCS(0) {
				b := simulation{rand: rand.New(rand.NewPCG(powerSeed, uint64(run))), plantedEffect: planted, itemsPerAnnotator: n}
				for _, h := range t.assess(newLabelSet(newEmpathyFields(), b.generateLabels()), stats.IntervalOptions{Resamples: 200, Seed: uint64(run), Workers: 1}.WithDefaults()) {
					hits[run] = hits[run] || h.Detected && (planted == "" || h.Annotator == annotatorNames[0])
				}
			}
		})
	}
	wg.Wait()
	count := 0
	for _, hit := range hits {
		count += boolToInt(hit)
	}
	return count
}

// A powerCurve is one line of the tables: a habit and what was found at each n.
type powerCurve struct {
	name     EffectName
	minItems int
	detected []int
}

func newPowerCurve(t effectSpec, planted EffectName) powerCurve {
	c := powerCurve{t.name, t.minItems, make([]int, len(powerItems))}
	for i, n := range powerItems {
		c.detected[i] = countDetected(t, planted, n)
	}
	return c
}

// minReliableItems is the fewest items from which on nine runs of ten find the habit.
func (c powerCurve) minReliableItems() string {
	text := "more than " + strconv.Itoa(powerItems[len(powerItems)-1])
	for i := len(powerItems) - 1; i >= 0 && c.detected[i] >= powerRuns*9/10; i-- {
		text = strconv.Itoa(powerItems[i])
	}
	return text
}

const powerTemplate = `# How surely habits are found

Written by ` + "`go test ./internal/ratereffect -run PowerCurves -update`" + `; a test computes some of it anew.

Five people judge on five fields of 1 to 5, each item by three of them, with a break every thirty. People differ a
little in level and pace, and err. One of them has one habit: 0.9 points more lenient; half the spread of the scale
(compression); the middle in half of the answers; fields that follow the whole impression by 85 %% (halo); 1.2 points
more on the first ten items (anchoring); 1.2 points less at the end of each thirty (fatigue); 0.6 points more for each
standard deviation of length; all fields alike in half of the items (straight-lining); 8 seconds for 40 %% of the items
(speeding); safety never under 3.6 before rounding. Every cell is %d studies, drawn by seed %d. Smaller habits
take more items, larger ones fewer.

## Found where it is

Share of the studies in which the habit is found in the person who has it, by the items each has judged on average. “Asks
for” is the number of items below which nothing is said of the habit (of safety: items in which others saw danger);
“nine of ten from” is where the habit is found in 90 %% of the studies.

%s
## Found where it is not

Share of the studies in which the habit is found in anybody, of five people who have none. It stays at or under 5 %%.

%s`

func formatPowerTable(curves []powerCurve, showsMinItems bool) string {
	var b strings.Builder
	b.WriteString("| habit | asks for |")
	for _, n := range powerItems {
		fmt.Fprintf(&b, " %d items |", n)
	}
	if showsMinItems {
		b.WriteString(" nine of ten from |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(powerItems)+boolToInt(showsMinItems)) + "\n")
	for _, c := range curves {
		fmt.Fprintf(&b, "| %s | %d |", c.name, c.minItems)
		for _, n := range c.detected {
			fmt.Fprintf(&b, " %g %% |", 100*float64(n)/powerRuns)
		}
		if showsMinItems {
			fmt.Fprintf(&b, " %s |", c.minReliableItems())
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestPowerCurves_MatchFile computes one cell of most lines anew; with
// LABELWRIGHT_SLOW=1 all of them. With -update it writes the file.
func TestPowerCurves_MatchFile(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("simulations are left out of short runs")
	}
	if *updateFlag {
		var planted, clean []powerCurve
		for _, spec := range effectSpecs() {
			planted, clean = append(planted, newPowerCurve(spec, spec.name)), append(clean, newPowerCurve(spec, ""))
		}
		text := fmt.Sprintf(powerTemplate, powerRuns, powerSeed, formatPowerTable(planted, true), formatPowerTable(clean, false))
		if err := os.WriteFile(powerFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(powerFile)
	if err != nil {
		t.Fatal(err)
	}
	introduction, _, _ := strings.Cut(fmt.Sprintf(powerTemplate, powerRuns, powerSeed, "", ""), "## Found")
	if !strings.HasPrefix(string(written), introduction) {
		t.Errorf("%s was written in other words; write it anew", powerFile)
	}
	detectedTable, cleanTable, _ := strings.Cut(string(written), "## Found where it is not")
	for i, spec := range effectSpecs() {
		planted, clean := parsePowerRow(t, detectedTable, spec), parsePowerRow(t, cleanTable, spec)
		for column, n := range powerItems {
			if !runsSlowTests() && powerItems[column] != max(30, spec.minItems) {
				continue
			}
			checkRuns(t, spec.name, n, countDetected(spec, spec.name, n), planted[column])
			if runsSlowTests() || i == 0 {
				checkRuns(t, spec.name+", in nobody", n, countDetected(spec, "", n), clean[column])
			}
		}
		for column, n := range clean {
			if n > powerRuns/20 {
				t.Errorf("%s is found in %d of %d clean studies of %d items", spec.name, n, powerRuns, powerItems[column])
			}
		}
		if last := planted[len(planted)-1]; last < powerRuns*9/10 {
			t.Errorf("%s is found in %d of %d studies, however many the items", spec.name, last, powerRuns)
		}
	}
}

// parsePowerRow reads the runs of a habit back out of a table.
func parsePowerRow(t *testing.T, text string, spec effectSpec) (runs []int) {
	t.Helper()
	_, line, ok := strings.Cut(text, fmt.Sprintf("| %s | %d |", spec.name, spec.minItems))
	line, _, _ = strings.Cut(line, "\n")
	for _, cell := range strings.Split(line, "|") {
		if share, percent := strings.CutSuffix(strings.TrimSpace(cell), " %"); percent {
			v, err := strconv.ParseFloat(share, 64)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, int(v*powerRuns/100+0.5))
		}
	}
	if !ok || len(runs) != len(powerItems) {
		t.Fatalf("%s says nothing of %s, or of other numbers of items; write it anew", powerFile, spec.name)
	}
	return runs
}

// checkRuns allows for another processor, whose sums may end on the other side.
func checkRuns(t *testing.T, effect EffectName, n, got, written int) {
	t.Helper()
	if difference := got - written; difference < -2 || difference > 2 {
		t.Errorf("%s at %d items: found in %d of %d studies, and %s says %d; write it anew", effect, n, got, powerRuns, powerFile, written)
	}
}
