package postgres

import (
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// TestHasLabelsSince_OtherBatch_IsUnchanged labels a second batch after the report of the first.
func TestHasLabelsSince_OtherBatch_IsUnchanged(t *testing.T) {
	env := newTestEnv(t)
	p, first, annotators := env.newBatchFor(2, 6, project.BatchSpec{Sample: project.Sample{Count: 3}})
	for _, a := range annotators {
		env.submitAll(a, helpfulSubmission)
	}
	if err := env.CloseBatch(t.Context(), env.admin.ID, p, first.Name, project.BatchClosing{Reason: "done"}); err != nil {
		t.Fatal(err)
	}
	v, err := env.DataVersion(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	r, err := env.BuildReport(t.Context(), ReportView{}, p, "", report.BuildOptions{Resamples: 10})
	if err != nil {
		t.Fatal(err)
	}
	env.newBatch(p, project.BatchSpec{Name: "two", Overlap: 1, Annotators: []string{annotators[0].Email}})
	env.submitAll(annotators[0], helpfulSubmission)
	inOneHour := time.Now().Add(time.Hour) // no label was submitted in the minute before
	for _, c := range []struct {
		name   string
		scope  LabelScope
		readAt time.Time
		want   bool
	}{
		{"the closed batch", LabelScope{Batch: "one"}, inOneHour, false},
		{"the closed batch, labeled a moment before it was read", LabelScope{Batch: "one"}, time.Now(), true},
		{"closed batches", LabelScope{OnlyClosed: true}, inOneHour, false},
		{"the other batch", LabelScope{Batch: "two"}, inOneHour, true},
		{"the project", LabelScope{}, inOneHour, true},
	} {
		if got, err := env.HasLabelsSince(t.Context(), p, c.scope, v, c.readAt); got != c.want || err != nil {
			t.Errorf("%s: %t, %v", c.name, got, err)
		}
	}
	for batch, want := range map[string]int{"": 3, "one": 0, "two": 3} {
		if n, err := env.CountLaterLabels(t.Context(), p, batch, r, 10); n != want || err != nil {
			t.Errorf("%q: %d later labels, %v; want %d", batch, n, err, want)
		}
	}
	if n, err := env.CountLaterLabels(t.Context(), p, "", r, 2); n != 2 || err != nil {
		t.Errorf("at most 2: %d, %v", n, err)
	}
}

func TestDataVersion_DiffersBeyond_Scope(t *testing.T) {
	t.Parallel()
	base := DataVersion{LastAnnotationID: 1, LastJudgmentID: 1, LastAdjudicationID: 1, ItemCount: 1, ClosedBatches: 1}
	for name, c := range map[string]struct {
		change        func(*DataVersion)
		batch, closed bool
	}{
		"a label":        {change: func(v *DataVersion) { v.LastAnnotationID++ }},
		"a closed batch": {change: func(v *DataVersion) { v.ClosedBatches++ }, closed: true},
		"a judgment":     {change: func(v *DataVersion) { v.LastJudgmentID++ }, batch: true, closed: true},
		"a decision":     {change: func(v *DataVersion) { v.LastAdjudicationID++ }, batch: true, closed: true},
		"a reference":    {change: func(v *DataVersion) { v.References++ }, batch: true, closed: true},
		"an item":        {change: func(v *DataVersion) { v.ItemCount++ }, batch: true, closed: true},
	} {
		later := base
		c.change(&later)
		if got := later.DiffersBeyond(base, LabelScope{Batch: "one"}); got != c.batch {
			t.Errorf("%s, report of a batch: %t", name, got)
		}
		if got := later.DiffersBeyond(base, LabelScope{OnlyClosed: true}); got != c.closed {
			t.Errorf("%s, report of closed batches: %t", name, got)
		}
	}
}
