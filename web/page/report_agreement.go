package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/report"
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
func lowestPairs(pairs []report.AnnotatorPair) (list []report.AnnotatorPair, caption string) {
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
	slices.SortStableFunc(list, func(a, b report.AnnotatorPair) int { return cmp.Compare(*a.Kappa.Value, *b.Kappa.Value) })
	return list[:min(len(list), maxListedPairs)], caption
}

// minSharedItems is how many items a pair must share to be listed among many pairs.
const minSharedItems = 10

// hasTooFewItems reports whether a verdict has too few shared items to estimate κ.
func hasTooFewItems(v report.Verdict) bool {
	return v.Outcome == report.NotEnoughData && !v.IsUndecided()
}

// estimateText is the value of a coefficient, or a dash if the verdict has too few items to estimate it.
func estimateText(v report.Verdict, n study.Number) string {
	if hasTooFewItems(v) {
		return study.Number{}.Text()
	}
	return n.Text()
}

// fewItemsText says how many of the items that a verdict needs there are.
func fewItemsText(items int, v report.Verdict) string {
	return fmt.Sprintf("too few items to estimate (%d of %d)", items, v.MinItems)
}

// coefficientRange is the interval of a coefficient, within the values that it can have. With fewer items
// than a verdict needs there is none.
func coefficientRange(g study.AgreementFigure, v report.Verdict) string {
	if g.Items < v.MinItems {
		return study.Number{}.Range()
	}
	return boundCoefficient(g).Range()
}

// boundCoefficient limits an interval to the values that a coefficient can have.
func boundCoefficient(g study.AgreementFigure) study.AgreementFigure {
	if g.Low != nil && g.High != nil {
		low, high := max(*g.Low, -1), min(*g.High, 1)
		g.Low, g.High = &low, &high
	}
	return g
}

// coefficientNote says why a coefficient has no value or no interval; empty if it has both.
func coefficientNote(g study.AgreementFigure, v report.Verdict) string {
	if g.Value != nil && g.Low != nil && g.Items < v.MinItems {
		return fmt.Sprintf("too few items for an interval (%d of %d)", g.Items, v.MinItems)
	}
	return g.MissingReason()
}

// kappaTrendChart shows κ over time.
func kappaTrendChart(f report.FieldReport) ui.Chart {
	c := ui.TrendChart{ID: "kappa-" + f.Key, Measure: "κ over time", Target: &f.Verdict.Target,
		Description: "κ on " + f.Title + " for consecutive groups of items, with 95% CIs as vertical lines. The dashed line is the target."}
	var times []time.Time
	for _, w := range f.KappaOverTime {
		p := periodFromNumber(w.Kappa.Against(f.Verdict.Target))
		p.Basis = Pluralize(w.Kappa.Items, "item")
		c.Periods = append(c.Periods, p)
		times = append(times, w.From, w.To)
	}
	setPeriodTimes(&c, times)
	c.Title = f.Title + ": " + trendFinding("κ", c.Periods)
	return c.Chart()
}

// minTrendSpan is the time from the first to the last label from which there can be a change over time. Imported
// labels often have nearly the same time.
const minTrendSpan = 10 * time.Minute

// hasKappaTrend reports whether the agreement on a field is known for several periods.
func hasKappaTrend(f report.FieldReport) bool {
	n := len(f.KappaOverTime)
	return n > 1 && f.KappaOverTime[n-1].To.Sub(f.KappaOverTime[0].From) >= minTrendSpan
}

// hasMeanTrend reports whether the mean answer to a field is known for several periods.
func hasMeanTrend(f report.FieldReport) bool {
	n := len(f.MeansOverTime)
	return n > 1 && f.MeansOverTime[n-1].To.Sub(f.MeansOverTime[0].From) >= minTrendSpan
}

// setPeriodTimes sets the ends of each period, of which times has two: dates or, where all are on one day,
// times, with the date in the measure.
func setPeriodTimes(c *ui.TrendChart, times []time.Time) {
	format := formatDate
	if n := len(times); n > 0 && formatDate(times[0]) == formatDate(times[n-1]) {
		format = func(t time.Time) string { return t.UTC().Format("15:04 UTC") }
		c.Measure += ", " + formatDate(times[0])
	}
	for i := range c.Periods {
		c.Periods[i].From, c.Periods[i].To = format(times[2*i]), format(times[2*i+1])
	}
}

