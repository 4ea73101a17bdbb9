package page

import (
	"net/url"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/locale"
)

// A ClosedBatch is a closed batch as its annotator sees it.
type ClosedBatch struct {
	ProjectTitle    string
	BatchName       string
	Completed       int
	ClosedAt        time.Time
	CalibrationPath string // of the calibration results; empty: none
}

// A DeclinedRequest is a correction request that a lead left without a change.
type DeclinedRequest struct {
	ProjectTitle string
	Message      string
	Reply        string
	DeclinedAt   time.Time
}

// A ReopenedItem is an item that came back because a lead reopened it.
type ReopenedItem struct {
	Message string
	ByLead  bool // the lead wrote the message
}

// cause says why the item came back.
func (i ReopenedItem) cause(l *locale.Locale) string {
	if i.ByLead {
		return l.T("Your lead reopened an item:")
	}
	return l.T("Your lead reopened an item for the mistake that you reported:")
}

// leftText says what is left for the annotator.
func (q Queue) leftText(l *locale.Locale) string {
	left := q.Progress.Total - q.Progress.Done
	switch {
	case q.Progress.Total == 0 && q.BlockedReason == "":
		return l.T("All annotators of this batch share what is left.")
	case left <= 0:
		return ""
	case q.Stage != "":
		return l.T("%d calibration items left.", left)
	}
	return l.T("%d items left for you.", left)
}

// returningText says how many skipped items come back.
func (q Queue) returningText(l *locale.Locale) string {
	if q.ReturningItems == 0 {
		return ""
	}
	return l.T("%d items that you skipped come back at the end.", q.ReturningItems)
}

// Hours are the days for which a page lists items and active hours: the last 31, or one month.
type Hours struct {
	page        string // its path
	From, Until time.Time
	isMonth     bool
	now         time.Time
}

const monthFormat = "2006-01"

// NewHours returns the hours of a month such as "2026-11", or of the last 31 days, on the page of a path.
func NewHours(path, month string, now time.Time) Hours {
	first, err := time.Parse(monthFormat, month)
	if err != nil || first.After(now) || first.Year() < 2000 {
		return Hours{page: path, From: now.AddDate(0, 0, -30), Until: now, now: now}
	}
	return Hours{page: path, From: first, Until: first.AddDate(0, 1, -1), isMonth: true, now: now}
}

// totals sums up days by project, in the order of their first day.
func totals(days []WorkDay) (sums []WorkDay) {
	for _, day := range days {
		i := slices.IndexFunc(sums, func(s WorkDay) bool { return s.ProjectTitle == day.ProjectTitle })
		if i < 0 {
			i = len(sums)
			sums = append(sums, WorkDay{ProjectTitle: day.ProjectTitle})
		}
		sums[i].Items += day.Items
		sums[i].ActiveMS += day.ActiveMS
	}
	return sums
}

// path returns the page with these days.
func (h Hours) path(more string) string {
	query := url.Values{}
	if h.isMonth {
		query.Set("month", h.From.Format(monthFormat))
	}
	if more != "" {
		query.Set("hours", more)
	}
	return h.page + "?" + query.Encode()
}

// title names the days in a sentence.
func (h Hours) title(l *locale.Locale) string {
	if h.isMonth {
		return l.T("in %s", l.Month(h.From))
	}
	return l.T("in the last 31 days")
}

// months lists the months to choose from: around the shown one, or this one and the last.
func (h Hours) months() (list []time.Time) {
	last := time.Date(h.now.Year(), h.now.Month(), 1, 0, 0, 0, 0, time.UTC)
	shown := last
	if h.isMonth {
		shown = h.From
	}
	for _, m := range []time.Time{shown.AddDate(0, -1, 0), shown, shown.AddDate(0, 1, 0)} {
		if !m.After(last) && (!h.isMonth || m != shown) {
			list = append(list, m)
		}
	}
	return list
}
