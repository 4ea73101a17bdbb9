package page

import (
	"time"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/ui"
)

// stateText says what an annotator does.
func (d BoardData) stateText(l *locale.Locale, a AnnotatorRow) string {
	switch a.State {
	case project.BoardRemoved:
		return l.T("removed")
	case project.BoardPaused:
		if a.PausedByGold {
			return l.T("paused by gold items")
		}
		return l.T("paused")
	case project.BoardWaiting:
		return l.T("waits for your decision")
	case project.BoardCalibrating:
		return l.T("calibrating")
	case project.BoardOnBreak:
		return d.breakText(l, a)
	case project.BoardWorking:
		return l.T("working, item %d", a.Done+1)
	case project.BoardDone:
		return l.T("done")
	case project.BoardNotStarted:
		if age := d.Now.Sub(d.Batch.OpenedAt); age >= time.Hour {
			return l.T("not started for %s", formatWaiting(l, age))
		}
		return l.T("not started")
	}
	if a.Since == nil {
		return l.T("idle")
	}
	return l.T("idle for %s", formatWaiting(l, d.Now.Sub(*a.Since)))
}

func (d BoardData) breakText(l *locale.Locale, a AnnotatorRow) string {
	left := a.BreakEndsAt.Sub(d.Now)
	if left <= 0 {
		return l.T("on break, over for %s", formatWaiting(l, -left))
	}
	return l.T("on break, %d min left", int(left.Minutes())+1)
}

func (a AnnotatorRow) shareText(l *locale.Locale) string {
	if a.Total == 0 {
		return l.Number(a.Done)
	}
	return l.T("%d of %d", a.Done, a.Total)
}

func (a AnnotatorRow) paceText() string {
	if a.MedianActiveMS == 0 {
		return "–"
	}
	return formatInt(int((a.MedianActiveMS + 500) / 1000))
}

// paceRemark compares a pace with the target of the protocol.
func (d BoardData) paceRemark(l *locale.Locale, a AnnotatorRow) string {
	plan, seconds := d.Project.Protocol.Plan, int((a.MedianActiveMS+500)/1000)
	switch {
	case seconds == 0 || plan.MaxSecondsPerItem == 0:
		return ""
	case seconds < plan.MinSecondsPerItem:
		return l.T("fast")
	case seconds > plan.MaxSecondsPerItem:
		return l.T("slow")
	}
	return ""
}

func (d BoardData) tableHint(l *locale.Locale) string {
	target := paceTarget(l, d.Project.Protocol.Plan)
	gold := ""
	if d.Batch.GoldCount > 0 {
		gold = l.T("Gold is the share of answers to gold items that equal the reference, or are one point apart on scales with four points or more, with its 95%% CI")
	}
	return joinSentences(l.T("Pace is the median active time per item"), target,
		l.T("Skipped items count as done"), gold)
}

func (d BoardData) annotatorColumns(l *locale.Locale) []ui.Column {
	columns := []ui.Column{{Text: l.T("Annotator")}, {Text: l.T("Status")}, {Text: l.T("Own share")},
		{Text: l.T("Pace"), Unit: l.T("median, s"), Numeric: true}, {Text: l.T("Skipped"), Numeric: true},
		{Text: l.T("Corrections"), Numeric: true}}
	if d.Batch.GoldCount > 0 {
		columns = append(columns, ui.Column{Text: l.T("Gold"), Unit: l.T("right"), Numeric: true})
	}
	return columns
}

// minLabelsForecast is how many labels a forecast of the end needs.
const minLabelsForecast = 10

// stuckText says why labels are missing that no annotator of the batch can give.
func stuckText(l *locale.Locale, labels int) string {
	return l.T("%d labels wait for another annotator: each one of the batch already had the item.", labels)
}

// completionTime returns when the batch will be complete at the pace since it was opened. A batch
// with stuck labels will not.
func completionTime(b project.Batch, now time.Time) (end time.Time) {
	elapsed := now.Sub(b.OpenedAt)
	if b.ClosedAt != nil || b.Stuck > 0 || b.LabelsGiven < minLabelsForecast || b.Missing() == 0 ||
		elapsed < time.Hour {
		return end
	}
	return now.Add(time.Duration(float64(elapsed) * float64(b.Missing()) / float64(b.LabelsGiven)))
}

func completionText(l *locale.Locale, b project.Batch, now time.Time) string {
	end := completionTime(b, now)
	if end.IsZero() {
		return ""
	}
	return l.T("At the pace so far, the batch is complete on about %s.", l.Date(end))
}

// collectPath is the page of a new batch for items of this one that lack labels.
func (d BoardData) collectPath() string {
	q := AllMatching(project.ItemFilter{Batch: d.Batch.Name}).Query()
	q.Set("overlap", formatInt(d.Batch.Overlap))
	return withQuery(ProjectPath(d.Project.Key, "batches", "new"), q)
}

func (d BoardData) hasAgreement() bool {
	for _, f := range d.State.Agreement {
		if f.Kappa != nil {
			return true
		}
	}
	return false
}

// agreementPlot shows κ of each field against the target.
func (d BoardData) agreementPlot(w prose.Writer) ui.ForestPlot {
	target := d.Project.Protocol.Plan.TargetKappa
	if target <= 0 {
		target = agreement.DefaultTarget
	}
	p := ui.ForestPlot{ID: "agreement-so-far", Measure: w.T("κ by field, with 95%% CI"), To: 1, Columns: [4]string{"κ",
		w.T("95%% CI"), w.T("Based on"), w.T("Verdict")},
		Description: w.T("κ of each field as a dot with its 95%% CI as a line. The shaded area starts at the target.")}
	p.Zones, p.Lines = targetZones(w, target)
	var fields []agreement.Field
	for _, f := range d.State.Agreement {
		field, _ := d.Project.Protocol.Field(f.Key)
		fields = append(fields, agreement.Field{Key: f.Key, Title: field.Title, Verdict: agreement.Verdict(f.Verdict)})
		missing := w.T("no κ")
		if f.Verdict == string(agreement.TooFewItems) {
			missing = w.T("too few items")
		}
		κ := study.Number{Value: f.Kappa, Low: f.Low, High: f.High}.Against(target)
		row := ui.ForestRow{Label: field.Title, Value: f.Kappa, Low: f.Low, High: f.High, Text: κ.Text(),
			Missing: missing, Basis: w.T("%d items", d.State.UsedItems),
			Verdict: w.Verdict(agreement.Verdict(f.Verdict)), VerdictClass: verdictClass(agreement.Verdict(f.Verdict))}
		if f.Low != nil {
			row.IntervalText = κ.Range()
		}
		p.Rows = append(p.Rows, row)
	}
	p.Title = w.Agreement(fields)
	return p
}

func (d BoardData) agreementText(l *locale.Locale) string {
	switch {
	case d.State.IsHidden:
		return l.T("Hidden, because you label in this batch. Other leads can see it.")
	case d.State.SharedItems == 0:
		return l.T("No item has two labels yet. Agreement appears here as labels come in.")
	case d.State.UsedItems < d.State.SharedItems:
		return l.T("%d shared items, of which a random %d are used here. The report uses all.", d.State.SharedItems,
			d.State.UsedItems)
	}
	return l.T("%d shared items.", d.State.SharedItems)
}
