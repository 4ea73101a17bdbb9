package web

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// renderWorkHome lists the batches of the user, and says so if the batch they
// come from has been closed.
func (s *Server) renderWorkHome(w http.ResponseWriter, r *http.Request, overview labeling.WorkOverview) error {
	now := time.Now().UTC()
	hours := page.NewHours("/work", queryParam(r, "month"), now)
	home, err := s.db.WorkHome(r.Context(), currentAccount(r).ID, hours.From, hours.Until)
	if err != nil {
		return err
	}
	d := toWorkHomeData(currentLocale(r), home)
	if queryParam(r, "hours") == "csv" {
		return writeHours(w, []string{"project"}, d.Days, func(d page.WorkDay) ([]string, page.WorkDay) {
			return []string{d.ProjectTitle}, d
		})
	}
	d.User, d.AlreadySubmittedNotice, d.Hours = currentUser(r), s.alreadySubmittedNotice(r, ""), hours
	for _, progress := range overview.Batches {
		q := queueFromProgress(currentLocale(r), progress)
		d.Queues = append(d.Queues, q)
	}
	if _, isOpen := overview.Batch(queryID[project.BatchID](r, "batch")); !isOpen && queryParam(r, "batch") != "" {
		d.Notice = currentLocale(r).T("This batch is closed. Your labels are saved. Thank you.")
	}
	return render(w, r, http.StatusOK, page.WorkHome(d))
}

// showHours lists the hours of all members of a project, or downloads them by day.
func (s *Server) showHours(w http.ResponseWriter, r *http.Request, p project.Project) error {
	hours := page.NewHours(page.ProjectPath(p.Key, "hours"), queryParam(r, "month"), time.Now().UTC())
	list, err := s.db.MemberHours(r.Context(), currentAccount(r).ID, p, hours.From, hours.Until)
	if err != nil {
		return err
	}
	if queryParam(r, "hours") == "csv" {
		return writeHours(w, []string{"name", "pseudonym"}, list, func(h postgres.MemberHours) ([]string, page.WorkDay) {
			return []string{h.Name, h.Pseudonym}, page.WorkDay{Day: h.Day, Items: h.Items, ActiveMS: h.ActiveMS}
		})
	}
	d := page.ProjectHoursData{User: currentUser(r), Project: p, Hours: hours}
	for _, h := range list {
		if n := len(d.Members); n == 0 || d.Members[n-1].Pseudonym != h.Pseudonym {
			d.Members = append(d.Members, page.MemberDays{Name: h.Name, Pseudonym: h.Pseudonym})
		}
		m := &d.Members[len(d.Members)-1]
		m.Days, m.Items, m.ActiveMS = m.Days+1, m.Items+h.Items, m.ActiveMS+h.ActiveMS
	}
	return render(w, r, http.StatusOK, page.ProjectHours(d))
}

// writeHours writes days as CSV, such as for an invoice: columns that say whose they are, and the day. Times are in
// hours.
func writeHours[T any](w http.ResponseWriter, columns []string, list []T,
	split func(T) ([]string, page.WorkDay)) error {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="hours.csv"`)
	out := csv.NewWriter(w)
	rows := [][]string{append(columns, "day", "items", "active_hours")}
	for _, entry := range list {
		owner, d := split(entry)
		for i := range owner {
			owner[i] = dataset.EscapeFormula(owner[i])
		}
		rows = append(rows, append(owner, d.Day.Format(time.DateOnly), strconv.Itoa(d.Items),
			strconv.FormatFloat(time.Duration(d.ActiveMS*1e6).Hours(), 'f', 2, 64)))
	}
	return out.WriteAll(rows)
}

func toWorkHomeData(l *locale.Locale, home postgres.WorkHome) page.WorkHomeData {
	d := page.WorkHomeData{RaterEffectLinks: raterEffectLinks(l, home.RaterEffects), Days: pageWorkDays(home.Days),
		Questions: ownQuestions(home.Questions)}
	for _, t := range home.ThankYous {
		d.ThankYous = append(d.ThankYous, page.ThankYou(t))
	}
	for _, n := range home.Notices {
		d.WorkNotices = append(d.WorkNotices, page.WorkNotice(n))
	}
	for _, request := range home.Declined {
		d.Declined = append(d.Declined, page.DeclinedRequest(request))
	}
	for _, b := range home.Closed {
		closed := page.ClosedBatch{ProjectTitle: b.ProjectTitle, BatchName: b.BatchName,
			Completed: b.CompletedItems, ClosedAt: b.ClosedAt}
		if b.HasCalibrationResult {
			closed.CalibrationPath = calibrationPath(b.BatchID)
		}
		d.Closed = append(d.Closed, closed)
	}
	return d
}

func queueFromProgress(l *locale.Locale, progress labeling.BatchProgress) page.Queue {
	q := page.Queue{
		Batch:          formatID(progress.BatchID),
		BatchName:      progress.BatchName,
		Project:        page.Project{Title: progress.ProjectTitle, SupportURL: progress.SupportURL},
		Progress:       toPageProgress(progress.Progress, !progress.IsFinished() && !progress.NeedsCalibrationReview),
		GuidePath:      guidePath(progress.ProjectKey, progress.BatchID),
		Pace:           progress.Pace,
		IsNew:          progress.IsNew,
		ReturningItems: progress.ReturningItems,
		BlockedReason:  blockedReason(l, progress),
		HasSheet:       progress.HasSheet,
	}
	for _, item := range progress.ReopenedItems {
		q.ReopenedItems = append(q.ReopenedItems, page.ReopenedItem(item))
	}
	if progress.InCalibration || progress.NeedsCalibrationReview {
		q.Stage = l.T("Calibration")
	}
	if progress.HasCalibrationResult || progress.NeedsCalibrationReview {
		q.CalibrationPath = calibrationPath(progress.BatchID)
	}
	return q
}

// blockedReason returns why an annotator cannot continue a batch now; empty if they can.
func blockedReason(l *locale.Locale, progress labeling.BatchProgress) string {
	switch {
	case progress.NeedsCalibrationReview:
		return l.T("Your calibration is complete. Review your result to continue.")
	case progress.Limit != labeling.NoLimit:
		return l.Translate(locale.Text(progress.Limit.Text()))
	case progress.OpenToken == "" && !progress.HasMore:
		return l.T("No items are left for you in this batch. Thank you.")
	case progress.OpenToken == "" && progress.Paused:
		return l.T("Your work in this batch is paused.")
	}
	return ""
}
