package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/ui"
)

func closeMessage(l *locale.Locale, b project.Batch) string {
	remaining := b.Missing()
	if remaining == 0 {
		return l.T("All labels are submitted. Closing the batch loses nothing.")
	}
	return l.T("%d labels are missing. After you close the batch, another one can collect them.", remaining)
}

func boardIntro(l *locale.Locale, b project.Batch) string {
	if b.ClosedAt != nil {
		return l.T("Closed on %s. No more items are assigned.", l.Date(*b.ClosedAt))
	}
	return strings.Join([]string{l.T("%d items", b.Items), l.T("%d annotators", b.Annotators), overlapText(l, b)},
		", ") + "."
}

// overlapText returns how many labels the items of a batch need: "2 labels per item, on some items
// more: 14 labels in addition".
func overlapText(l *locale.Locale, b project.Batch) string {
	text := l.T("%d labels per item", b.Overlap)
	switch extra := b.LabelsWanted - b.Items*b.Overlap; {
	case extra > 0:
		return text + ", " + l.T("on some items more: %d labels in addition", extra)
	case extra < 0:
		return text + ", " + l.T("%d fewer where earlier batches have labels", -extra)
	}
	return text
}

// labelCounts lists the labels of a batch by state. The last four are named if there are any.
func labelCounts(l *locale.Locale, b project.Batch) []ui.SummaryRow {
	rows := []ui.SummaryRow{
		{Label: l.T("wanted"), Value: l.Number(b.LabelsWanted)}, {Label: l.T("submitted"), Value: l.Number(b.LabelsGiven)},
	}
	if b.ClosedAt != nil {
		return append(rows, ui.SummaryRow{Label: l.T("missing"), Value: l.Number(b.Missing())})
	}
	rows = append(rows, ui.SummaryRow{Label: l.T("waiting"), Value: l.Number(b.Waiting())})
	for _, t := range []struct {
		name string
		n    int
	}{{l.T("in progress"), b.InProgress}, {l.T("skipped for now"), b.Deferred}, {l.T("dropped"), b.Withheld},
		{l.T("stuck"), b.Stuck}} {
		if t.n > 0 {
			rows = append(rows, ui.SummaryRow{Label: t.name, Value: l.Number(t.n)})
		}
	}
	return rows
}

func batchSettings(l *locale.Locale, p project.Project, b project.Batch) []ui.SummaryRow {
	breaks := l.T("none")
	if b.BreakEvery > 0 {
		breaks = l.T("after every %d items, %d min long", b.BreakEvery, b.BreakMinutes)
	}
	return []ui.SummaryRow{
		{Label: l.T("Opened"), Value: l.Time(b.OpenedAt)},
		{Label: l.T("Protocol"), Value: fmt.Sprintf("%s v%d.%d", p.Protocol.Key, p.Protocol.Version,
			b.ProtocolRevision)},
		{Label: l.T("Overlap"), Value: overlapText(l, b)},
		{Label: l.T("Calibration"), Value: l.T("%d items", b.CalibrationCount)},
		{Label: l.T("Reference answers"), Value: referenceTime(l, b)},
		{Label: l.T("Hidden duplicates"), Value: l.T("%d per annotator", b.DuplicateCount)},
		{Label: l.T("Gold items"), Value: goldSetting(l, b)},
		{Label: l.T("Breaks"), Value: breaks},
		{Label: l.T("Seed"), Value: strconv.FormatInt(b.Seed, 10)},
	}
}

// referenceTime says when annotators see the reference answers of the calibration set.
func referenceTime(l *locale.Locale, b project.Batch) string {
	if b.ReferenceAtEnd {
		return l.T("after the calibration set")
	}
	return l.T("right after each calibration answer")
}

// goldSetting says how many gold items there are, and when they pause an annotator.
func goldSetting(l *locale.Locale, b project.Batch) string {
	text := l.T("%d per annotator", b.GoldCount)
	if b.GoldMinimum > 0 {
		text += ", " + l.T("pause below %d%% right", b.GoldMinimum)
	}
	return text
}

func duplicateLosses(l *locale.Locale, d project.DuplicateSummary) (rows []ui.SummaryRow) {
	for _, loss := range []struct {
		reason string
		n      int
	}{
		{l.T("Skipped"), d.Skipped},
		{l.T("Released after a long absence"), d.Reassigned},
		{l.T("No labeled item far enough back"), d.Dropped},
		{l.T("Work ended before"), d.NotReached},
	} {
		if loss.n > 0 {
			rows = append(rows, ui.SummaryRow{Label: loss.reason, Value: l.Number(loss.n)})
		}
	}
	return rows
}
