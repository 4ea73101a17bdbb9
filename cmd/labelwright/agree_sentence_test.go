package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// A judgedTable is a random file of answers to one dimension by people and a judge.
type judgedTable struct {
	points     []string // possible values
	isDeclared bool
	hasCluster bool
	people     []string
	values     []string          // in use, sorted
	judged     map[string]string // the judge's answer by item
	labels     map[string]map[string]string
	ratings    int // of people
}

// newRandomTable returns a table of up to three people and a judge, who are alike, differ at random, or
// always differ. Some tables have words, fractions, a scale or clusters.
func newRandomTable(r *rand.Rand) *judgedTable {
	pointSets := [][]string{{"0", "1"}, {"1", "2", "3"}, {"cold", "kind"}, {"cold", "kind", "warm"}, {"kind"}, {"3"},
		{"1", "odd"}, {"1", "2", "odd"}, {"0.5", "1", "1.5"}}
	t := &judgedTable{points: pointSets[r.IntN(len(pointSets))], hasCluster: r.IntN(3) == 0, people: []string{"ada",
		"bo", "cy"}[:1+r.IntN(3)],
		judged: map[string]string{}, labels: map[string]map[string]string{}}
	t.isDeclared = len(t.points) > 1 && r.IntN(3) == 0
	labeled, onlyJudged, error := []int{0, 1, 5, 30, 40, 45}[r.IntN(6)], []int{0, 1, 2, 40}[r.IntN(4)],
		[]float64{0, 0.4, 1}[r.IntN(3)]
	presence := []float64{1, 0.8, 0.75}[r.IntN(3)]
	for i := range labeled + onlyJudged {
		item, truth := fmt.Sprintf("u%02d", i), r.IntN(len(t.points))
		answer := func(error float64) string {
			if r.Float64() < error {
				return t.points[(truth+1)%len(t.points)]
			}
			return t.points[truth]
		}
		for _, name := range t.people {
			if i < labeled && r.Float64() < presence {
				if t.labels[item] == nil {
					t.labels[item] = map[string]string{}
				}
				t.labels[item][name] = answer(0.1)
				t.use(t.labels[item][name])
				t.ratings++
			}
		}
		t.judged[item] = answer(error)
		t.use(t.judged[item])
	}
	return t
}

func (t *judgedTable) use(value string) {
	if i, isKnown := slices.BinarySearch(t.values, value); !isKnown {
		t.values = slices.Insert(t.values, i, value)
	}
}

// csv returns the file, with or without the judge.
func (t *judgedTable) csv(withJudge bool) string {
	var b strings.Builder
	b.WriteString("item,annotator,dimension,value,cluster\n")
	for i := range 100 {
		item, cluster := fmt.Sprintf("u%02d", i), ""
		if t.hasCluster {
			cluster = fmt.Sprintf("c%02d", i/2)
		}
		for _, name := range t.people {
			if value, ok := t.labels[item][name]; ok {
				fmt.Fprintf(&b, "%s,%s,tone,%s,%s\n", item, name, value, cluster)
			}
		}
		if value, ok := t.judged[item]; ok && withJudge {
			fmt.Fprintf(&b, "%s,model,tone,%s,%s\n", item, value, cluster)
		}
	}
	return b.String()
}

func (t *judgedTable) args(more ...string) []string {
	args := append([]string{"agree", "-", "--all", "--resamples", "10"}, more...)
	if t.isDeclared && t.points[0] == "0" || t.isDeclared && t.points[0] == "1" && !t.hasWords(t.points) {
		return append(args, "--scale", t.points[0]+".."+t.points[len(t.points)-1])
	} else if t.isDeclared {
		return append(args, "--scale", strings.Join(t.points, ","))
	}
	return args
}

func (t *judgedTable) hasWords(values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { _, err := strconv.ParseFloat(v, 64); return err != nil })
}

func (t *judgedTable) hasNumbers(values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { _, err := strconv.ParseFloat(v, 64); return err == nil })
}

// isNominal reports whether the values are words without a declared order.
func (t *judgedTable) isNominal() bool { return !t.isDeclared && t.hasWords(t.values) }

// scale returns the points: those declared, or those in use.
func (t *judgedTable) scale() []string {
	if t.isDeclared {
		return t.points
	}
	return t.values
}

