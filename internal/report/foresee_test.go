package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

func TestABatchIsForeseenByTheSimulationsThatPlansAreMadeOf(t *testing.T) {
	t.Parallel()
	people := make([]string, 4)
	for i := range people {
		people[i] = fmt.Sprintf("a%d@example.org", i)
	}
	began := time.Now()
	h := project.Handout{Annotators: people, Overlap: 2}
	got := report.Foresee(builtin(t, "empathy"), h, 120)
	want, err := stats.Expectation{Scale: stats.Range(1, 5), Weighting: stats.Linear, Kappa: 0.5, Annotators: 4}.Width(120, 2, stats.Options{Seed: 1})
	if err != nil || got.Width != want.Width || got.Slots != 240 {
		t.Errorf("foreseen %+v, planned %+v, %v", got, want, err)
	}
	if large := report.Foresee(builtin(t, "empathy"), h, 100_000); large.Width <= 0 || large.Width > got.Width/20 {
		t.Errorf("100,000 items: %v", large.Width)
	}
	// Under the race detector, which runs short, everything waits.
	if took := time.Since(began); took > 5*time.Second && !testing.Short() {
		t.Errorf("a page that waits %v is too slow", took)
	}
	h.Overlap = 1
	if alone := report.Foresee(builtin(t, "empathy"), h, 120); alone.Width != 0 {
		t.Errorf("without overlap: %v", alone.Width)
	}
}