// periodFromNumber returns a period with the value and the interval of n.
func periodFromNumber(n study.Number) ui.Period {
	p := ui.Period{Value: n.Value, Low: n.Low, High: n.High, Text: n.Text(), IntervalText: n.Range()}
	if n.Value == nil {
		p.IntervalText = cmp.Or(n.Undefined, p.IntervalText)
	}
	return p
}

// meanTrendChart shows the mean answer over time.
func meanTrendChart(f report.FieldReport) ui.Chart {
	c := ui.TrendChart{ID: "means-" + f.Key, Measure: "Mean answer over time", Scale: f.Scale,
		Description: "Mean answer of all annotators on " + f.Title + " for consecutive groups of answers, with 95% CIs as vertical lines. A dashed vertical line marks a new revision of the protocol."}
	var times []time.Time
	for _, m := range f.MeansOverTime {
		p := periodFromNumber(m.Mean)
		p.Basis, p.Change = Pluralize(m.Items, "item"), revisionText(m.NewRevisions)
		c.Periods = append(c.Periods, p)
		times = append(times, m.From, m.To)
	}
	setPeriodTimes(&c, times)
	c.Title = f.Title + ": " + trendFinding("the mean", c.Periods)
	return c.Chart()
}

// revisionText names the new revisions.
func revisionText(revisions []int) string {
	var names []string
	for _, n := range revisions {
		names = append(names, "revision "+strconv.Itoa(n))
	}
	return strings.Join(names, ", ")
}

// verdictClass returns the CSS class of a verdict.
func verdictClass(v report.Verdict) string {
	if !v.IsInterpretable() {
		return "undetermined"
	}
	return string(v.Outcome)
}

// A verdictGroup is a verdict and the titles of its fields.
type verdictGroup struct {
	Titles  []string
	Verdict report.Verdict
	field   report.FieldReport // the first
	cause   string             // of several fields: one annotator; else empty
}

// boundaryTexts name the boundary that most needs a look, and what the guide says about it; empty without
// one, or if the fields of the group have different ones.
func (g verdictGroup) boundaryTexts() []string {
	if len(g.Titles) > 1 {
		return nil
	}
	return g.field.BoundaryTexts()
}

// texts explain the verdict: what one annotator does to several fields, or the message of one
// field with its causes and the boundary that needs a look.
func (g verdictGroup) texts() []string {
	if g.cause != "" {
		return []string{g.cause, "Talk to " + g.Verdict.Causes[0].Annotator + " before you change the questions, and before more items are labeled."}
	}
	texts := []string{g.Verdict.Message}
	for _, c := range g.Verdict.Causes {
		texts = append(texts, c.Message)
	}
	return append(texts, g.boundaryTexts()...)
}

// overlapText says whether more items are needed; empty where the texts of several fields say so.
func (g verdictGroup) overlapText() string {
	if g.cause != "" {
		return ""
	}
	return g.Verdict.OverlapAdvice
}

// verdictGroups returns the verdicts in the order of the fields. Fields without enough
// data share one if their message is the same, and so do fields of which the same annotator is the cause.
func (d ReportData) verdictGroups() (groups []verdictGroup) {
	for _, f := range d.Report.Fields {
		cause := d.sharedCause(f)
		isSame := func(s verdictGroup) bool {
			return f.Verdict.Outcome == report.NotEnoughData && s.Verdict.Message == f.Verdict.Message || cause != "" && s.cause == cause
		}
		if index := slices.IndexFunc(groups, isSame); index >= 0 {
			groups[index].Titles = append(groups[index].Titles, f.Title)
			continue
		}
		groups = append(groups, verdictGroup{[]string{f.Title}, f.Verdict, f, cause})
	}
	return groups
}

// sharedCause describes the annotator who lowers the agreement on a field and on others; empty without one.
func (d ReportData) sharedCause(f report.FieldReport) string {
	if name := f.LoweringAnnotator(); name != "" {
		return d.Report.DescribeRise(name)
	}
	return ""
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
	return ui.AgreementMatrix{ID: "pairs-" + f.Key, Title: f.Title + ": " + pairFinding(f.Pairs, f.Verdict.MinItems), Measure: "κ by pair of annotators", Names: names, Values: values, Description: desc}.Chart(), true
}

// lowestAgreementNames returns the sorted names of at most limit annotators, those with
// the lowest mean κ, and the number of all annotators.
func lowestAgreementNames(pairs []report.AnnotatorPair, limit int) (names []string, total int) {
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
