package postgres

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
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
	return []any{k.project.ID, k.Batch, k.Column, k.Epsilon, k.view.key(), k.project.ProtocolVersionID}
}

// A ReportStatus is what is known of a report: of the last finished one, and of one being computed.
type ReportStatus struct {
	ComputedAt  time.Time     // of the last finished report; zero: there is none
	ComputeTime time.Duration // that it took
	IsCurrent   bool          // nothing that it is computed from has changed
	LaterLabels int           // submitted since
	IsDue       bool          // the next one can be computed now, and no job does
	StartedAt   time.Time     // of the computation of the next one; zero: there is none
	Progress    study.BuildProgress
	Problem     error // why the next one could not be computed
	HiddenItems int   // whose answers the account must not see yet

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
	// maxComputeTime is the time after which a computation is given up.
	maxComputeTime = 10 * time.Minute
	// failureTime is how long a failed computation is not tried again with the same data.
	failureTime = 10 * time.Second
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
	p, err := db.inBatchVersion(ctx, p, choice.Batch)
	if err != nil {
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
	Problem        *reportProblem // of the current data, recently; nil: there is none
}

// A reportProblem is why a report could not be computed.
type reportProblem struct {
	Kind    fault.Kind `json:"kind"`
	Message string     `json:"message"`
}

const whereReport = `WHERE project_id = $1 AND batch = $2 AND group_column = $3 AND epsilon = $4 AND view = $5
	AND protocol_version_id = $6`

func (db *DB) reportStatus(ctx context.Context, key reportKey) (ReportStatus, error) {
	current, err := key.readVersion(ctx, db.pool)
	if err != nil {
		return ReportStatus{}, err
	}
	s := ReportStatus{IsDue: true, HiddenItems: len(key.view.hiddenItems), key: key,
		version: current.Version, labelCount: current.LabelCount}
	row, err := collectOne[reportRow](db.pool.Query(ctx, `
		SELECT CASE WHEN program = $7 THEN data_version END AS data_version, coalesce(label_count, 0) AS label_count,
		       computed_at, coalesce(compute_seconds, 0) AS compute_seconds,
		       CASE WHEN `+reportIsComputed+` THEN started_at END AS started_at, progress,
		       CASE WHEN failed_version = $8 AND failed_at > now() - $9::interval THEN problem END AS problem
		FROM reports `+whereReport, append(key.args(), version.String(), current.Version, failureTime)...))
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
	if row.Problem != nil {
		s.Problem = row.Problem.Kind.WithText(row.Problem.Message)
	}
	s.IsDue = !s.IsCurrent && !isPaused && row.StartedAt == nil && s.Problem == nil
	return s, nil
}

// ReadReport returns the last finished report, nil if there is none.
func (db *DB) ReadReport(ctx context.Context, s ReportStatus) (*report.Report, error) {
	var content []byte
	err := db.pool.QueryRow(ctx, `SELECT content FROM reports `+whereReport+` AND program = $7`,
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
