package web

import (
	"testing"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/api"
)

func TestReportSources_KeepsLastUsed(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 4)
	s.labelAll()
	read := func() *postgres.ReportSource {
		_, source, err := s.db.BuildNextReport(t.Context(), postgres.ReportView{}, s.project, "", report.BuildOptions{Resamples: 10}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return source
	}
	first, second, third := read(), read(), read()
	keyOf := func(batch string) sourceKey { return sourceKey{s.project.ID, batch, ""} }
	sources := reportSources{maxLabels: 2*first.Len() + 1}
	sources.keep(keyOf("a"), first)
	sources.keep(keyOf("b"), second)
	if sources.take(keyOf("a")) != first || sources.take(keyOf("a")) != nil {
		t.Error("labels that fit are not kept, or taken twice")
	}
	sources.keep(keyOf("a"), first)
	sources.keep(keyOf("c"), third)
	if sources.take(keyOf("b")) != nil || sources.take(keyOf("a")) != first || sources.take(keyOf("c")) != third {
		t.Error("not those that were used last are kept")
	}
	sources.keep(keyOf("a"), first)
	sources.drop(second)
	sources.drop(first)
	if sources.take(keyOf("a")) != nil {
		t.Error("labels are kept after they expired")
	}
	sources.maxLabels = first.Len() - 1
	if sources.keep(keyOf("a"), first); sources.take(keyOf("a")) != nil {
		t.Error("too many labels are kept")
	}
}

// A large report after new labels is that of all labels, and is computed from those of the last one.
func TestLargeReport_LaterLabels_AreAdded(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 4)
	for _, want := range []int{0, 8} {
		view, err := s.db.ReportView(t.Context(), s.lead.ID, s.project.ID)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.server.buildNextReport(view, s.project, api.ReportChoice{Epsilon: judging.DefaultEpsilon})(t.Context(), func(study.BuildProgress) {})
		if err != nil {
			t.Fatal(err)
		}
		visible, err := s.db.VisibleReport(t.Context(), s.lead.ID, s.project, r)
		if err != nil || visible.Counts.Work != want {
			t.Errorf("not the report of %d labels: %v", want, err)
		}
		if kept := s.server.reports.sources.kept; len(kept) != 1 || kept[0].key != (sourceKey{s.project.ID, "", view.Key()}) || kept[0].source.Len() != want {
			t.Errorf("kept %+v, want %d labels", kept, want)
		}
		s.labelAll()
	}
}
