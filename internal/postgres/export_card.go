package postgres

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// maxAgreementRows limits the items and annotations of which an export computes
// agreement, because it holds all of them in memory.
const maxAgreementRows = 20_000

// loadCard returns the description of the project and its labels, and the state of its data.
func (s Snapshot) loadCard(ctx context.Context, labels annotationCounts) (dataset.Card, dataset.Snapshot, error) {
	row, err := collectOne[struct {
		Title, ContentWarning              string
		License, Description               string
		Languages                          []string
		ItemsInProject                     int
		LastJudgmentID, LastAdjudicationID int64
		EmptyRecords                       int
		ChangedAt                          time.Time
	}](s.tx.Query(ctx, `
		SELECT p.title, p.content_warning, p.dataset_license AS license, p.dataset_description AS description,
		p.dataset_languages AS languages,
		       (SELECT count(*) FROM items WHERE project_id = p.id) AS items_in_project,
		       (`+countEmptyRecords+`) AS empty_records,
		       coalesce(j.id, 0) AS last_judgment_id, coalesce(d.id, 0) AS last_adjudication_id,
		       greatest(p.created_at, $2::timestamptz, j.created_at, d.created_at, (SELECT max(created_at) FROM imports WHERE project_id = p.id)) AS changed_at
		FROM projects p
		CROSS JOIN (SELECT max(id) AS id, max(created_at) AS created_at FROM judgments WHERE project_id = $1) j
		CROSS JOIN (SELECT max(id) AS id, max(created_at) AS created_at FROM adjudications WHERE project_id = $1) d
		WHERE p.id = $1`, s.project.ID, labels.LastSubmittedAt))
	if err != nil {
		return dataset.Card{}, dataset.Snapshot{}, err
	}
	c := dataset.Card{Project: s.project.Key, TieRule: s.project.TieRule, Title: row.Title,
		ContentWarning: row.ContentWarning, License: row.License, Description: row.Description,
		Language: row.Languages, Items: labels.Items, Annotators: labels.Annotators,
		FirstSubmission: labels.FirstSubmittedAt, LastSubmission: labels.LastSubmittedAt}
	if c.Batches, err = s.loadBatchCards(ctx); err != nil {
		return c, dataset.Snapshot{}, err
	}
	if max(labels.Annotations, row.ItemsInProject) <= maxAgreementRows && s.scope.isWhole() {
		c.Agreement, err = s.computeAgreement(ctx)
	}
	return c, dataset.Snapshot{LastAnnotationID: labels.LastID, LastJudgmentID: row.LastJudgmentID,
		LastAdjudicationID: row.LastAdjudicationID,
		EmptyRecords:       row.EmptyRecords, ChangedAt: row.ChangedAt.UTC()}, err
}

func (s Snapshot) loadBatchCards(ctx context.Context) ([]dataset.BatchCard, error) {
	return collectAll[dataset.BatchCard](s.tx.Query(ctx, `
		SELECT b.name, b.overlap, b.seed, b.assignment, b.break_every, b.break_minutes, b.protocol_revision AS revision,
		       b.calibration_count AS calibration_items, b.duplicate_count AS duplicates,
		       b.gold_count AS gold, b.drawn_by_disagreement,
		       to_char(b.opened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS opened_on,
		       to_char(b.closed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS closed_on,
		       (SELECT count(*) FROM batch_items i WHERE i.batch_id = b.id AND NOT i.is_calibration) AS items,
		       (SELECT count(*) FROM batch_annotators a WHERE a.batch_id = b.id) AS annotators
		FROM batches b
		WHERE b.project_id = $1 AND `+s.scope.inBatches("b.id")+`
		ORDER BY b.id`, s.project.ID))
}

func (s Snapshot) computeAgreement(ctx context.Context) ([]dataset.FieldAgreement, error) {
	d := study.Data{Project: s.project.Key, Protocol: s.project.Protocol, TieRule: s.project.TieRule}
	if err := s.loadReportData(ctx, &d, reportFilter{}); err != nil {
		return nil, err
	}
	alphas, err := report.ComputeAlphas(d)
	agreements := make([]dataset.FieldAgreement, len(alphas))
	for i, a := range alphas {
		agreements[i] = dataset.FieldAgreement{Field: a.Field, Variant: a.Variant, Undefined: a.Undefined.Code,
			Items: a.Items, Annotators: a.Annotators}
		if a.Defined() {
			agreements[i].Alpha = &a.Value
		}
	}
	return agreements, err
}
