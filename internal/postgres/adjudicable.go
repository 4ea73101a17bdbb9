package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// An adjudicableItem is an item with its labels and its current decision.
type adjudicableItem struct {
	labeling.Adjudicable
	SourceID       string
	AnnotationIDs  []int64
	MissingLabels  int   // labels that annotators still owe
	LastDecisionID int64 // 0: none
	DecisionNo     int   // of the last decision; 0: none
	Revision       int   // of the protocol, that the batch of the item uses
}

// lockAdjudicableItem locks an item against other leads, and reports why an account may
// not adjudicate it.
func lockAdjudicableItem(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project,
	itemID project.ItemID) (adjudicableItem, error) {
	items, err := lockAdjudicable(ctx, tx, actorID, p, []project.ItemID{itemID})
	if err != nil {
		return adjudicableItem{}, err
	}
	item, ok := items[itemID]
	if !ok {
		return adjudicableItem{}, fault.NotFound
	}
	return item, item.CheckAllowed()
}

// lockAdjudicable locks items against other leads. Annotators do not wait.
func lockAdjudicable(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, itemIDs []project.ItemID) (
	map[project.ItemID]adjudicableItem, error) {
	_, err := tx.Exec(ctx, `SELECT FROM items WHERE project_id = $1 AND id = ANY ($2)
		ORDER BY id FOR NO KEY UPDATE`, p.ID, itemIDs)
	if err != nil {
		return nil, err
	}
	return loadAdjudicable(ctx, tx, actorID, p, itemIDs)
}

// loadAdjudicable returns items of a project as an account may adjudicate them.
func loadAdjudicable(ctx context.Context, q querier, actorID account.ID, p project.Project, itemIDs []project.ItemID) (
	map[project.ItemID]adjudicableItem, error) {
	rows, err := collectAll[adjudicableRow](q.Query(ctx, `
		SELECT i.id AS item_id, i.source_id, i.facts, i.is_calibration,
		       EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $1 AND v.project_id = $3
		       AND v.item_id = i.id) AS blinded,
		       coalesce((SELECT max(b.protocol_revision) FROM batch_items bi
		       JOIN batches b ON b.id = bi.batch_id AND b.round_of IS NULL WHERE bi.item_id = i.id), $5) AS revision,
		       coalesce(d.id, 0) AS last_decision_id, coalesce(d.decision_no, 0) AS decision_no,
		       (SELECT count(*) FROM slots s JOIN batches b ON b.id = s.batch_id
		        WHERE s.item_id = i.id AND b.closed_at IS NULL AND b.round_of IS NULL AND NOT s.withheld
		        AND NOT EXISTS (
		            SELECT FROM assignments a
		            WHERE a.batch_id = s.batch_id AND a.item_id = s.item_id AND a.account_id = s.account_id
		            AND a.state = 'submitted')) AS missing_labels
		FROM items i
		LEFT JOIN current_adjudications d ON d.protocol_version_id = $2 AND d.item_id = i.id
		WHERE i.project_id = $3 AND i.id = ANY ($4)`, actorID, p.ProtocolVersionID, p.ID, itemIDs, p.Protocol.Revision))
	if err != nil {
		return nil, err
	}
	labels, err := collectAll[annotationValues](q.Query(ctx, `
		SELECT n.id, n.item_id, n.answers AS values
		FROM current_annotations n
		WHERE n.protocol_version_id = $1 AND n.item_id = ANY ($2) AND n.kind = 'work'
		ORDER BY n.id`, p.ProtocolVersionID, itemIDs))
	adjudicable := make(map[project.ItemID]adjudicableItem, len(rows))
	for _, row := range rows {
		adjudicable[row.ItemID] = row.toAdjudicable(p.TieRule)
	}
	for _, l := range labels {
		if item, ok := adjudicable[l.ItemID]; ok {
			item.AnnotationIDs, item.Values = append(item.AnnotationIDs, l.ID), append(item.Values, l.Values)
			adjudicable[l.ItemID] = item
		}
	}
	return adjudicable, err
}

type adjudicableRow struct {
	ItemID         project.ItemID
	SourceID       string
	Facts          protocol.Facts
	IsCalibration  bool
	Blinded        bool
	MissingLabels  int
	LastDecisionID int64
	DecisionNo     int
	Revision       int
}

func (r adjudicableRow) toAdjudicable(ties stats.TieRule) adjudicableItem {
	return adjudicableItem{SourceID: r.SourceID, MissingLabels: r.MissingLabels, LastDecisionID: r.LastDecisionID,
		DecisionNo: r.DecisionNo, Revision: r.Revision, Adjudicable: labeling.Adjudicable{
			ItemID: r.ItemID, Facts: r.Facts, Adjudicated: r.DecisionNo > 0, IsCalibration: r.IsCalibration,
			Blinded: r.Blinded, Ties: ties}}
}

type annotationValues struct {
	ID     int64
	ItemID project.ItemID
	Values map[string]int
}

// A SeenVersion is the state of an item that a lead saw before deciding.
type SeenVersion struct {
	LastAnnotationID int64
	DecisionNo       int // of the last decision; 0: none
}

// ErrStale reports that an item changed after a lead opened it.
var ErrStale = errors.New("the item changed after it was opened")

// checkSeen returns an error that matches ErrStale if i changed after a lead saw it.
func (i adjudicableItem) checkSeen(seen SeenVersion) error {
	switch {
	case i.DecisionNo != seen.DecisionNo:
		return errors.Join(ErrStale, fault.Conflict.Errorf(
			"Another decision was saved after you opened this item. Your decision is not saved yet. Check the new decision, then save yours."))
	case slices.Max(i.AnnotationIDs) != seen.LastAnnotationID:
		return errors.Join(ErrStale, fault.Conflict.Errorf(
			"A new annotation was submitted after you opened this item. Your decision is not saved yet. Check the annotation, then save your decision."))
	}
	return nil
}
