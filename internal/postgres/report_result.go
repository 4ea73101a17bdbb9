package postgres

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/version"
)

// A ReportChoice is which report of a project is asked for.
type ReportChoice struct {
	Batch   string  // empty: the whole project
	Column  string  // to compare by; empty: the default
	Epsilon float64 // of the test of judges; see report.BuildOptions
}

// closedBatches is the batch of the report on all closed batches, which annotators see. No batch can
// have this name.
const closedBatches = ".."

// A reportKey identifies a stored report.
type reportKey struct {
	ReportChoice
	project project.Project
	view    reportView
}

// args are the values of the primary key of reports.
func (k reportKey) args() []any {
	return []any{k.project.ID, k.Batch, k.Column, k.Epsilon, k.view.key()}
}

// A ReportStatus is what is known of a report: of the last finished one, and of one being computed.
type ReportStatus struct {
	ComputedAt  time.Time     // of the last finished report; zero: there is none
	ComputeTime time.Duration // that it took
	IsCurrent   bool          // nothing that it is computed from has changed
	LaterLabels int           // submitted since
	IsDue       bool          // the next one can be computed now, and nobody does
	StartedAt   time.Time     // of the computation of the next one; zero: there is none
	Progress    study.BuildProgress
	HiddenItems int // whose answers the account must not see yet

	key        reportKey
	viewer     account.ID // 0: a command, or an annotator, who sees own figures only
	version    string     // of the data
	labelCount int
}

// IsFinal reports whether the last finished report is what there is for now: it is current, or the next one
// has to wait.
func (s ReportStatus) IsFinal() bool {
	return s.IsCurrent || !s.ComputedAt.IsZero() && !s.IsDue && s.StartedAt.IsZero()
}

const (
	// reportClaim is how long after its last sign a server counts as stopped, and another one
	// computes its report.
	reportClaim = 30 * time.Second
	// maxComputeTime is the time after which a computation is given up.
	maxComputeTime = 10 * time.Minute
	// maxStoredReports is the number of reports that a project keeps: one for each view, batch and settings.
	maxStoredReports = 24
	// minLargeReport is the number of labels from which a server computes one report at a time.
	minLargeReport = 10_000
	// minPausedTime is the time of a computation after which the next one waits four times as long, so
	// that a report whose labels always change is computed for a fifth of the time.
	minPausedTime = 2 * time.Second
)

// ReportStatus returns what is known of a report for an account. No figure of it depends on an answer that
// the account must not see yet.
func (db *DB) ReportStatus(
	ctx context.Context, actorID account.ID, p project.Project, choice ReportChoice,
) (ReportStatus, error) {
	if err := db.requireBatch(ctx, p.ID, choice.Batch); err != nil {
		return ReportStatus{}, err
	}
	view, err := db.reportView(ctx, actorID, p.ID)
	if err != nil {
		return ReportStatus{}, err
	}
	status, err := db.reportStatus(ctx, reportKey{choice, p, view})
	status.viewer = actorID
	return status, err
}

// selectReportVersion selects what identifies the data of a report: project $1, protocol version $2, batch $3.
// Labels that are stored after ones with later ids change the counts.
const selectReportVersion = `
	SELECT md5(concat_ws(' ', p.version, $2::bigint, max(b.protocol_revision),
	           count(*) FILTER (WHERE b.drawn_by_disagreement),
	           string_agg(concat_ws('-', b.id, counts.*, (
	                          SELECT max(n.id) FROM annotations n
	                          WHERE n.protocol_version_id = $2 AND n.batch_id = b.id)), ','
	                      ORDER BY b.id) FILTER (WHERE is_chosen),
	           (SELECT max(id) FROM judgments WHERE project_id = $1),
	           (SELECT max(id) FROM adjudications WHERE project_id = $1),
	           (SELECT count(*) || '-' || coalesce(sum(item_count), 0) FROM imports WHERE project_id = $1),
	           (SELECT sum(hashtextextended(r.item_id || r.answers::text, 0)::numeric)
	            FROM reference_answers r JOIN items i ON i.id = r.item_id
	            WHERE i.project_id = $1))) AS version,
	       coalesce(sum(counts.labels) FILTER (WHERE is_chosen), 0)::bigint AS label_count
	FROM projects p
	LEFT JOIN (
		SELECT b.*, CASE $3 WHEN '' THEN true
		                    WHEN '` + closedBatches + `' THEN b.closed_at IS NOT NULL
		                    ELSE b.name = $3 END AS is_chosen
		FROM batches b) b ON b.project_id = p.id
	LEFT JOIN LATERAL (
		SELECT sum(ba.label_count) AS labels, sum(ba.completed_count) AS completed,
		       sum(ba.items_since_break) AS since_break
		FROM batch_annotators ba
		WHERE ba.batch_id = b.id) counts ON true
	WHERE p.id = $1
	GROUP BY p.id`

