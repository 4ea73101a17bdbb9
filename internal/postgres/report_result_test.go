package postgres

import (
	"errors"
	"sync"
	"testing"

	"github.com/riverqueue/river"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/judging"
)

// defaultReport is the report of the whole project.
var defaultReport = ReportChoice{Epsilon: judging.DefaultEpsilon}

func (env testEnv) reportStatusOf(actor account.Account, p project.Project, choice ReportChoice) ReportStatus {
	env.t.Helper()
	status, err := env.ReportStatus(env.t.Context(), actor.ID, p, choice)
	if err != nil {
		env.t.Fatal(err)
	}
	return status
}

func (env testEnv) reportVersion(p project.Project) string {
	env.t.Helper()
	return env.reportStatusOf(env.admin, p, defaultReport).version
}

// readReport computes the report of a project as an account sees it.
func (env testEnv) readReport(actor account.Account, p project.Project) *report.Report {
	env.t.Helper()
	return env.computeReport(func() (ReportStatus, error) {
		return env.ReportStatus(env.t.Context(), actor.ID, p, defaultReport)
	})
}

// runReport runs the job that computes a report, unless it is current.
func (env testEnv) runReport(status ReportStatus) error {
	env.t.Helper()
	before := env.queryInt(`SELECT coalesce(max(id), 0) FROM river.river_job`)
	if err := env.RequestReport(env.t.Context(), status, "en"); err != nil {
		env.t.Fatal(err)
	}
	jobs, err := collectAll[struct {
		ID   int64
		Args reportArgs
	}](env.pool.Query(env.t.Context(), `SELECT id, args FROM river.river_job WHERE id > $1`, before))
	if err != nil || len(jobs) > 1 || (len(jobs) == 1) == status.IsCurrent {
		env.t.Fatalf("%+v has the jobs %+v, %v", status, jobs, err)
	}
	for _, j := range jobs {
		w := Work{Explain: func(_ string, err error) string { return err.Error() }}
		if err := w.runReport(env.t.Context(), env.DB, &river.Job[reportArgs]{Args: j.Args}); err != nil {
			return err
		}
		env.execSQL(`UPDATE river.river_job SET state = 'completed', finalized_at = now() WHERE id = $1`, j.ID)
	}
	return nil
}

// computeReport computes a report unless it is current, and returns it.
func (env testEnv) computeReport(read func() (ReportStatus, error)) *report.Report {
	env.t.Helper()
	status, err := read()
	if err != nil {
		env.t.Fatal(err)
	}
	if err := env.runReport(status); err != nil {
		env.t.Fatal(err)
	}
	if status, err = read(); err != nil || !status.IsCurrent || !status.IsFinal() || status.IsDue ||
		status.ComputedAt.IsZero() {
		env.t.Fatalf("after it is computed: %+v, %v", status, err)
	}
	r, err := env.ReadReport(env.t.Context(), status)
	if err != nil || r == nil {
		env.t.Fatal(r, err)
	}
	return r
}

