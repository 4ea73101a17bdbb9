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

// A Snapshot is a project as it stood at one moment, whatever is labelled
// meanwhile.
type Snapshot struct {
	tx      pgx.Tx
	project project.Project
}

// Snapshot calls fn with a project as it is now. It returns labeling.ErrBlinded to an
// account that must stay blind.
func (db *DB) Snapshot(ctx context.Context, actorID account.ID, p project.Project, fn func(Snapshot) error) error {
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID, 0); err != nil {
		return err
	}
	return db.snapshot(ctx, p, fn)
}

func (db *DB) snapshot(ctx context.Context, p project.Project, fn func(Snapshot) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, db.pool, options, func(tx pgx.Tx) error {
		// A reader may be slow, and the file large.
		if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = '1h'`); err != nil {
			return err
		}
		return fn(Snapshot{tx, p})
	})
}

// An ExportOptions says what to export of a project, and how. Conditions are open
// unless they are sealed.
type ExportOptions struct {
	Shape            dataset.Shape  `json:"shape"`
	Format           dataset.Format `json:"format"`
	IncludeTexts     bool           `json:"texts"`     // with what annotators read
	Blinded          bool           `json:"sealed"`    // without the items' metadata
	ExactTimes       bool           `json:"exact"`     // times to the millisecond
	IncludeConsensus bool           `json:"consensus"` // with one answer for each item, too
}

// Export puts the labels of a project as they stand now into a folder, with what
// explains them. That somebody began to is recorded, whatever becomes of it.
func (db *DB) Export(ctx context.Context, actorID account.ID, p project.Project, options ExportOptions, folder dataset.FileSink) (m dataset.Manifest, err error) {
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID, 0); err != nil {
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
		m, err = d.Write(folder)
		return err
	})
	return m, err
}

// exportTables are the annotations of each kind, by the names of their files.
var exportTables = []struct {
	kind ExportKind
	name string
}{{ExportWork, "annotations"}, {ExportDuplicates, "duplicates"}, {ExportCalibration, "calibration"}}

// dataset returns what is to be written. Annotations that are no labels stand
// apart, where there are any.
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

// A ExportKind says which annotations to export: work, duplicate or calibration.
type ExportKind string

// The kinds of annotations. Only work is what a dataset holds; the others are
// exported apart.
const (
	ExportWork        ExportKind = "work"
	ExportDuplicates  ExportKind = "duplicate"
	ExportCalibration ExportKind = "calibration"
)

type exportRow struct {
	ID              int64
	Batch           string
	Version         int
	Revision        int
	Kind            string
	AttemptNo       int
	IsCurrent       bool
	ReplacesID      string
	Pseudonym       string
	SourceID        string
	RecordID        string
	Content         project.Content
	Facts           protocol.Facts
	Meta            map[string]json.RawMessage
	Values          map[string]int
	Observations    []string
	Unsure          []string
	Note            string
	SubmittedAt     time.Time
	ActiveMS        int64
	SequenceNo      int
	ItemsSinceBreak int
	SessionMinutes  int
}

// assignmentKinds returns the kinds of assignments whose annotations are exported as k. What
// a break spoiled stands among the duplicates, and says so.
func (k ExportKind) assignmentKinds() []ExportKind {
	if k == ExportDuplicates {
		return []ExportKind{ExportDuplicates, "spoiled"}
	}
	return []ExportKind{k}
}

// Annotations streams the project's annotations of a kind, oldest first.
func (s Snapshot) Annotations(ctx context.Context, kind ExportKind) iter.Seq2[dataset.Annotation, error] {
	return func(yield func(dataset.Annotation, error) bool) {
		rows, err := s.tx.Query(ctx, `
			SELECT n.id, b.name AS batch, v.version, n.revision, a.kind, n.attempt, n.attempt = a.attempt AS current, coalesce(n.replaces::text, '') AS replaces,
			       m.pseudonym, i.source_id, i.record_id, i.content, n.facts, i.meta,
			       n.answers AS values, n.observations AS observed, n.unsure, n.note,
			       n.submitted_at, n.active_ms, n.position, n.since_break, n.sitting_minutes AS sitting
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
		SequenceNo: r.SequenceNo, ItemsSinceBreak: r.ItemsSinceBreak, SessionMinutes: r.SessionMinutes,
	}
}

// MetaKeys returns the names of the metadata that the project's items have, in
// order.
func (s Snapshot) MetaKeys(ctx context.Context) ([]string, error) {
	rows, err := s.tx.Query(ctx, `
		SELECT DISTINCT k COLLATE "C" AS k
		FROM items, jsonb_object_keys(meta) k
		WHERE project_id = $1
		ORDER BY k`, s.project.ID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// CountAnnotations returns how many annotations of a kind there are.
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