// A reportVersion is the state of the data of a report.
type reportVersion struct {
	Version    string
	LabelCount int
}

func (k reportKey) readVersion(ctx context.Context, q querier) (reportVersion, error) {
	p := k.project
	return collectOne[reportVersion](q.Query(ctx, selectReportVersion, p.ID, p.ProtocolVersionID, k.Batch))
}

// A reportRow is a row of reports without its content.
type reportRow struct {
	DataVersion    *string // of the last finished report of this program; nil: there is none
	LabelCount     int
	ComputedAt     *time.Time
	ComputeSeconds float64
	StartedAt      *time.Time // of the computation of the next one; nil: there is none
	Progress       *study.BuildProgress
}

const whereReport = `WHERE project_id = $1 AND batch = $2 AND group_column = $3 AND epsilon = $4 AND view = $5`

func (db *DB) reportStatus(ctx context.Context, key reportKey) (ReportStatus, error) {
	current, err := key.readVersion(ctx, db.pool)
	if err != nil {
		return ReportStatus{}, err
	}
	s := ReportStatus{IsDue: true, HiddenItems: len(key.view.hiddenItems), key: key,
		version: current.Version, labelCount: current.LabelCount}
	row, err := collectOne[reportRow](db.pool.Query(ctx, `
		SELECT CASE WHEN program = $6 THEN data_version END AS data_version, coalesce(label_count, 0) AS label_count,
		       computed_at, coalesce(compute_seconds, 0) AS compute_seconds,
		       CASE WHEN claim_ends_at > now() THEN started_at END AS started_at, progress
		FROM reports `+whereReport, append(key.args(), version.String())...))
	if errors.Is(err, fault.NotFound) {
		return s, nil
	}
	if err != nil {
		return ReportStatus{}, err
	}
	isPaused := false
	if row.DataVersion != nil {
		s.ComputedAt, s.ComputeTime = *row.ComputedAt, time.Duration(row.ComputeSeconds*float64(time.Second))
		s.IsCurrent, s.LaterLabels = *row.DataVersion == current.Version, max(0, current.LabelCount-row.LabelCount)
		isPaused = s.ComputeTime >= minPausedTime && time.Since(s.ComputedAt) < 4*s.ComputeTime
	}
	if row.StartedAt != nil {
		s.StartedAt, s.Progress = *row.StartedAt, *row.Progress
	}
	s.IsDue = !s.IsCurrent && !isPaused && row.StartedAt == nil
	return s, nil
}

// ReadReport returns the last finished report, nil if there is none.
func (db *DB) ReadReport(ctx context.Context, s ReportStatus) (*report.Report, error) {
	var content []byte
	err := db.pool.QueryRow(ctx, `SELECT content FROM reports `+whereReport+` AND program = $6`,
		append(s.key.args(), version.String())...).Scan(&content)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		return nil, err
	}
	r, err := report.UnmarshalSnapshot(text)
	return &r, errors.Join(err, db.recordReveal(ctx, s.viewer, s.key.project.ID, s.key.Batch))
}

