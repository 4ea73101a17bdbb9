package postgres

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// Servers that need the same report compute it once. A new version of the data needs a new one.
func TestComputeStored_Servers_ComputeOnce(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(2, 25, project.BatchSpec{})
	for _, a := range annotators {
		env.submitAll(a, helpfulSubmission)
	}
	key, computed := ReportKey{ProjectID: p.ID}, atomic.Int32{}
	compute := func() (*SharedReport, error) {
		computed.Add(1)
		return env.BuildReport(t.Context(), key.View, p, "", report.BuildOptions{Resamples: 10})
	}
	v, err := env.DataVersion(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no memory")
	if _, err := env.ComputeStored(t.Context(), key, v, func() (*SharedReport, error) { return nil, failure }); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	if stored, err := env.StoredReport(t.Context(), key); stored != nil || err != nil {
		t.Fatalf("stored before it is computed: %+v, %v", stored, err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			r, err := env.ComputeStored(t.Context(), key, v, compute)
			if err != nil || r.full.Counts.Work != 50 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	wg.Wait()
	if n := computed.Load(); n != 1 {
		t.Errorf("computed %d times, want 1", n)
	}
	stored, err := env.StoredReport(t.Context(), key)
	if err != nil || stored == nil || stored.Version != v || stored.ComputedAt.IsZero() || len(stored.Report.full.Fields) != 5 {
		t.Fatalf("stored: %+v, %v", stored, err)
	}
	v.LastAnnotationID++
	if _, err := env.ComputeStored(t.Context(), key, v, compute); err != nil || computed.Load() != 2 {
		t.Errorf("new labels: computed %d times, %v", computed.Load(), err)
	}
	key.Batch = "one"
	if stored, err := env.StoredReport(t.Context(), key); stored != nil || err != nil {
		t.Errorf("another report: %+v, %v", stored, err)
	}
}
