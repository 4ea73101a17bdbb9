package postgres

import (
	"context"
	"iter"

	"github.com/labelwright/labelwright/internal/dataset"
)

// exportCounts are the annotations of each kind in the scope of an export.
type exportCounts map[dataset.AnnotationKind]int

// countForExport counts the annotations in the scope.
func (s Snapshot) countForExport(ctx context.Context) (exportCounts, error) {
	rows, err := collectAll[struct {
		Kind  dataset.AnnotationKind
		Count int
	}](s.tx.Query(ctx, `
		SELECT a.kind, count(*) AS count
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		JOIN batches b ON b.id = n.batch_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND `+s.scope.ofLabels("n")+`
		GROUP BY a.kind`, s.project.ProtocolVersionID, s.project.ID))
	counts := exportCounts{}
	for _, row := range rows {
		counts[row.Kind] = row.Count
	}
	return counts, err
}

// CountAnnotations returns the number of annotations of a kind.
func (s Snapshot) CountAnnotations(ctx context.Context, kind dataset.AnnotationKind) (int, error) {
	counts, err := s.countForExport(ctx)
	return counts[kind], err
}

// total returns the number of annotations that options write.
func (c exportCounts) total(options ExportOptions) int {
	total := c[dataset.Work]
	if options.Layout.HasTables() && options.Contents.HasRaw() {
		total += c[dataset.Duplicate] + c[dataset.Calibration]
	}
	return total
}

// An exportProgress reports how many rows were read of the expected ones.
type exportProgress struct {
	done, total int
	report      func(done, total int)
}

func newExportProgress(options ExportOptions, counts exportCounts) *exportProgress {
	return &exportProgress{total: counts.total(options), report: options.OnProgress}
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
