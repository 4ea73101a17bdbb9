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

// SharedDisagreements are disagreements that several accounts use, as a cache holds
// them. AdjudicationQueue reveals the part that an account may see.
type SharedDisagreements struct{ items []report.DisagreementItem }

// Disagreements returns the items of a project, or of one of its batches, on which
// annotators disagree, largest first.
func (db *DB) Disagreements(ctx context.Context, p project.Project, batch string) (SharedDisagreements, error) {
	items, err := db.findDisagreements(ctx, p, batch)
	return SharedDisagreements{items}, err
}

func (db *DB) findDisagreements(ctx context.Context, p project.Project, batch string) ([]report.DisagreementItem, error) {
	if err := db.requireBatch(ctx, p.ID, batch); err != nil {
		return nil, err
	}
	labels, err := collectAll[disagreementLabel](db.pool.Query(ctx, `
		SELECT n.id, n.item_id, i.source_id, n.account_id, n.answers AS values
		FROM current_annotations n
		JOIN batches b ON b.id = n.batch_id
		JOIN items i ON i.id = n.item_id
		WHERE n.protocol_version_id = $1 AND b.project_id = $2 AND ($3 = '' OR b.name = $3) AND n.kind = 'work'`,
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

// buildDisagreementData builds the input for disagreements; account ids replace
// pseudonyms.
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

// An AdjudicationQueue holds the disagreements that an account may see.
type AdjudicationQueue struct {
	Rows        []AdjudicationQueueRow // largest disagreement first
	HiddenItems int                    // items whose answers the account must not see yet
}

// An AdjudicationQueueRow is one item of an AdjudicationQueue.
type AdjudicationQueueRow struct {
	report.DisagreementItem
	Decision *CurrentDecision // nil: none
}

// AdjudicationQueue returns the disagreements that an account may see, with the
// current decisions.
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

// A CurrentDecision is the last decision on an item.
type CurrentDecision struct {
	ItemID         project.ItemID
	DecisionNo     int    // of the item, from 1
	DecidedBy      string // the name; empty: a command
	CreatedAt      time.Time
	Cause          labeling.DisagreementCause
	Reason         string
	HasNewerLabels bool // the item was labeled after the decision
}

// currentDecisions returns the current decisions of a project, by item.
func (db *DB) currentDecisions(ctx context.Context, p project.Project) (map[project.ItemID]CurrentDecision, error) {
	rows, err := collectAll[CurrentDecision](db.pool.Query(ctx, `
		SELECT d.item_id, d.decision_no, coalesce(u.name, '') AS decided_by, d.created_at, d.cause, d.reason, EXISTS (
			SELECT FROM current_annotations n
			WHERE n.protocol_version_id = d.protocol_version_id AND n.item_id = d.item_id AND n.kind = 'work'
			  AND n.id <> ALL (d.annotation_ids)) AS has_newer_labels
		FROM current_adjudications d
		LEFT JOIN identity.users u ON u.account_id = d.account_id
		WHERE d.protocol_version_id = $1 AND d.project_id = $2`, p.ProtocolVersionID, p.ID))
	decisions := make(map[project.ItemID]CurrentDecision, len(rows))
	for _, row := range rows {
		decisions[row.ItemID] = row
	}
	return decisions, err
}
