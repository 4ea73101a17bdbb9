package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An Adjudication is one decision on an item.
type Adjudication struct {
	DecisionNo   int // from 1; the last one stands
	DecidedBy    string
	CreatedAt    time.Time
	Answers      map[string]int
	Observations []string
	Unsure       []string
	Note         string
	Cause        labeling.DisagreementCause
	Reason       string
}

// A AdjudicationItem is an item to be settled: what everybody said of it, and what was
// decided so far.
type AdjudicationItem struct {
	project.Item
	labeling.Adjudicable
	Annotations   []ItemAnnotation
	MissingLabels int               // labels asked for that are still to come
	History       []Adjudication    // the one that stands first
	Draft         AdjudicationDraft // what whoever asks has typed so far
	FormKey       string            // by which their form is known without a session
}

// LastAnnotationID is the last of the annotations in c.
func (c AdjudicationItem) LastAnnotationID() (last int64) {
	for _, n := range c.Annotations {
		last = max(last, n.AnnotationID)
	}
	return last
}

// CurrentDecisionNo returns which decision stands; 0: none.
func (c AdjudicationItem) CurrentDecisionNo() int {
	if len(c.History) == 0 {
		return 0
	}
	return c.History[0].DecisionNo
}

// AdjudicationItem returns an item to be settled by that account, or why it cannot be.
func (db *DB) AdjudicationItem(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID) (AdjudicationItem, error) {
	item, err := db.Item(ctx, p.ID, itemID)
	if err != nil {
		return AdjudicationItem{}, err
	}
	adjudicable, err := loadAdjudicable(ctx, db.pool, actorID, p, []project.ItemID{itemID})
	if err != nil {
		return AdjudicationItem{}, err
	}
	c := AdjudicationItem{Item: item, Adjudicable: adjudicable[itemID].Adjudicable, MissingLabels: adjudicable[itemID].MissingLabels}
	if err := c.CheckAllowed(); err != nil {
		return AdjudicationItem{}, err
	}
	if c.Annotations, err = db.ItemAnnotations(ctx, actorID, p, itemID); err != nil {
		return AdjudicationItem{}, err
	}
	if c.Draft, c.FormKey, err = db.loadAdjudicationDraft(ctx, actorID, itemID); err != nil {
		return AdjudicationItem{}, err
	}
	c.History, err = collectAll[Adjudication](db.pool.Query(ctx, `
		SELECT g.n, coalesce(who.name, '') AS who, g.at, g.answers, g.observations, g.unsure, g.note, g.cause, g.reason
		FROM adjudications g
		LEFT JOIN identity.people who ON who.account_id = g.account_id
		WHERE g.protocol_version_id = $1 AND g.item_id = $2
		ORDER BY g.n DESC`, p.ProtocolVersionID, itemID))
	return c, err
}

// A SeenVersion is what a lead saw of an item before deciding.
type SeenVersion struct {
	LastAnnotationID int64 // the last annotation
	DecisionNo       int   // which decision stood; 0: none
}

// Adjudicate settles an item. What was decided before stays, and is replaced.
// Where something has come in that the lead did not see, nothing is decided.
func (db *DB) Adjudicate(ctx context.Context, actorID account.ID, p project.Project, itemID project.ItemID, seen SeenVersion, d labeling.Decision) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		item, err := lockAdjudicableItem(ctx, tx, actorID, p, itemID)
		if err != nil {
			return err
		}
		if err := item.checkSeen(seen); err != nil {
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
		detail := map[string]any{"item": item.SourceID, "answers": d.Answers.Values, "decision": item.DecisionNo + 1}
		return recordAudit(ctx, tx, actorID, "project.adjudicate", projectSubject(p.Key), detail)
	})
}

// ErrStale says that something came in since a lead looked at an item.
var ErrStale = errors.New("something has come in since")

// checkSeen reports what came in since a lead looked, if something did.
func (i adjudicableItem) checkSeen(seen SeenVersion) error {
	switch {
	case i.DecisionNo != seen.DecisionNo:
		return errors.Join(ErrStale, fault.Conflict.Errorf("This item was settled since you opened it. Look at how; what you have chosen is not stored yet."))
	case slices.Max(i.AnnotationIDs) != seen.LastAnnotationID:
		return errors.Join(ErrStale, fault.Conflict.Errorf("An answer has come in since you opened this item. Look at it; what you have chosen is not stored yet."))
	}
	return nil
}

// lockAdjudicable has leads take turns at items. Annotators do not wait.
func lockAdjudicable(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, itemIDs []project.ItemID) (map[project.ItemID]adjudicableItem, error) {
	_, err := tx.Exec(ctx, `SELECT FROM items WHERE project_id = $1 AND id = ANY ($2) ORDER BY id FOR NO KEY UPDATE`, p.ID, itemIDs)
	if err != nil {
		return nil, err
	}
	return loadAdjudicable(ctx, tx, actorID, p, itemIDs)
}

// A pendingDecision item is about to be stored.
type pendingDecision struct {
	actorID account.ID
	item    adjudicableItem
	labeling.Decision
}

// insertAdjudications writes decisions in one round trip. The CHECKs of the partition
// repeat the rules; were one to refuse what Go accepted, it would be told in the
// rule's own words.
func insertAdjudications(ctx context.Context, tx pgx.Tx, p project.Project, decisions []pendingDecision) error {
	queue := &pgx.Batch{}
	for _, d := range decisions {
		queue.Queue(`
			INSERT INTO adjudications (protocol_version_id, revision, project_id, item_id, n, replaces, account_id,
				answers, observations, unsure, note, facts, settles, cause, reason)
			VALUES ($1, $2, $3, $4, $5, nullif($6, 0), nullif($7, 0), $8, $9, $10, $11, $12, $13, $14, $15)`,
			p.ProtocolVersionID, p.Protocol.Revision, p.ID, d.item.ItemID, d.item.DecisionNo+1, d.item.LastDecisionID, d.actorID,
			d.Answers.Values, nonNil(d.Answers.Observations), nonNil(d.Answers.Unsure), d.Answers.Note, d.item.Facts,
			d.item.AnnotationIDs, d.Cause, d.Reason)
	}
	return problemFromViolation(p.Protocol, tx.SendBatch(ctx, queue).Close())
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
