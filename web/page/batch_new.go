package page

import (
	"math"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/ui"
)

func previewVariant(d NewBatchData) string {
	if d.Preview == nil {
		return string(ui.Primary)
	}
	return string(ui.Plain)
}

func formatSeed(seed int64) string { return strconv.FormatInt(seed, 10) }

func memberHint(l *locale.Locale, m MemberRow) string {
	if m.Invited {
		return l.T("%s (invited)", m.Email)
	}
	return m.Email
}

func shareValue(f BatchForm, email string) string {
	if share, ok := f.Shares[strings.ToLower(email)]; ok {
		return share
	}
	return "1"
}

func sampleHint(l *locale.Locale, d NewBatchData) string {
	if !d.Form.Selection.IsEmpty() {
		return l.T("Empty: all %s. A number or a percentage, such as 25%%, draws from them at random.",
			d.Form.Selection.describe(l, len(d.Spec.ItemIDs)))
	}
	if d.Form.Round != "" {
		return l.T("Empty: all of them. A number or a percentage, such as 60 or 25%%, draws them at random.")
	}
	return l.T("Empty: all items that are not in a batch yet (%d). A number or a percentage, such as 120 or 25%%, draws them at random.", d.AvailableCount)
}

func roundOptions(l *locale.Locale, f BatchForm) []ui.Option {
	return []ui.Option{
		{Value: "", Text: l.T("Items that need labels"), Chosen: f.Round == ""},
		{Value: string(project.RoundOfLabeled), Text: l.T("A round: items that have labels"),
			Chosen: f.Round == project.RoundOfLabeled},
		{Value: string(project.RoundOfDisagreements), Text: l.T("A round: items whose labels differ"),
			Chosen: f.Round == project.RoundOfDisagreements},
	}
}

func stratifyOptions(l *locale.Locale, d NewBatchData) []ui.Option {
	options := []ui.Option{{Value: "", Text: l.T("none")}}
	for _, column := range d.MetadataColumns {
		options = append(options, ui.Option{Value: column, Text: "meta." + column, Chosen: column == d.Form.StratifyBy})
	}
	return options
}

func assignmentOptions(l *locale.Locale, f BatchForm) []ui.Option {
	return []ui.Option{
		{Value: string(project.Planned), Text: l.T("Planned"),
			Hint:   l.T("Each annotator has a fixed queue. Loads and shared items are balanced."),
			Chosen: f.Assignment != string(project.Pool)},
		{Value: string(project.Pool), Text: l.T("Pool"),
			Hint:   l.T("First come, first served: faster annotators label more."),
			Chosen: f.Assignment == string(project.Pool)},
	}
}

func calibrationHint(l *locale.Locale, d NewBatchData) string {
	if d.ReferenceCount == 0 {
		return l.T("Calibration items that come before the work. This project has none yet; add them under Calibration.")
	}
	return l.T("Calibration items that come before the work. Available: %d. Empty: %d.",
		d.ReferenceCount, min(d.Project.Protocol.Plan.CalibrationItems, d.ReferenceCount))
}

func fewerCalibrationHint(l *locale.Locale, d NewBatchData) string {
	return l.T("Needed with fewer than %d calibration items. It is recorded in the audit log.",
		d.Project.Protocol.Plan.CalibrationItems)
}

// needsCalibrationReason reports whether the previewed batch lacks calibration items and the
// reason for that.
func (d NewBatchData) needsCalibrationReason() bool {
	return d.Spec.CheckCalibration(d.Project.Protocol.Plan) != nil
}

func calibrationWarning(l *locale.Locale, d NewBatchData) string {
	return l.T("The protocol asks for %d calibration items, this batch has %d. To open it, give a reason for fewer.",
		d.Project.Protocol.Plan.CalibrationItems, d.Spec.CalibrationCount)
}

func duplicatesHint(l *locale.Locale, d NewBatchData) string {
	return l.T("Items per annotator that appear a second time without a mark, to measure self-consistency. Empty: up to %d, fewer in a small batch.", d.Project.Protocol.Plan.HiddenDuplicates)
}

// previewSummary describes the batch before it opens.
func previewSummary(l *locale.Locale, p project.BatchPreview) []ui.SummaryRow {
	rows := []ui.SummaryRow{
		{Label: l.T("Items"), Value: previewItems(l, p)},
		{Label: l.T("Labels"), Value: previewLabels(l, p)},
		{Label: l.T("Per annotator"), Value: itemsPerAnnotator(l, p)},
	}
	if p.CalibrationCount+p.DuplicateCount+p.GoldCount > 0 {
		rows = append(rows, ui.SummaryRow{Label: l.T("Additionally, per annotator"), Value: extraItems(l,
			p)})
	}
	if p.Minutes.Max > 0 {
		rows = append(rows, ui.SummaryRow{Label: l.T("Time per annotator"), Value: timePerAnnotator(l, p)})
	}
	rows = append(rows, ui.SummaryRow{Label: l.T("Items shared by each pair"), Value: sharedPerPair(l, p)})
	if p.Unassigned > 0 {
		rows = append(rows, ui.SummaryRow{Label: l.T("Labels without an annotator"),
			Value: l.T("%d labels have no annotator who did not label the item before", p.Unassigned)})
	}
	if p.UnavailableItems > 0 {
		rows = append(rows, ui.SummaryRow{Label: l.T("Left out"),
			Value: l.T("%d chosen items are in a batch already, or cannot be drawn", p.UnavailableItems)})
	}
	return rows
}