// distance is that of two answers in the test of the judge.
func (t *judgedTable) distance(a, b string) float64 {
	if t.isNominal() || len(t.scale()) < 3 {
		return map[bool]float64{true: 0, false: 1}[a == b]
	}
	return math.Abs(t.number(a) - t.number(b))
}

// number returns a value as a number: words have their place on the scale.
func (t *judgedTable) number(value string) float64 {
	if v, err := strconv.ParseFloat(value, 64); err == nil {
		return v
	}
	return float64(1 + slices.Index(t.scale(), value))
}

// testJudge returns on how many items each annotator is compared with the judge, and against how many
// annotators the judge wins.
func (t *judgedTable) testJudge() (items map[string]int, tested, wins int) {
	items, pValues := map[string]int{}, []float64{}
	for _, name := range t.people {
		var differences []float64 // annotator is closer − judge is closer
		for item, answers := range t.labels {
			own, isLabeled := answers[name]
			if !isLabeled || len(answers) < 2 {
				continue
			}
			annotator, judge := 0.0, 0.0
			for other, value := range answers {
				if other != name {
					annotator, judge = annotator+math.Pow(t.distance(own, value), 2),
						judge+math.Pow(t.distance(t.judged[item], value), 2)
				}
			}
			differences = append(differences,
				map[bool]float64{true: 1}[annotator < judge]-map[bool]float64{true: 1}[judge < annotator])
		}
		items[name] = len(differences)
		if len(differences) >= 30 {
			pValues = append(pValues, pLess(differences, 0.2))
		}
	}
	slices.Sort(pValues)
	limit := 0.0
	for i := range pValues {
		limit += 1 / float64(i+1)
	}
	for i, p := range pValues {
		if p <= 0.05*float64(i+1)/float64(len(pValues))/limit {
			wins = i + 1
		}
	}
	return items, len(pValues), wins
}

// pLess returns that of Student's test that a mean is less than ε.
func pLess(values []float64, ε float64) float64 {
	n, mean, squares := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	if squares < 1e-9 {
		return map[bool]float64{true: 0, false: 1}[mean < ε]
	}
	return stats.StudentCDF((mean-ε)/math.Sqrt(squares/(n-1)/n), n-1)
}

// countClusters returns the number of clusters with labels, or of labeled items without clusters.
func (t *judgedTable) countClusters() int {
	clusters := map[string]bool{}
	for item := range t.labels {
		i, _ := strconv.Atoi(item[1:])
		clusters[map[bool]string{true: fmt.Sprint("c", i/2), false: item}[t.hasCluster]] = true
	}
	return len(clusters)
}

// labelsVary reports whether the mean labels of two items differ.
func (t *judgedTable) labelsVary() bool {
	var means []float64
	for _, answers := range t.labels {
		mean := 0.0
		for _, value := range answers {
			mean += t.number(value) / float64(len(answers))
		}
		means = append(means, mean)
	}
	return len(means) > 0 && slices.Max(means)-slices.Min(means) > 1e-9
}

// A printedPart is a part of the output, and whether it is true.
type printedPart struct {
	text string
	want bool
}

