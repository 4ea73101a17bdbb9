package page

import (
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
)

// A MemberRow is a member of a project.
type MemberRow struct {
	AccountID     account.ID
	Name          string // the address until the member works in the project
	Email         string
	Role          account.Role // in the project
	Pseudonym     string       // the name in exports
	Invited       bool         // has not worked in the project, or has no password
	Disabled      bool
	LacksLeadRole bool // a lead whose account has not the role lead
}

// pathOf returns the page of a project that the user starts at.
func (d ProjectsData) pathOf(p project.Project) string {
	if d.User.Role.CanLead() {
		return ProjectPath(p.Key)
	}
	return ProjectPath(p.Key, "report")
}

// memberSummary counts the members by role.
func (d ProjectHomeData) memberSummary(l *locale.Locale) string {
	counts := map[account.Role]int{}
	for _, m := range d.Members {
		counts[m.Role]++
	}
	text := l.T("%d leads", counts[account.Lead]) + ", " + l.T("%d annotators", counts[account.Annotator])
	if n := counts[account.Viewer]; n > 0 {
		text += ", " + l.T("%d viewers", n)
	}
	return text
}

func (d ProjectHomeData) hasAnnotator() bool {
	return slices.ContainsFunc(d.Members, func(m MemberRow) bool { return m.Role == account.Annotator })
}

// statusText describes the batches of a project whose items are all in batches.
func (d ProjectHomeData) statusText(l *locale.Locale) string {
	open, remaining := 0, 0
	for _, b := range d.Batches {
		if b.ClosedAt == nil {
			open++
			remaining += b.Missing()
		}
	}
	switch {
	case open == 0:
		return l.T("All batches are closed. You can export the dataset.")
	case remaining == 0:
		return l.T("All labels are submitted. Close the batch and export the dataset.")
	}
	return l.T("All items are in a batch.") + " " + l.T("%d labels are still missing.", remaining)
}

func (d ProjectHomeData) openBatches() (open []project.Batch) {
	for _, b := range d.Batches {
		if b.ClosedAt == nil {
			open = append(open, b)
		}
	}
	return open
}

// An attentionRow is an annotator of an open batch who does not label.
type attentionRow struct {
	board     BoardData
	annotator AnnotatorRow
}

// idleTime is how long after opening their last item an annotator counts as stuck.
const idleTime = 24 * time.Hour

// attention returns the annotators who wait, or did not label for a day.
func (d ProjectHomeData) attention() (rows []attentionRow) {
	for _, board := range d.Boards {
		for _, a := range board.Annotators {
			since := a.Since
			if a.State == project.BoardNotStarted {
				since = &board.Batch.OpenedAt
			}
			isIdle := (a.State == project.BoardIdle || a.State == project.BoardNotStarted ||
				a.State == project.BoardCalibrating) && since != nil && d.Now.Sub(*since) >= idleTime
			if isIdle || a.State == project.BoardWaiting || a.State == project.BoardPaused {
				rows = append(rows, attentionRow{board, a})
			}
		}
	}
	return rows
}

// waitingAction names what to do about an entry of the inbox.
func waitingAction(l *locale.Locale, k labeling.InboxKind) string {
	switch k {
	case labeling.InboxQuestion:
		return l.T("Answer the question")
	case labeling.InboxCorrection:
		return l.T("Decide the request")
	case labeling.InboxCalibration:
		return l.T("Decide the calibration")
	case labeling.InboxAdjudication:
		return l.T("Adjudicate")
	}
	return l.T("Open the board of the batch")
}

// forecastText says when an open batch will be complete, or why not.
func forecastText(l *locale.Locale, b project.Batch, now time.Time) string {
	if b.ClosedAt == nil && b.Stuck > 0 {
		return l.T("%d labels stuck", b.Stuck)
	}
	if end := completionTime(b, now); !end.IsZero() {
		return l.T("until about %s", l.Date(end))
	}
	return ""
}