// Servers that need the same report compute it once.
func TestRequestReport_Servers_OneJob(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(2, 25, project.BatchSpec{})
	for _, a := range annotators {
		env.submitAll(a, helpfulSubmission)
	}
	status := env.reportStatusOf(env.admin, p, defaultReport)
	if r, err := env.ReadReport(t.Context(), status); r != nil || err != nil || status.IsFinal() || !status.IsDue {
		t.Fatalf("before it is computed: %+v, %v, %v", status, r, err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := env.RequestReport(t.Context(), status, "en"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	env.checkCount(1, `river.river_job WHERE kind = 'compute_report'`)
	if status := env.reportStatusOf(env.admin, p, defaultReport); status.IsDue || status.StartedAt.IsZero() ||
		status.Progress.Step == "" || status.IsFinal() {
		t.Errorf("while a job computes it: %+v", status)
	}
	env.execSQL(`UPDATE river.river_job SET state = 'discarded', finalized_at = now()`) // its servers stopped
	if r := env.readReport(env.admin, p); r.Counts.Work != 50 || len(r.Fields) != 5 {
		t.Errorf("the stored report has %+v and %d fields", r.Counts, len(r.Fields))
	}
}

// A report is current until something that it is computed from changes, whatever happens in other batches.
func TestReportStatus_Changes_OfItsBatchesOnly(t *testing.T) {
	env := newTestEnv(t)
	p, first, annotators := env.newBatchFor(2, 9, project.BatchSpec{Sample: project.Sample{Count: 3}})
	for _, a := range annotators {
		env.submitAll(a, helpfulSubmission)
	}
	env.newBatch(p, project.BatchSpec{Name: "two", Overlap: 1, Annotators: []string{annotators[0].Email},
		Sample: project.Sample{Count: 3}})
	reports := map[string]func() (ReportStatus, error){
		"closed": func() (ReportStatus, error) {
			return env.RaterEffectStatus(t.Context(),
				RaterEffectProject{ID: p.ID})
		}}
	for name, batch := range map[string]string{"project": "", "one": "one", "two": "two"} {
		reports[name] = func() (ReportStatus, error) {
			return env.ReportStatus(t.Context(), 0, p, ReportChoice{Batch: batch, Epsilon: judging.DefaultEpsilon})
		}
	}
	item := query[project.ItemID](env, `SELECT min(item_id) FROM batch_items`)
	for _, step := range []struct {
		name    string
		do      func()
		changed []string
		later   int // labels of the project
	}{
		{"nothing", func() {}, nil, 0},
		{"labels of batch two", func() { env.submitAll(annotators[0], helpfulSubmission) },
			[]string{"project", "two"}, 3},
		{"batch one closes", func() { env.closeBatch(p, first) }, []string{"closed"}, 0},
		{"a decision", func() {
			if err := env.adjudicate(env.admin, p, item, helpfulDecision); err != nil {
				t.Fatal(err)
			}
		}, []string{"project", "one", "two", "closed"}, 0},
		{"a judge", func() {
			if err := env.AddJudge(t.Context(), env.admin.ID, p, "judge",
				[]importer.ItemAnswers{{ItemID: item, Values: map[string]int{"helpful": 1}}}); err != nil {
				t.Fatal(err)
			}
		}, []string{"project", "one", "two", "closed"}, 0},
		{"a setting", func() { env.updateProject(p, "tie_rule = 'lower'") }, []string{"project", "one", "two",
			"closed"}, 0},
	} {
		for _, read := range reports {
			env.computeReport(read)
		}
		step.do()
		for name, read := range reports {
			isChanged := false
			for _, changed := range step.changed {
				isChanged = isChanged || changed == name
			}
			status, err := read()
			if err != nil || status.IsCurrent == isChanged || status.IsDue != isChanged {
				t.Errorf("%s: report %s is current: %t, %v", step.name, name, status.IsCurrent, err)
			}
			if name == "project" && status.LaterLabels != step.later {
				t.Errorf("%s: %d later labels, want %d", step.name, status.LaterLabels, step.later)
			}
		}
	}
}

// A report that fails says why, and can be computed again after a moment, or at once with other data.
func TestReportStatus_Failure_SaysWhy(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(2, 2, project.BatchSpec{})
	choice := ReportChoice{Column: "unknown", Epsilon: judging.DefaultEpsilon}
	for _, again := range []func(){
		func() { env.execSQL(`UPDATE reports SET failed_at = now() - interval '1 minute'`) },
		func() { env.submitItem(annotators[0]) },
	} {
		if err := env.runReport(env.reportStatusOf(env.admin, p, choice)); err != nil {
			t.Fatal(err)
		}
		status := env.reportStatusOf(env.admin, p, choice)
		if status.IsDue || status.IsFinal() || !errors.Is(status.Problem, fault.Invalid) {
			t.Errorf("after a failure: %+v", status)
		}
		again()
		if status = env.reportStatusOf(env.admin, p, choice); !status.IsDue || status.Problem != nil {
			t.Errorf("later: %+v", status)
		}
	}
}

// A report that takes long is computed again after a pause.
func TestReportStatus_LongComputation_Pauses(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotators := env.newBatchFor(2, 2, project.BatchSpec{})
	env.readReport(env.admin, p)
	env.execSQL(`UPDATE reports SET compute_seconds = 60 WHERE content IS NOT NULL`)
	env.submitItem(annotators[0])
	if status := env.reportStatusOf(env.admin, p, defaultReport); status.IsDue || status.IsCurrent ||
		!status.IsFinal() || status.LaterLabels != 1 {
		t.Errorf("a minute's report after a label: %+v; want a pause", status)
	}
	env.execSQL(`UPDATE reports SET computed_at = now() - interval '5 minutes' WHERE content IS NOT NULL`)
	if status := env.reportStatusOf(env.admin, p, defaultReport); !status.IsDue {
		t.Errorf("after the pause: %+v", status)
	}
	env.execSQL(`UPDATE reports SET program = 'earlier' WHERE content IS NOT NULL`)
	if status := env.reportStatusOf(env.admin, p, defaultReport); !status.ComputedAt.IsZero() || !status.IsDue {
		t.Errorf("the report of another program: %+v", status)
	}
}

// A project keeps the reports that were computed last.
func TestComputeReport_ManyChoices_KeepsLast(t *testing.T) {
	env := newTestEnv(t)
	p, _, _ := env.newBatchFor(2, 1, project.BatchSpec{})
	for n := range maxStoredReports + 3 {
		if err := env.runReport(env.reportStatusOf(env.admin, p, ReportChoice{Epsilon: float64(n) / 100})); err != nil {
			t.Fatal(err)
		}
	}
	env.checkCount(maxStoredReports, `reports WHERE epsilon >= 0.03`)
	env.checkCount(maxStoredReports, `reports`)
}
