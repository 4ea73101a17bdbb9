package postgres

import (
	"context"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// A CurrentDecision is the decision that stands on an item.
type CurrentDecision struct {
	ItemID         project.ItemID
	DecisionNo     int    // which decision it is, from 1
	DecidedBy      string // the name; empty: the program, by command
	CreatedAt      time.Time
	Cause          labeling.DisagreementCause
	Reason         string
	HasNewerLabels bool // somebody labelled the item since
}

// SharedDisagreements are disagreements that accounts share, as a cache holds them.
// AdjudicationQueue reveals those that the reader may see.
type SharedDisagreements struct{ items []report.DisagreementItem }

// Disagreements returns the items of a project, or of one of its batches, on which
// annotators disagree, largest first.
func (db *DB) Disagreements(ctx context.Context, p project.Project, batch string) (SharedDisagreements, error) {
	items, err := db.findDisagreements(ctx, p, batch)
	return SharedDisagreements{items}, err
}

// An AdjudicationQueue holds the disagreements that an account may adjudicate,
// largest first.
type AdjudicationQueue struct {
	Rows        []AdjudicationQueueRow
	HiddenItems int // items whose answers the account must not see yet
}

// An AdjudicationQueueRow is an item of an AdjudicationQueue.
type AdjudicationQueueRow struct {
	report.DisagreementItem
	Decision *CurrentDecision // nil: none
}

// AdjudicationQueue returns the disagreements that an account may see, with the
// current decisions on them.
func (db *DB) AdjudicationQueue(ctx context.Context, actorID account.ID, p project.Project, disagreements SharedDisagreements) (AdjudicationQueue, error) {
	blinded, err := blindedItems(ctx, db.pool, actorID, p.ID)
	if err != nil {
		return AdjudicationQueue{}, err
	}
	decisions, err := db.currentDecisions(ctx, p)
	if err != nil {
		return AdjudicationQueue{}, err
	}
	queue := AdjudicationQueue{HiddenItems: len(blinded)}
	for _, d := range disagreements.items {
		if contains(blinded, d.ItemID) {
			continue
		}
		row := AdjudicationQueueRow{DisagreementItem: d}
		if decision, isDecided := decisions[d.ItemID]; isDecided {
			row.Decision = &decision
		}
		queue.Rows = append(queue.Rows, row)
	}
	return queue, nil
}

func (db *DB) findDisagreements(ctx context.Context, p project.Project, batch string) ([]report.DisagreementItem, error) {
	if batch != "" {
		if _, err := db.Batch(ctx, p.ID, batch); err != nil {
			return nil, err
		}
	}
	labels, err := collectAll[disagreementLabel](db.pool.Query(ctx, `
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
	return report.FindDisagreements(buildDisagreementData(p.Protocol, labels))
}

type disagreementLabel struct {
	ID        int64
	ItemID    project.ItemID
	SourceID  string
	AccountID account.ID
	Values    map[string]int
}

// buildDisagreementData is what disputes are found in. Who said what is not needed, but that it
// was different people.
func buildDisagreementData(p protocol.Protocol, labels []disagreementLabel) report.Data {
	d, seen := report.Data{Protocol: p}, map[project.ItemID]bool{}
	for _, l := range labels {
		d.Labels = append(d.Labels, report.Label{ID: l.ID, ItemID: l.ItemID, Annotator: strconv.FormatInt(int64(l.AccountID), 10), Kind: report.Work, Values: l.Values})
		if !seen[l.ItemID] {
			seen[l.ItemID] = true
			d.Items = append(d.Items, report.ItemData{ID: l.ItemID, SourceID: l.SourceID})
		}
	}
	return d
}

// currentDecisions returns the decisions that stand in a project, by item.
func (db *DB) currentDecisions(ctx context.Context, p project.Project) (map[project.ItemID]CurrentDecision, error) {
	rows, err := collectAll[CurrentDecision](db.pool.Query(ctx, `
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
	decisions := make(map[project.ItemID]CurrentDecision, len(rows))
	for _, row := range rows {
		decisions[row.ItemID] = row
	}
	return decisions, err
}

// A adjudicableItem is an item that is being settled.
type adjudicableItem struct {
	labeling.Adjudicable
	SourceID       string
	AnnotationIDs  []int64 // the annotations it has
	MissingLabels  int
	LastDecisionID int64 // the decision that stands; 0: none
	DecisionNo     int   // which it is
}

// loadAdjudicable returns items of a project as they stand for that account.
func loadAdjudicable(ctx context.Context, q querier, actorID account.ID, p project.Project, itemIDs []project.ItemID) (map[project.ItemID]adjudicableItem, error) {
	items, err := collectAll[adjudicableRow](q.Query(ctx, `
		SELECT w.item_id, w.source_id, w.facts, w.calibration, EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $1 AND v.item_id = w.item_id) AS blinded,
		       coalesce(g.id, 0) AS last, coalesce(g.n, 0) AS n,
		       (SELECT count(*) FROM slots s JOIN batches open ON open.id = s.batch_id
		        WHERE s.item_id = w.item_id AND open.closed_at IS NULL AND NOT s.given_up AND NOT EXISTS (
		            SELECT FROM assignments a
		            WHERE a.batch_id = s.batch_id AND a.item_id = s.item_id AND a.account_id = s.account_id AND a.state = 'submitted')) AS missing
		FROM (SELECT id AS item_id, source_id, facts, calibration FROM items WHERE project_id = $3 AND id = ANY ($4)) w
		LEFT JOIN LATERAL (
			SELECT id, n FROM adjudications
			WHERE protocol_version_id = $2 AND item_id = w.item_id
			ORDER BY n DESC LIMIT 1) g ON true`, actorID, p.ProtocolVersionID, p.ID, itemIDs))
	if err != nil {
		return nil, err
	}
	labels, err := collectAll[annotationValues](q.Query(ctx, `
		SELECT n.id, n.item_id, n.answers AS values
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		WHERE n.protocol_version_id = $1 AND n.item_id = ANY ($2) AND a.kind = 'work' AND n.attempt = a.attempt
		ORDER BY n.id`, p.ProtocolVersionID, itemIDs))
	adjudicable := make(map[project.ItemID]adjudicableItem, len(items))
	for _, i := range items {
		adjudicable[i.ItemID] = adjudicableItem{SourceID: i.SourceID, MissingLabels: i.MissingLabels, LastDecisionID: i.LastDecisionID, DecisionNo: i.DecisionNo, Adjudicable: labeling.Adjudicable{
			ItemID: i.ItemID, Facts: i.Facts, Adjudicated: i.DecisionNo > 0, IsCalibration: i.IsCalibration, Blinded: i.Blinded}}
	}
	for _, l := range labels {
		if d, ok := adjudicable[l.ItemID]; ok {
			d.AnnotationIDs, d.Values = append(d.AnnotationIDs, l.ID), append(d.Values, l.Values)
			adjudicable[l.ItemID] = d
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
}

type annotationValues struct {
	ID     int64
	ItemID project.ItemID
	Values map[string]int
}
