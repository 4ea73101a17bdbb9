package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/webhook"
)

// An Adjudication is one decision on an item. The last one counts.
type Adjudication struct {
	DecisionNo   int    // of the item, from 1
	DecidedBy    string // the name; empty: a command
	CreatedAt    time.Time
	Answers      map[string]int
	Observations []string
	Unsure       []string
	Note         string
	Cause        labeling.DisagreementCause
	Reason       string
}

// An AdjudicationItem is an item to adjudicate, with its annotations and decisions.
type AdjudicationItem struct {
	project.Item
	labeling.Adjudicable
	Annotations   []ItemAnnotation
	Protocol      protocol.Protocol // in the revision that the batch of the item uses
	MissingLabels int               // labels that annotators still owe
	History       []Adjudication    // latest first
	Draft         AdjudicationDraft // of the account that asks
	FormKey       string            // identifies that account's form without a session
}

// LastAnnotationID returns the highest annotation id of i.
func (i AdjudicationItem) LastAnnotationID() (last int64) {
	for _, n := range i.Annotations {
		last = max(last, n.AnnotationID)
	}
	return last
}

// CurrentDecisionNo returns the number of the last decision; 0: none.
func (i AdjudicationItem) CurrentDecisionNo() int {
	if len(i.History) == 0 {
		return 0
	}
	return i.History[0].DecisionNo
}

// AdjudicationItem returns an item for an account to adjudicate, or why the account
// may not.
func (db *DB) AdjudicationItem(ctx context.Context, actorID account.ID, p project.Project,
	itemID project.ItemID) (AdjudicationItem, error) {
	item, err := db.Item(ctx, p.ID, itemID)
	if err != nil {
		return AdjudicationItem{}, err
	}
	if p, err = db.InItemVersion(ctx, p, itemID); err != nil {
		return AdjudicationItem{}, err
	}
	adjudicable, err := loadAdjudicable(ctx, db.pool, actorID, p, []project.ItemID{itemID})
	if err != nil {
		return AdjudicationItem{}, err
	}
	i := AdjudicationItem{Item: item, Adjudicable: adjudicable[itemID].Adjudicable,
		MissingLabels: adjudicable[itemID].MissingLabels}
	if err := i.CheckAllowed(); err != nil {
		return AdjudicationItem{}, err
	}
	if i.Protocol, err = db.protocolRevision(ctx, db.pool, p.ProtocolVersionID,
		adjudicable[itemID].Revision); err != nil {
		return AdjudicationItem{}, err
	}
	i.Protocol = i.Protocol.WithFormats(p.TextFormats)
	if i.Annotations, err = db.ItemAnnotations(ctx, actorID, p, itemID); err != nil {
		return AdjudicationItem{}, err
	}
	if i.Draft, i.FormKey, err = db.loadAdjudicationDraft(ctx, actorID, itemID); err != nil {
		return AdjudicationItem{}, err
	}
	i.History, err = collectAll[Adjudication](db.pool.Query(ctx, `
		SELECT d.decision_no, coalesce(u.name, '') AS decided_by, d.created_at, d.answers, d.observations, d.unsure,
		d.note, d.cause, d.reason
		FROM adjudications d
		LEFT JOIN identity.users u ON u.account_id = d.account_id
		WHERE d.protocol_version_id = $1 AND d.item_id = $2
		ORDER BY d.decision_no DESC`, p.ProtocolVersionID, itemID))
	return i, err
}

// Adjudicate stores a decision on an item and keeps earlier ones. It returns ErrStale if
// the item changed after the lead saw it.
func (db *DB) Adjudicate(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID,
	seen SeenVersion, d labeling.Decision) error {
	p, err := db.InItemVersion(ctx, p, itemID)
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		item, err := lockAdjudicableItem(ctx, tx, actorID, p, itemID)
		if err != nil {
			return err
		}
		if err := item.checkSeen(seen); err != nil {
			return err
		}
		if p.Protocol, err = db.protocolRevision(ctx, tx, p.ProtocolVersionID, item.Revision); err != nil {
			return err
		}
		d, problems := d.Check(p.Protocol, item.Adjudicable)
		if problems != nil {
			return problems
		}
		if err := insertAdjudications(ctx, tx, p, []pendingDecision{{actorID, item, d}}); err != nil {
			return err
		}
		if err := deleteAdjudicationDraft(ctx, tx, actorID, itemID); err != nil {
			return err
		}
		detail := map[string]any{"item": item.SourceID, "decision": item.DecisionNo + 1}
		return recordAudit(ctx, tx, actorID, "project.adjudicate", projectSubject(p.Key), detail)
	})
}

// A pendingDecision is a checked decision to store.
type pendingDecision struct {
	actorID account.ID
	item    adjudicableItem
	labeling.Decision
}

// insertAdjudications writes decisions in one round trip. It returns the violation of a
// CHECK as the problem of the protocol rule with its name.
func insertAdjudications(ctx context.Context, tx pgx.Tx, p project.Project, decisions []pendingDecision) error {
	queue := &pgx.Batch{}
	for _, d := range decisions {
		queue.Queue(`
			INSERT INTO adjudications (protocol_version_id, revision, project_id, item_id, decision_no, replaces_id,
			account_id,
				answers, observations, unsure, note, facts, annotation_ids, cause, reason)
			VALUES ($1, $2, $3, $4, $5, nullif($6, 0), nullif($7, 0), $8, $9, $10, $11, $12, $13, $14, $15)`,
			p.ProtocolVersionID, d.item.Revision, p.ID, d.item.ItemID, d.item.DecisionNo+1,
			d.item.LastDecisionID, d.actorID,
			d.Answers.Values, nonNil(d.Answers.Observations), nonNil(d.Answers.Unsure), d.Answers.Note, d.item.Facts,
			d.item.AnnotationIDs, d.Cause, d.Reason)
	}
	if err := tx.SendBatch(ctx, queue).Close(); err != nil {
		return problemFromViolation(p.Protocol, err)
	}
	events := make([]event, len(decisions))
	for i, d := range decisions {
		events[i] = itemEvent(p, webhook.ItemAdjudicated, d.item.ItemID, d.item.SourceID)
		events[i].payload["decision"] = d.item.DecisionNo + 1
	}
	return queueEvents(ctx, tx, events...)
}

func problemFromViolation(p protocol.Protocol, err error) error {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	if problem, ok := p.ProblemForConstraint(pgErr.ConstraintName); ok {
		return protocol.Problems{problem}
	}
	return err
}
