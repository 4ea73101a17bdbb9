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

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

var updateFlag = flag.Bool("update", false, "rewrite rater_effect_power.md")

// powerFile holds the power curves. TestPowerCurves_MatchFile writes it.
const powerFile = "rater_effect_power.md"

// The number of simulated studies, their seed, and the items of each annotator.
const (
	powerRuns = 200
	powerSeed = 77
)

var powerItems = []int{15, 20, 30, 40, 60, 90, 120, 180, 240}

// countDetected returns the number of runs in which the effect is detected in the first
// annotator, who has the planted effect; if planted is blank, in any annotator.
func countDetected(spec effectSpec, planted Effect, n int) int {
	hits := make([]bool, powerRuns)
	var wg sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for run := worker; run < powerRuns; run += runtime.GOMAXPROCS(0) {
				study := simulation{rand: rand.New(rand.NewPCG(powerSeed, uint64(run))), plantedEffect: planted, itemsPerAnnotator: n}
				for _, r := range spec.test(newLabelSet(newEmpathyFields(), study.generateLabels()), stats.IntervalOptions{Resamples: 200, Seed: uint64(run), Workers: 1}.WithDefaults()) {
					hits[run] = hits[run] || r.Detected && (planted == "" || r.Annotator == annotatorNames[0])
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

// A powerCurve is one row of the tables: the detections of an effect by number of items.
type powerCurve struct {
	effect   Effect
	minItems int
	detected []int
}

func newPowerCurve(spec effectSpec, planted Effect) powerCurve {
	c := powerCurve{spec.effect, spec.minItems, make([]int, len(powerItems))}
	for i, n := range powerItems {
		c.detected[i] = countDetected(spec, planted, n)
	}
	return c
}

// minReliableItems returns the number of items from which 90% of the runs detect the effect.
func (c powerCurve) minReliableItems() string {
	text := "more than " + strconv.Itoa(powerItems[len(powerItems)-1])
	for i := len(powerItems) - 1; i >= 0 && c.detected[i] >= powerRuns*9/10; i-- {
		text = strconv.Itoa(powerItems[i])
	}
	return text
}

const powerTemplate = `# Power of rater effect detection

Written by ` + "`go test ./internal/ratereffect -run PowerCurves -update`" + `. A test recomputes part of it.

Each simulated study has five annotators and five fields on a scale of 1 to 5. Each item has labels from three
annotators, and there is a break every thirty items. Annotators differ a little in level and pace, and make errors.
One of them has one rater effect:

- leniency/severity: 0.9 points higher
- score compression: half the spread of the scale
- central tendency: the middle in half of the answers
- halo effect: fields that follow the overall impression by 85%%
- anchoring effect: 1.2 points higher on the first ten items
- fatigue drift: 1.2 points lower at the end of each thirty items
- length bias: 0.6 points higher for each standard deviation of length
- straight-lining: the same answer to all fields in half of the items
- speeding: 8 seconds for 40%% of the items
- missed safety risks: safety never below 3.6 before rounding

Every cell is %d studies with seed %d. Smaller effects need more items, larger ones fewer.

## True detections

Share of studies in which the effect is detected in the annotator who has it, by the mean number of items per
annotator. “Minimum” is the number of items below which the effect is not tested (for missed safety risks: items with
a risk reported by others). “90%% from” is the number of items with at least 90%% detections.

%s
## False detections

Share of studies in which the effect is detected in any of five annotators without effects. It is at most 5%%.

%s`

func formatPowerTable(curves []powerCurve, showsMinItems bool) string {
	var b strings.Builder
	b.WriteString("| effect | minimum |")
	for _, n := range powerItems {
		fmt.Fprintf(&b, " %d items |", n)
	}
	if showsMinItems {
		b.WriteString(" 90% from |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(powerItems)+boolToInt(showsMinItems)) + "\n")
	for _, c := range curves {
		fmt.Fprintf(&b, "| %s | %d |", c.effect.Text(), c.minItems)
		for _, n := range c.detected {
			fmt.Fprintf(&b, " %g%% |", 100*float64(n)/powerRuns)
		}
		if showsMinItems {
			fmt.Fprintf(&b, " %s |", c.minReliableItems())
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestPowerCurves_MatchFile recomputes one cell of most rows; with LABELWRIGHT_SLOW=1, all
// cells. With -update it writes the file.
func TestPowerCurves_MatchFile(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	if *updateFlag {
		var planted, clean []powerCurve
		for _, spec := range effectSpecs {
			planted, clean = append(planted, newPowerCurve(spec, spec.effect)), append(clean, newPowerCurve(spec, ""))
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
	introduction, _, _ := strings.Cut(fmt.Sprintf(powerTemplate, powerRuns, powerSeed, "", ""), "## True")
	if !strings.HasPrefix(string(written), introduction) {
		t.Errorf("the introduction of %s is outdated; run with -update", powerFile)
	}
	detectedTable, cleanTable, _ := strings.Cut(string(written), "## False detections")
	for i, spec := range effectSpecs {
		planted, clean := parsePowerRow(t, detectedTable, spec), parsePowerRow(t, cleanTable, spec)
		for column, n := range powerItems {
			if !require.FullSize() && powerItems[column] != max(30, spec.minItems) {
				continue
			}
			checkRuns(t, spec.effect, n, countDetected(spec, spec.effect, n), planted[column])
			if require.FullSize() || i == 0 {
				checkRuns(t, spec.effect+" (clean)", n, countDetected(spec, "", n), clean[column])
			}
		}
		for column, n := range clean {
			if n > powerRuns/20 {
				t.Errorf("%s is detected in %d of %d clean studies of %d items", spec.effect, n, powerRuns, powerItems[column])
			}
		}
		if last := planted[len(planted)-1]; last < powerRuns*9/10 {
			t.Errorf("%s is detected in only %d of %d of the largest studies", spec.effect, last, powerRuns)
		}
	}
}

// parsePowerRow parses the detections of an effect from a table.
func parsePowerRow(t *testing.T, text string, spec effectSpec) (runs []int) {
	t.Helper()
	_, line, ok := strings.Cut(text, fmt.Sprintf("| %s | %d |", spec.effect.Text(), spec.minItems))
	line, _, _ = strings.Cut(line, "\n")
	for _, cell := range strings.Split(line, "|") {
		if share, isPercent := strings.CutSuffix(strings.TrimSpace(cell), "%"); isPercent {
			v, err := strconv.ParseFloat(share, 64)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, int(v*powerRuns/100+0.5))
		}
	}
	if !ok || len(runs) != len(powerItems) {
		t.Fatalf("%s has no row for %s, or other columns; run with -update", powerFile, spec.effect)
	}
	return runs
}

// checkRuns tolerates small differences, because rounding differs between processors.
func checkRuns(t *testing.T, effect Effect, n, got, written int) {
	t.Helper()
	if difference := got - written; difference < -2 || difference > 2 {
		t.Errorf("%s at %d items: detected in %d of %d studies, want %d as in %s; run with -update", effect, n, got, powerRuns, written, powerFile)
	}
}
