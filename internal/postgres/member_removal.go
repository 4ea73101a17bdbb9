package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// A MemberRemoval is what the removal of a member changes.
type MemberRemoval struct {
	Member
	Labels         int // submitted, which stay
	ReturnedItems  int // open, skipped for now or waiting, which return to the pool
	Drafts         int // of returned items; kept, but only used if the member is added again
	Corrections    int // reopened and not submitted again; the submitted label stays
	IsOnlyLead     bool
	HasOpenBatches bool
}

// selectRemoval counts what the removal of member $2 from project $1 changes.
const selectRemoval = `
	SELECT count(*) FILTER (WHERE a.state = 'submitted'
	OR a.reopened) AS labels, count(*) FILTER (WHERE ` + isReturned + `) + (
	           SELECT coalesce(sum(w.waiting_count), 0) FROM batch_annotators w JOIN batches wb ON wb.id = w.batch_id
	           WHERE wb.project_id = $1 AND w.account_id = $2) AS returned_items,
	       count(*) FILTER (WHERE ` + isReturned +
	` AND d.assignment_id IS NOT NULL) AS drafts, count(*) FILTER (WHERE a.reopened) AS corrections,
	       EXISTS (SELECT FROM members m WHERE m.project_id = $1 AND m.account_id = $2 AND m.role = 'lead')
	           AND NOT EXISTS (SELECT FROM members m WHERE m.project_id = $1 AND m.account_id <> $2 AND m.role = 'lead' AND m.removed_at IS NULL) AS is_only_lead,
	       EXISTS (SELECT FROM batch_annotators o JOIN batches ob ON ob.id = o.batch_id
	               WHERE ob.project_id = $1 AND o.account_id = $2 AND ob.closed_at IS NULL) AS has_open_batches
	FROM assignments a
	JOIN batches b ON b.id = a.batch_id
	LEFT JOIN drafts d ON d.assignment_id = a.id
	WHERE b.project_id = $1 AND a.account_id = $2`

// isReturned is true of an assignment a whose item returns to the pool when its annotator is
// removed. Calibration items and hidden duplicates have no slot to return: a calibration
// item stays open, and a duplicate is released like an abandoned one.
const isReturned = `(a.kind = 'work' AND NOT a.reopened AND (a.state = 'open' OR a.state = 'skipped' AND a.deferred))`

// PreviewRemoval returns what RemoveMember would change now. The member is named by address or
// pseudonym.
func (db *DB) PreviewRemoval(ctx context.Context, p project.Project, name string) (MemberRemoval, error) {
	return loadRemoval(ctx, db.pool, p, name)
}

func loadRemoval(ctx context.Context, q querier, p project.Project, name string) (MemberRemoval, error) {
	member, err := collectOne[Member](q.Query(ctx, selectMember+`AND `+hasName, p.ID, name))
	if fault.KindOf(err) == fault.NotFound {
		return MemberRemoval{}, errNoMember(name)
	}
	if err != nil {
		return MemberRemoval{}, err
	}
	removal := MemberRemoval{Member: member}
	err = q.QueryRow(ctx, selectRemoval, p.ID, member.AccountID).Scan(&removal.Labels, &removal.ReturnedItems,
		&removal.Drafts,
		&removal.Corrections, &removal.IsOnlyLead, &removal.HasOpenBatches)
	return removal, err
}

// RemoveMember removes a member, named by address or pseudonym, and returns what changed. From
// then on the account has no rights in the project, in running sessions too. Submitted labels
// and the pseudonym stay; open items return to the pool with their drafts kept. An admin still
// leads the project.
func (db *DB) RemoveMember(ctx context.Context, actorID account.ID, p project.Project,
	name string) (removal MemberRemoval, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		if removal, err = loadRemoval(ctx, tx, p, name); err != nil {
			return err
		}
		if err := lockBatchesOf(ctx, tx, p.ID, removal.AccountID); err != nil {
			return err
		}
		if removal, err = loadRemoval(ctx, tx, p, name); err != nil { // as it is under the lock
			return err
		}
		if err := checkVersion(ctx, tx, VersionedMember, p.ID, removal.AccountID); err != nil {
			return err
		}
		if err := removeMember(ctx, tx, p.ID, removal.AccountID); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.remove_member", projectSubject(p.Key), map[string]any{
			"account": removal.AccountID, "role": removal.Role, "labels": removal.Labels,
			"returned_items": removal.ReturnedItems})
	})
	return removal, err
}

