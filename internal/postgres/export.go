package postgres

import (
	"context"
	"encoding/json"
	"iter"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
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
	return pgx.BeginTxFunc(ctx, db.pool, options, func(tx pgx.Tx) error {
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

// assignmentKinds returns the kinds of assignments that k selects. Invalidated
// duplicates are exported with the others.
func (k ExportKind) assignmentKinds() []ExportKind {
	if k == ExportDuplicates {
		return []ExportKind{ExportDuplicates, "invalidated"}
	}
	return []ExportKind{k}
}

type exportRow struct {
	ID                       int64
	Batch                    string
	Version                  int
	Revision                 int
	Kind                     string
	AttemptNo                int
	IsCurrent                bool
	ReplacesID               string
	Pseudonym                string
	SourceID                 string
	RecordID                 string
	Content                  project.Content
	Facts                    protocol.Facts
	Meta                     map[string]json.RawMessage
	Values                   map[string]int
	Observations             []string
	Unsure                   []string
	Note                     string
	SubmittedAt              time.Time
	ActiveMS                 int64
	SequenceNo               int
	ItemsSinceCompletedBreak int
	SessionMinutes           int
}

// Annotations streams the annotations of a kind, oldest first.
func (s Snapshot) Annotations(ctx context.Context, kind ExportKind) iter.Seq2[dataset.Annotation, error] {
	return func(yield func(dataset.Annotation, error) bool) {
		rows, err := s.tx.Query(ctx, `
			SELECT n.id, b.name AS batch, v.version, n.revision, a.kind, n.attempt_no, n.attempt_no = a.attempt_no AS is_current,
			       coalesce(n.replaces_id::text, '') AS replaces_id,
			       m.pseudonym, i.source_id, i.record_id, i.content, n.facts, i.meta,
			       n.answers AS values, n.observations, n.unsure, n.note,
			       n.submitted_at, n.active_ms, n.sequence_no, n.items_since_completed_break, n.session_minutes
			FROM annotations n
			JOIN assignments a ON a.id = n.assignment_id
			JOIN batches b ON b.id = n.batch_id
			JOIN items i ON i.id = n.item_id
			JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
			JOIN protocol_versions v ON v.id = n.protocol_version_id
			WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND a.kind = ANY ($3)
			ORDER BY n.id`, s.project.ProtocolVersionID, s.project.ID, kind.assignmentKinds())
		if err != nil {
			yield(dataset.Annotation{}, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			row, err := pgx.RowToStructByName[exportRow](rows)
			if !yield(row.toAnnotation(s.project.Key), err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(dataset.Annotation{}, err)
		}
	}
}

func (r exportRow) toAnnotation(projectKey string) dataset.Annotation {
	return dataset.Annotation{
		ID: strconv.FormatInt(r.ID, 10), Project: projectKey, Batch: r.Batch, Version: r.Version, Revision: r.Revision,
		Kind: r.Kind, AttemptNo: r.AttemptNo, Current: r.IsCurrent, ReplacesID: r.ReplacesID, Annotator: r.Pseudonym,
		SourceID: r.SourceID, RecordID: r.RecordID, Content: r.Content, Facts: r.Facts, Meta: r.Meta,
		Answers:     protocol.Answers{Values: r.Values, Observations: r.Observations, Unsure: r.Unsure, Note: r.Note},
		SubmittedAt: r.SubmittedAt, ActiveTime: time.Duration(r.ActiveMS) * time.Millisecond,
		SequenceNo: r.SequenceNo, ItemsSinceBreak: r.ItemsSinceCompletedBreak, SessionMinutes: r.SessionMinutes,
	}
}

// MetaKeys returns the keys of the items' metadata, sorted.
func (s Snapshot) MetaKeys(ctx context.Context) ([]string, error) {
	return collectColumn[string](s.tx.Query(ctx, `
		SELECT DISTINCT k COLLATE "C" AS k
		FROM items, jsonb_object_keys(meta) k
		WHERE project_id = $1
		ORDER BY k`, s.project.ID))
}

// CountAnnotations returns the number of annotations of a kind.
func (s Snapshot) CountAnnotations(ctx context.Context, kind ExportKind) (n int, err error) {
	err = s.tx.QueryRow(ctx, `
		SELECT count(*)
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		JOIN batches b ON b.id = n.batch_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND a.kind = ANY ($3)`,
		s.project.ProtocolVersionID, s.project.ID, kind.assignmentKinds()).Scan(&n)
	return n, err
}
