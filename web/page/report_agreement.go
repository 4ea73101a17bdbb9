package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/ui"
)

// kappaDescription names the κ that verdicts rest on.
func kappaDescription(d ReportData) string {
	description := "Cohen's, linear-weighted, the mean over every two annotators who share items (Light's)"
	if slices.ContainsFunc(d.Report.Fields, func(f report.FieldReport) bool {
		return f.Verdict.Kappa.Coefficient == "conger_kappa" && f.Verdict.Kappa.Value != nil
	}) {
		description += ", or Conger's where some pair has no variation"
	}
	return description
}

// coefficientName and variantName are the field's names for what files and
// programs call otherwise.
func coefficientName(key string) string {
	return cmp.Or(map[string]string{"percent_agreement": "Equal answers", "cohen_kappa": "Cohen's κ, mean of pairs", "conger_kappa": "Conger's κ",
		"fleiss_kappa": "Fleiss' κ", "alpha": "Krippendorff's α", "gwet_ac1": "Gwet's AC1", "gwet_ac2": "Gwet's AC2"}[key], key)
}

func variantName(key string) string {
	return cmp.Or(map[string]string{"all_items": "all items", "items_2plus": "items with two answers or more", "declared_categories": "the scale's categories"}[key], key)
}

// maxListedPairs is up to how many pairs a table lists them all.
const maxListedPairs = 30

// lowestPairs returns the pairs to list, and what the table is: all, or those
// who agree least, where they share enough to say so.
func lowestPairs(pairs []report.AnnotatorPair) (list []report.AnnotatorPair, caption string) {
	if len(pairs) <= maxListedPairs {
		return pairs, "Every two annotators who share items"
	}
	for _, p := range pairs {
		if p.Kappa.Value != nil && p.Kappa.Items >= minSharedItems {
			list = append(list, p)
		}
	}
	if len(list) < maxListedPairs {
		caption = fmt.Sprintf("Of %s pairs, those who share %d items or more, the lowest first", formatNumber(len(pairs)), minSharedItems)
	} else {
		caption = fmt.Sprintf("Of %s pairs, the %d who agree least, among those who share %d items or more", formatNumber(len(pairs)), maxListedPairs, minSharedItems)
	}
	slices.SortStableFunc(list, func(a, b report.AnnotatorPair) int { return cmp.Compare(*a.Kappa.Value, *b.Kappa.Value) })
	return list[:min(len(list), maxListedPairs)], caption
}

// minSharedItems is how many items a pair shares before its κ is set among others.
const minSharedItems = 10

// kappaTrendChart draws κ of successive stretches of items.
func kappaTrendChart(f report.FieldReport) ui.Chart {
	c := ui.TrendChart{ID: "course-" + f.Key, Title: f.Title + ": κ over time", Target: &f.Verdict.Target,
		Description: "Conger's κ, linear-weighted, on " + f.Title + " in successive stretches of as many items each, with 95 % intervals as upright lines. The broken line is the target."}
	for _, w := range f.KappaOverTime {
		c.Periods = append(c.Periods, ui.Period{From: formatShortDate(w.From), To: formatShortDate(w.To), Value: w.Kappa.Value, Low: w.Kappa.Low, High: w.Kappa.High,
			Missing: w.Kappa.Undefined, Basis: pluralize(w.Kappa.Items, "item")})
	}
	return c.Chart()
}

// meanTrendChart draws the mean answer of successive stretches.
func meanTrendChart(f report.FieldReport) ui.Chart {
	c := ui.TrendChart{ID: "means-" + f.Key, Title: f.Title + ": mean over time", Scale: f.Scale,
		Description: "Mean answer of everybody on " + f.Title + " in successive stretches of as many answers each, with 95 % intervals as upright lines. A broken upright line marks a new wording of the protocol."}
	for _, m := range f.MeansOverTime {
		c.Periods = append(c.Periods, ui.Period{From: formatShortDate(m.From), To: formatShortDate(m.To), Value: m.Mean.Value, Low: m.Mean.Low, High: m.Mean.High,
			Missing: m.Mean.Undefined, Basis: pluralize(m.Items, "item"), Change: revisionText(m.NewRevisions)})
	}
	return c.Chart()
}

