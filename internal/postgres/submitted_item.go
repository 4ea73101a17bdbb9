package postgres

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// SubmittedItems are items that an annotator submitted in a batch, newest first.
type SubmittedItems struct {
	Protocol protocol.Protocol // in the revision of the batch; without fields if there are no items
	Items    []SubmittedItem
}

// A SubmittedItem is an item that an annotator submitted. Only the most recent ones have a
// title and answers: fewer than lie between an item and its hidden duplicate, so that no list
// has both.
type SubmittedItem struct {
	Token          string
	ItemNo         int // from 1, as on the labeling page
	SubmittedAt    time.Time
	HasOpenRequest bool
	Title          string            // the first line; empty: not recent, or an item without text
	Answers        *protocol.Answers // nil: not recent
}

// selectSubmitted reads the items of batch $2 that annotator $1 submitted, numbered by first
// submission. A corrected item keeps its number.
const selectSubmitted = `
	SELECT a.id, a.token, a.state, a.item_id, a.sequence_no, a.protocol_version_id, n.submitted_at,
	row_number() OVER (ORDER BY n.id) AS item_no
	FROM assignments a
	JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id AND n.attempt_no = 1
	WHERE a.account_id = $1 AND a.batch_id = $2 AND a.kind <> 'calibration' AND ` + isActive

// SubmittedItems returns up to limit items that an annotator submitted in a batch, newest
// first: those before an item number, or all if it is 0.
func (db *DB) SubmittedItems(ctx context.Context, accountID account.ID, batchID project.BatchID, before,
	limit int) (list SubmittedItems, err error) {
	batch, err := collectOne[struct {
		VersionID      protocol.VersionID
		Revision       int
		SequenceLength int
		OpenItemID     project.ItemID
	}](db.pool.Query(ctx, `
		SELECT b.protocol_version_id AS version_id, b.protocol_revision AS revision,
		ba.expected_items + b.duplicate_count + b.gold_count AS sequence_length,
		       coalesce((SELECT a.item_id FROM assignments a WHERE a.id = ba.open_assignment_id), 0) AS open_item_id
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		WHERE ba.batch_id = $2 AND ba.account_id = $1`, accountID, batchID))
	if fault.KindOf(err) == fault.NotFound {
		return list, nil
	}
	if err != nil {
		return list, err
	}
	rows, err := collectAll[submittedItemRow](db.pool.Query(ctx, `
		WITH submitted AS (`+selectSubmitted+`), recent AS (
			SELECT a.sequence_no FROM assignments a WHERE a.batch_id = $2 AND a.account_id = $1 ORDER BY a.sequence_no DESC LIMIT $5
		)
		SELECT s.token, s.item_no, s.submitted_at, s.item_id, CASE i.title WHEN i.source_id THEN '' ELSE i.title END AS title, EXISTS (
		           SELECT FROM correction_requests c WHERE c.assignment_id = s.id AND c.resolved_at IS NULL) AS has_open_request,
		       CASE WHEN s.sequence_no >= (SELECT min(sequence_no) FROM recent) THEN (
		           SELECT jsonb_build_object('values', n.answers, 'observations', n.observations, 'unsure', n.unsure, 'note', n.note)
		           FROM current_annotations n
		           WHERE n.protocol_version_id = s.protocol_version_id AND n.assignment_id = s.id) END AS answers
		FROM submitted s
		JOIN items i ON i.id = s.item_id
		WHERE s.state = 'submitted' AND ($3::bigint = 0 OR s.item_no < $3)
		ORDER BY s.item_no DESC
		LIMIT $4`, accountID, batchID, before, limit, sequence.MinDistance(batch.SequenceLength)-1))
	if err != nil || len(rows) == 0 {
		return list, err
	}
	list.Items = hideRepeated(rows, batch.OpenItemID)
	list.Protocol, err = db.protocolRevision(ctx, db.pool, batch.VersionID, batch.Revision)
	return list, err
}

type submittedItemRow struct {
	SubmittedItem
	ItemID project.ItemID
}

// hideRepeated returns the items without the texts of those from the first that the list, or
// the open item, has a second time. Only an item that was reopened late can be so near.
func hideRepeated(rows []submittedItemRow, openItemID project.ItemID) []SubmittedItem {
	items, seen, isHidden := make([]SubmittedItem, len(rows)), map[project.ItemID]bool{openItemID: true}, false
	for i, row := range rows {
		isHidden = isHidden || row.Answers == nil || seen[row.ItemID]
		seen[row.ItemID] = true
		if items[i] = row.SubmittedItem; isHidden {
			items[i].Title, items[i].Answers = "", nil
		}
	}
	return items
}