// sentences returns the parts of an output that not all tables have.
func (t *judgedTable) sentences(_ string) []printedPart {
	items, tested, wins := t.testJudge()
	onlyJudged := len(t.judged) - len(t.labels)
	hasOrder := !t.isNominal() || len(t.values) == 2
	isFew := len(t.labels) < 2 || onlyJudged >= 2 && t.countClusters() < 2
	isEstimated := hasOrder && !isFew && onlyJudged >= 2 && t.labelsVary()
	var skipped []string
	for _, name := range t.people {
		if items[name] < 30 && t.answered(name) {
			skipped = append(skipped, name)
		}
	}
	last := t.scale()[len(t.scale())-1]
	hasPairs := slices.Max(append([]int{0}, items["ada"], items["bo"], items["cy"])) > 0
	return []printedPart{
		{fmt.Sprintf("Alternative annotator test: ω = %.3f, ", float64(wins)/float64(max(tested, 1))), tested > 0},
		{"Alternative annotator test: ω = 0.000", tested > 0 && wins == 0},
		{"No test against annotators. No annotator has 30 items that the judge and another annotator answered too.",
			tested == 0},
		{"Not tested, with fewer than 30 items that the judge and another annotator answered too: " +
			strings.Join(skipped, ", ") + ".\n", tested > 0 && len(skipped) > 0},
		{"Not tested", tested > 0 && len(skipped) > 0},
		{"No mean with the judge. The values have no declared order", !hasOrder},
		{"No mean with the judge. Fewer than two items or records", hasOrder && isFew},
		{"No mean with the judge. Fewer than two items have a judgment and no label", hasOrder && !isFew &&
			onlyJudged < 2},
		{"No mean with the judge. The labels do not vary", hasOrder && !isFew && onlyJudged >= 2 && !t.labelsVary()},
		{fmt.Sprintf(" over %d judged items, of which %d have labels: ", len(t.judged), len(t.labels)), isEstimated},
		{"Share of “", isEstimated && t.isNominal()},
		{"Share of “" + last + "” over", isEstimated && t.isNominal()},
		{"Mean answer over", isEstimated && !t.hasWords(t.scale())},
		{"” is " + fmt.Sprint(t.number(last)) + ") over", isEstimated && !t.isNominal() && t.hasWords(t.scale())},
		{"tone, unordered categories ", t.isNominal()},
		{"tone, scale ", !t.isNominal()},
		{"OVER CLUSTERS", hasPairs && t.hasCluster},
		{"OVER ITEMS", hasPairs && !t.hasCluster},
		{"Note: no scale is declared for tone: weights and categories come from the values in use, ", !t.isDeclared &&
			!t.isNominal() && !hasFraction(t.shownValues())},
		{"Note: no scale is declared for tone, and its values have fractions", !t.isDeclared && !t.isNominal() &&
			hasFraction(t.shownValues())},
		{"Note: ", !t.isDeclared},
		{" ordinal ", !t.isNominal()},
		{"the values of tone are words, and no", t.isNominal() && !t.hasNumbers(t.shownValues())},
		{"the values of tone are numbers and words", t.isNominal() && t.hasNumbers(t.shownValues())},
	}
}

func hasFraction(values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, ".") })
}

func (t *judgedTable) answered(name string) bool {
	for _, answers := range t.labels {
		if _, ok := answers[name]; ok {
			return true
		}
	}
	return false
}

// ownValues returns the answers of people, and whether their kind is that of all values: if only the
// judge gave words, the file has words nevertheless.
func (t *judgedTable) ownValues() (values []string, isSameKind bool) {
	for _, answers := range t.labels {
		values = append(values, slices.Collect(maps.Values(answers))...)
	}
	return values, t.hasWords(values) == t.hasWords(t.values)
}

// shownValues returns the values that the note on the scale is about.
func (t *judgedTable) shownValues() []string {
	if values, isSameKind := t.ownValues(); isSameKind {
		return values
	}
	return t.values
}

// TestAgree_Judge_Text_IsTrue checks that each sentence on a judge is printed if and only if a random
// table gives it, and that the judge changes nothing in the agreement of the others.
func TestAgree_Judge_Text_IsTrue(t *testing.T) {
	t.Parallel()
	const tables = 280
	r, holds, fails := rand.New(rand.NewPCG(42, 0)), map[int]int{}, map[int]int{}
	for n := range tables {
		table := newRandomTable(r)
		if table.ratings == 0 {
			continue
		}
		code, out, stderr := runCommand(t, table.csv(true), table.args("--judge", "model")...)
		if code != exitOK {
			t.Fatalf("table %d: exit %d: %s", n, code, stderr)
		}
		for i, part := range table.sentences(out) {
			if got := strings.Contains(out, part.text); got != part.want {
				t.Fatalf("table %d: %q is %t, want %t:\n%s", n, part.text, got, part.want, out)
			}
			if part.want {
				holds[i]++
			} else {
				fails[i]++
			}
		}
		_, alone, _ := runCommand(t, table.csv(false), table.args()...)
		if _, isSameKind := table.ownValues(); isSameKind && !strings.HasPrefix(out, alone) {
			t.Fatalf("table %d: with the judge\n%swithout\n%s", n, out, alone)
		}
	}
	for i, part := range newRandomTable(r).sentences("") {
		if holds[i] < 5 || fails[i] < 5 {
			t.Errorf("%q holds for %d tables and fails for %d; want both", part.text, holds[i], fails[i])
		}
	}
}
