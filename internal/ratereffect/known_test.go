package ratereffect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// A sharedStudy simulates three annotators who label the same items, some of them with known
// answers. The first ones have the planted effect.
type sharedStudy struct {
	plantedEffect Effect // blank: none
	affected      int    // annotators
	items, known  int
	isSelected    bool // the items with known answers are those on which annotators disagree most
}

const sharedAnnotators = 3

// detect returns the results of one run.
func (s sharedStudy) detect(run int) []Result {
	r := rand.New(rand.NewPCG(powerSeed, uint64(run)))
	sim, fields := simulation{rand: r}, newEmpathyFields()
	var labels, known []LabeledItem
	var right [][]int
	numberOf := map[string]int{}
	items := make([]simulatedItem, s.items)
	for i := range items {
		items[i] = sim.drawItem()
	}
	for g := range sharedAnnotators {
		level, pace, effect := 0.12*r.NormFloat64(), 0.2*r.NormFloat64(), Effect("")
		if g < s.affected {
			effect = s.plantedEffect
		}
		for n, i := range r.Perm(s.items) {
			l := LabeledItem{Item: fmt.Sprint("i", i), Annotator: annotatorNames[g], Position: n + 1, ItemsSinceBreak: n % 30,
				ActiveSeconds: 70 * math.Exp(pace+0.4*r.NormFloat64()), TextLength: items[i].length}
			sim.fillAnswers(&l, items[i], level, effect)
			if l.ActiveSeconds == 8 {
				l.ActiveSeconds = 4 // less than reading takes: 8 seconds are enough for a short item
			}
			labels, numberOf[l.Item] = append(labels, l), i
		}
	}
	isKnown := s.chooseKnown(labels)
	for _, l := range labels {
		if isKnown[l.Item] {
			known, right = append(known, l), append(right, knownAnswers(items[numberOf[l.Item]]))
		}
	}
	k := KnownAnswers{Labels: newLabels(fields, known), Right: make([][]uint8, len(fields))}
	k.Annotators = annotatorNames[:sharedAnnotators]
	for f := range fields {
		for _, answers := range right {
			k.Right[f] = append(k.Right[f], uint8(answers[f]-1))
		}
	}
	return DetectAmong(fields, newLabels(fields, labels), k, stats.IntervalOptions{Resamples: 200, Seed: uint64(run), Workers: 1})
}

// chooseKnown returns the items with known answers: the first ones, or those with the largest
// differences of two annotators' answers.
func (s sharedStudy) chooseKnown(labels []LabeledItem) map[string]bool {
	answers, differences, names := map[string][]int{}, map[string]int{}, []string{}
	for _, l := range labels {
		if answers[l.Item] == nil {
			answers[l.Item], names = l.Answers, append(names, l.Item)
		}
		for f, v := range l.Answers {
			differences[l.Item] = max(differences[l.Item], v-answers[l.Item][f], answers[l.Item][f]-v)
		}
	}
	if s.isSelected {
		slices.SortStableFunc(names, func(a, b string) int { return differences[b] - differences[a] })
	}
	isKnown := map[string]bool{}
	for _, name := range names[:s.known] {
		isKnown[name] = true
	}
	return isKnown
}

// knownAnswers are those that the quality of an item deserves.
func knownAnswers(i simulatedItem) (answers []int) {
	for _, q := range i.quality {
		answers = append(answers, min(5, max(1, int(math.Round(q)))))
	}
	return answers
}

// count returns the share of affected annotators in whom the effect is found, and of the others
// in whom any effect is.
func (s sharedStudy) count(runs int) (found, falseAlarms float64) {
	hits, alarms := make([]int, runs), make([]int, runs)
	var wg sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for run := worker; run < runs; run += runtime.GOMAXPROCS(0) {
				suspected := map[string]bool{}
				for _, r := range s.detect(run) {
					isAffected := r.Annotator < annotatorNames[s.affected]
					hits[run] += boolToInt(r.Detected && isAffected && r.Effect == s.plantedEffect)
					suspected[r.Annotator] = suspected[r.Annotator] || r.Detected && !isAffected
				}
				for _, isSuspected := range suspected {
					alarms[run] += boolToInt(isSuspected)
				}
			}
		})
	}
	wg.Wait()
	for run := range runs {
		found += float64(hits[run]) / float64(runs*max(s.affected, 1))
		falseAlarms += float64(alarms[run]) / float64(runs*max(sharedAnnotators-s.affected, 1))
	}
	return found, falseAlarms
}

