package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// A CalibrationResult is the last completed calibration attempt of an annotator in a batch.
type CalibrationResult struct {
	labeling.CalibrationAttempt
	BatchID   project.BatchID
	AccountID account.ID
	AttemptNo int
	Reason    string // why a lead let the annotator continue
	Project   project.Project
	Items     []CalibrationItem
	Biases    []labeling.Bias
}

type calibrationAttemptRow struct {
	BatchID                   project.BatchID
	AccountID                 account.ID
	BatchName                 string
	Pseudonym, Name           string
	AttemptNo                 int
	TotalItems, AnsweredItems int

	MissedFields, ReadSections []string
	MissPolicy                 labeling.MissPolicy
	CompletedAt, ResolvedAt    *time.Time
	Reason                     string

	IsPractice, IsLatest, HasStarted bool
}

func (r calibrationAttemptRow) toAttempt() labeling.CalibrationAttempt {
	return labeling.CalibrationAttempt{Completed: r.CompletedAt != nil, Resolved: r.ResolvedAt != nil,
		MissedFields: r.MissedFields, ReadSections: r.ReadSections, MissPolicy: r.MissPolicy,
		IsPractice: r.IsPractice, IsLatest: r.IsLatest, HasStarted: r.HasStarted}
}

const selectCalibrationAttempt = `
	SELECT c.batch_id, c.account_id, b.name AS batch_name, m.pseudonym, u.name, c.attempt_no,
	cardinality(c.queue) AS total_items,
	       (SELECT count(*) FROM assignments a
	        WHERE a.batch_id = c.batch_id AND a.account_id = c.account_id AND a.kind = 'calibration'
	          AND a.presentation_no = c.attempt_no AND a.state <> 'open') AS answered_items,
	       coalesce(c.missed_fields, '{}') AS missed_fields, c.completed_at, c.resolved_at, c.reason, p.miss_policy,
	       c.is_practice, NOT EXISTS (
	           SELECT FROM calibration_attempts later
	           WHERE later.batch_id = c.batch_id AND later.account_id = c.account_id
	             AND later.attempt_no > c.attempt_no) AS is_latest, EXISTS (
	           SELECT FROM assignments a
	           WHERE a.batch_id = c.batch_id AND a.account_id = c.account_id AND a.kind = 'work') AS has_started,
	       ARRAY (SELECT s.section FROM guide_sections_read s
	              WHERE s.batch_id = c.batch_id AND s.account_id = c.account_id
	              AND s.attempt_no = c.attempt_no) AS read_sections
	FROM calibration_attempts c
	JOIN batches b ON b.id = c.batch_id
	JOIN projects p ON p.id = b.project_id
	JOIN members m ON m.project_id = p.id AND m.account_id = c.account_id
	JOIN identity.member_names u ON u.project_id = p.id AND u.account_id = c.account_id `

// CalibrationResult returns the last completed calibration attempt of an annotator in a
// batch, or fault.NotFound.
func (db *DB) CalibrationResult(ctx context.Context, accountID account.ID, batchID project.BatchID) (CalibrationResult,
	error) {
	row, err := collectOne[calibrationAttemptRow](db.pool.Query(ctx, selectCalibrationAttempt+`
		WHERE c.account_id = $1 AND c.batch_id = $2 AND c.completed_at IS NOT NULL AND m.removed_at IS NULL
		ORDER BY c.attempt_no DESC
		LIMIT 1`, accountID, batchID))
	if err != nil {
		return CalibrationResult{}, err
	}
	return db.loadCalibrationResult(ctx, row)
}

// showsReference reports whether the reference is shown after the answer of an assignment.
func showsReference(ctx context.Context, tx querier, a assignment) (isShown bool, err error) {
	if a.Kind == sequence.KindCalibration {
		err = tx.QueryRow(ctx, `SELECT NOT reference_at_end FROM batches WHERE id = $1`, a.BatchID).Scan(&isShown)
	}
	return isShown, err
}

