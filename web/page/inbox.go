package page

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/prose"
)

// InboxPath is the path of a lead's start page.
const InboxPath = "/inbox"

func (d InboxData) intro(l *locale.Locale) string {
	if len(d.Entries) == 0 {
		return ""
	}
	keys := map[string]bool{}
	for _, e := range d.Entries {
		keys[e.ProjectKey] = true
	}
	return l.T("%d things wait for you", len(d.Entries)) + " " + l.T("in %d projects.", len(keys))
}

func (d InboxData) hasOpenBatch() bool {
	return slices.ContainsFunc(d.Projects, func(p project.Summary) bool { return p.OpenBatches > 0 })
}

// inboxTag names the kind of an entry.
func inboxTag(l *locale.Locale, k labeling.InboxKind) string {
	return l.Translate(map[labeling.InboxKind]locale.Text{
		labeling.InboxQuestion: locale.Text("question"), labeling.InboxCorrection: locale.Text("correction"),
		labeling.InboxCalibration: locale.Text("decision"), labeling.InboxBehind: locale.Text("behind"),
		labeling.InboxGold: locale.Text("paused"), labeling.InboxStuck: locale.Text("stuck"),
		labeling.InboxAdjudication: locale.Text("adjudication"), labeling.InboxIncomplete: locale.Text("incomplete"),
	}[k])
}

// inboxPlace returns the project and the item or batch of an entry.
func inboxPlace(e labeling.InboxEntry) string {
	switch {
	case e.ItemID != 0:
		return e.ProjectTitle + " · " + shortText(cmp.Or(e.ItemTitle, e.SourceID))
	case e.BatchName != "":
		return e.ProjectTitle + " · " + e.BatchName
	}
	return e.ProjectTitle
}

// inboxPath returns the place where an entry is decided.
func inboxPath(e labeling.InboxEntry) string {
	switch e.Kind {
	case labeling.InboxQuestion:
		return QuestionPath(e.ProjectKey, e.ItemID, labeling.QuestionID(e.SubjectID))
	case labeling.InboxCorrection:
		return WaitingPath(e.Kind, e.ProjectKey, e.BatchName) + "#correction-" + formatID(e.SubjectID)
	case labeling.InboxCalibration, labeling.InboxBehind, labeling.InboxGold:
		return WaitingPath(e.Kind, e.ProjectKey, e.BatchName) + "#annotator-" + formatID(e.AccountID)
	}
	return WaitingPath(e.Kind, e.ProjectKey, e.BatchName)
}

// WaitingPath returns the page of a project or batch where entries of a kind are decided.
func WaitingPath(k labeling.InboxKind, projectKey, batchName string) string {
	switch k {
	case labeling.InboxQuestion:
		return ProjectPath(projectKey, "questions")
	case labeling.InboxCorrection:
		return ProjectPath(projectKey, "batches", batchName, "progress")
	case labeling.InboxCalibration:
		return ProjectPath(projectKey, "batches", batchName, "calibration")
	case labeling.InboxBehind, labeling.InboxStuck, labeling.InboxGold, labeling.InboxIncomplete:
		return ProjectPath(projectKey, "batches", batchName)
	}
	return ProjectPath(projectKey, "adjudication")
}

// entryAge says how long an entry has waited. Disagreements come one by one, so their
// entry has no age.
func entryAge(l *locale.Locale, e labeling.InboxEntry, now time.Time) string {
	if e.Kind == labeling.InboxAdjudication {
		return ""
	}
	return formatWaiting(l, now.Sub(e.Since))
}

// formatWaiting writes how long something has waited.
func formatWaiting(l *locale.Locale, d time.Duration) string {
	switch {
	case d < time.Hour:
		return l.T("%d min", max(int(d.Minutes()), 0))
	case d < 48*time.Hour:
		return l.T("%d h", int(d.Hours()))
	}
	return l.T("%d days", int(d.Hours())/24)
}

// verdictOf sums up the verdicts on the fields of a project in a few words, and returns the class of their badge.
// Without
// agreement yet, it returns no text.
func verdictOf(l *locale.Locale, p project.Summary) (text, class string) {
	counts := map[agreement.Verdict]int{}
	for _, f := range p.Agreement {
		counts[agreement.Verdict(f.Verdict)]++
	}
	for _, v := range agreement.Verdicts {
		if n := counts[v]; n > 0 && (v != agreement.TooFewItems || n == len(p.Agreement)) {
			return fmt.Sprintf("%s (%s)", prose.Writer{Locale: l}.Verdict(v), l.T("%d of %d", n, len(p.Agreement))),
				verdictClass(v)
		}
	}
	return "", ""
}
