package postgres

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A CalibrationResult is an annotator's passage through the calibration set of a
// batch: the last one finished.
type CalibrationResult struct {
	labeling.CalibrationAttempt
	BatchID   project.BatchID
	AccountID account.ID
	AttemptNo int
	Reason    string // with which a lead let them go on
	Project   project.Project
	Items     []CalibrationItem
	Biases    []labeling.Bias
}

type calibrationAttemptRow struct {
	BatchID                    project.BatchID
	AccountID                  account.ID
	BatchName                  string
	Pseudonym, Name            string
	AttemptNo                  int
	TotalItems, AnsweredItems  int // items of the set, and those closed
	MissedFields, ReadSections []string
	MissPolicy                 labeling.MissPolicy
	CompletedAt, ResolvedAt    *time.Time
	RequestedByLead            bool // by a lead
	ResolvedByLead             bool // a lead let them go on
	Reason                     string
}

func (r calibrationAttemptRow) toAttempt() labeling.CalibrationAttempt {
	return labeling.CalibrationAttempt{Completed: r.CompletedAt != nil, Resolved: r.ResolvedAt != nil, MissedFields: r.MissedFields, ReadSections: r.ReadSections, MissPolicy: r.MissPolicy}
}

const selectCalibrationAttempt = `
	SELECT run.batch_id, run.account_id, b.name AS batch, m.pseudonym, who.name, run.n, cardinality(run.path) AS of,
	       (SELECT count(*) FROM assignments a
	        WHERE a.batch_id = run.batch_id AND a.account_id = run.account_id AND a.kind = 'calibration'
	          AND a.presentation = run.n AND a.state <> 'open') AS answered,
	       coalesce(run.missed, '{}') AS missed, run.done_at, run.settled_at, run.reason,
	       run.asked_by IS NOT NULL AS asked, run.settled_by IS NOT NULL AS let, p.after_miss,
	       ARRAY (SELECT s.section FROM sections_read s
	              WHERE s.batch_id = run.batch_id AND s.account_id = run.account_id AND s.n = run.n) AS read
	FROM calibration_runs run
	JOIN batches b ON b.id = run.batch_id
	JOIN projects p ON p.id = b.project_id
	JOIN members m ON m.project_id = p.id AND m.account_id = run.account_id
	JOIN identity.people who ON who.account_id = run.account_id `

// CalibrationResult returns what an annotator is shown of the last calibration set
// they finished in a batch, or fault.NotFound.
func (db *DB) CalibrationResult(ctx context.Context, accountID account.ID, batchID project.BatchID) (CalibrationResult, error) {
	row, err := collectOne[calibrationAttemptRow](db.pool.Query(ctx, selectCalibrationAttempt+`
		WHERE run.account_id = $1 AND run.batch_id = $2 AND run.done_at IS NOT NULL
		ORDER BY run.n DESC
		LIMIT 1`, accountID, batchID))
	if err != nil {
		return CalibrationResult{}, err
	}
	return db.loadCalibrationResult(ctx, row)
}

func (db *DB) loadCalibrationResult(ctx context.Context, row calibrationAttemptRow) (CalibrationResult, error) {
	c := CalibrationResult{CalibrationAttempt: row.toAttempt(), BatchID: row.BatchID, AccountID: row.AccountID, AttemptNo: row.AttemptNo, Reason: row.Reason}
	p, err := collectOne[projectRow](db.pool.Query(ctx, selectProject+`JOIN batches ON batches.project_id = p.id WHERE batches.id = $1`, row.BatchID))
	if err != nil {
		return c, err
	}
	if c.Project, err = db.projectFromRow(ctx, p); err != nil {
		return c, err
	}
	if c.Items, err = loadCalibrationItems(ctx, db.pool, row.BatchID, row.AccountID, row.AttemptNo); err != nil {
		return c, err
	}
	c.Biases = labeling.ComputeBiases(c.Project.Protocol, pairAnswers(c.Items))
	return c, nil
}

// lockUnresolvedAttempt returns the run of an annotator that keeps the work closed.
func lockUnresolvedAttempt(ctx context.Context, tx pgx.Tx, accountID account.ID, batchID project.BatchID) (calibrationAttemptRow, error) {
	if _, err := lockOpenBatches(ctx, tx, accountID, batchID); err != nil {
		return calibrationAttemptRow{}, err
	}
	return collectOne[calibrationAttemptRow](tx.Query(ctx, selectCalibrationAttempt+`
		WHERE run.account_id = $1 AND run.batch_id = $2 AND run.settled_at IS NULL
		FOR UPDATE OF run`, accountID, batchID))
}

