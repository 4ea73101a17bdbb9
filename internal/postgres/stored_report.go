package postgres

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/version"
)

// A ReportKey identifies a report that is stored.
type ReportKey struct {
	ProjectID   project.ID
	Batch       string // empty: the whole project
	GroupColumn string // empty: the default
	View        ReportView
}

// A StoredReport is the last finished report of a key, without the rows of its long lists.
type StoredReport struct {
	Report     *SharedReport
	Version    DataVersion
	ComputedAt time.Time
}

// A storedVersion is everything that the figures of a stored report depend on.
type storedVersion struct {
	DataVersion
	Program string
}

const (
	// reportClaim is how long after its last sign a server counts as stopped, and another one
	// computes its report.
	reportClaim = 30 * time.Second
	// maxStoredReports is the number of reports that a project keeps: one for each view, batch and column.
	maxStoredReports = 24
)

// StoredReport returns the last finished report, nil if there is none of this program.
func (db *DB) StoredReport(ctx context.Context, key ReportKey) (*StoredReport, error) {
	row, err := collectOne[struct {
		DataVersion storedVersion
		Content     []byte
		ComputedAt  time.Time
	}](db.pool.Query(ctx, `
		SELECT data_version, content, computed_at
		FROM reports
		WHERE project_id = $1 AND batch = $2 AND group_column = $3 AND view = $4 AND content IS NOT NULL`,
		key.ProjectID, key.Batch, key.GroupColumn, key.View.Key()))
	if errors.Is(err, fault.NotFound) || err == nil && row.DataVersion.Program != version.String() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(row.Content))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		return nil, err
	}
	r, err := report.UnmarshalSnapshot(text)
	return &StoredReport{&SharedReport{r, key.View}, row.DataVersion.DataVersion, row.ComputedAt}, err
}

// ComputeStored returns the stored report of a version of the data or, if there is none, computes
// and stores it. While another server computes it, ComputeStored waits for that.
func (db *DB) ComputeStored(ctx context.Context, key ReportKey, v DataVersion, compute func() (*SharedReport, error)) (*SharedReport, error) {
	for {
		isClaimed, err := db.claimReport(ctx, key)
		if err != nil {
			return nil, err
		}
		stored, err := db.StoredReport(ctx, key)
		if err != nil || stored != nil && stored.Version == v {
			if isClaimed {
				err = errors.Join(err, db.releaseReport(ctx, key))
			}
			return stored.report(), err
		}
		if isClaimed {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Second):
		}
	}
	r, err := db.computeClaimed(ctx, key, compute)
	if err != nil {
		return nil, errors.Join(err, db.releaseReport(context.WithoutCancel(ctx), key))
	}
	return r, db.storeReport(ctx, key, v, r)
}

// computeClaimed computes a report and extends the claim until then.
func (db *DB) computeClaimed(ctx context.Context, key ReportKey, compute func() (*SharedReport, error)) (*SharedReport, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(reportClaim / 3):
				// Without it another server computes the same report, which does no harm.
				_, _ = db.pool.Exec(ctx, `
					UPDATE reports SET claim_ends_at = now() + $5
					WHERE project_id = $1 AND batch = $2 AND group_column = $3 AND view = $4 AND claim_ends_at IS NOT NULL`,
					key.ProjectID, key.Batch, key.GroupColumn, key.View.Key(), reportClaim)
			}
		}
	}()
	return compute()
}

func (s *StoredReport) report() *SharedReport {
	if s == nil {
		return nil
	}
	return s.Report
}

// claimReport reports whether this server is the one to compute a report.
func (db *DB) claimReport(ctx context.Context, key ReportKey) (isClaimed bool, err error) {
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO reports (project_id, batch, group_column, view, claim_ends_at) VALUES ($1, $2, $3, $4, now() + $5)
		ON CONFLICT (project_id, batch, group_column, view) DO UPDATE SET claim_ends_at = excluded.claim_ends_at
		WHERE reports.claim_ends_at IS NULL OR reports.claim_ends_at < now()`,
		key.ProjectID, key.Batch, key.GroupColumn, key.View.Key(), reportClaim)
	return tag.RowsAffected() > 0, err
}

func (db *DB) releaseReport(ctx context.Context, key ReportKey) error {
	_, err := db.pool.Exec(ctx, `
		UPDATE reports SET claim_ends_at = NULL
		WHERE project_id = $1 AND batch = $2 AND group_column = $3 AND view = $4`, key.ProjectID, key.Batch, key.GroupColumn, key.View.Key())
	return err
}

// storeReport stores a report, and deletes the oldest ones of its project.
func (db *DB) storeReport(ctx context.Context, key ReportKey, v DataVersion, r *SharedReport) error {
	text, err := r.full.MarshalSnapshot()
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
	encoded, err := json.Marshal(storedVersion{v, version.String()})
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			UPDATE reports SET data_version = $5, content = $6, computed_at = now(), claim_ends_at = NULL
			WHERE project_id = $1 AND batch = $2 AND group_column = $3 AND view = $4`,
			key.ProjectID, key.Batch, key.GroupColumn, key.View.Key(), encoded, zipped.Bytes()); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			DELETE FROM reports
			WHERE project_id = $1 AND claim_ends_at IS NULL AND (batch, group_column, view) NOT IN (
				SELECT batch, group_column, view FROM reports WHERE project_id = $1 ORDER BY computed_at DESC NULLS LAST LIMIT $2)`,
			key.ProjectID, maxStoredReports)
		return err
	})
}
