package postgres

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// blind is true where account $1 may not see the answers that others gave to
// the item $ITEM of batch b: it labels there itself, and is not done.
const blind = `(b.closed_at IS NULL AND EXISTS (
		SELECT FROM batch_annotators me WHERE me.batch_id = b.id AND me.account_id = $1)
	OR EXISTS (
		SELECT FROM assignments mine
		WHERE mine.batch_id = b.id AND mine.item_id = w.item_id AND mine.account_id = $1 AND (mine.state = 'open' OR mine.reopened)))`

// A Settlement is the decision that stands on an item.
type Settlement struct {
	ItemID int64
	N      int    // which decision it is, from 1
	Who    string // the name; empty: the program, by command
	At     time.Time
	Cause  labeling.Cause
	Reason string
	Newer  bool // somebody labelled the item since
}

// Disputes returns the items of a project, or of one batch of it, on which
// people differ, the worst first. Those in BlindItems are not for whoever labels
// there.
func (db *DB) Disputes(ctx context.Context, p project.Project, batch string) ([]report.Dispute, error) {
	if batch != "" {
		if _, err := db.Batch(ctx, p.ID, batch); err != nil {
			return nil, err
		}
	}
	labels, err := many[disputedLabel](db.pool.Query(ctx, `
		SELECT n.id, n.item_id, i.source_id, n.account_id, n.answers AS values
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		JOIN batches b ON b.id = n.batch_id
		JOIN items i ON i.id = n.item_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND ($3 = '' OR b.name = $3) AND a.kind = 'work' AND n.attempt = a.attempt`,
		p.ProtocolVersionID, p.ID, batch))
	if err != nil {
		return nil, err
	}
	return report.Disputes(dataOf(p.Protocol, labels))
}

type disputedLabel struct {
	ID        int64
	ItemID    int64
	SourceID  string
	AccountID int64
	Values    map[string]int
}

// dataOf is what disputes are found in. Who said what is not needed, but that it
// was different people.
func dataOf(p protocol.Protocol, labels []disputedLabel) report.Data {
	d, seen := report.Data{Protocol: p}, map[int64]bool{}
	for _, l := range labels {
		d.Labels = append(d.Labels, report.Label{ID: l.ID, ItemID: l.ItemID, Annotator: strconv.FormatInt(l.AccountID, 10), Kind: report.Work, Values: l.Values})
		if !seen[l.ItemID] {
			seen[l.ItemID] = true
			d.Items = append(d.Items, report.Item{ID: l.ItemID, Source: l.SourceID})
		}
	}
	return d
}

// Settlements returns the decisions that stand in a project, by item.
func (db *DB) Settlements(ctx context.Context, p project.Project) (map[int64]Settlement, error) {
	rows, err := many[Settlement](db.pool.Query(ctx, `
		SELECT g.item_id, g.n, coalesce(who.name, '') AS who, g.at, g.cause, g.reason, EXISTS (
			SELECT FROM annotations n
			JOIN assignments a ON a.id = n.assignment_id
			WHERE n.protocol_version_id = g.protocol_version_id AND n.item_id = g.item_id AND a.kind = 'work' AND n.attempt = a.attempt
			  AND n.id <> ALL (g.settles)) AS newer
		FROM (
			SELECT DISTINCT ON (item_id) *
			FROM adjudications
			WHERE protocol_version_id = $1 AND project_id = $2
			ORDER BY item_id, n DESC) g
		LEFT JOIN identity.people who ON who.account_id = g.account_id`, p.ProtocolVersionID, p.ID))
	settled := make(map[int64]Settlement, len(rows))
	for _, row := range rows {
		settled[row.ItemID] = row
	}
	return settled, err
}

// BlindItems returns the items of a project whose answers stay closed to an
// account, since it labels in their batch itself and is not done.
func (db *DB) BlindItems(ctx context.Context, p project.Project, by int64) ([]int64, error) {
	rows, err := db.pool.Query(ctx, `
		SELECT w.item_id
		FROM batch_items w
		JOIN batches b ON b.id = w.batch_id
		WHERE b.project_id = $2 AND NOT w.calibration AND EXISTS (SELECT FROM batch_annotators me WHERE me.batch_id = b.id AND me.account_id = $1) AND `+blind, by, p.ID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// A lockedDispute is an item that is being settled.
type lockedDispute struct {
	labeling.Dispute
	SourceID string
	Labels   []int64 // the annotations it has
	Missing  int
	Last     int64 // the decision that stands; 0: none
	N        int   // which it is
}

// disputesOf returns items of a project as they stand for that account.
func disputesOf(ctx context.Context, q querier, by int64, p project.Project, itemIDs []int64) (map[int64]lockedDispute, error) {
	items, err := many[disputedItem](q.Query(ctx, `
		SELECT w.item_id, w.source_id, w.facts, w.calibration, coalesce(bool_or(`+blind+`), false) AS blind,
		       coalesce(g.id, 0) AS last, coalesce(g.n, 0) AS n,
		       (SELECT count(*) FROM slots s JOIN batches open ON open.id = s.batch_id
		        WHERE s.item_id = w.item_id AND open.closed_at IS NULL AND NOT s.given_up AND NOT EXISTS (
		            SELECT FROM assignments a
		            WHERE a.batch_id = s.batch_id AND a.item_id = s.item_id AND a.account_id = s.account_id AND a.state = 'submitted')) AS missing
		FROM (SELECT id AS item_id, source_id, facts, calibration FROM items WHERE project_id = $3 AND id = ANY ($4)) w
		LEFT JOIN batch_items bi ON bi.item_id = w.item_id
		LEFT JOIN batches b ON b.id = bi.batch_id
		LEFT JOIN LATERAL (
			SELECT id, n FROM adjudications
			WHERE protocol_version_id = $2 AND item_id = w.item_id
			ORDER BY n DESC LIMIT 1) g ON true
		GROUP BY w.item_id, w.source_id, w.facts, w.calibration, g.id, g.n`, by, p.ProtocolVersionID, p.ID, itemIDs))
	if err != nil {
		return nil, err
	}
	labels, err := many[disputedValues](q.Query(ctx, `
		SELECT n.id, n.item_id, n.answers AS values
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		WHERE n.protocol_version_id = $1 AND n.item_id = ANY ($2) AND a.kind = 'work' AND n.attempt = a.attempt
		ORDER BY n.id`, p.ProtocolVersionID, itemIDs))
	disputes := make(map[int64]lockedDispute, len(items))
	for _, i := range items {
		disputes[i.ItemID] = lockedDispute{SourceID: i.SourceID, Missing: i.Missing, Last: i.Last, N: i.N, Dispute: labeling.Dispute{
			ItemID: i.ItemID, Facts: i.Facts, Settled: i.N > 0, Calibration: i.Calibration, Blind: i.Blind}}
	}
	for _, l := range labels {
		if d, there := disputes[l.ItemID]; there {
			d.Labels, d.Values = append(d.Labels, l.ID), append(d.Values, l.Values)
			disputes[l.ItemID] = d
		}
	}
	return disputes, err
}

type disputedItem struct {
	ItemID      int64
	SourceID    string
	Facts       protocol.Facts
	Calibration bool
	Blind       bool
	Missing     int
	Last        int64
	N           int
}

type disputedValues struct {
	ID     int64
	ItemID int64
	Values map[string]int
}
