package postgres

import (
	"context"
	"fmt"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// availableItems are the items that a batch can draw.
type availableItems struct {
	project.BatchItems
	ids  []int64 // nil: not loaded, because nothing needs them
	mark string  // changes if the items change
}

// maxPreviewedItems is up to how many items a preview reads each one, to count their records.
const maxPreviewedItems = 50_000

// loadAvailable returns the items that a batch can draw. A preview reads each item only where
// the plan depends on more than their number.
func loadAvailable(ctx context.Context, q querier, projectID project.ID, spec project.BatchSpec,
	annotatorIDs []account.ID, withIDs bool) (items availableItems, err error) {
	var count, labeled int
	var last, sum int64
	err = q.QueryRow(ctx, `
		SELECT count(*), count(*) FILTER (WHERE label_count > 0), coalesce(max(item_id), 0), coalesce(sum(item_id),
		0)::bigint
		FROM `+itemSource(spec)+` a
		WHERE project_id = $1 AND ($2::bigint[] IS NULL
		OR item_id = ANY ($2))`, projectID, spec.ItemIDs).Scan(&count, &labeled, &last, &sum)
	if err != nil {
		return items, err
	}
	items.mark = fmt.Sprint(count, labeled, last, sum)
	isSimple := labeled == 0 && spec.StratifyBy == "" && !spec.ByRecord
	if isSimple && !withIDs && count > maxPreviewedItems {
		items.Count = count
		return items, nil
	}
	if err := items.readItems(ctx, q, projectID, spec); err != nil || labeled == 0 {
		return items, err
	}
	return items, items.readEarlierAnnotators(ctx, q, annotatorIDs)
}

// itemSource is where a batch draws its items from: those that need labels and, if they are chosen one by one, those
// that were labeled under an earlier version of the protocol; or, for a round, those that have all their labels. None
// is in an open batch.
func itemSource(spec project.BatchSpec) string {
	if spec.Round == "" && spec.ItemIDs == nil {
		return "available_items"
	}
	if spec.Round == "" {
		return `(
			SELECT v.project_id, v.item_id, v.label_count FROM available_items v
			UNION ALL
			SELECT s.project_id, s.item_id, 0::smallint FROM item_states s WHERE s.state = 'earlier_version')`
	}
	condition := ""
	if spec.Round == project.RoundOfDisagreements {
		condition = "AND s.disagreement > 0"
	}
	return `(
		SELECT s.project_id, s.item_id, 0::smallint AS label_count
		FROM item_states s
		WHERE s.state IN ('complete', 'disagreement', 'adjudicated', 'earlier_version') AND s.label_count > 0
		  AND s.label_count >= s.labels_wanted ` + condition + `
		  AND NOT EXISTS (SELECT FROM available_items v WHERE v.project_id = s.project_id AND v.item_id = s.item_id)
		  AND NOT EXISTS (
			SELECT FROM batch_items bi
			JOIN batches b ON b.id = bi.batch_id AND b.closed_at IS NULL
			WHERE bi.item_id = s.item_id AND NOT bi.is_calibration))`
}

// measureForRound brings up to date which items a round can draw.
func (db *DB) measureForRound(ctx context.Context, spec project.BatchSpec) error {
	if spec.Round == "" {
		return nil
	}
	return db.measureAll(ctx)
}

// readItems reads the items with their records and strata, in the order of their ids. Items
// with enough labels from closed batches are left out.
func (a *availableItems) readItems(ctx context.Context, q querier, projectID project.ID, spec project.BatchSpec) error {
	rows, err := q.Query(ctx, `
		SELECT a.item_id, a.label_count, i.record_id, coalesce('=' || (i.meta ->> $3), '')
		FROM `+itemSource(spec)+` a
		JOIN items i ON i.id = a.item_id
		WHERE a.project_id = $1 AND ($2::bigint[] IS NULL OR a.item_id = ANY ($2)) AND a.label_count < $4
		ORDER BY a.item_id`, projectID, spec.ItemIDs, spec.StratifyBy, spec.MostLabels())
	if err != nil {
		return err
	}
	defer rows.Close()
	records, strata := numbering{}, numbering{}
	for rows.Next() {
		var id int64
		var labelCount int
		var record, stratum string
		if err := rows.Scan(&id, &labelCount, &record, &stratum); err != nil {
			return err
		}
		if labelCount > 0 {
			a.SetEarlier(len(a.ids), project.EarlierLabels{Count: labelCount})
		}
		if record == "" {
			record = fmt.Sprintf("\x00%d", id) // a record of its own
		}
		a.ids = append(a.ids, id)
		a.Records = append(a.Records, records.number(record))
		if spec.StratifyBy != "" {
			a.Strata = append(a.Strata, strata.number(stratum))
		}
	}
	a.Count = len(a.ids)
	return rows.Err()
}

// numbering numbers texts in the order of their first use, from 0.
type numbering map[string]int32

func (n numbering) number(text string) int32 {
	number, isKnown := n[text]
	if !isKnown {
		number = int32(len(n))
		n[text] = number
	}
	return number
}

// readEarlierAnnotators reads who had the items that have labels from closed batches.
func (a *availableItems) readEarlierAnnotators(ctx context.Context, q querier, annotatorIDs []account.ID) error {
	places, ids := map[int64]int{}, []int64(nil)
	for place, id := range a.ids {
		if a.Earlier[place].Count > 0 {
			places[id], ids = place, append(ids, id)
		}
	}
	rows, err := collectAll[struct {
		ItemID         int64
		AnnotatorIndex int32
	}](q.Query(ctx, `
		SELECT DISTINCT s.item_id, t.annotator_no - 1 AS annotator_index
		FROM unnest($2::bigint[]) WITH ORDINALITY AS t (account_id, annotator_no)
		JOIN assignments s ON s.account_id = t.account_id AND s.item_id = ANY ($1)
		JOIN batch_items bi ON bi.batch_id = s.batch_id AND bi.item_id = s.item_id AND NOT bi.is_calibration
		ORDER BY s.item_id, annotator_index`, ids, annotatorIDs))
	for _, row := range rows {
		earlier := a.Earlier[places[row.ItemID]]
		earlier.Annotators = append(earlier.Annotators, row.AnnotatorIndex)
		a.SetEarlier(places[row.ItemID], earlier)
	}
	return err
}

// CountAvailable returns the number of items that a batch can draw, and of calibration items
// with reference answers.
func (db *DB) CountAvailable(ctx context.Context, projectID project.ID) (available, references int, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM available_items WHERE project_id = $1),
		       (SELECT count(*) FROM items i WHERE i.project_id = $1
		       AND `+isReference+`)`, projectID).Scan(&available, &references)
	return available, references, err
}

// HasLabeled reports whether a project has labels of a closed batch, whose items a round may draw.
func (db *DB) HasLabeled(ctx context.Context, projectID project.ID) (hasLabeled bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT EXISTS (
		SELECT FROM batches b
		JOIN batch_annotators ba ON ba.batch_id = b.id AND ba.label_count > 0
		WHERE b.project_id = $1 AND b.closed_at IS NOT NULL AND b.round_of IS NULL)`, projectID).Scan(&hasLabeled)
	return hasLabeled, err
}

// MetadataColumns returns the metadata columns of a project, and whether its items have records,
// judged by the first thousand items.
func (db *DB) MetadataColumns(ctx context.Context, projectID project.ID) (columns []string, hasRecords bool,
	err error) {
	err = db.pool.QueryRow(ctx, `
		WITH first AS (SELECT meta, record_id FROM items WHERE project_id = $1 ORDER BY id LIMIT 1000)
		SELECT coalesce((SELECT array_agg(DISTINCT key ORDER BY key) FROM first, jsonb_object_keys(first.meta) AS key),
		'{}'),
		       EXISTS (SELECT FROM first WHERE record_id <> '')`, projectID).Scan(&columns, &hasRecords)
	return columns, hasRecords, err
}