// previewItems says how many items there are, of how many records.
func previewItems(l *locale.Locale, p project.BatchPreview) string {
	if p.Records == 0 || p.Records == p.Items {
		return l.Number(p.Items)
	}
	text := l.T("%d of %d records", p.Items, p.Records)
	if partial := p.Records - p.CompleteRecords; partial > 0 {
		text += ". " + l.T("Complete records: %d. Metrics of whole records, such as precision@K, rest on these",
			p.CompleteRecords)
	}
	return text
}

func previewLabels(l *locale.Locale, p project.BatchPreview) string {
	if p.LabelsPerItem.Min == p.LabelsPerItem.Max {
		return l.T("%d: annotators per item: %d", p.Labels, p.LabelsPerItem.Max)
	}
	return l.T("%d: annotators per item: %s. Items with at least two: %d", p.Labels, formatRange(l, p.LabelsPerItem),
		p.MultiLabelItems)
}

func itemsPerAnnotator(l *locale.Locale, p project.BatchPreview) string {
	switch {
	case p.Annotators == 1:
		return l.T("all %d items", p.Items)
	case p.IsPool:
		return l.T("about %s items, if all work equally fast", formatRange(l, p.ItemsPerAnnotator))
	}
	return l.T("%s items", formatRange(l, p.ItemsPerAnnotator))
}

// loadRows lists the items of each annotator, if they differ by more than the balance leaves.
func loadRows(l *locale.Locale, d NewBatchData) (rows []ui.SummaryRow) {
	if p := d.Preview; p.IsPool || p.ItemsPerAnnotator.Max-p.ItemsPerAnnotator.Min <= 1 ||
		len(p.Loads) != len(d.Spec.Annotators) {
		return nil
	}
	for i, email := range d.Spec.Annotators {
		minutes := d.Preview.MinutesOf(d.Project.Protocol.Plan, d.Preview.Loads[i])
		value := l.T("%d items", d.Preview.Loads[i])
		if minutes.Max > 0 {
			value += ", " + l.T("%s to %s", formatMinutes(l, minutes.Min), formatMinutes(l, minutes.Max))
		}
		rows = append(rows, ui.SummaryRow{Label: email, Value: value})
	}
	return rows
}

// extraItems lists the items in addition to the work.
func extraItems(l *locale.Locale, p project.BatchPreview) string {
	var parts []string
	if p.CalibrationCount > 0 {
		parts = append(parts, l.T("%d calibration items first", p.CalibrationCount))
	}
	if p.DuplicateCount > 0 {
		parts = append(parts, l.T("%d hidden duplicates during the work", p.DuplicateCount))
	}
	if p.GoldCount > 0 {
		parts = append(parts, l.T("%d gold items during the work", p.GoldCount))
	}
	return strings.Join(parts, ", ")
}

func timePerAnnotator(l *locale.Locale, p project.BatchPreview) string {
	estimate := l.T("%s to %s at the protocol's target pace", formatMinutes(l, p.Minutes.Min),
		formatMinutes(l, p.Minutes.Max))
	if p.BreakMinutes > 0 {
		estimate += ", " + l.T("plus %s of breaks", formatMinutes(l, p.BreakMinutes))
	}
	return estimate
}

// sharedPerPair returns how many items each pair of annotators shares.
func sharedPerPair(l *locale.Locale, p project.BatchPreview) string {
	switch {
	case p.Annotators < 2:
		return l.T("none: agreement needs at least two annotators")
	case p.SharedItems.Max == 0:
		return l.T("none: agreement needs at least two labels per item")
	case p.IsPool:
		return l.T("about %s items", formatRange(l, p.SharedItems))
	}
	return l.T("%s items", formatRange(l, p.SharedItems))
}

// precisionSummary says how exactly the batch will measure agreement and differences.
func precisionSummary(l *locale.Locale, p project.BatchPreview) (rows []ui.SummaryRow) {
	e := p.Precision
	for _, level := range []struct{ kappa, width float64 }{{e.Target, e.WidthAtTarget}, {e.Target / 2, e.WidthAtHalf}} {
		if level.width > 0 {
			rows = append(rows, ui.SummaryRow{Label: l.T("If κ is %.2g", level.kappa), Value: l.T("± %.2f (95%% CI)",
				level.width/2)})
		}
	}
	if e.Difference > 0 {
		work := l.T("%d items, %d labels", p.Items, p.Labels)
		if e.Hours > 0 {
			work += ", " + formatMinutes(l, int(math.Ceil(60*e.Hours)))
		}
		rows = append(rows, ui.SummaryRow{Label: l.T("Detectable difference"),
			Value: l.T("%.2f points between two groups of equal size, with 80%% power", e.Difference)},
			ui.SummaryRow{Label: l.T("All labels together"), Value: work})
	}
	return rows
}

// precisionAdvice says what a precision of ± 0.1 needs.
func precisionAdvice(l *locale.Locale, p project.BatchPreview) string {
	basis, e := l.T("For a field whose points are equally frequent. Less precise if items share a record."), p.Precision
	switch items := roundUp(e.ItemsForTenth); {
	case items == 0:
		return basis
	case e.LabelsForTenth > 0:
		return l.T("For ± 0.10 at a κ of %.2g: about %d items, or %d labels per item.", e.Target, items,
			e.LabelsForTenth) + " " + basis
	default:
		return l.T("For ± 0.10 at a κ of %.2g: about %d items.", e.Target, items) + " " + basis
	}
}

// roundUp rounds a number up to two digits.
func roundUp(n int) int {
	step := 1
	for n/step >= 100 {
		step *= 10
	}
	return (n + step - 1) / step * step
}