// lockBatchesOf locks an annotator's batches in a project, in the order of lockOpenBatches.
// Their other requests wait, and then see the removal.
func lockBatchesOf(ctx context.Context, tx pgx.Tx, projectID project.ID, accountID account.ID) error {
	_, err := tx.Exec(ctx, `
		SELECT FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		WHERE b.project_id = $1 AND ba.account_id = $2
		ORDER BY ba.batch_id
		FOR UPDATE OF ba`, projectID, accountID)
	return err
}

// removeMember ends a membership and what is in progress.
func removeMember(ctx context.Context, tx pgx.Tx, projectID project.ID, accountID account.ID) error {
	tag, err := tx.Exec(ctx, `UPDATE members SET removed_at = now() WHERE project_id = $1 AND account_id = $2
		AND removed_at IS NULL`, projectID, accountID)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return fault.NotFound
	}
	if err := returnWork(ctx, tx, projectID, accountID); err != nil {
		return err
	}
	return deleteUnusableInvitations(ctx, tx, accountID)
}

// returnWork returns an annotator's open and waiting items in a project to the pool, and those
// of closed batches to other batches. A reopened item is submitted again with its stored
// answers, and a break ends.
func returnWork(ctx context.Context, tx pgx.Tx, projectID project.ID, accountID account.ID) error {
	_, err := releaseItems(ctx, tx, `
		SELECT a.id FROM assignments a JOIN batches b ON b.id = a.batch_id
		WHERE b.project_id = $1 AND a.account_id = $2 AND (a.state = 'open' OR a.set_back) AND a.kind <> 'calibration'
		AND NOT a.reopened`, projectID, accountID)
	if err != nil {
		return err
	}
	_, err = makeAvailable(ctx, tx, projectID, `
		SELECT DISTINCT s.item_id
		FROM pending_assignments p
		JOIN assignments a ON a.id = p.assignment_id
		JOIN batches b ON b.id = p.batch_id AND b.project_id = $1 AND b.closed_at IS NOT NULL AND b.round_of IS NULL
		JOIN slots s ON s.batch_id = a.batch_id AND s.item_id = a.item_id AND s.account_id IS NULL
		WHERE p.account_id = $2 AND a.state = 'released' AND a.kind = 'work'
		AND `+isUndone+` AND NOT `+isInLaterBatch, accountID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		WITH returned AS (
			UPDATE assignments a SET deferred = false
			FROM batches b
			WHERE b.id = a.batch_id AND b.project_id = $1 AND a.account_id = $2 AND a.kind = 'work'
			AND a.state = 'skipped' AND a.deferred
			RETURNING a.batch_id, a.item_id
		), corrected AS (
			UPDATE assignments a SET state = 'submitted', reopened = false, deferred = false, set_back = false
			FROM batches b
			WHERE b.id = a.batch_id AND b.project_id = $1 AND a.account_id = $2 AND a.reopened
			RETURNING a.id
		), deleted AS (
			DELETE FROM drafts d USING corrected WHERE d.assignment_id = corrected.id
		), ended AS (
			UPDATE breaks k SET ended_at = clock_timestamp()
			FROM batches b
			WHERE b.id = k.batch_id AND b.project_id = $1 AND k.account_id = $2 AND k.ended_at IS NULL
		)
		UPDATE slots s SET `+returnToPool+`
		FROM returned r
		WHERE s.batch_id = r.batch_id AND s.item_id = r.item_id AND s.account_id = $2`, projectID, accountID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		WITH annotator AS (
			UPDATE batch_annotators ba SET waiting_count = 0
			FROM batches b
			WHERE b.id = ba.batch_id AND b.project_id = $1 AND ba.account_id = $2
			RETURNING ba.batch_id, ba.queue_cursor
		)
		UPDATE slots s SET `+returnToPool+`
		FROM annotator a
		WHERE s.batch_id = a.batch_id AND s.account_id = $2 AND s.queue_no > a.queue_cursor`, projectID, accountID)
	return err
}
