package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/web/ui"
)

// coefficientName returns the display name of a coefficient.
func coefficientName(key string) string {
	if key == "cohen_kappa" {
		return "Cohen's κ, mean of pairs"
	}
	return cmp.Or(stats.CoefficientText(key), key)
}

func variantName(key string) string {
	return cmp.Or(map[string]string{"all_items": "all items", "items_2plus": "items with two or more answers", "declared_categories": "the scale's categories"}[key], key)
}

// maxListedPairs is the number of pairs that a table lists.
const maxListedPairs = 30

// lowestPairs returns all pairs, or of many pairs those with the lowest κ among those
// that share enough items, and the caption of the table.
func lowestPairs(pairs []agreement.Pair) (list []agreement.Pair, caption string) {
	if len(pairs) <= maxListedPairs {
		return pairs, "Pairs of annotators that share items"
	}
	for _, p := range pairs {
		if p.Kappa.Value != nil && p.Kappa.Items >= minSharedItems {
			list = append(list, p)
		}
	}
	if len(list) < maxListedPairs {
		caption = fmt.Sprintf("Of %s pairs, those with a κ that share %d items or more, lowest κ first", formatNumber(len(pairs)), minSharedItems)
	} else {
		caption = fmt.Sprintf("Of %s pairs, the %d with the lowest κ among those that share %d items or more", formatNumber(len(pairs)), maxListedPairs, minSharedItems)
	}
	slices.SortStableFunc(list, func(a, b agreement.Pair) int { return cmp.Compare(*a.Kappa.Value, *b.Kappa.Value) })
	return list[:min(len(list), maxListedPairs)], caption
}

// minSharedItems is how many items a pair must share to be listed among many pairs.
const minSharedItems = 10

// coefficientRange is the interval of a coefficient, within the values that it can have. With fewer items than a verdict
// needs there is none.
func coefficientRange(g study.AgreementFigure) string {
	if g.Items < agreement.MinItems {
		return study.Number{}.Range()
	}
	return boundCoefficient(g).Range()
}

// coefficientNote says why a coefficient has no value or no interval; empty if it has both.
func coefficientNote(g study.AgreementFigure) string {
	if g.Value != nil && g.Low != nil && g.Items < agreement.MinItems {
		return fmt.Sprintf("too few items for an interval (%d of %d)", g.Items, agreement.MinItems)
	}
	return g.MissingReason()
}

// boundCoefficient limits an interval to the values that a coefficient can have.
func boundCoefficient(g study.AgreementFigure) study.AgreementFigure {
	if g.Low != nil && g.High != nil {
		low, high := max(*g.Low, -1), min(*g.High, 1)
		g.Low, g.High = &low, &high
	}
	return g
}

// verdictClass returns the CSS class of a verdict.
func verdictClass(v agreement.Verdict) string {
	return map[agreement.Verdict]string{agreement.Meets: "go", agreement.BelowTarget: "rewrite", agreement.Open: "undetermined", agreement.TooFewItems: "undetermined"}[v]
}

// pairMatrixChart shows κ of each pair of annotators, of many annotators those with the
// lowest mean κ; false with fewer than three annotators.
func pairMatrixChart(f report.FieldReport) (ui.Chart, bool) {
	names, total := lowestAgreementNames(f.Pairs, ui.MaxMatrixAnnotators)
	if len(names) < 3 {
		return ui.Chart{}, false
	}
	shown := ""
	if total > len(names) {
		shown = fmt.Sprintf("; shown are the %d of %d annotators with the lowest mean κ", len(names), total)
	}
	desc := "κ of each pair of annotators on " + f.Title + shown + ". Darker cells are more agreement; a dash means that the pair shares no items, or that its answers do not vary."
	values := make([][]*float64, len(names))
	for i := range values {
		values[i] = make([]*float64, len(names))
	}
	for _, p := range f.Pairs {
		if i, j := slices.Index(names, p.First), slices.Index(names, p.Second); i >= 0 && j >= 0 {
			values[i][j], values[j][i] = p.Kappa.Value, p.Kappa.Value
		}
	}
	return ui.AgreementMatrix{ID: "pairs-" + f.Key, Title: f.Title + ": " + pairFinding(f.Pairs, agreement.MinItems), Measure: "κ by pair of annotators", Names: names, Values: values, Description: desc}.Chart(), true
}

// lowestAgreementNames returns the sorted names of at most limit annotators, those with
// the lowest mean κ, and the number of all annotators.
func lowestAgreementNames(pairs []agreement.Pair, limit int) (names []string, total int) {
	sums, counts := map[string]float64{}, map[string]float64{}
	for _, p := range pairs {
		for _, n := range []string{p.First, p.Second} {
			if sums[n] += 0; p.Kappa.Value != nil {
				sums[n], counts[n] = sums[n]+*p.Kappa.Value, counts[n]+1
			}
		}
	}
	mean := func(name string) float64 {
		if counts[name] == 0 {
			return math.Inf(1) // unknown: last
		}
		return sums[name] / counts[name]
	}
	names = slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Or(cmp.Compare(mean(a), mean(b)), cmp.Compare(a, b)) })
	total = len(names)
	names = names[:min(total, limit)]
	slices.Sort(names)
	return names, total
}

// confusionChart shows the pairs of answers to the same item.
func confusionChart(f report.FieldReport) ui.Chart {
	counts := countPairsOnce(f.Confusion)
	return ui.ConfusionMatrix{ID: "confusion-" + f.Key, Title: f.Title + ": " + equalFinding(counts, false, "pairs of answers are equal"), Measure: "Pairs of answers to the same item", First: "Lower answer", Second: "Higher answer", Scale: f.Scale, Counts: counts, IsSymmetric: true,
		Description: "Answers of two annotators to the same item on " + f.Title + ", each pair counted once. On the diagonal they agree; darker cells are more frequent."}.Chart()
}

// countPairsOnce returns the pairs of a matrix that counts each in both directions, by their lower and their
// higher answer.
func countPairsOnce(confusion [][]int) [][]int {
	counts := make([][]int, len(confusion))
	for i, row := range confusion {
		counts[i] = make([]int, len(row))
		for j := i; j < len(row); j++ {
			if counts[i][j] = row[j]; i == j {
				counts[i][j] /= 2
			}
		}
	}
	return counts
}