// SubmittedCalibrationItem returns the attempt that a submitted calibration item belongs to,
// with that item only, or fault.NotFound if its reference is not shown yet.
func (db *DB) SubmittedCalibrationItem(ctx context.Context, accountID account.ID, token string) (CalibrationResult,
	error) {
	row, err := collectOne[struct {
		ItemID project.ItemID
		calibrationAttemptRow
	}](db.pool.Query(ctx, `
		SELECT answered.item_id, attempt.*
		FROM assignments answered
		JOIN batches shown ON shown.id = answered.batch_id
		JOIN (`+selectCalibrationAttempt+` WHERE c.account_id = $1 AND m.removed_at IS NULL) attempt
		     ON attempt.batch_id = answered.batch_id AND attempt.attempt_no = answered.presentation_no
		WHERE answered.token = $2 AND answered.account_id = $1 AND answered.kind = 'calibration'
		  AND answered.state = 'submitted' AND (NOT shown.reference_at_end OR attempt.completed_at IS NOT NULL)`,
		accountID, token))
	if err != nil {
		return CalibrationResult{}, err
	}
	c, err := db.loadCalibrationResult(ctx, row.calibrationAttemptRow)
	c.Items = slices.DeleteFunc(c.Items, func(i CalibrationItem) bool { return i.ItemID != row.ItemID })
	return c, err
}

func (db *DB) loadCalibrationResult(ctx context.Context, row calibrationAttemptRow) (CalibrationResult, error) {
	c := CalibrationResult{CalibrationAttempt: row.toAttempt(), BatchID: row.BatchID, AccountID: row.AccountID,
		AttemptNo: row.AttemptNo, Reason: row.Reason}
	p, err := collectOne[projectRow](db.pool.Query(ctx, selectProject+
		`JOIN batches ON batches.project_id = p.id AND batches.protocol_version_id = v.id WHERE batches.id = $1`, row.BatchID))
	if err != nil {
		return c, err
	}
	if c.Project, err = db.projectFromRow(ctx, p); err != nil {
		return c, err
	}
	if c.Project.Protocol, err = db.batchProtocol(ctx, c.Project.ID, row.BatchID); err != nil {
		return c, err
	}
	if c.Items, err = loadCalibrationItems(ctx, db.pool, row.BatchID, row.AccountID, row.AttemptNo); err != nil {
		return c, err
	}
	c.Biases = labeling.ComputeBiases(c.Project.Protocol, pairAnswers(c.Items))
	return c, nil
}

// lockUnresolvedAttempt returns the attempt that keeps the annotator from work.
func lockUnresolvedAttempt(ctx context.Context, tx pgx.Tx, accountID account.ID, batchID project.BatchID) (
	calibrationAttemptRow, error) {
	if _, err := lockOpenBatches(ctx, tx, accountID, batchID); err != nil {
		return calibrationAttemptRow{}, err
	}
	return collectOne[calibrationAttemptRow](tx.Query(ctx, selectCalibrationAttempt+`
		WHERE c.account_id = $1 AND c.batch_id = $2 AND c.resolved_at IS NULL AND m.removed_at IS NULL
		FOR UPDATE OF c`, accountID, batchID))
}

