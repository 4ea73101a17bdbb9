package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

func TestPreviewBatch_Width_IsSimulated(t *testing.T) {
	t.Parallel()
	annotators := make([]string, 4)
	for i := range annotators {
		annotators[i] = fmt.Sprintf("a%d@example.org", i)
	}
	start := time.Now()
	spec := project.BatchSpec{Annotators: annotators, Overlap: 2}
	got := report.PreviewBatch(builtinProtocol(t, "empathy"), spec, 120)
	want, err := stats.BatchAssumptions{Scale: stats.NewRangeScale(1, 5), Weighting: stats.Linear, Kappa: 0.5, Annotators: 4}.PredictWidth(120, 2, stats.IntervalOptions{Seed: 1})
	if err != nil || got.KappaCIWidth != want.Width || got.Slots != 240 {
		t.Errorf("got %+v, want %+v, %v", got, want, err)
	}
	if large := report.PreviewBatch(builtinProtocol(t, "empathy"), spec, 100_000); large.KappaCIWidth <= 0 || large.KappaCIWidth > got.KappaCIWidth/20 {
		t.Errorf("100,000 items: %v", large.KappaCIWidth)
	}
	// The race detector, which runs with -short, is slow.
	if elapsed := time.Since(start); elapsed > 5*time.Second && !testing.Short() {
		t.Errorf("previews take %v, which is too slow for a page", elapsed)
	}
	spec.Overlap = 1
	if single := report.PreviewBatch(builtinProtocol(t, "empathy"), spec, 120); single.KappaCIWidth != 0 {
		t.Errorf("overlap 1: %v", single.KappaCIWidth)
	}
}
