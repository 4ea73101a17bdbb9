package page

import (
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/locale"
)

func TestStaleText_LaterLabels(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		0:    "This report is of 23 Nov 2026, 08:04 UTC; decisions, judgments or items are newer. The next report follows by itself.",
		1:    "This report is of 23 Nov 2026, 08:04 UTC; 1 label was submitted since. The next report follows by itself.",
		1033: "This report is of 23 Nov 2026, 08:04 UTC; 1,033 labels were submitted since. The next report follows by itself.",
	} {
		if got := (ReportData{FinishedAt: time.Date(2026, 11, 23, 8, 4, 0, 0, time.UTC), LaterLabels: n}).staleText(
			locale.English); got != want {
			t.Errorf("%d labels: %q", n, got)
		}
	}
}
