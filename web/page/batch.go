package page

import (
	"fmt"
	"math"
	"strconv"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/ui"
)

// hiddenFields repeats the form that the preview was made from.
func (d NewBatchData) hiddenFields() []ui.HiddenField {
	spec := d.Spec
	fields := []ui.HiddenField{
		{Name: "name", Value: spec.Name},
		{Name: "overlap", Value: strconv.Itoa(spec.Overlap)},
		{Name: "items", Value: strconv.Itoa(spec.Items)},
		{Name: "break_every", Value: strconv.Itoa(spec.BreakEvery)},
		{Name: "break_minutes", Value: strconv.Itoa(spec.BreakMinutes)},
		{Name: "calibration", Value: strconv.Itoa(spec.CalibrationCount)},
		{Name: "duplicates", Value: strconv.Itoa(spec.DuplicateCount)},
	}
	if spec.Seed != 0 {
		fields = append(fields, ui.HiddenField{Name: "seed", Value: strconv.FormatInt(spec.Seed, 10)})
	}
	for _, email := range spec.Annotators {
		fields = append(fields, ui.HiddenField{Name: "annotators", Value: email})
	}
	return fields
}

func memberOptions(d NewBatchData) (options []ui.Option) {
	for _, m := range d.Members {
		if m.Disabled {
			continue
		}
		hint := m.Email
		if m.Invited {
			hint += " (invited)"
		}
		options = append(options, ui.Option{Value: m.Email, Text: m.Name, Hint: hint, Chosen: containsFold(d.Form.Annotators, m.Email)})
	}
	return options
}

func itemsHint(unassigned int) string {
	return fmt.Sprintf("Selected at random. 0: all %s that are not in a batch yet.", Pluralize(unassigned, "item"))
}

func calibrationHint(d NewBatchData) string {
	if d.ReferenceCount == 0 {
		return "Calibration items that come before the work. This project has none yet; add them under Calibration."
	}
	return fmt.Sprintf("Calibration items that come before the work. Available: %s. Empty: %d.",
		formatNumber(d.ReferenceCount), min(d.Project.Protocol.Plan.CalibrationItems, d.ReferenceCount))
}

func duplicatesHint(d NewBatchData) string {
	return fmt.Sprintf("Items per annotator that appear a second time without a mark, to measure self-consistency. Empty: up to %d, fewer in a small batch.", d.Project.Protocol.Plan.HiddenDuplicates)
}

// previewSummary describes the batch before it opens.
func previewSummary(p project.BatchPreview) []ui.SummaryRow {
	rows := []ui.SummaryRow{
		{Label: "Items", Value: formatNumber(p.Items)},
		{Label: "Labels", Value: fmt.Sprintf("%s: %s per item", formatNumber(p.Slots), Pluralize(p.Overlap, "annotator"))},
		{Label: "Per annotator", Value: itemsPerAnnotator(p)},
	}
	if p.CalibrationCount+p.DuplicateCount > 0 {
		rows = append(rows, ui.SummaryRow{Label: "Additionally, per annotator", Value: extraItems(p.CalibrationCount, p.DuplicateCount)})
	}
	if p.Minutes.Max > 0 {
		rows = append(rows, ui.SummaryRow{Label: "Time per annotator", Value: timePerAnnotator(p)})
	}
	rows = append(rows, ui.SummaryRow{Label: "Items shared by each pair", Value: sharedPerPair(p)})
	if p.KappaCIWidth > 0 {
		rows = append(rows, ui.SummaryRow{Label: "Precision of κ", Value: fmt.Sprintf(
			"± %.2f (95%% CI), if κ is %g. From simulated batches; less precise if items share a record.", p.KappaCIWidth/2, report.ExpectedKappa)})
	}
	return rows
}

func itemsPerAnnotator(p project.BatchPreview) string {
	if p.Annotators == 1 {
		return "all " + Pluralize(p.Items, "item")
	}
	return fmt.Sprintf("%s items, if %d annotators share them evenly", formatRange(p.ItemsPerAnnotator), p.Annotators)
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
	case p.SharedItems == 0:
		return "none: agreement needs an overlap of at least 2"
	}
	estimate := strconv.FormatFloat(math.Round(p.SharedItems), 'f', 0, 64)
	if p.SharedItems < 10 {
		estimate = strconv.FormatFloat(p.SharedItems, 'f', 1, 64)
	}
	return "about " + estimate + " items"
}

func closeMessage(b project.Batch) string {
	remaining := b.Slots - b.Submitted
	if remaining == 0 {
		return "All labels are submitted. Closing the batch loses nothing."
	}
	return joinSentences(pluralizeAs(remaining, "label is", "labels are") + " missing and will not be collected after you close the batch")
}

func boardIntro(b project.Batch) string {
	if b.ClosedAt != nil {
		return "Closed on " + formatDate(*b.ClosedAt) + ". No more items are assigned."
	}
	return joinSentences(fmt.Sprintf("%s, %s, %s per item", Pluralize(b.Items, "item"), Pluralize(b.Annotators, "annotator"), Pluralize(b.Overlap, "label")))
}

func boardTotals(b project.Batch) []ui.SummaryRow {
	return []ui.SummaryRow{
		{Label: "submitted", Value: formatNumber(b.Submitted)},
		{Label: "in progress", Value: formatNumber(b.InProgress)},
		{Label: "waiting", Value: formatNumber(max(b.Slots-b.Submitted-b.InProgress, 0))},
	}
}

func batchSettings(p project.Project, b project.Batch) []ui.SummaryRow {
	breaks := "none"
	if b.BreakEvery > 0 {
		breaks = fmt.Sprintf("%d min every %s", b.BreakMinutes, Pluralize(b.BreakEvery, "item"))
	}
	return []ui.SummaryRow{
		{Label: "Opened", Value: formatTime(b.OpenedAt)},
		{Label: "Protocol", Value: fmt.Sprintf("%s v%d.%d", p.Protocol.Key, p.Protocol.Version, b.ProtocolRevision)},
		{Label: "Overlap", Value: Pluralize(b.Overlap, "label") + " per item"},
		{Label: "Calibration", Value: Pluralize(b.CalibrationCount, "item")},
		{Label: "Hidden duplicates", Value: strconv.Itoa(b.DuplicateCount) + " per annotator"},
		{Label: "Breaks", Value: breaks},
		{Label: "Seed", Value: strconv.FormatInt(b.Seed, 10)},
	}
}

// lostDuplicates says how many hidden duplicates will not be labeled.
func lostDuplicates(d project.DuplicateSummary) string {
	return fmt.Sprintf("%s of %s will not be labeled. %s labeled so far.",
		formatNumber(d.Lost()), Pluralize(d.Planned, "hidden duplicate"), pluralizeAs(d.Labeled, "is", "are"))
}

func duplicateLosses(d project.DuplicateSummary) (rows []ui.SummaryRow) {
	for _, loss := range []struct {
		reason string
		n      int
	}{
		{"Skipped", d.Skipped},
		{"Released after a long absence", d.Reassigned},
		{"No labeled item far enough back", d.Dropped},
		{"Work ended before", d.NotReached},
	} {
		if loss.n > 0 {
			rows = append(rows, ui.SummaryRow{Label: loss.reason, Value: formatNumber(loss.n)})
		}
	}
	return rows
}

func annotatorPace(s project.AnnotatorProgress) string {
	if s.MedianActiveMS == 0 {
		return "–"
	}
	return formatNumber(int((s.MedianActiveMS + 500) / 1000))
}
