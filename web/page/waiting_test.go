package page_test

import (
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func TestInbox_Waiting_NotForDisagreements(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 20, 17, 0, 0, time.UTC)
	for kind, want := range map[labeling.InboxKind]string{labeling.InboxQuestion: "20 h",
		labeling.InboxAdjudication: ""} {
		entry := labeling.InboxEntry{Kind: kind, ProjectKey: "p", Count: 5, Since: now.Add(-20 * time.Hour)}
		doc := renderPage(t, page.Inbox(page.InboxData{Entries: []labeling.InboxEntry{entry}, Now: now}))
		cells := doc.FindAll("#inbox tbody td")
		if got := cells[len(cells)-1].Text(); got != want {
			t.Errorf("%s has waited for %q, want %q", kind, got, want)
		}
	}
}

func TestBoard_NotStarted_AgeFromAnHourOn(t *testing.T) {
	t.Parallel()
	opened := time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]string{time.Second: "not started", 59 * time.Minute: "not started",
		2 * time.Hour: "not started for 2 h"} {
		doc := renderPage(t, page.Board(page.BoardData{Batch: project.Batch{Name: "one", OpenedAt: opened},
			Now:        opened.Add(age),
			Annotators: []page.AnnotatorRow{{Name: "Ann", State: project.BoardNotStarted}}}))
		if text := doc.Text(); !strings.Contains(text, want) || strings.Contains(text, want+" for") {
			t.Errorf("after %v the board does not read %q", age, want)
		}
	}
}
