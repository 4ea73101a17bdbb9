package postgres

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/version"
)

// reportArgs are those of the job that computes a report.
type reportArgs struct {
	Choice    ReportChoice       `json:"choice"`
	ProjectID project.ID         `json:"project_id"`
	VersionID protocol.VersionID `json:"version_id"` // of the protocol
	ViewerID  account.ID         `json:"viewer_id"`  // whose view it is of
	View      string             `json:"view"`       // the key of the view; a job whose view has changed computes nothing
	Language  string             `json:"language"`   // of the reason if it fails
	IsLarge   bool               `json:"is_large"`
}

// Kind names the kind of job.
func (reportArgs) Kind() string { return "compute_report" }

// InsertOpts has the job run again if its server stops.
func (a reportArgs) InsertOpts() river.InsertOpts {
	if a.IsLarge {
		return taskOptions(largeReportQueue)
	}
	return taskOptions(reportQueue)
}

// reportIsComputed is true of a row of reports while a job computes the next one.
const reportIsComputed = `EXISTS (SELECT FROM river.river_job j
	WHERE j.id = reports.job_id AND j.finalized_at IS NULL)`

// RequestReport adds the job that computes a report, unless there is one or it has just run. It says in language why
// it failed.
func (db *DB) RequestReport(ctx context.Context, s ReportStatus, language string) error {
	args := reportArgs{Choice: s.key.ReportChoice, ProjectID: s.key.project.ID,
		VersionID: s.key.project.ProtocolVersionID, ViewerID: s.viewer,
		View: s.key.view.key(), Language: language, IsLarge: s.labelCount >= minLargeReport}
	err := db.inTx(ctx, func(tx pgx.Tx) error {
		// A request that waits for another one sees its job only in a statement that begins after it.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('reports'), hashint8($1))`,
			s.key.project.ID); err != nil {
			return err
		}
		jobID, err := addJob(ctx, tx, args, 0)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			INSERT INTO reports (project_id, batch, group_column, epsilon, view, protocol_version_id, job_id, started_at,
			                     progress)
			VALUES ($1, $2, $3, $4, $5, $6, $7, now(), $8)
			ON CONFLICT (project_id, batch, group_column, epsilon, view, protocol_version_id) DO UPDATE
			SET job_id = excluded.job_id, started_at = excluded.started_at, progress = excluded.progress,
			    problem = NULL, failed_version = NULL, failed_at = NULL
			WHERE NOT `+reportIsComputed+`
			  AND (reports.data_version IS DISTINCT FROM $9 OR reports.program IS DISTINCT FROM $10)`,
			append(s.key.args(), jobID, study.BuildProgress{Step: study.StepReadLabels}, s.version,
				version.String())...)
		if err == nil && tag.RowsAffected() == 0 {
			return errTaskEnded
		}
		return err
	})
	if errors.Is(err, errTaskEnded) {
		return nil
	}
	return err
}

// runReport computes and stores a report, or why it cannot be computed.
func (w Work) runReport(ctx context.Context, db *DB, job *river.Job[reportArgs]) error {
	key := reportKey{ReportChoice: job.Args.Choice}
	var err error
	if key.project, err = db.projectInVersion(ctx, job.Args.ProjectID, job.Args.VersionID); err != nil {
		return err
	}
	if key.Batch != closedBatches {
		if key.view, err = db.reportView(ctx, job.Args.ViewerID, key.project.ID); err != nil {
			return err
		}
	}
	if key.view.key() != job.Args.View {
		return nil
	}
	v, err := db.computeReport(ctx, key)
	if err == nil || ctx.Err() != nil {
		return err
	}
	p := reportProblem{Kind: fault.KindOf(err), Message: w.Explain(job.Args.Language, err)}
	_, failErr := db.pool.Exec(ctx, `UPDATE reports SET problem = $7, failed_version = $8, failed_at = now(), `+
		noJob+whereReport, append(key.args(), p, v.Version)...)
	return failErr
}

// noJob is set when no job computes a report any more.
const noJob = `job_id = NULL, started_at = NULL, progress = NULL `

// computeReport computes and stores a report, and returns the version of its data.
func (db *DB) computeReport(ctx context.Context, key reportKey) (reportVersion, error) {
	ctx, cancel := context.WithTimeout(ctx, maxComputeTime)
	defer cancel()
	startedAt := time.Now()
	r, v, err := db.buildReport(ctx, key, db.storeProgress(ctx, key))
	if err != nil {
		return v, err
	}
	return v, db.storeReport(ctx, key, v, r, time.Since(startedAt))
}

// storeProgress stores the last progress that the returned function was called with, every second until ctx ends. An
// error only delays what a page shows.
func (db *DB) storeProgress(ctx context.Context, key reportKey) func(study.BuildProgress) {
	var last atomic.Pointer[study.BuildProgress]
	go everySecond(ctx, func() {
		_, _ = db.pool.Exec(ctx, `UPDATE reports SET progress = coalesce($7, progress) `+whereReport+
			` AND job_id IS NOT NULL`, append(key.args(), last.Load())...)
	})
	return func(p study.BuildProgress) { last.Store(&p) }
}

// buildReport computes a report and returns the version of the data that it is of.
func (db *DB) buildReport(
	ctx context.Context, key reportKey, onProgress func(study.BuildProgress),
) (r report.Report, v reportVersion, err error) {
	p := key.project
	d := study.Data{Project: p.Key, Protocol: p.Protocol, TieRule: p.TieRule}
	filter := reportFilter{hiddenItems: key.view.hiddenItems}
	if filter.onlyClosed = key.Batch == closedBatches; !filter.onlyClosed {
		d.Batch = key.Batch
	}
	err = db.snapshot(ctx, p, func(s Snapshot) error {
		if v, err = key.readVersion(ctx, s.tx); err != nil {
			return err
		}
		return s.loadReportData(ctx, &d, filter)
	})
	if err != nil {
		return r, v, err
	}
	r, err = report.Build(d, report.BuildOptions{Seed: reportSeed, Column: key.Column, Epsilon: &key.Epsilon,
		HideSmallGroups: key.view.hideSmallGroups, OnProgress: onProgress})
	return r, v, err
}

// reportSeed is the seed of every stored report, so that the same labels always give the same intervals.
const reportSeed = 1

// storeReport stores a report, and deletes the oldest ones of its project.
func (db *DB) storeReport(
	ctx context.Context, key reportKey, v reportVersion, r report.Report, took time.Duration,
) error {
	text, err := r.MarshalSnapshot()
	if err != nil {
		return err
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			UPDATE reports SET program = $7, data_version = $8, label_count = $9, content = $10, computed_at = now(),
			                   compute_seconds = $11, `+noJob+whereReport,
			append(key.args(), version.String(), v.Version, v.LabelCount, zipped.Bytes(), took.Seconds())...,
		); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			DELETE FROM reports
			WHERE project_id = $1 AND NOT `+reportIsComputed+` AND ctid NOT IN (
				SELECT ctid FROM reports WHERE project_id = $1 ORDER BY computed_at DESC NULLS LAST LIMIT $2)`,
			key.project.ID, maxStoredReports)
		return err
	})
}
