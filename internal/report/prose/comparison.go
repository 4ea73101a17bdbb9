package prose

import (
	"strings"

	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
	stats "github.com/labelwright/labelwright/internal/stats/comparison"
)

// Group says in one or two sentences on which fields a group differs from the baseline; nothing of the baseline.
func (w Writer) Group(r *comparison.Result, group int, titleOf func(field string) string) string {
	g, titles, total := r.Groups[group], map[comparison.Conclusion][]string{}, 0
	for _, f := range g.Fields {
		if f.Difference != nil {
			titles[f.Difference.Conclusion] = append(titles[f.Difference.Conclusion], titleOf(f.Field))
			total++
		}
	}
	fieldsOf := func(c comparison.Conclusion) string { return w.joinFields(titles[c], total) }
	has := func(c comparison.Conclusion) bool { return len(titles[c]) > 0 }
	value, baseline, shown, others := g.Value, r.Groups[0].Value, "", ""
	switch {
	case has(comparison.Higher) && has(comparison.Lower):
		shown = w.T("“%s” scores higher than “%s” on %s, and lower on %s.", value, baseline,
			fieldsOf(comparison.Higher), fieldsOf(comparison.Lower))
	case has(comparison.Higher):
		shown = w.T("“%s” scores higher than “%s” on %s.", value, baseline, fieldsOf(comparison.Higher))
	case has(comparison.Lower):
		shown = w.T("“%s” scores lower than “%s” on %s.", value, baseline, fieldsOf(comparison.Lower))
	}
	switch {
	case has(comparison.NotShown) && has(comparison.CannotBeTold):
		others = w.T("No difference between “%s” and “%s” is shown on %s; on %s it cannot be told.", value, baseline,
			fieldsOf(comparison.NotShown), fieldsOf(comparison.CannotBeTold))
	case has(comparison.NotShown) && len(titles[comparison.NotShown]) == total && total > 2:
		others = w.T("No difference between “%s” and “%s” is shown on any of the %d fields.", value, baseline, total)
	case has(comparison.NotShown):
		others = w.T("No difference between “%s” and “%s” is shown on %s.", value, baseline,
			fieldsOf(comparison.NotShown))
	case has(comparison.CannotBeTold):
		others = w.T("Whether “%s” and “%s” differ on %s cannot be told.", value, baseline,
			fieldsOf(comparison.CannotBeTold))
	}
	return strings.TrimSpace(shown + " " + others + " " + w.detectable(g))
}

// detectable says which difference of a group would have been found on the fields where none is shown; empty without
// such a field,
// or if the fields differ in unit.
func (w Writer) detectable(g comparison.Group) string {
	var smallest, largest *comparison.Difference
	for _, f := range g.Fields {
		d := f.Difference
		switch {
		case d == nil || d.Detectable == nil:
			continue
		case smallest != nil && smallest.IsShare != d.IsShare:
			return ""
		case smallest == nil:
			smallest, largest = d, d
		case *d.Detectable < *smallest.Detectable:
			smallest = d
		case *d.Detectable > *largest.Detectable:
			largest = d
		}
	}
	if smallest == nil {
		return ""
	}
	return w.T("One of %s would have been found with 80%% probability.", w.size(largest, *largest.Detectable))
}

// Difference says in a sentence what a field shows, with the primary estimate and what it rests on.
func (w Writer) Difference(group, baseline string, d *comparison.Difference) string {
	switch d.Conclusion {
	case comparison.Higher:
		return w.T("“%s” scores higher than “%s”: %s.", group, baseline, w.Estimate(d, d.Primary))
	case comparison.Lower:
		return w.T("“%s” scores lower than “%s”: %s.", group, baseline, w.Estimate(d, d.Primary))
	case comparison.NotShown:
		return w.T("No difference is shown: %s; one of %s would have been found with 80%% probability.",
			w.Estimate(d, d.Primary), w.size(d, *d.Detectable))
	}
	switch d.Reason {
	case stats.TooFew:
		return w.T("This cannot be told: it needs %d annotators and %d items in each group.", stats.MinAnnotators,
			stats.MinItems)
	case stats.Confounded:
		return w.T("This cannot be told: too few annotators labeled both groups, so lenient annotators would look like a better group.")
	}
	return w.T("This cannot be told: annotators agree too little on this field.")
}

