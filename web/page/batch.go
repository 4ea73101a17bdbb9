package page

import (
	"fmt"
	"math"
	"strconv"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/ui"
)

// hiddenFields is the form again, exactly as the plan was made from it.
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
		if !m.Joined {
			hint += ", invited but not here yet"
		}
		options = append(options, ui.Option{Value: m.Email, Text: m.Name, Hint: hint, Chosen: containsFold(d.Form.Annotators, m.Email)})
	}
	return options
}

func itemsHint(unassigned int) string {
	return fmt.Sprintf("Drawn by chance. 0 hands out all that are in no batch yet: %s.", formatNumber(unassigned))
}

func calibrationHint(d NewBatchData) string {
	if d.ReferenceCount == 0 {
		return "Items with a reference, before the work. No item has one yet."
	}
	return fmt.Sprintf("Items with a reference, before the work; there are %s. Empty: %d.",
		formatNumber(d.ReferenceCount), min(d.Project.Protocol.Plan.CalibrationItems, d.ReferenceCount))
}

func duplicatesHint(d NewBatchData) string {
	return fmt.Sprintf("Items that come a second time, unmarked, for each annotator. Empty: up to %d, as many as the batch bears.", d.Project.Protocol.Plan.HiddenDuplicates)
}

// previewSummary says what a batch would mean.
func previewSummary(p project.BatchPreview) []ui.SummaryRow {
	rows := []ui.SummaryRow{
		{Label: "Items", Value: formatNumber(p.Items)},
		{Label: "Labels in all", Value: fmt.Sprintf("%s: %s for each item", formatNumber(p.Slots), pluralizeAs(p.Overlap, "annotator", "annotators"))},
		{Label: "For each annotator", Value: itemsPerAnnotator(p)},
	}
	if p.CalibrationCount+p.DuplicateCount > 0 {
		rows = append(rows, ui.SummaryRow{Label: "Besides, for each", Value: extraItems(p.CalibrationCount, p.DuplicateCount)})
	}
	if p.Minutes.Max > 0 {
		rows = append(rows, ui.SummaryRow{Label: "Time for each", Value: timePerAnnotator(p)})
	}
	rows = append(rows, ui.SummaryRow{Label: "Shared by each pair", Value: sharedPerPair(p)})
	if p.KappaCIWidth > 0 {
		rows = append(rows, ui.SummaryRow{Label: "Interval of κ", Value: fmt.Sprintf(
			"about %.2f wide from end to end, by simulated batches in which people agree by %g; wider where items share a record", p.KappaCIWidth, report.ExpectedKappa)})
	}
	return rows
}

func itemsPerAnnotator(p project.BatchPreview) string {
	if p.Annotators == 1 {
		return "all " + pluralize(p.Items, "item")
	}
	return fmt.Sprintf("%s items, if %d people take even parts", formatRange(p.ItemsPerAnnotator), p.Annotators)
}

// extraItems tells what comes besides the work.
func extraItems(calibration, duplicates int) string {
	switch {
	case calibration == 0 && duplicates == 0:
		return "nothing"
	case calibration == 0:
		return pluralize(duplicates, "hidden duplicate")
	case duplicates == 0:
		return pluralize(calibration, "calibration item") + " before it"
	}
	return pluralize(calibration, "calibration item") + " before it, and " + pluralize(duplicates, "hidden duplicate") + " in it"
}

func timePerAnnotator(p project.BatchPreview) string {
	estimate := formatMinutes(p.Minutes.Min) + " to " + formatMinutes(p.Minutes.Max) + " at the protocol's pace"
	if p.BreakMinutes > 0 {
		estimate += ", and " + formatMinutes(p.BreakMinutes) + " of breaks"
	}
	return estimate
}

// sharedPerPair tells what agreement will rest on.
func sharedPerPair(p project.BatchPreview) string {
	switch {
	case p.Annotators < 2:
		return "nothing: agreement needs two annotators"
	case p.SharedItems == 0:
		return "nothing: with an overlap of 1 agreement cannot be measured"
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
		return "Every label that was asked for is in. Nothing is lost by closing it."
	}
	return joinSentence(pluralizeAs(remaining, "label of this batch has", "labels of this batch have")+" not been sent, and nobody will be asked for more", "")
}

func boardIntro(b project.Batch) string {
	if b.ClosedAt != nil {
		return "Closed on " + formatDate(*b.ClosedAt) + ". Nobody is given an item of it any more."
	}
	return joinSentence(fmt.Sprintf("%s, %s, each item labelled by %s", pluralize(b.Items, "item"), pluralize(b.Annotators, "annotator"), strconv.Itoa(b.Overlap)), "")
}

func boardTotals(b project.Batch) []ui.SummaryRow {
	return []ui.SummaryRow{
		{Label: "done", Value: formatNumber(b.Submitted)},
		{Label: "in somebody's hands", Value: formatNumber(max(b.Claimed-b.Submitted, 0))},
		{Label: "free", Value: formatNumber(b.Slots - b.Claimed)},
	}
}

func batchSettings(b project.Batch) []ui.SummaryRow {
	breaks := "none planned"
	if b.BreakEvery > 0 {
		breaks = fmt.Sprintf("%s after every %s", pluralize(b.BreakMinutes, "minute"), pluralize(b.BreakEvery, "item"))
	}
	return []ui.SummaryRow{
		{Label: "Opened", Value: formatTime(b.OpenedAt) + " UTC"},
		{Label: "Overlap", Value: strconv.Itoa(b.Overlap)},
		{Label: "Besides the work", Value: extraItems(b.CalibrationCount, b.DuplicateCount)},
		{Label: "Breaks", Value: breaks},
		{Label: "Seed", Value: strconv.FormatInt(b.Seed, 10)},
	}
}

func annotatorPace(s project.AnnotatorProgress) string {
	if s.MedianActiveMS == 0 {
		return "–"
	}
	return formatNumber(int((s.MedianActiveMS + 500) / 1000))
}
