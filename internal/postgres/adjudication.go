package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An Adjudication is one decision on an item.
type Adjudication struct {
	N            int // from 1; the last one stands
	Who          string
	At           time.Time
	Answers      map[string]int
	Observations []string
	Unsure       []string
	Note         string
	Cause        labeling.Cause
	Reason       string
}

// A Case is an item to be settled: what everybody said of it, and what was
// decided so far.
type Case struct {
	project.Item
	labeling.Dispute
	Givens  []Given
	Missing int            // labels asked for that are still to come
	History []Adjudication // the one that stands first
	Draft   DecisionDraft  // what whoever asks has typed so far
	FormKey string         // by which their form is known without a session
}

// Seen is the last of the annotations in c.
func (c Case) Seen() (last int64) {
	for _, g := range c.Givens {
		last = max(last, g.ID)
	}
	return last
}

// Stands returns which decision stands; 0: none.
func (c Case) Stands() int {
	if len(c.History) == 0 {
		return 0
	}
	return c.History[0].N
}

// Case returns an item to be settled by that account, or why it cannot be.
func (db *DB) Case(ctx context.Context, by int64, p project.Project, itemID int64) (Case, error) {
	item, err := db.Item(ctx, p.ID, itemID)
	if err != nil {
		return Case{}, err
	}
	disputes, err := disputesOf(ctx, db.pool, by, p, []int64{itemID})
	if err != nil {
		return Case{}, err
	}
	c := Case{Item: item, Dispute: disputes[itemID].Dispute, Missing: disputes[itemID].Missing}
	if err := c.Takes(); err != nil {
		return Case{}, err
	}
	if c.Givens, err = db.Givens(ctx, p, itemID); err != nil {
		return Case{}, err
	}
	if c.Draft, c.FormKey, err = db.draftOf(ctx, by, itemID); err != nil {
		return Case{}, err
	}
	c.History, err = many[Adjudication](db.pool.Query(ctx, `
		SELECT g.n, coalesce(who.name, '') AS who, g.at, g.answers, g.observations, g.unsure, g.note, g.cause, g.reason
		FROM adjudications g
		LEFT JOIN identity.people who ON who.account_id = g.account_id
		WHERE g.protocol_version_id = $1 AND g.item_id = $2
		ORDER BY g.n DESC`, p.ProtocolVersionID, itemID))
	return c, err
}

// A Sight is what a lead saw of an item before deciding.
type Sight struct {
	Seen   int64 // the last annotation
	Stands int   // which decision stood; 0: none
}

// Adjudicate settles an item. What was decided before stays, and is replaced.
// Where something has come in that the lead did not see, nothing is decided.
func (db *DB) Adjudicate(ctx context.Context, by int64, p project.Project, itemID int64, saw Sight, d labeling.Decision) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		item, err := lockCase(ctx, tx, by, p, itemID)
		if err != nil {
			return err
		}
		if err := item.unseen(saw); err != nil {
			return err
		}
		d, problems := d.Check(p.Protocol, item.Dispute)
		if problems != nil {
			return problems
		}
		if err := storeDecisions(ctx, tx, p, []decided{{by, item, d}}); err != nil {
			return err
		}
		if err := forgetDecision(ctx, tx, by, itemID); err != nil {
			return err
		}
		told := map[string]any{"item": item.SourceID, "answers": d.Answers.Values, "decision": item.N + 1}
		return audit(ctx, tx, by, "project.adjudicate", projectSubject(p.Key), told)
	})
}

// ErrUnseen says that something came in since a lead looked at an item.
var ErrUnseen = errors.New("something has come in since")

// unseen reports what came in since a lead looked, if something did.
func (i lockedDispute) unseen(saw Sight) error {
	switch {
	case i.N != saw.Stands:
		return errors.Join(ErrUnseen, fault.Conflict.Says("This item was settled since you opened it. Look at how; what you have chosen is not stored yet."))
	case slices.Max(i.Labels) != saw.Seen:
		return errors.Join(ErrUnseen, fault.Conflict.Says("An answer has come in since you opened this item. Look at it; what you have chosen is not stored yet."))
	}
	return nil
}

// lockDisputes has leads take turns at items. Annotators do not wait.
func lockDisputes(ctx context.Context, tx pgx.Tx, by int64, p project.Project, itemIDs []int64) (map[int64]lockedDispute, error) {
	_, err := tx.Exec(ctx, `SELECT FROM items WHERE project_id = $1 AND id = ANY ($2) ORDER BY id FOR NO KEY UPDATE`, p.ID, itemIDs)
	if err != nil {
		return nil, err
	}
	return disputesOf(ctx, tx, by, p, itemIDs)
}

// A decided item is about to be stored.
type decided struct {
	by   int64
	item lockedDispute
	labeling.Decision
}

// storeDecisions writes decisions in one round trip. The CHECKs of the partition
// repeat the rules; were one to refuse what Go accepted, it would be told in the
// rule's own words.
func storeDecisions(ctx context.Context, tx pgx.Tx, p project.Project, decisions []decided) error {
	queue := &pgx.Batch{}
	for _, d := range decisions {
		queue.Queue(`
			INSERT INTO adjudications (protocol_version_id, revision, project_id, item_id, n, replaces, account_id,
				answers, observations, unsure, note, facts, settles, cause, reason)
			VALUES ($1, $2, $3, $4, $5, nullif($6, 0), nullif($7, 0), $8, $9, $10, $11, $12, $13, $14, $15)`,
			p.ProtocolVersionID, p.Protocol.Revision, p.ID, d.item.ItemID, d.item.N+1, d.item.Last, d.by,
			d.Answers.Values, nonNil(d.Answers.Observations), nonNil(d.Answers.Unsure), d.Answers.Note, d.item.Facts,
			d.item.Labels, d.Cause, d.Reason)
	}
	return refusedGold(p.Protocol, tx.SendBatch(ctx, queue).Close())
}

func refusedGold(p protocol.Protocol, err error) error {
	refusal, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	if problem, ok := p.Broken(refusal.ConstraintName); ok {
		return protocol.Problems{problem}
	}
	return err
}
