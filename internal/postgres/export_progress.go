package postgres

import (
	"context"
	"iter"
	"time"

	"github.com/labelwright/labelwright/internal/dataset"
)

// exportCounts describe the annotations of each kind in the scope of an export.
type exportCounts map[dataset.AnnotationKind]annotationCounts

// annotationCounts describe the annotations of a kind.
type annotationCounts struct {
	Kind                              dataset.AnnotationKind
	Annotations, Items, Annotators    int
	FirstSubmittedAt, LastSubmittedAt time.Time
	LastID                            int64
}

// countForExport counts the annotations in the scope.
func (s Snapshot) countForExport(ctx context.Context) (exportCounts, error) {
	rows, err := collectAll[annotationCounts](s.tx.Query(ctx, `
		SELECT `+labelKind+` AS kind, count(*) AS annotations, count(DISTINCT n.item_id) AS items, count(DISTINCT n.account_id) AS
		annotators,
		       min(n.submitted_at) AS first_submitted_at, max(n.submitted_at) AS last_submitted_at, max(n.id) AS last_id
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		JOIN batches b ON b.id = n.batch_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND `+s.scope.ofLabels("n")+`
		GROUP BY 1`, s.project.ProtocolVersionID, s.project.ID))
	counts := exportCounts{}
	for _, row := range rows {
		counts[row.Kind] = row
	}
	return counts, err
}

// CountAnnotations returns the number of annotations of a kind.
func (s Snapshot) CountAnnotations(ctx context.Context, kind dataset.AnnotationKind) (int, error) {
	counts, err := s.countForExport(ctx)
	return counts[kind].Annotations, err
}

// total returns the number of annotations that options write.
func (c exportCounts) total(options ExportOptions) int {
	total := 0
	for kind, counts := range c {
		if kind == dataset.Work || options.Layout.HasTables() && options.Contents.HasRaw() {
			total += counts.Annotations
		}
	}
	return total
}

// An exportProgress reports how many rows were read of the expected ones.
type exportProgress struct {
	done, total int
	report      func(done, total int)
}

// countRows reports every thousandth row.
func countRows[T any](p *exportProgress, rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	if p.report == nil {
		return rows
	}
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if p.done++; p.done%1000 == 0 {
				p.report(min(p.done, p.total), p.total)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
