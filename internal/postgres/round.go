package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/round"
)

// CompareRound compares the labels of a round with the first labels of its items, without items whose answers the
// account must not see yet.
func (db *DB) CompareRound(ctx context.Context, actorID account.ID, p project.Project, b project.Batch) (
	c round.Comparison, err error) {
	if !b.IsRound() {
		return c, fault.Conflict.Errorf("The batch “%s” is no round. Open a round to label items again.", b.Name)
	}
	rows, err := collectAll[struct {
		round.Label
		IsSecond bool
	}](db.pool.Query(ctx, `
		SELECT DISTINCT ON (n.kind, n.item_id, n.account_id) n.item_id, i.source_id, i.record_id AS record,
		       m.pseudonym AS annotator, n.answers AS values, n.kind = 'round' AS is_second
		FROM batch_items bi
		JOIN current_annotations n ON n.item_id = bi.item_id AND n.protocol_version_id = $1
		     AND (n.kind = 'work' OR n.kind = 'round' AND n.batch_id = bi.batch_id)
		JOIN items i ON i.id = n.item_id
		JOIN members m ON m.project_id = $2 AND m.account_id = n.account_id
		WHERE bi.batch_id = $3 AND NOT bi.is_calibration AND NOT EXISTS (
		      SELECT FROM blinded_items v WHERE v.account_id = $4 AND v.project_id = $2 AND v.item_id = n.item_id)
		ORDER BY n.kind, n.item_id, n.account_id, n.id DESC`, p.ProtocolVersionID, p.ID, b.ID, actorID))
	var first, second []round.Label
	for _, row := range rows {
		if row.IsSecond {
			second = append(second, row.Label)
		} else {
			first = append(first, row.Label)
		}
	}
	if err != nil {
		return c, err
	}
	if err := db.recordItemReveal(ctx, actorID, func(yield func(project.ItemID) bool) {
		for _, l := range append(first, second...) {
			if !yield(l.ItemID) {
				return
			}
		}
	}); err != nil {
		return c, err
	}
	return round.Compare(p.Protocol.Fields, first, second, reportSeed)
}
