package postgres

import (
	"context"
	"encoding/json"
	"iter"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

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
			WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND a.kind = $3
			ORDER BY n.id`, s.project.ProtocolVersionID, s.project.ID, kind)
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
		SequenceNo: r.SequenceNo, ItemsSinceCompletedBreak: r.ItemsSinceCompletedBreak, SessionMinutes: r.SessionMinutes,
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
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND a.kind = $3`,
		s.project.ProtocolVersionID, s.project.ID, kind).Scan(&n)
	return n, err
}
