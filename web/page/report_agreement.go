package page

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/web/ui"
)

func coefficientName(l *locale.Locale, key string) string {
	switch key {
	case "percent_agreement":
		return l.T("Percent agreement")
	case "shared_kappa":
		return l.T("κ of shared items")
	case "cohen_kappa":
		return l.T("Cohen's κ, mean of pairs")
	case "conger_kappa":
		return l.T("Conger's κ")
	case "fleiss_kappa":
		return l.T("Fleiss' κ")
	case "alpha":
		return l.T("Krippendorff's α")
	case "gwet_ac1":
		return l.T("Gwet's AC1")
	case "gwet_ac2":
		return l.T("Gwet's AC2")
	}
	return key
}

func variantName(l *locale.Locale, key string) string {
	switch key {
	case "all_items":
		return l.T("all items")
	case "items_2plus":
		return l.T("items with two or more answers")
	case "declared_categories":
		return l.T("the scale's categories")
	case string(stats.Unweighted):
		return l.T("unweighted")
	case string(stats.Linear):
		return l.T("linear")
	case string(stats.Quadratic):
		return l.T("quadratic")
	case string(stats.NominalDistance):
		return l.T("nominal")
	case string(stats.OrdinalDistance):
		return l.T("ordinal")
	case string(stats.IntervalDistance):
		return l.T("interval")
	}
	return key
}

// maxListedPairs is the number of pairs that a table lists.
const maxListedPairs = 30

// lowestPairs returns all pairs, or of many pairs those with the lowest κ among those
// that share enough items, and the caption of the table.
func lowestPairs(l *locale.Locale, pairs []agreement.Pair) (list []agreement.Pair, caption string) {
	if len(pairs) <= maxListedPairs {
		return pairs, l.T("Pairs of annotators that share items")
	}
	for _, p := range pairs {
		if p.Kappa.Value != nil && p.Kappa.Items >= minSharedItems {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b agreement.Pair) int { return cmp.Compare(*a.Kappa.Value, *b.Kappa.Value) })
	list = list[:min(len(list), maxListedPairs)]
	return list, l.T("Of %d pairs, the %d with the lowest κ among those that share %d items or more", len(pairs),
		len(list), minSharedItems)
}

// minSharedItems is how many items a pair must share to be listed among many pairs.
const minSharedItems = 10

// coefficientRange is the interval of a coefficient, within the values that it can have. With fewer items than a
// verdict
// needs there is none.
func coefficientRange(g study.AgreementFigure) string {
	if g.Items < agreement.MinItems {
		return study.Number{}.Range()
	}
	return boundCoefficient(g).Range()
}

// coefficientNote says why a coefficient has no value or no interval; empty if it has both.
func coefficientNote(l *locale.Locale, g study.AgreementFigure) string {
	if g.Value != nil && g.Low != nil && g.Items < agreement.MinItems {
		return l.T("too few items for an interval (%d of %d)", g.Items, agreement.MinItems)
	}
	return prose.Writer{Locale: l}.Missing(g.Number)
}

// boundCoefficient limits an interval to the values that a coefficient can have.
func boundCoefficient(g study.AgreementFigure) study.AgreementFigure {
	if g.Low != nil && g.High != nil {
		low, high := max(*g.Low, -1), min(*g.High, 1)
		g.Low, g.High = &low, &high
	}
	return g
}

func verdictClass(v agreement.Verdict) string {
	return map[agreement.Verdict]string{agreement.Meets: "go", agreement.BelowTarget: "rewrite",
		agreement.Open: "undetermined", agreement.TooFewItems: "undetermined"}[v]
}

// pairMatrixChart shows κ of each pair of annotators, of many annotators those with the
// lowest mean κ; false with fewer than three annotators.
func pairMatrixChart(l *locale.Locale, f report.FieldReport) (ui.Chart, bool) {
	names, total := lowestAgreementNames(f.Pairs, ui.MaxMatrixAnnotators)
	if len(names) < 3 {
		return ui.Chart{}, false
	}
	desc := l.T("κ of each pair of annotators on %s. Darker cells are more agreement; a dash means that the pair shares no items, or that its answers do not vary.", f.Title)
	if total > len(names) {
		desc += " " + l.T("Shown are the %d of %d annotators with the lowest mean κ.", len(names), total)
	}
	values := make([][]*float64, len(names))
	for i := range values {
		values[i] = make([]*float64, len(names))
	}
	for _, p := range f.Pairs {
		if i, j := slices.Index(names, p.First), slices.Index(names, p.Second); i >= 0 && j >= 0 {
			values[i][j], values[j][i] = p.Kappa.Value, p.Kappa.Value
		}
	}
	return ui.AgreementMatrix{ID: "pairs-" + f.Key, Title: f.Title + ": " + pairFinding(l, f.Pairs, agreement.MinItems),
		Measure: l.T("κ by pair of annotators"),
		Names:   names, Values: values, Description: desc}.Chart(l), true
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
	names = slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(mean(a), mean(b)), cmp.Compare(a, b))
	})
	total = len(names)
	names = names[:min(total, limit)]
	slices.Sort(names)
	return names, total
}

// confusionChart shows the pairs of answers to the same item.
func confusionChart(l *locale.Locale, f report.FieldReport) ui.Chart {
	counts := countPairsOnce(f.Confusion)
	return ui.ConfusionMatrix{ID: "confusion-" + f.Key, Title: f.Title + ": " + equalFinding(l, counts),
		Measure: l.T("Pairs of answers to the same item"),
		First:   l.T("Lower answer"), Second: l.T("Higher answer"), Scale: f.Scale, Counts: counts, IsSymmetric: true,
		Description: l.T("Answers of two annotators to the same item on %s, each pair counted once. On the diagonal they agree; darker cells are more frequent.", f.Title)}.Chart(l)
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