// ComputeReport computes and stores a report, unless a server computes it or has just done so, or this server
// computes another large one. It reports whether it did.
func (db *DB) ComputeReport(ctx context.Context, s ReportStatus) (isComputed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxComputeTime)
	defer cancel()
	if s.labelCount >= minLargeReport {
		select {
		case db.reportSlot <- struct{}{}:
			defer func() { <-db.reportSlot }()
		default:
			return false, nil
		}
	}
	startedAt := time.Now()
	if isClaimed, err := db.claimReport(ctx, s); err != nil || !isClaimed {
		return false, err
	}
	r, v, err := db.buildReport(ctx, s.key, db.extendClaim(ctx, s.key))
	if err == nil {
		err = db.storeReport(ctx, s.key, v, r, time.Since(startedAt))
	}
	if err != nil {
		_, releaseErr := db.pool.Exec(context.WithoutCancel(ctx),
			`UPDATE reports SET `+noClaim+whereReport, s.key.args()...)
		err = errors.Join(err, releaseErr)
	}
	return err == nil, err
}

// noClaim is set when nobody computes a report any more.
const noClaim = `started_at = NULL, claim_ends_at = NULL, progress = NULL `

// claimReport reports whether this server is the one to compute a report.
func (db *DB) claimReport(ctx context.Context, s ReportStatus) (isClaimed bool, err error) {
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO reports (project_id, batch, group_column, epsilon, view, started_at, claim_ends_at, progress)
		VALUES ($1, $2, $3, $4, $5, now(), now() + $6, $7)
		ON CONFLICT (project_id, batch, group_column, epsilon, view) DO UPDATE
		SET started_at = excluded.started_at, claim_ends_at = excluded.claim_ends_at, progress = excluded.progress
		WHERE (reports.claim_ends_at IS NULL OR reports.claim_ends_at < now())
		  AND (reports.data_version IS DISTINCT FROM $8 OR reports.program IS DISTINCT FROM $9)`,
		append(s.key.args(), reportClaim, study.BuildProgress{Step: study.StepReadLabels}, s.version,
			version.String())...)
	return tag.RowsAffected() > 0, err
}

// extendClaim extends the claim of a report every second until ctx ends, and stores the last progress that the
// returned function was called with. An error only delays what a page shows, or another server computes the
// same report, which does no harm.
func (db *DB) extendClaim(ctx context.Context, key reportKey) func(study.BuildProgress) {
	var last atomic.Pointer[study.BuildProgress]
	go func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				_, _ = db.pool.Exec(ctx, `
					UPDATE reports SET claim_ends_at = now() + $6, progress = coalesce($7, progress)
					`+whereReport+` AND claim_ends_at IS NOT NULL`,
					append(key.args(), reportClaim, last.Load())...)
			}
		}
	}()
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
			UPDATE reports SET program = $6, data_version = $7, label_count = $8, content = $9, computed_at = now(),
			                   compute_seconds = $10, `+noClaim+whereReport,
			append(key.args(), version.String(), v.Version, v.LabelCount, zipped.Bytes(), took.Seconds())...,
		); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			DELETE FROM reports
			WHERE project_id = $1 AND claim_ends_at IS NULL AND ctid NOT IN (
				SELECT ctid FROM reports WHERE project_id = $1 ORDER BY computed_at DESC NULLS LAST LIMIT $2)`,
			key.project.ID, maxStoredReports)
		return err
	})
}

// CheckAnnotatorReport returns fault.NotFound if a project has no annotator of that name, and labeling.ErrBlinded
// if the account must not see some answers yet.
func (db *DB) CheckAnnotatorReport(ctx context.Context, actorID account.ID, p project.Project, pseudonym string) error {
	var isMember bool
	err := db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM members WHERE project_id = $1 AND pseudonym = $2)`,
		p.ID, pseudonym).Scan(&isMember)
	if err != nil {
		return err
	}
	if !isMember {
		return fault.NotFound.Errorf("This project has no annotator “%s”.", pseudonym)
	}
	return requireUnblinded(ctx, db.pool, actorID, p.ID)
}
