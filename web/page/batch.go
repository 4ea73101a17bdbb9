package page

import (
	"fmt"
	"strconv"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/ui"
)

func closeMessage(b project.Batch) string {
	remaining := b.Slots - b.Submitted
	if remaining == 0 {
		return "All labels are submitted. Closing the batch loses nothing."
	}
	return joinSentences(pluralizeAs(remaining, "label is", "labels are") + " missing. After you close the batch, another one can collect them")
}

func releaseOpenText(b project.Batch) string {
	return "Take back " + pluralizeAs(b.InProgress, "item that is open", "items that are open")
}

func boardIntro(b project.Batch) string {
	if b.ClosedAt != nil {
		return "Closed on " + formatDate(*b.ClosedAt) + ". No more items are assigned."
	}
	return joinSentences(fmt.Sprintf("%s, %s, %s", Pluralize(b.Items, "item"), Pluralize(b.Annotators, "annotator"), overlapText(b)))
}

// overlapText returns how many labels the items of a batch need: "2 labels per item, 14 more on
// some items".
func overlapText(b project.Batch) string {
	text := Pluralize(b.Overlap, "label") + " per item"
	switch extra := b.Slots - b.Items*b.Overlap; {
	case extra > 0:
		return text + ", " + formatNumber(extra) + " more on some items"
	case extra < 0:
		return text + ", " + formatNumber(-extra) + " fewer where earlier batches have labels"
	}
	return text
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
		{Label: "Overlap", Value: overlapText(b)},
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