func TestKnownAnswers_SharedEffects_AreFound(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	runs := 40
	if require.FullSize() {
		runs = 200
	}
	for _, isSelected := range []bool{false, true} {
		for _, known := range []int{10, 20, 60} {
			_, alarms := sharedStudy{items: 120, known: known, isSelected: isSelected}.count(runs)
			t.Logf("%d known answers, selected by disagreement %v: false alarms in %.1f%%", known, isSelected, 100*alarms)
			if alarms > 0.05 {
				t.Errorf("%d known answers, selected by disagreement %v: an effect is found in %.1f%% of annotators without one", known, isSelected, 100*alarms)
			}
		}
	}
	for _, spec := range effectSpecs {
		for affected := 1; affected <= sharedAnnotators; affected++ {
			found, alarms := sharedStudy{plantedEffect: spec.effect, affected: affected, items: 120, known: 60}.count(runs)
			t.Logf("%s in %d of %d: found in %.1f%%, false alarms in %.1f%%", spec.effect, affected, sharedAnnotators, 100*found, 100*alarms)
			if found < 0.9 {
				t.Errorf("%s in %d of %d annotators is found in %.1f%%", spec.effect, affected, sharedAnnotators, 100*found)
			}
		}
	}
}

// knownPowerFile holds the power of the tests by known answers. TestKnownPower_MatchesFile writes it.
const knownPowerFile = "known_answers_power.md"

// The numbers of items with known answers, of 120.
var knownItems = []int{0, 10, 20, 30, 45, 60, 90}

const knownPowerTemplate = `# Power of rater effect detection with known answers

Written by ` + "`go test ./internal/ratereffect -run KnownPower -update`" + `. A test recomputes part of it.

Each simulated study has three annotators who label the same 120 items in five fields on a scale of 1 to 5. Some items
have a known answer: they are adjudicated, or have a reference answer. The effects are those of rater_effect_power.md,
but speeding is 4 seconds: 8 seconds are enough to read a short item. Every cell is %d studies with seed %d.

## Effects of all three annotators

Share of annotators in whom the effect is found, by the number of items with known answers. Without any, the annotators
agree with each other: only speeding below reading time can be found, and what depends on the order of items, because
each annotator gets them in another order.

%s
## False alarms

Share of annotators without an effect in whom any effect is found. “Selected” means that the items with the largest
differences between annotators have known answers, as after adjudication. It is at most 5%%.

%s
Where two of three annotators have an effect, it is found in both in at least 97%% of them with 60 known answers. The third
looks unusual next to them; what known answers cannot rule out is reported of the third in up to 10%% (missed
safety risks, if the others have the halo effect or fatigue drift).
`

// formatKnownTable returns a row for each name, with a share for each number of known answers.
func formatKnownTable(title string, names []string, share func(row, known int) float64) string {
	var b strings.Builder
	b.WriteString("| " + title + " |")
	for _, n := range knownItems {
		fmt.Fprintf(&b, " %d known |", n)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(knownItems)) + "\n")
	for row, name := range names {
		fmt.Fprintf(&b, "| %s |", name)
		for _, n := range knownItems {
			fmt.Fprintf(&b, " %.1f%% |", 100*share(row, n))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestKnownPower_MatchesFile recomputes the file with LABELWRIGHT_SLOW=1, else its introduction.
// With -update it writes the file.
func TestKnownPower_MatchesFile(t *testing.T) {
	t.Parallel()
	var text string
	if require.FullSize() || *updateFlag {
		var effects []string
		for _, spec := range effectSpecs {
			effects = append(effects, spec.effect.Text())
		}
		found := formatKnownTable("effect", effects, func(row, known int) float64 {
			share, _ := sharedStudy{plantedEffect: effectSpecs[row].effect, affected: sharedAnnotators, items: 120, known: known}.count(powerRuns)
			return share
		})
		alarms := formatKnownTable("known answers", []string{"at random", "selected"}, func(row, known int) float64 {
			_, share := sharedStudy{items: 120, known: known, isSelected: row == 1}.count(powerRuns)
			return share
		})
		text = fmt.Sprintf(knownPowerTemplate, powerRuns, powerSeed, found, alarms)
	}
	if *updateFlag {
		if err := os.WriteFile(knownPowerFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(knownPowerFile)
	if err != nil {
		t.Fatal(err)
	}
	introduction, _, _ := strings.Cut(fmt.Sprintf(knownPowerTemplate, powerRuns, powerSeed, "", ""), "## Effects")
	if !strings.HasPrefix(string(written), introduction) || require.FullSize() && string(written) != text {
		t.Errorf("%s is outdated; run with -update", knownPowerFile)
	}
}