// revisionText names the revisions that began; empty where none did.
func revisionText(revisions []int) string {
	var names []string
	for _, n := range revisions {
		names = append(names, "revision "+strconv.Itoa(n))
	}
	return strings.Join(names, ", ")
}

// bindPercent keeps a figure and its per cent on one line.
func bindPercent(text string) string { return strings.ReplaceAll(text, " %", "\u00a0%") }

// verdictClass is the class of a verdict's word.
func verdictClass(v report.Verdict) string {
	if !v.IsInterpretable() {
		return "unsaid"
	}
	return string(v.Outcome)
}

// A verdictGroup is a verdict and the titles of the fields that it is given on.
type verdictGroup struct {
	Titles  []string
	Verdict report.Verdict
}

// verdictGroups are the verdicts in the order of the fields. Where the overlap does not
// do, fields of which the same is said share one.
func (d ReportData) verdictGroups() (groups []verdictGroup) {
	for _, f := range d.Report.Fields {
		isSame := func(s verdictGroup) bool {
			return f.Verdict.Outcome == report.NotEnoughData && s.Verdict.Message == f.Verdict.Message
		}
		if index := slices.IndexFunc(groups, isSame); index >= 0 {
			groups[index].Titles = append(groups[index].Titles, f.Title)
			continue
		}
		groups = append(groups, verdictGroup{[]string{f.Title}, f.Verdict})
	}
	return groups
}

// hasEnoughOverlap reports whether any field has the overlap to be drawn.
func (d ReportData) hasEnoughOverlap() bool {
	return slices.ContainsFunc(d.Report.Fields, func(f report.FieldReport) bool { return f.Verdict.Outcome != report.NotEnoughData })
}

// agreementChart draws κ of every field with its interval.
func (d ReportData) agreementChart() ui.Chart {
	s := ui.IntervalChart{ID: "against-target", Title: "Agreement per field, against the target", To: 1}
	for _, f := range d.Report.Fields {
		v := f.Verdict
		s.Target = &v.Target
		row := ui.IntervalRow{Label: f.Title, Basis: pluralize(f.Figure("percent_agreement", "").Items, "item")}
		if v.Outcome == report.NotEnoughData {
			row.Missing = "not enough overlap"
		} else {
			row.Value, row.Low, row.High, row.Missing = v.Kappa.Value, v.Kappa.Low, v.Kappa.High, v.Kappa.Undefined
		}
		s.Rows = append(s.Rows, row)
	}
	s.Description = "κ of each field as a dot with its 95 % interval as a line. The broken line is the target"
	if s.Target != nil {
		s.Description += fmt.Sprintf(", %.2f", *s.Target)
	}
	s.Description += "."
	return s.Chart()
}

// pairMatrixChart draws κ of every two annotators, of many those who agree least with
// the others; false where there is one pair at most.
func pairMatrixChart(f report.FieldReport) (ui.Chart, bool) {
	names, total := lowestAgreementNames(f.Pairs, ui.MaxMatrixAnnotators)
	if len(names) < 3 {
		return ui.Chart{}, false
	}
	desc := "Linear-weighted κ of each pair of annotators on " + f.Title + ". Darker is more agreement; a line means that it cannot be said."
	if total > len(names) {
		desc += fmt.Sprintf(" Shown are the %d of %d annotators who agree least with all others.", len(names), total)
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
	return ui.AgreementMatrix{ID: "pairs-" + f.Key, Title: f.Title + ": κ of every two annotators", Names: names, Values: values, Description: desc}.Chart(), true
}

// lowestAgreementNames returns, in order, the names of at most so many annotators, those
// of the lowest mean κ with the others, and how many annotators there are.
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
			return math.Inf(1) // nothing can be said: nothing to look at
		}
		return sums[name] / counts[name]
	}
	names = slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Or(cmp.Compare(mean(a), mean(b)), cmp.Compare(a, b)) })
	total = len(names)
	names = names[:min(total, limit)]
	slices.Sort(names)
	return names, total
}

// confusionChart draws what people said where another said something.
func confusionChart(f report.FieldReport) ui.Chart {
	return ui.ConfusionMatrix{ID: "confusion-" + f.Key, Title: f.Title + ": what one said, and what another said", First: "one", Second: "another", Scale: f.Scale, Counts: f.Confusion,
		Description: "Answers of every two annotators to the same item on " + f.Title + ", both ways around. On the diagonal they agree; darker is more often."}.Chart()
}
