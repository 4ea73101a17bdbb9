package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
)

// A Snapshot reads the data of a project as it was at one moment.
type Snapshot struct {
	tx      pgx.Tx
	project project.Project
}

// Snapshot calls fn with a snapshot of a project. It returns labeling.ErrBlinded to an
// account that must not see some answers yet.
func (db *DB) Snapshot(ctx context.Context, actorID account.ID, p project.Project, fn func(Snapshot) error) error {
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID); err != nil {
		return err
	}
	return db.snapshot(ctx, p, fn)
}

// snapshot allows statements an hour, because files are large and readers can be slow.
func (db *DB) snapshot(ctx context.Context, p project.Project, fn func(Snapshot) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return db.inTxWith(ctx, options, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = '1h'`); err != nil {
			return err
		}
		return fn(Snapshot{tx, p})
	})
}

// ExportOptions select what Export writes.
type ExportOptions struct {
	Shape            dataset.Shape  `json:"shape"`
	Format           dataset.Format `json:"format"`
	IncludeTexts     bool           `json:"include_texts"`
	Blinded          bool           `json:"blinded"` // without the items' metadata
	ExactTimes       bool           `json:"exact_times"`
	IncludeConsensus bool           `json:"include_consensus"`
}

// Export writes the labels of a project, with a codebook and a manifest. It records the
// attempt in the audit log first. It returns labeling.ErrBlinded to an account that
// must not see some answers yet.
func (db *DB) Export(ctx context.Context, actorID account.ID, p project.Project, options ExportOptions, sink dataset.FileSink) (m dataset.Manifest, err error) {
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID); err != nil {
		return m, err
	}
	if err := recordAudit(ctx, db.pool, actorID, "project.export", projectSubject(p.Key), options); err != nil {
		return m, err
	}
	err = db.snapshot(ctx, p, func(s Snapshot) error {
		d, err := s.dataset(ctx, options)
		if err != nil {
			return err
		}
		m, err = d.Write(sink)
		return err
	})
	return m, err
}

// exportTables lists the tables of an export. Tables other than annotations are
// written only if they have rows.
var exportTables = []struct {
	kind ExportKind
	name string
}{{ExportWork, "annotations"}, {ExportDuplicates, "duplicates"}, {ExportCalibration, "calibration"}}

func (s Snapshot) dataset(ctx context.Context, options ExportOptions) (d dataset.Dataset, err error) {
	d.Protocol = s.project.Protocol
	d.Options = dataset.WriteOptions{Shape: options.Shape, Format: options.Format, IncludeTexts: options.IncludeTexts, ExactTimes: options.ExactTimes}
	if !options.Blinded {
		if d.Options.MetaKeys, err = s.MetaKeys(ctx); err != nil {
			return d, err
		}
	}
	for _, t := range exportTables {
		n, err := s.CountAnnotations(ctx, t.kind)
		if err != nil {
			return d, err
		}
		if n > 0 || t.kind == ExportWork {
			d.Tables = append(d.Tables, dataset.AnnotationTable(t.name, s.Annotations(ctx, t.kind)))
		}
	}
	if options.IncludeConsensus {
		d.Tables = append(d.Tables, dataset.ConsensusTable("consensus", s.Consensus(ctx)))
	}
	d.Card, err = s.loadCard(ctx)
	return d, err
}

// An ExportKind selects annotations to export.
type ExportKind string

// The kinds of annotations. Only work counts as labels.
const (
	ExportWork        ExportKind = "work"
	ExportDuplicates  ExportKind = "duplicate"
	ExportCalibration ExportKind = "calibration"
)
