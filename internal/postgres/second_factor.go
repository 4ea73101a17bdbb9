package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

var errWrongCode = fault.Invalid.Errorf(
	"The code is wrong, or was used already. Wait for the next one, and check that the clock of the device is right.")

// SetUpSecondFactor stores the secret of an authenticator app that shows code, and returns the recovery codes. They
// are not stored, so that they cannot be shown again.
func (db *DB) SetUpSecondFactor(ctx context.Context, id account.ID, secret, code string) (recovery []string,
	err error) {
	step := account.MatchTOTP(secret, account.NormalizeCode(code), time.Now())
	if step == 0 {
		return nil, errWrongCode
	}
	recovery = account.NewRecoveryCodes()
	hashes := make([][]byte, len(recovery))
	for i, code := range recovery {
		hashes[i] = account.HashToken(account.NormalizeCode(code))
	}
	return recovery, db.inTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `INSERT INTO identity.second_factors (account_id, secret, last_step, recovery_codes)
			VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, id, secret, step, hashes)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.Conflict.Errorf("Your account has a second factor already. Remove it first.")
		}
		return recordAudit(ctx, tx, id, "account.set_second_factor", accountSubject(id), nil)
	})
}

// FinishSignIn returns the account of a user whose password is right and who enters code.
func (db *DB) FinishSignIn(ctx context.Context, id account.ID, code string) (a account.Account, err error) {
	isRecovery, err := db.VerifySecondFactor(ctx, id, code)
	if err != nil {
		return a, err
	}
	if err := recordAudit(ctx, db.pool, id, "account.sign_in", accountSubject(id),
		map[string]any{"recovery_code": isRecovery}); err != nil {
		return a, err
	}
	return db.Account(ctx, id)
}

// VerifySecondFactor accepts a code of the authenticator app or a recovery code of an active account, once. After ten
// wrong ones in 15 minutes it returns fault.Limited, from wherever they came: only who knows the password gets here.
func (db *DB) VerifySecondFactor(ctx context.Context, id account.ID, code string) (isRecovery bool, err error) {
	subject := account.HashToken("second factor " + strconv.FormatInt(int64(id), 10))
	attemptID, err := db.recordSignInAttempt(ctx, subject, subject)
	if fault.KindOf(err) == fault.Limited {
		return false, fault.Limited.Errorf("There were too many wrong codes. Wait 15 minutes, then try again.")
	}
	if err != nil {
		return false, err
	}
	var secret string
	err = db.pool.QueryRow(ctx, `SELECT f.secret FROM identity.second_factors f JOIN accounts a ON a.id = f.account_id
		WHERE f.account_id = $1 AND NOT a.disabled`, id).Scan(&secret)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return false, err
	}
	code = account.NormalizeCode(code)
	step := account.MatchTOTP(secret, code, time.Now())
	tag, err := db.pool.Exec(ctx, `
		UPDATE identity.second_factors
		SET last_step = greatest(last_step, $2), recovery_codes = array_remove(recovery_codes, $3)
		WHERE account_id = $1 AND ($2 > last_step OR $3 = ANY (recovery_codes)) AND $4`,
		id, step, account.HashToken(code), secret != "")
	if err != nil {
		return false, err
	}
	if tag.RowsAffected() == 0 {
		return false, errors.Join(db.auditFailedSignIn(ctx, id, "second factor"), errWrongCode)
	}
	_, err = db.pool.Exec(ctx, `DELETE FROM sign_in_attempts WHERE id = $1`, attemptID)
	return step == 0, err
}

// UnusedRecoveryCodes returns how many recovery codes an account has left.
func (db *DB) UnusedRecoveryCodes(ctx context.Context, id account.ID) (n int, err error) {
	err = db.pool.QueryRow(ctx, `SELECT coalesce((SELECT cardinality(recovery_codes) FROM identity.second_factors
		WHERE account_id = $1), 0)`, id).Scan(&n)
	return n, err
}

// RemoveSecondFactor removes the second factor of an account for its user.
func (db *DB) RemoveSecondFactor(ctx context.Context, id account.ID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error { return removeSecondFactor(ctx, tx, id, id) })
}

// ResetSecondFactor removes the second factor and the passkeys of another user for an admin, signs the account out
// everywhere and revokes its API tokens.
func (db *DB) ResetSecondFactor(ctx context.Context, actorID, id account.ID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireAdmin(ctx, tx, actorID); err != nil {
			return err
		}
		if actorID == id {
			return fault.Conflict.Errorf("Remove your own second factor on your account page, with a code.")
		}
		passkeys, err := tx.Exec(ctx, `DELETE FROM identity.passkeys WHERE account_id = $1`, id)
		if err != nil {
			return err
		}
		err = removeSecondFactor(ctx, tx, actorID, id)
		if errors.Is(err, fault.NotFound) && passkeys.RowsAffected() > 0 {
			err = recordAudit(ctx, tx, actorID, "account.remove_second_factor", accountSubject(id), nil)
		}
		if err != nil {
			return err
		}
		return endCredentials(ctx, tx, id)
	})
}

func removeSecondFactor(ctx context.Context, tx pgx.Tx, actorID, id account.ID) error {
	tag, err := tx.Exec(ctx, `DELETE FROM identity.second_factors WHERE account_id = $1`, id)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return fault.NotFound.Errorf("The account has no second factor.")
	}
	return recordAudit(ctx, tx, actorID, "account.remove_second_factor", accountSubject(id), nil)
}

// RenameAccount changes the name of an account for its user.
func (db *DB) RenameAccount(ctx context.Context, id account.ID, name string) error {
	name, err := account.CheckName(name)
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE identity.users SET name = $2 WHERE account_id = $1`, id, name); err != nil {
			return err
		}
		return recordAudit(ctx, tx, id, "account.rename", accountSubject(id), nil)
	})
}
