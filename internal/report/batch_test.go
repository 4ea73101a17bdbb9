package report_test

import (
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/comparison"
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
	want, err := stats.BatchAssumptions{Scale: stats.NewRangeScale(1, 5), Weighting: stats.Linear, Kappa: 0.4,
		Annotators: 4}.PredictWidth(120, 2, stats.IntervalOptions{Seed: 1})
	if p := got.Precision; err != nil || p.Target != 0.4 || p.WidthAtTarget != want.Width || p.WidthAtHalf == 0 {
		t.Errorf("got %+v, want %+v, %v", got, want, err)
	}
	if large := previewOf(t, spec, 100_000).Precision; large.WidthAtTarget <= 0 ||
		large.WidthAtTarget > want.Width/20 || large.ItemsForTenth != 0 {
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

// The difference that a batch can show is that of plan --compare; too few items show none.
func TestPreviewBatch_Comparison_IsThatOfPlan(t *testing.T) {
	t.Parallel()
	deviation, err := stats.Deviation(stats.NewRangeScale(1, 5), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ items, overlap int }{{9, 2}, {10, 2}, {120, 1}, {120, 3}} {
		got, want := previewOf(t, project.BatchSpec{Overlap: c.overlap}, c.items).Precision, 0.0
		if c.items >= 10 {
			want = comparison.Assumptions{Kappa: got.Target, Deviation: deviation}.PlanDetectable(c.items, c.overlap)
		}
		if got.Difference != want || (got.Hours > 0) != (want > 0) {
			t.Errorf("%+v: difference %v in %v hours, want %v", c, got.Difference, got.Hours, want)
		}
	}
}
