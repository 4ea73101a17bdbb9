package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
)

// An AuditLink is a link of the hash chain of the audit log. Its hash covers the entry or the
// seal of the link and all earlier ones.
type AuditLink struct {
	SequenceNo int // from 1; 0: no link
	Hash       []byte
}

// String returns the form that ParseAuditLink reads, such as 17:9f2c….
func (l AuditLink) String() string { return fmt.Sprintf("%d:%x", l.SequenceNo, l.Hash) }

// ParseAuditLink parses a link that an earlier verification returned.
func ParseAuditLink(text string) (l AuditLink, err error) {
	var digits string
	if _, err := fmt.Sscanf(text, "%d:%s", &l.SequenceNo, &digits); err != nil {
		return l, err
	}
	l.Hash, err = hex.DecodeString(digits)
	return l, err
}

// VerifyAuditLog recomputes the hash chain of the audit log, compares the data with their seals,
// and returns the last link. The first problem is a fault.Conflict that names it. Only an earlier
// link, kept outside the database, shows that the whole chain was recomputed; the zero link
// compares with nothing.
func (db *DB) VerifyAuditLog(ctx context.Context, earlier AuditLink) (last AuditLink, err error) {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, db.pool, options, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = '1h'`); err != nil {
			return err
		}
		if err := checkAuditChain(ctx, tx); err != nil {
			return err
		}
		if err := findAuditLink(ctx, tx, earlier); err != nil {
			return err
		}
		if err := checkData(ctx, tx); err != nil {
			return err
		}
		last, err = collectOne[AuditLink](tx.Query(ctx, `SELECT sequence_no, hash FROM audit_chain_end`))
		return err
	})
	return last, err
}

// checkAuditChain returns a conflict that names the first broken entry, if there is one.
func checkAuditChain(ctx context.Context, tx pgx.Tx) error {
	problem, err := collectOne[auditProblem](tx.Query(ctx, `
		SELECT coalesce(sequence_no, 0) AS sequence_no, coalesce(entry_id, 0) AS entry_id, problem,
		       coalesce(seal_id, 0) AS seal_id
		FROM audit_problems
		ORDER BY audit_problems.sequence_no NULLS LAST, audit_problems.entry_id, audit_problems.seal_id
		LIMIT 1`))
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return problem.toError()
}

// findAuditLink returns a conflict if the chain does not contain a link.
func findAuditLink(ctx context.Context, tx pgx.Tx, l AuditLink) error {
	if l.SequenceNo == 0 {
		return nil
	}
	var isContained bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM audit_chain WHERE sequence_no = $1
		AND hash = $2)`, l.SequenceNo, l.Hash).Scan(&isContained)
	if err != nil || isContained {
		return err
	}
	return fault.Conflict.Errorf("The audit log differs from the one that had link %d: an entry up to that link was changed or deleted, and the hashes were computed again.", l.SequenceNo)
}

// An auditProblem is a row of the view audit_problems.
type auditProblem struct {
	SequenceNo int
	EntryID    int64 // 0: the link is that of a seal
	Problem    string
	SealID     int64
}

func (p auditProblem) toError() error {
	switch p.Problem {
	case "deleted_before":
		if p.SealID != 0 {
			return fault.Conflict.Errorf("At least one entry of the audit log before link %d was deleted, with its link. It is the next one left.", p.SequenceNo)
		}
		return fault.Conflict.Errorf("At least one entry of the audit log before entry %d was deleted, with its link. Link %d is the next one left.", p.EntryID, p.SequenceNo)
	case "deleted_after":
		if p.SealID != 0 {
			return fault.Conflict.Errorf("The end of the audit log was deleted or replaced. The log had %d links.", p.SequenceNo)
		}
		return fault.Conflict.Errorf("The end of the audit log, after entry %d, was deleted or replaced. The log had %d entries.", p.EntryID, p.SequenceNo)
	}
	if p.SealID != 0 {
		return fault.Conflict.Errorf("Seal %d of the data was changed, deleted, or added without a link of the hash chain.", p.SealID)
	}
	switch p.Problem {
	case "changed":
		return fault.Conflict.Errorf("Entry %d of the audit log was changed. It is the first broken entry (link %d).",
			p.EntryID, p.SequenceNo)
	case "deleted":
		return fault.Conflict.Errorf("Entry %d of the audit log was deleted. It is the first broken entry (link %d).",
			p.EntryID, p.SequenceNo)
	}
	return fault.Conflict.Errorf("Entry %d of the audit log was added without a link of the hash chain.", p.EntryID)
}
