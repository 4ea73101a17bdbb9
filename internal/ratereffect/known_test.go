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
	isSameOrder   bool // all annotators label the items in the same order
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
		order := r.Perm(s.items)
		if s.isSameOrder {
			slices.Sort(order)
		}
		for n, i := range order {
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
	runs := 20
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
	maxAlarms := upperShare(0.05, runs)
	for _, spec := range effectSpecs {
		for affected := 1; affected <= sharedAnnotators; affected++ {
			found, alarms := sharedStudy{plantedEffect: spec.effect, affected: affected, items: 120, known: 60, isSameOrder: affected == 2}.count(runs)
			t.Logf("%s in %d of %d: found in %.1f%%, false alarms in %.1f%%", spec.effect, affected, sharedAnnotators, 100*found, 100*alarms)
			if found < 0.9 {
				t.Errorf("%s in %d of %d annotators is found in %.1f%%", spec.effect, affected, sharedAnnotators, 100*found)
			}
			if alarms > maxAlarms {
				t.Errorf("%s in %d of %d annotators: an effect is found in %.1f%% of the others", spec.effect, affected, sharedAnnotators, 100*alarms)
			}
		}
	}
}

// upperShare returns the share that a binomial share exceeds in 1 of 1,000 cases. With all runs it
// is the share itself.
func upperShare(share float64, runs int) float64 {
	if require.FullSize() {
		return share
	}
	return share + 3.1*math.Sqrt(share*(1-share)/float64(runs))
}

// TestDetect_OthersWithoutRisks_IsFound has two annotators. One reports no risk, so that the other
// has none to compare with.
func TestDetect_OthersWithoutRisks_IsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		share float64 // of the risks that the first annotator misses
		want  bool
	}{
		{"all missed", 1, true},
		{"a third missed", 0.33, false},
	} {
		var labels []LabeledItem
		for i := range 60 {
			risk := 5 - 4*boolToInt(i < 30)
			first := risk
			if float64(i) < 30*c.share {
				first = 5
			}
			for g, safety := range []int{first, risk} {
				labels = append(labels, LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, Answers: []int{3, 4, 2, safety, 3}})
			}
		}
		for _, r := range Detect(newEmpathyFields(), labels, stats.IntervalOptions{Resamples: 50}) {
			if r.Effect != MissedSafety {
				continue
			}
			isFirst := r.Annotator == annotatorNames[0]
			if r.Detected != (isFirst && c.want) {
				t.Errorf("%s: %s: %s", c.name, r.Annotator, r.Message())
			}
			if want := "Reports no risk although the only other annotator reports one, in 100% of 30 items (95% CI 89–100%). Either can be right: "; r.Detected && (!r.IsAbsolute || !strings.HasPrefix(r.Message(), want)) {
				t.Errorf("%s: %q", c.name, r.Message())
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
## Effects of one, two and three annotators

With 60 known answers: the share of annotators with the effect in whom it is found, and the share of the others in whom
any effect is. An annotator without an effect looks unusual next to two who share one; the known answers rule that out.

%s
## Where two of three annotators share an effect

Share of the third in whom any effect is found. The known answers show that the two differ from right work, not the
third. Without any, the third differs from the majority. From 20 known answers the share is at most 5%%.

%s`

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

// formatAffectedTable returns a row for each effect, with what is found in one, two and three annotators.
func formatAffectedTable() string {
	var b strings.Builder
	b.WriteString("| effect | found: one | two | three | false alarms: one | two |\n|---|---|---|---|---|---|\n")
	for _, spec := range effectSpecs {
		var found, alarms [sharedAnnotators]float64
		for i := range sharedAnnotators {
			found[i], alarms[i] = sharedStudy{plantedEffect: spec.effect, affected: i + 1, items: 120, known: 60}.count(powerRuns)
		}
		fmt.Fprintf(&b, "| %s | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% |\n", spec.effect.Text(), 100*found[0], 100*found[1], 100*found[2], 100*alarms[0], 100*alarms[1])
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
		ofThird := formatKnownTable("effect of two", effects, func(row, known int) float64 {
			_, share := sharedStudy{plantedEffect: effectSpecs[row].effect, affected: 2, items: 120, known: known}.count(powerRuns)
			return share
		})
		text = fmt.Sprintf(knownPowerTemplate, powerRuns, powerSeed, found, alarms, formatAffectedTable(), ofThird)
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
	introduction, _, _ := strings.Cut(fmt.Sprintf(knownPowerTemplate, powerRuns, powerSeed, "", "", "", ""), "## Effects of all")
	if !strings.HasPrefix(string(written), introduction) || require.FullSize() && string(written) != text {
		t.Errorf("%s is outdated; run with -update", knownPowerFile)
	}
}

// TestDetect_EqualKnownAnswers_ExcludeStraightLining has annotators who give all fields the same answer in
// most items, as the known answers do or not.
func TestDetect_EqualKnownAnswers_ExcludeStraightLining(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		right func(item int, given []int) []int
		want  bool
	}{
		{"equal known answers", func(_ int, given []int) []int { return given }, false},
		{"varied known answers", func(item int, _ []int) []int { return []int{1, 2, 3, 4, 1 + item%5} }, true},
	} {
		fields := newEmpathyFields()
		var given, right []LabeledItem
		for i := range 60 {
			for g := range 3 { // each gives other answers, so that agreement excludes nothing
				v := 1 + (i+g)%5
				l := LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, ActiveSeconds: 40, TextLength: 400, Answers: []int{v, v, v, v, v}}
				if i%20 == 0 {
					l.Answers[4] = 1 + v%5
				}
				given = append(given, l)
				l.Answers = tt.right(i, l.Answers)
				right = append(right, l)
			}
		}
		known := KnownAnswers{Labels: newLabels(fields, given), Right: newLabels(fields, right).Points}
		for _, r := range DetectAmong(fields, newLabels(fields, given), known, stats.IntervalOptions{Resamples: 50}) {
			if r.Effect == StraightLining && r.Detected != tt.want {
				t.Errorf("%s: %s: %s", tt.name, r.Annotator, r.Message())
			}
		}
	}
}
