package report_test

import (
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

// previewOf previews a batch of four annotators of the empathy protocol.
func previewOf(t *testing.T, spec project.BatchSpec, items int) project.BatchPreview {
	t.Helper()
	var annotators []project.PlanAnnotator
	for i := range 4 {
		annotators = append(annotators, project.PlanAnnotator{ID: account.ID(i + 1), Share: 1})
	}
	plan, err := spec.PlanItems(project.BatchItems{Count: items}, annotators)
	if err != nil {
		t.Fatal(err)
	}
	return report.PreviewBatch(builtinProtocol(t, "empathy"), spec, plan)
}

func TestPreviewBatch_Width_IsSimulated(t *testing.T) {
	t.Parallel()
	start := time.Now()
	spec := project.BatchSpec{Overlap: 2}
	got := previewOf(t, spec, 120)
	want, err := stats.BatchAssumptions{Scale: stats.NewRangeScale(1, 5), Weighting: stats.Linear, Kappa: 0.4, Annotators: 4}.PredictWidth(120, 2, stats.IntervalOptions{Seed: 1})
	if p := got.Precision; err != nil || p.Target != 0.4 || p.WidthAtTarget != want.Width || p.WidthAtHalf == 0 {
		t.Errorf("got %+v, want %+v, %v", got, want, err)
	}
	if large := previewOf(t, spec, 100_000).Precision; large.WidthAtTarget <= 0 || large.WidthAtTarget > want.Width/20 || large.ItemsForTenth != 0 {
		t.Errorf("100,000 items: %+v", large)
	}
	if elapsed := time.Since(start); elapsed > 30*time.Second {
		t.Errorf("previews take %v, which is too slow for a page", elapsed)
	}
	spec.Overlap = 1
	if single := previewOf(t, spec, 120).Precision; single.WidthAtTarget != 0 {
		t.Errorf("overlap 1: %+v", single)
	}
}

// A batch with the proposed items or labels comes close to ± 0.1.
func TestPreviewBatch_ForTenth_IsEnough(t *testing.T) {
	t.Parallel()
	small := previewOf(t, project.BatchSpec{Overlap: 2}, 120).Precision
	if small.ItemsForTenth < 130 || small.LabelsForTenth < 3 {
		t.Fatalf("%+v", small)
	}
	if more := previewOf(t, project.BatchSpec{Overlap: 2}, small.ItemsForTenth).Precision; more.WidthAtTarget > 0.23 {
		t.Errorf("%d items: width %v", small.ItemsForTenth, more.WidthAtTarget)
	}
	if more := previewOf(t, project.BatchSpec{Overlap: small.LabelsForTenth}, 120).Precision; more.WidthAtTarget > 0.2 {
		t.Errorf("%d labels: width %v", small.LabelsForTenth, more.WidthAtTarget)
	}
}