// MarkSectionRead records that an annotator read the guide's section on a missed field.
func (db *DB) MarkSectionRead(ctx context.Context, accountID account.ID, batchID project.BatchID, field string) error {
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO guide_sections_read (batch_id, account_id, attempt_no, section)
		SELECT batch_id, account_id, attempt_no, $3 FROM calibration_attempts a
		WHERE account_id = $1 AND batch_id = $2 AND completed_at IS NOT NULL AND resolved_at IS NULL
		AND $3 = ANY (missed_fields) AND `+isActive+`
		ON CONFLICT (batch_id, account_id, attempt_no, section) DO UPDATE SET read_at = guide_sections_read.read_at`,
		accountID, batchID, field)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.NotFound
	}
	return err
}

// StartWork lets an annotator start work after the calibration set. Repeated calls have no
// effect.
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

// RetakeCalibration starts another calibration attempt if the project requires it after a
// miss.
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

func resolveCalibrationAttempt(ctx context.Context, tx pgx.Tx, row calibrationAttemptRow, actorID account.ID,
	reason string) error {
	_, err := tx.Exec(ctx, `
		UPDATE calibration_attempts SET resolved_at = clock_timestamp(), resolved_by = nullif($4, 0), reason = $5
		WHERE batch_id = $1 AND account_id = $2 AND attempt_no =
		$3`, row.BatchID, row.AccountID, row.AttemptNo, actorID, reason)
	return err
}

// OverrideCalibration lets an annotator start work regardless of the calibration result, and
// records the reason.
func (db *DB) OverrideCalibration(ctx context.Context, actorID account.ID, p project.Project, batchID project.BatchID,
	accountID account.ID, reason string) error {
	reason, err := checkText(reason, MaxCorrection, "Give a reason of 1 to 1,000 characters. It is stored with the calibration.")
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		row, err := lockUnresolvedAttempt(ctx, tx, accountID, batchID)
		if fault.KindOf(err) == fault.NotFound {
			return fault.Conflict.Errorf("This annotator can already start work.")
		}
		if err != nil {
			return err
		}
		if err := resolveCalibrationAttempt(ctx, tx, row, actorID, reason); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "calibration.override", batchSubject(p.Key, row.BatchName),
			map[string]any{"account": accountID, "reason": reason})
	})
}

// RequestRetake starts another calibration attempt, which comes before any other item of the
// annotator.
func (db *DB) RequestRetake(ctx context.Context, actorID account.ID, p project.Project, b project.Batch,
	accountID account.ID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		openBatchIDs, err := lockOpenBatches(ctx, tx, accountID, b.ID)
		if err != nil {
			return err
		}
		if len(openBatchIDs) == 0 || b.CalibrationCount == 0 {
			return fault.Conflict.Errorf("This batch is closed, has no calibration set, or does not include this annotator.")
		}
		err = startCalibrationAttempt(ctx, tx, b.ID, accountID, actorID)
		if violates(err, "calibration_attempts_one_unresolved") {
			return fault.Conflict.Errorf("This annotator already has a calibration set to complete.")
		}
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "calibration.request_retake", batchSubject(p.Key, b.Name),
			map[string]any{"account": accountID})
	})
}

// A CalibrationSummary is the last calibration attempt of an annotator, for leads.
type CalibrationSummary struct {
	labeling.CalibrationAttempt
	AccountID                 account.ID
	Name, Pseudonym           string
	AttemptNo                 int
	AnsweredItems, TotalItems int
	Reason                    string
	Biases                    []labeling.Bias   // of the last completed attempt
	Items                     []CalibrationItem // likewise
}

// CalibrationSummaries returns the last calibration attempt of each annotator of a batch, by
// name.
func (db *DB) CalibrationSummaries(ctx context.Context, p project.Project, batchID project.BatchID) (
	[]CalibrationSummary, error) {
	rows, err := collectAll[calibrationAttemptRow](db.pool.Query(ctx, selectCalibrationAttempt+`
		WHERE c.batch_id = $1 AND c.attempt_no = (
		    SELECT max(l.attempt_no) FROM calibration_attempts l WHERE l.batch_id = c.batch_id AND l.account_id = c.account_id)
		ORDER BY lower(u.name), c.account_id`, batchID))
	if err != nil {
		return nil, err
	}
	summaries := make([]CalibrationSummary, len(rows))
	for i, row := range rows {
		summaries[i] = CalibrationSummary{CalibrationAttempt: row.toAttempt(), AccountID: row.AccountID, Name: row.Name,
			Pseudonym: row.Pseudonym,
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
		summaries[i].Items, summaries[i].Biases = items, labeling.ComputeBiases(p.Protocol, pairAnswers(items))
	}
	return summaries, nil
}
