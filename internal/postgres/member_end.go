package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
)

// MaxThankYou is the number of characters of a thank-you.
const MaxThankYou = 1000

// EndWork ends the work of a member, named by address or pseudonym, in the open batches of a
// project, with a thank-you that the member reads on the Work page. Open and waiting items
// return to the pool; labels and the membership stay.
func (db *DB) EndWork(ctx context.Context, actorID account.ID, p project.Project, name, thankYou string) (member Member,
	err error) {
	if thankYou, err = plaintext.ReadText(thankYou, 0, MaxThankYou, fault.Invalid.Errorf(
		"The thank-you is longer than 1,000 characters. Shorten it.")); err != nil {
		return Member{}, project.FormProblems{{Field: "thank_you", Err: err}}
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		member, err = collectOne[Member](tx.Query(ctx, selectMember+`AND `+hasName, p.ID, name))
		if errors.Is(err, fault.NotFound) {
			return errNoMember(name)
		}
		if err != nil {
			return err
		}
		if err := lockBatchesOf(ctx, tx, p.ID, member.AccountID); err != nil {
			return err
		}
		if err := checkVersion(ctx, tx, VersionedMember, p.ID, member.AccountID); err != nil {
			return err
		}
		if err := returnWork(ctx, tx, p.ID, member.AccountID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			UPDATE batch_annotators ba SET removed_at = now()
			FROM batches b
			WHERE b.id = ba.batch_id AND b.project_id = $1 AND ba.account_id = $2 AND b.closed_at IS NULL
			AND ba.removed_at IS NULL`, p.ID, member.AccountID)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE members SET work_ended_at = now(), thank_you = $3 WHERE project_id = $1
			AND account_id = $2`, p.ID, member.AccountID, thankYou)
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.end_work", projectSubject(p.Key),
			map[string]any{"account": member.AccountID})
	})
	return member, err
}
