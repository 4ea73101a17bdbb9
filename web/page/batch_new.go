package page

import (
	"fmt"
	"strconv"
	"strings"

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

func memberHint(m MemberRow) string {
	if m.Invited {
		return m.Email + " (invited)"
	}
	return m.Email
}

func shareValue(f BatchForm, email string) string {
	if share, ok := f.Shares[strings.ToLower(email)]; ok {
		return share
	}
	return "1"
}

func sampleHint(d NewBatchData) string {
	if !d.Form.Selection.IsEmpty() {
		return fmt.Sprintf("Empty: all %s. A number or a percentage, such as 25%%, draws from them at random.", d.Form.Selection.describe(len(d.Spec.ItemIDs)))
	}
	return fmt.Sprintf("Empty: all %s that are not in a batch yet. A number or a percentage, such as 120 or 25%%, draws them at random.", Pluralize(d.AvailableCount, "item"))
}

func stratifyOptions(d NewBatchData) []ui.Option {
	options := []ui.Option{{Value: "", Text: "none"}}
	for _, column := range d.MetadataColumns {
		options = append(options, ui.Option{Value: column, Text: "meta." + column, Chosen: column == d.Form.StratifyBy})
	}
	return options
}

func assignmentOptions(f BatchForm) []ui.Option {
	return []ui.Option{
		{Value: string(project.Planned), Text: "Planned", Hint: "Each annotator has a fixed queue. Loads and shared items are balanced.", Chosen: f.Assignment != string(project.Pool)},
		{Value: string(project.Pool), Text: "Pool", Hint: "First come, first served: faster annotators label more.", Chosen: f.Assignment == string(project.Pool)},
	}
}

func calibrationHint(d NewBatchData) string {
	if d.ReferenceCount == 0 {
		return "Calibration items that come before the work. This project has none yet; add them under Calibration."
	}
	return fmt.Sprintf("Calibration items that come before the work. Available: %s. Empty: %d.",
		formatNumber(d.ReferenceCount), min(d.Project.Protocol.Plan.CalibrationItems, d.ReferenceCount))
}

func fewerCalibrationHint(d NewBatchData) string {
	return fmt.Sprintf("Needed with fewer than %s. It is recorded in the audit log.", Pluralize(d.Project.Protocol.Plan.CalibrationItems, "calibration item"))
}

// needsCalibrationReason reports whether the previewed batch lacks calibration items and the
// reason for that.
func (d NewBatchData) needsCalibrationReason() bool {
	return d.Spec.CheckCalibration(d.Project.Protocol.Plan) != nil
}

func calibrationWarning(d NewBatchData) string {
	return fmt.Sprintf("The protocol asks for %d calibration items, this batch has %d. To open it, give a reason for fewer.",
		d.Project.Protocol.Plan.CalibrationItems, d.Spec.CalibrationCount)
}

func duplicatesHint(d NewBatchData) string {
	return fmt.Sprintf("Items per annotator that appear a second time without a mark, to measure self-consistency. Empty: up to %d, fewer in a small batch.", d.Project.Protocol.Plan.HiddenDuplicates)
}

// previewSummary describes the batch before it opens.
func previewSummary(p project.BatchPreview) []ui.SummaryRow {
	rows := []ui.SummaryRow{
		{Label: "Items", Value: previewItems(p)},
		{Label: "Labels", Value: previewLabels(p)},
		{Label: "Per annotator", Value: itemsPerAnnotator(p)},
	}
	if p.CalibrationCount+p.DuplicateCount > 0 {
		rows = append(rows, ui.SummaryRow{Label: "Additionally, per annotator", Value: extraItems(p.CalibrationCount, p.DuplicateCount)})
	}
	if p.Minutes.Max > 0 {
		rows = append(rows, ui.SummaryRow{Label: "Time per annotator", Value: timePerAnnotator(p)})
	}
	rows = append(rows, ui.SummaryRow{Label: "Items shared by each pair", Value: sharedPerPair(p)})
	if p.Unassigned > 0 {
		rows = append(rows, ui.SummaryRow{Label: "Labels without an annotator", Value: pluralizeAs(p.Unassigned, "label has", "labels have") + " no annotator who did not label the item before"})
	}
	if p.UnavailableItems > 0 {
		rows = append(rows, ui.SummaryRow{Label: "Left out", Value: pluralizeAs(p.UnavailableItems, "chosen item is", "chosen items are") + " in a batch already, or cannot be drawn"})
	}
	return rows
}

// previewItems says how many items there are, of how many records.
func previewItems(p project.BatchPreview) string {
	if p.Records == 0 || p.Records == p.Items {
		return formatNumber(p.Items)
	}
	text := fmt.Sprintf("%s of %s", formatNumber(p.Items), Pluralize(p.Records, "record"))
	if partial := p.Records - p.CompleteRecords; partial > 0 {
		text += fmt.Sprintf(". Only %s complete: metrics of whole records, such as precision@K, rest on these", pluralizeAs(p.CompleteRecords, "is", "are"))
	}
	return text
}

func previewLabels(p project.BatchPreview) string {
	if p.LabelsPerItem.Min == p.LabelsPerItem.Max {
		return fmt.Sprintf("%s: %s per item", formatNumber(p.Labels), Pluralize(p.LabelsPerItem.Max, "annotator"))
	}
	return fmt.Sprintf("%s: %s per item. %s at least two", formatNumber(p.Labels), formatRange(p.LabelsPerItem)+" annotators", pluralizeAs(p.MultiLabelItems, "item has", "items have"))
}

func itemsPerAnnotator(p project.BatchPreview) string {
	switch {
	case p.Annotators == 1:
		return "all " + Pluralize(p.Items, "item")
	case p.IsPool:
		return fmt.Sprintf("about %s items, if all work equally fast", formatRange(p.ItemsPerAnnotator))
	}
	return formatRange(p.ItemsPerAnnotator) + " items"
}

// loadRows lists the items of each annotator, if they differ by more than the balance leaves.
func loadRows(d NewBatchData) (rows []ui.SummaryRow) {
	if p := d.Preview; p.IsPool || p.ItemsPerAnnotator.Max-p.ItemsPerAnnotator.Min <= 1 || len(p.Loads) != len(d.Spec.Annotators) {
		return nil
	}
	for i, email := range d.Spec.Annotators {
		minutes := d.Preview.MinutesOf(d.Project.Protocol.Plan, d.Preview.Loads[i])
		value := Pluralize(d.Preview.Loads[i], "item")
		if minutes.Max > 0 {
			value += ", " + formatMinutes(minutes.Min) + " to " + formatMinutes(minutes.Max)
		}
		rows = append(rows, ui.SummaryRow{Label: email, Value: value})
	}
	return rows
}

// extraItems lists the items in addition to the work.
func extraItems(calibration, duplicates int) string {
	switch {
	case calibration == 0 && duplicates == 0:
		return "none"
	case calibration == 0:
		return Pluralize(duplicates, "hidden duplicate")
	case duplicates == 0:
		return Pluralize(calibration, "calibration item") + " first"
	}
	return Pluralize(calibration, "calibration item") + " first, " + Pluralize(duplicates, "hidden duplicate") + " during the work"
}

func timePerAnnotator(p project.BatchPreview) string {
	estimate := formatMinutes(p.Minutes.Min) + " to " + formatMinutes(p.Minutes.Max) + " at the protocol's target pace"
	if p.BreakMinutes > 0 {
		estimate += ", plus " + formatMinutes(p.BreakMinutes) + " of breaks"
	}
	return estimate
}

// sharedPerPair returns how many items each pair of annotators shares.
func sharedPerPair(p project.BatchPreview) string {
	switch {
	case p.Annotators < 2:
		return "none: agreement needs at least two annotators"
	case p.SharedItems.Max == 0:
		return "none: agreement needs at least two labels per item"
	case p.IsPool:
		return "about " + formatRange(p.SharedItems) + " items"
	}
	return formatRange(p.SharedItems) + " items"
}

// precisionSummary says how exactly the batch will measure agreement.
func precisionSummary(p project.BatchPreview) (rows []ui.SummaryRow) {
	for _, level := range []struct{ kappa, width float64 }{
		{p.Precision.Target, p.Precision.WidthAtTarget},
		{p.Precision.Target / 2, p.Precision.WidthAtHalf},
	} {
		if level.width > 0 {
			rows = append(rows, ui.SummaryRow{Label: fmt.Sprintf("If κ is %.2g", level.kappa), Value: fmt.Sprintf("± %.2f (95%% CI)", level.width/2)})
		}
	}
	return rows
}

// precisionAdvice says what a precision of ± 0.1 needs.
func precisionAdvice(p project.BatchPreview) string {
	basis := "From simulated batches, for a field whose points are equally frequent. Less precise if items share a record."
	e := p.Precision
	if e.ItemsForTenth == 0 {
		return basis
	}
	need := fmt.Sprintf("For ± 0.10 at a κ of %.2g: about %s", e.Target, Pluralize(roundUp(e.ItemsForTenth), "item"))
	if e.LabelsForTenth > 0 {
		need += fmt.Sprintf(", or %s per item", Pluralize(e.LabelsForTenth, "label"))
	}
	return need + ". " + basis
}

// roundUp rounds a number up to two digits.
func roundUp(n int) int {
	step := 1
	for n/step >= 100 {
		step *= 10
	}
	return (n + step - 1) / step * step
}
