package stats

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
)

var update = flag.Bool("update", false, "write habits.md anew")

// powerFile holds the power curves. TestPowerCurvesAreAsWritten writes it.
const powerFile = "habits.md"

// The simulated studies: so many runs of each, with people who have so many items.
const (
	powerRuns = 200
	powerSeed = 77
)

var powerItems = []int{15, 20, 30, 40, 60, 90, 120, 180, 240}

// power counts in how many runs the first of five people, who have a habit and n
// items each, is found to have it; planted blank: in how many anybody is found to
// have t.
func power(t trait, planted HabitName, n int) int {
	hits := make([]bool, powerRuns)
	var wg sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for run := worker; run < powerRuns; run += runtime.GOMAXPROCS(0) {
				b := bench{rand: rand.New(rand.NewPCG(powerSeed, uint64(run))), planted: planted, items: n}
				for _, h := range t.judge(newCrew(empathy(), b.labels()), Options{Resamples: 200, Seed: uint64(run), Workers: 1}.complete()) {
					hits[run] = hits[run] || h.Found && (planted == "" || h.Annotator == names[0])
				}
			}
		})
	}
	wg.Wait()
	found := 0
	for _, hit := range hits {
		found += int(one(hit))
	}
	return found
}

// A curve is one line of the tables: a habit and what was found at each n.
type curve struct {
	name  HabitName
	needs int
	found []int
}

func curveOf(t trait, planted HabitName) curve {
	c := curve{t.name, t.needs, make([]int, len(powerItems))}
	for i, n := range powerItems {
		c.found[i] = power(t, planted, n)
	}
	return c
}

// from is the fewest items from which on nine runs of ten find the habit.
func (c curve) from() string {
	says := "more than " + strconv.Itoa(powerItems[len(powerItems)-1])
	for i := len(powerItems) - 1; i >= 0 && c.found[i] >= powerRuns*9/10; i-- {
		says = strconv.Itoa(powerItems[i])
	}
	return says
}

const powerWords = `# How surely habits are found

Written by ` + "`go test ./internal/stats -run PowerCurves -update`" + `; a test computes some of it anew.

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

func table(curves []curve, from bool) string {
	var b strings.Builder
	b.WriteString("| habit | asks for |")
	for _, n := range powerItems {
		fmt.Fprintf(&b, " %d items |", n)
	}
	if from {
		b.WriteString(" nine of ten from |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(powerItems)+int(one(from))) + "\n")
	for _, c := range curves {
		fmt.Fprintf(&b, "| %s | %d |", c.name, c.needs)
		for _, n := range c.found {
			fmt.Fprintf(&b, " %g %% |", 100*float64(n)/powerRuns)
		}
		if from {
			fmt.Fprintf(&b, " %s |", c.from())
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestPowerCurvesAreAsWritten computes one cell of most lines anew; with
// LABELWRIGHT_SLOW=1 all of them. With -update it writes the file.
func TestPowerCurvesAreAsWritten(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("simulations are left out of short runs")
	}
	if *update {
		var planted, clean []curve
		for _, tr := range traits() {
			planted, clean = append(planted, curveOf(tr, tr.name)), append(clean, curveOf(tr, ""))
		}
		text := fmt.Sprintf(powerWords, powerRuns, powerSeed, table(planted, true), table(clean, false))
		if err := os.WriteFile(powerFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(powerFile)
	if err != nil {
		t.Fatal(err)
	}
	words, _, _ := strings.Cut(fmt.Sprintf(powerWords, powerRuns, powerSeed, "", ""), "## Found")
	if !strings.HasPrefix(string(written), words) {
		t.Errorf("%s was written in other words; write it anew", powerFile)
	}
	found, not, _ := strings.Cut(string(written), "## Found where it is not")
	for i, tr := range traits() {
		planted, clean := lineOf(t, found, tr), lineOf(t, not, tr)
		for at, n := range powerItems {
			if !slow() && powerItems[at] != max(30, tr.needs) {
				continue
			}
			sameRuns(t, tr.name, n, power(tr, tr.name, n), planted[at])
			if slow() || i == 0 {
				sameRuns(t, tr.name+", in nobody", n, power(tr, "", n), clean[at])
			}
		}
		for at, n := range clean {
			if n > powerRuns/20 {
				t.Errorf("%s is found in %d of %d clean studies of %d items", tr.name, n, powerRuns, powerItems[at])
			}
		}
		if last := planted[len(planted)-1]; last < powerRuns*9/10 {
			t.Errorf("%s is found in %d of %d studies, however many the items", tr.name, last, powerRuns)
		}
	}
}

// lineOf reads the runs of a habit back out of a table.
func lineOf(t *testing.T, text string, tr trait) (runs []int) {
	t.Helper()
	_, line, ok := strings.Cut(text, fmt.Sprintf("| %s | %d |", tr.name, tr.needs))
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
		t.Fatalf("%s says nothing of %s, or of other numbers of items; write it anew", powerFile, tr.name)
	}
	return runs
}

// sameRuns allows for another processor, whose sums may end on the other side.
func sameRuns(t *testing.T, what HabitName, n, got, written int) {
	t.Helper()
	if apart := got - written; apart < -2 || apart > 2 {
		t.Errorf("%s at %d items: found in %d of %d studies, and %s says %d; write it anew", what, n, got, powerRuns, powerFile, written)
	}
}