// MarkSectionRead notes that an annotator has read the guide's section on a field
// again.
func (db *DB) MarkSectionRead(ctx context.Context, accountID account.ID, batchID project.BatchID, field string) error {
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO sections_read (batch_id, account_id, n, section)
		SELECT batch_id, account_id, n, $3 FROM calibration_runs
		WHERE account_id = $1 AND batch_id = $2 AND done_at IS NOT NULL AND settled_at IS NULL AND $3 = ANY (missed)
		ON CONFLICT (batch_id, account_id, n, section) DO UPDATE SET at = sections_read.at`, accountID, batchID, field)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.NotFound
	}
	return err
}

// StartWork opens the work of a batch to an annotator who is through its
// calibration set. Twice is as good as once.
func (db *DB) StartWork(ctx context.Context, accountID account.ID, batchID project.BatchID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		row, err := lockUnresolvedAttempt(ctx, tx, accountID, batchID)
		if fault.KindOf(err) == fault.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if err := row.toAttempt().CheckContinue(); err != nil {
			return err
		}
		return resolveCalibrationAttempt(ctx, tx, row, 0, "")
	})
}

// RetakeCalibration has an annotator go through the set once more, in a fresh order,
// where the project wants that after a miss.
func (db *DB) RetakeCalibration(ctx context.Context, accountID account.ID, batchID project.BatchID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		row, err := lockUnresolvedAttempt(ctx, tx, accountID, batchID)
		if err != nil {
			return err
		}
		if err := row.toAttempt().CheckRetake(); err != nil {
			return err
		}
		if err := resolveCalibrationAttempt(ctx, tx, row, 0, ""); err != nil {
			return err
		}
		return startCalibrationAttempt(ctx, tx, batchID, accountID, 0)
	})
}

func resolveCalibrationAttempt(ctx context.Context, tx pgx.Tx, row calibrationAttemptRow, actorID account.ID, reason string) error {
	_, err := tx.Exec(ctx, `
		UPDATE calibration_runs SET settled_at = clock_timestamp(), settled_by = nullif($4, 0), reason = $5
		WHERE batch_id = $1 AND account_id = $2 AND n = $3`, row.BatchID, row.AccountID, row.AttemptNo, actorID, reason)
	return err
}

// OverrideCalibration opens the work to an annotator, whatever their calibration says. The
// reason is recorded.
func (db *DB) OverrideCalibration(ctx context.Context, actorID account.ID, p project.Project, batchID project.BatchID, accountID account.ID, reason string) error {
	reason = strings.Trim(reason, protocol.BlankChars)
	if n := utf8.RuneCountInString(reason); n == 0 || n > 1000 {
		return fault.Invalid.Errorf("Please say why, in 1 to 1,000 characters: it is kept with the calibration.")
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		row, err := lockUnresolvedAttempt(ctx, tx, accountID, batchID)
		if fault.KindOf(err) == fault.NotFound {
			return fault.Conflict.Errorf("The work is open to this annotator already.")
		}
		if err != nil {
			return err
		}
		if err := resolveCalibrationAttempt(ctx, tx, row, actorID, reason); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "batch.calibration", batchSubject(p.Key, row.BatchName), map[string]any{"account": accountID, "let_go_on": reason})
	})
}

// RequestRetake has an annotator go through the calibration set once more before
// they are given anything else.
func (db *DB) RequestRetake(ctx context.Context, actorID account.ID, p project.Project, b project.Batch, accountID account.ID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		openBatchIDs, err := lockOpenBatches(ctx, tx, accountID, b.ID)
		if err != nil {
			return err
		}
		if len(openBatchIDs) == 0 || b.CalibrationCount == 0 {
			return fault.Conflict.Errorf("This batch is closed, has no calibration set, or is not this annotator's.")
		}
		err = startCalibrationAttempt(ctx, tx, b.ID, accountID, actorID)
		if violates(err, "calibration_gate") {
			return fault.Conflict.Errorf("This annotator has a calibration set before them already.")
		}
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "batch.calibration", batchSubject(p.Key, b.Name), map[string]any{"account": accountID, "again": true})
	})
}

// A CalibrationSummary is one annotator's last passage through the calibration
// set of a batch, as leads see it.
type CalibrationSummary struct {
	labeling.CalibrationAttempt
	AccountID                 account.ID
	Name, Pseudonym           string
	AttemptNo                 int
	AnsweredItems, TotalItems int
	Reason                    string
	Biases                    []labeling.Bias // of the last passage that is done
}

// CalibrationSummaries returns how each annotator of a batch came through its
// calibration set, by name.
func (db *DB) CalibrationSummaries(ctx context.Context, p project.Project, batchID project.BatchID) ([]CalibrationSummary, error) {
	rows, err := collectAll[calibrationAttemptRow](db.pool.Query(ctx, selectCalibrationAttempt+`
		WHERE run.batch_id = $1 AND run.n = (
		    SELECT max(l.n) FROM calibration_runs l WHERE l.batch_id = run.batch_id AND l.account_id = run.account_id)
		ORDER BY lower(who.name), run.account_id`, batchID))
	if err != nil {
		return nil, err
	}
	summaries := make([]CalibrationSummary, len(rows))
	for i, row := range rows {
		summaries[i] = CalibrationSummary{CalibrationAttempt: row.toAttempt(), AccountID: row.AccountID, Name: row.Name, Pseudonym: row.Pseudonym,
			AttemptNo: row.AttemptNo, AnsweredItems: row.AnsweredItems, TotalItems: row.TotalItems, Reason: row.Reason}
		completedNo := row.AttemptNo
		if row.CompletedAt == nil {
			completedNo--
		}
		if completedNo == 0 {
			continue
		}
		items, err := loadCalibrationItems(ctx, db.pool, row.BatchID, row.AccountID, completedNo)
		if err != nil {
			return nil, err
		}
		summaries[i].Biases = labeling.ComputeBiases(p.Protocol, pairAnswers(items))
	}
	return summaries, nil
}
