package postgres

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/report"
)

// maxAgreementRows limits the items and annotations of which an export computes
// agreement, because it holds all of them in memory.
const maxAgreementRows = 20_000

// loadCard returns the description of the project and its labels, and the state of its data.
func (s Snapshot) loadCard(ctx context.Context) (dataset.Card, dataset.Snapshot, error) {
	row, err := collectOne[struct {
		Title, ContentWarning              string
		License, Description               string
		Languages                          []string
		Items, Annotations, ItemsInProject int
		Annotators                         int
		FirstSubmittedAt, LastSubmittedAt  *time.Time
		LastAnnotationID, LastJudgmentID   int64
		LastAdjudicationID                 int64
		ChangedAt                          time.Time
	}](s.tx.Query(ctx, `
		SELECT p.title, p.content_warning, p.dataset_license AS license, p.dataset_description AS description, p.dataset_languages AS languages, l.*,
		       (SELECT count(*) FROM items WHERE project_id = p.id) AS items_in_project,
		       coalesce(j.id, 0) AS last_judgment_id, coalesce(d.id, 0) AS last_adjudication_id,
		       greatest(p.created_at, l.last_submitted_at, j.created_at, d.created_at, (SELECT max(created_at) FROM imports WHERE project_id = p.id)) AS changed_at
		FROM projects p
		CROSS JOIN (
			SELECT count(DISTINCT n.item_id) AS items, count(*) AS annotations, count(DISTINCT n.account_id) AS annotators,
			       min(n.submitted_at) AS first_submitted_at, max(n.submitted_at) AS last_submitted_at, coalesce(max(n.id), 0) AS last_annotation_id
			FROM annotations n
			JOIN assignments a ON a.id = n.assignment_id
			JOIN batches b ON b.id = n.batch_id
			WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND a.kind = 'work' AND `+s.scope.ofLabels("n")+`) l
		CROSS JOIN (SELECT max(id) AS id, max(created_at) AS created_at FROM judgments WHERE project_id = $2) j
		CROSS JOIN (SELECT max(id) AS id, max(created_at) AS created_at FROM adjudications WHERE project_id = $2) d
		WHERE p.id = $2`, s.project.ProtocolVersionID, s.project.ID))
	if err != nil {
		return dataset.Card{}, dataset.Snapshot{}, err
	}
	c := dataset.Card{Project: s.project.Key, Title: row.Title, ContentWarning: row.ContentWarning, License: row.License, Description: row.Description,
		Language: row.Languages, Items: row.Items, Annotators: row.Annotators}
	if row.FirstSubmittedAt != nil {
		c.FirstSubmission, c.LastSubmission = *row.FirstSubmittedAt, *row.LastSubmittedAt
	}
	if c.Batches, err = s.loadBatchCards(ctx); err != nil {
		return c, dataset.Snapshot{}, err
	}
	if max(row.Annotations, row.ItemsInProject) <= maxAgreementRows && s.scope.isWhole() {
		c.Agreement, err = s.computeAgreement(ctx)
	}
	return c, dataset.Snapshot{LastAnnotationID: row.LastAnnotationID, LastJudgmentID: row.LastJudgmentID, LastAdjudicationID: row.LastAdjudicationID,
		ChangedAt: row.ChangedAt.UTC()}, err
}

func (s Snapshot) loadBatchCards(ctx context.Context) ([]dataset.BatchCard, error) {
	return collectAll[dataset.BatchCard](s.tx.Query(ctx, `
		SELECT b.name, b.overlap, b.seed, b.assignment, b.break_every, b.break_minutes, b.protocol_revision AS revision,
		       b.calibration_count AS calibration_items, b.duplicate_count AS duplicates,
		       to_char(b.opened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS opened_on, to_char(b.closed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS closed_on,
		       (SELECT count(*) FROM batch_items i WHERE i.batch_id = b.id AND NOT i.is_calibration) AS items,
		       (SELECT count(*) FROM batch_annotators a WHERE a.batch_id = b.id) AS annotators
		FROM batches b
		WHERE b.project_id = $1 AND `+s.scope.inBatches("b.id")+`
		ORDER BY b.id`, s.project.ID))
}

func (s Snapshot) computeAgreement(ctx context.Context) ([]dataset.FieldAgreement, error) {
	d := report.Data{Project: s.project.Key, Protocol: s.project.Protocol}
	if err := s.loadReportData(ctx, &d, reportFilter{}); err != nil {
		return nil, err
	}
	alphas, err := report.ComputeAlphas(d)
	agreements := make([]dataset.FieldAgreement, len(alphas))
	for i, a := range alphas {
		agreements[i] = dataset.FieldAgreement{Field: a.Field, Variant: a.Variant, Undefined: a.Undefined.Text(), Items: a.Items, Annotators: a.Annotators}
		if a.Defined() {
			agreements[i].Alpha = &a.Value
		}
	}
	return agreements, err
}