// Estimate states a difference, its interval and what it rests on, as a clause.
func (w Writer) Estimate(d *comparison.Difference, e comparison.Estimate) string {
	return w.T("%s (95%% CI %s), %s", w.SignedDifference(d, e.Number), w.DifferenceRange(d, e.Number), w.Basis(e))
}

// Basis names what an estimate rests on.
func (w Writer) Basis(e comparison.Estimate) string {
	switch e.Basis {
	case stats.Paired:
		return w.T("within %d pairs", e.Pairs)
	case stats.Adjusted:
		return w.T("over %d items, adjusted for annotators", e.Items)
	}
	return w.T("over %d items", e.Items)
}

// SignedDifference writes a difference in points, or on a yes/no field in percent.
func (w Writer) SignedDifference(d *comparison.Difference, n study.Number) string {
	if d.IsShare {
		return w.Figure(n.SignedPercent())
	}
	return w.Figure(n.Signed())
}

// DifferenceRange writes the interval of a difference as SignedDifference does its value.
func (w Writer) DifferenceRange(d *comparison.Difference, n study.Number) string {
	if d.IsShare {
		return w.Figure(n.SignedPercentRange())
	}
	return w.Figure(n.SignedRange())
}

// size writes the size of a difference.
func (w Writer) size(d *comparison.Difference, size float64) string {
	n := study.Number{Value: &size}
	if d.IsShare {
		return w.T("%s percentage points", w.Figure(strings.TrimSuffix(n.Percent(), "%")))
	}
	return w.T("%s points", w.Figure(n.Text()))
}

// GroupOrder says which groups annotators labeled before or after the baseline; empty if groups were mixed.
func (w Writer) GroupOrder(r *comparison.Result) string {
	var ordered []string
	for _, g := range r.Groups {
		switch {
		case g.LaterShare == nil:
		case *g.LaterShare >= comparison.MinOrderedShare:
			ordered = append(ordered, w.T("“%s” after “%s”", g.Value, r.Groups[0].Value))
		case *g.LaterShare <= 1-comparison.MinOrderedShare:
			ordered = append(ordered, w.T("“%s” before “%s”", g.Value, r.Groups[0].Value))
		}
	}
	if len(ordered) == 0 {
		return ""
	}
	return w.T("Annotators labeled %s, so a change of their standards would look like a difference: mix the groups in each batch.", strings.Join(ordered, ", "))
}

// HiddenGroups says how many groups are left out because they are small; empty if none.
func (w Writer) HiddenGroups(r *comparison.Result) string {
	if r.HiddenGroups == 0 {
		return ""
	}
	return w.T("Groups that are hidden while a batch is open, because single answers could be recognized in them: %d. A group needs %d items and %d annotators.",
		r.HiddenGroups, comparison.MinGroupItems, comparison.MinGroupAnnotators)
}

// Pairing says what the items of a pair share; empty without pairs.
func (w Writer) Pairing(p comparison.Pairing) string {
	switch p {
	case comparison.PairedByColumn:
		return w.T("Items with the same pair_id are a pair.")
	case comparison.PairedByRecord:
		return w.T("Items of the same record are a pair.")
	case comparison.PairedByInput:
		return w.T("Items with the same input are a pair.")
	}
	return ""
}

// ComparisonConclusion names a conclusion.
func (w Writer) ComparisonConclusion(c comparison.Conclusion) string {
	switch c {
	case comparison.Higher:
		return w.T("Higher")
	case comparison.Lower:
		return w.T("Lower")
	case comparison.NotShown:
		return w.T("Not shown")
	}
	return w.T("Cannot be told")
}
