package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// A DisagreementNeighbor is where an adjudicator goes from an item: in a list of
// disagreements without a decision, largest first, or of spot checks.
type DisagreementNeighbor struct {
	Previous project.ItemID // 0: none
	Next     project.ItemID // the first of the list after its last; 0: no other item is left
}

// DisagreementNeighbor returns the neighbors of an item in the list that a filter selects.
// The item itself may have a decision.
func (db *DB) DisagreementNeighbor(ctx context.Context, actorID account.ID, p project.Project, f project.ItemFilter,
	itemID project.ItemID) (n DisagreementNeighbor, err error) {
	if err := db.measureLabeled(ctx); err != nil {
		return n, err
	}
	f.Sort, f.UnresolvedOnly = project.SortDisagreement, !f.SpotCheckOnly
	if f.SpotCheckOnly {
		f.Sort = project.SortImported
	}
	if err := requireVisible(ctx, db.pool, actorID, p.ID, itemID); err != nil {
		return n, err
	}
	err = db.inListTx(ctx, func(tx pgx.Tx) error {
		q, err := newItemQuery(ctx, tx, actorID, p, f)
		if err != nil {
			return err
		}
		var disagreement, total float64
		err = tx.QueryRow(ctx, `SELECT disagreement, total_disagreement FROM item_states WHERE project_id = $1
			AND item_id = $2`, p.ID, itemID).Scan(&disagreement, &total)
		if err != nil {
			return notFound(err)
		}
		previous, next := q.clone(), q.clone()
		backward := "-s.disagreement DESC, -s.total_disagreement DESC, s.item_id DESC"
		if f.SpotCheckOnly {
			backward = "s.item_id DESC"
			previous.where("s.item_id < ?", itemID)
			next.where("s.item_id > ?", itemID)
		} else {
			const position = "(-s.disagreement, -s.total_disagreement, s.item_id)"
			previous.where(position+" < (?, ?, ?)", -disagreement, -total, itemID)
			next.where(position+" > (?, ?, ?)", -disagreement, -total, itemID)
		}
		if n.Previous, err = previous.first(ctx, tx, backward); err != nil {
			return err
		}
		order := itemOrders[f.Sort].order
		if n.Next, err = next.first(ctx, tx, order); err != nil || n.Next != 0 {
			return err
		}
		q.where("s.item_id <> ?", itemID)
		n.Next, err = q.first(ctx, tx, order)
		return err
	})
	return n, err
}

// clone returns a copy of q that can get more conditions.
func (q *itemQuery) clone() *itemQuery {
	c := *q
	c.conditions, c.args = append([]string{}, q.conditions...), append([]any{}, q.args...)
	return &c
}

// first returns the first item, or 0.
func (q *itemQuery) first(ctx context.Context, tx pgx.Tx, order string) (id project.ItemID, err error) {
	err = tx.QueryRow(ctx, "SELECT s.item_id"+q.from()+" ORDER BY "+order+" LIMIT 1", q.args...).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// A CurrentDecision is the last decision on an item.
type CurrentDecision struct {
	ItemID         project.ItemID
	Answers        map[string]int
	DecisionNo     int    // of the item, from 1
	DecidedBy      string // the name; empty: a command
	CreatedAt      time.Time
	Cause          labeling.DisagreementCause
	Reason         string
	HasNewerLabels bool // the item was labeled after the decision
}

// CurrentDecisions returns the current decisions on items that the account may see, by item.
func (db *DB) CurrentDecisions(ctx context.Context, actorID account.ID, p project.Project,
	ids []project.ItemID) (map[project.ItemID]CurrentDecision, error) {
	if err := db.measureLabeled(ctx); err != nil {
		return nil, err
	}
	rows, err := collectAll[CurrentDecision](db.pool.Query(ctx, `
		SELECT d.item_id, d.answers, d.decision_no, coalesce(u.name, '') AS decided_by, d.created_at, d.cause, d.reason,
		s.has_newer_labels
		FROM current_adjudications d
		JOIN item_states s ON s.item_id = d.item_id
		LEFT JOIN identity.users u ON u.account_id = d.account_id
		WHERE d.protocol_version_id = $1 AND d.project_id = $2 AND d.item_id = ANY ($3)
		  AND NOT EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $4 AND v.project_id = $2
		  AND v.item_id = d.item_id)`,
		p.ProtocolVersionID, p.ID, ids, actorID))
	decisions := make(map[project.ItemID]CurrentDecision, len(rows))
	for _, row := range rows {
		decisions[row.ItemID] = row
	}
	return reveal(ctx, db, actorID, decisions, err)
}

// A CauseCount is the number of current decisions with a cause.
type CauseCount struct {
	Cause labeling.DisagreementCause
	Count int
}

// CauseCounts counts the causes of the decisions that the account may see, most frequent
// first.
func (db *DB) CauseCounts(ctx context.Context, actorID account.ID, p project.Project) ([]CauseCount, error) {
	return collectAll[CauseCount](db.pool.Query(ctx, `
		SELECT d.cause, count(*) AS count
		FROM current_adjudications d
		WHERE d.protocol_version_id = $1 AND d.project_id = $2 AND d.cause <> ''
		  AND NOT EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $3 AND v.project_id = $2
		  AND v.item_id = d.item_id)
		GROUP BY d.cause
		ORDER BY 2 DESC, 1`, p.ProtocolVersionID, p.ID, actorID))
}
