package postgres

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Calibrated is an annotator's passage through the calibration set of a
// batch: the last one finished.
type Calibrated struct {
	labeling.Passage
	BatchID   int64
	AccountID int64
	N         int
	Reason    string // with which a lead let them go on
	Project   project.Project
	Items     []CalibrationItem
	Leans     []labeling.Lean
}

type passageRow struct {
	BatchID, AccountID int64
	Batch              string
	Pseudonym, Name    string
	N                  int
	Of, Answered       int // items of the set, and those closed
	Missed, Read       []string
	AfterMiss          labeling.AfterMiss
	DoneAt, SettledAt  *time.Time
	Asked              bool // by a lead
	Let                bool // a lead let them go on
	Reason             string
}

func (r passageRow) passage() labeling.Passage {
	return labeling.Passage{Done: r.DoneAt != nil, Settled: r.SettledAt != nil, Missed: r.Missed, Read: r.Read, AfterMiss: r.AfterMiss}
}

const selectPassage = `
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

// Calibration returns what an annotator is shown of the last calibration set
// they finished in a batch, or fault.NotFound.
func (db *DB) Calibration(ctx context.Context, accountID, batchID int64) (Calibrated, error) {
	row, err := one[passageRow](db.pool.Query(ctx, selectPassage+`
		WHERE run.account_id = $1 AND run.batch_id = $2 AND run.done_at IS NOT NULL
		ORDER BY run.n DESC
		LIMIT 1`, accountID, batchID))
	if err != nil {
		return Calibrated{}, err
	}
	return db.calibrationOf(ctx, row)
}

func (db *DB) calibrationOf(ctx context.Context, row passageRow) (Calibrated, error) {
	c := Calibrated{Passage: row.passage(), BatchID: row.BatchID, AccountID: row.AccountID, N: row.N, Reason: row.Reason}
	p, err := one[projectRow](db.pool.Query(ctx, selectProject+`JOIN batches ON batches.project_id = p.id WHERE batches.id = $1`, row.BatchID))
	if err != nil {
		return c, err
	}
	if c.Project, err = db.projectOf(ctx, p); err != nil {
		return c, err
	}
	if c.Items, err = calibrationItems(ctx, db.pool, row.BatchID, row.AccountID, row.N); err != nil {
		return c, err
	}
	c.Leans = labeling.Leans(c.Project.Protocol, comparedOf(c.Items))
	return c, nil
}

// lockPassage returns the run of an annotator that keeps the work closed.
func lockPassage(ctx context.Context, tx pgx.Tx, accountID, batchID int64) (passageRow, error) {
	if _, err := lockPaths(ctx, tx, accountID, batchID); err != nil {
		return passageRow{}, err
	}
	return one[passageRow](tx.Query(ctx, selectPassage+`
		WHERE run.account_id = $1 AND run.batch_id = $2 AND run.settled_at IS NULL
		FOR UPDATE OF run`, accountID, batchID))
}

// ReadSection notes that an annotator has read the guide's section on a field
// again.
func (db *DB) ReadSection(ctx context.Context, accountID, batchID int64, field string) error {
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

// BeginWork opens the work of a batch to an annotator who is through its
// calibration set. Twice is as good as once.
func (db *DB) BeginWork(ctx context.Context, accountID, batchID int64) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		row, err := lockPassage(ctx, tx, accountID, batchID)
		if fault.KindOf(err) == fault.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if err := row.passage().GoesOn(); err != nil {
			return err
		}
		return settle(ctx, tx, row, 0, "")
	})
}

// TakeAgain has an annotator go through the set once more, in a fresh order,
// where the project wants that after a miss.
func (db *DB) TakeAgain(ctx context.Context, accountID, batchID int64) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		row, err := lockPassage(ctx, tx, accountID, batchID)
		if err != nil {
			return err
		}
		if err := row.passage().TakesAgain(); err != nil {
			return err
		}
		if err := settle(ctx, tx, row, 0, ""); err != nil {
			return err
		}
		return beginRun(ctx, tx, batchID, accountID, 0)
	})
}

func settle(ctx context.Context, tx pgx.Tx, row passageRow, by int64, reason string) error {
	_, err := tx.Exec(ctx, `
		UPDATE calibration_runs SET settled_at = clock_timestamp(), settled_by = nullif($4, 0), reason = $5
		WHERE batch_id = $1 AND account_id = $2 AND n = $3`, row.BatchID, row.AccountID, row.N, by, reason)
	return err
}

// LetGoOn opens the work to an annotator, whatever their calibration says. The
// reason is recorded.
func (db *DB) LetGoOn(ctx context.Context, by int64, p project.Project, batchID, accountID int64, reason string) error {
	reason = strings.Trim(reason, protocol.Blank)
	if n := utf8.RuneCountInString(reason); n == 0 || n > 1000 {
		return fault.Invalid.Says("Please say why, in 1 to 1,000 characters: it is kept with the calibration.")
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		row, err := lockPassage(ctx, tx, accountID, batchID)
		if fault.KindOf(err) == fault.NotFound {
			return fault.Conflict.Says("The work is open to this annotator already.")
		}
		if err != nil {
			return err
		}
		if err := settle(ctx, tx, row, by, reason); err != nil {
			return err
		}
		return audit(ctx, tx, by, "batch.calibration", batchSubject(p.Key, row.Batch), map[string]any{"account": accountID, "let_go_on": reason})
	})
}

// AskAgain has an annotator go through the calibration set once more before
// they are given anything else.
func (db *DB) AskAgain(ctx context.Context, by int64, p project.Project, b project.Batch, accountID int64) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		open, err := lockPaths(ctx, tx, accountID, b.ID)
		if err != nil {
			return err
		}
		if len(open) == 0 || b.Calibration == 0 {
			return fault.Conflict.Says("This batch is closed, has no calibration set, or is not this annotator's.")
		}
		err = beginRun(ctx, tx, b.ID, accountID, by)
		if violates(err, "calibration_gate") {
			return fault.Conflict.Says("This annotator has a calibration set before them already.")
		}
		if err != nil {
			return err
		}
		return audit(ctx, tx, by, "batch.calibration", batchSubject(p.Key, b.Name), map[string]any{"account": accountID, "again": true})
	})
}

// A CalibrationLine is one annotator's last passage through the calibration
// set of a batch, as leads see it.
type CalibrationLine struct {
	labeling.Passage
	AccountID       int64
	Name, Pseudonym string
	N               int
	Answered, Of    int
	Reason          string
	Leans           []labeling.Lean // of the last passage that is done
}

// Calibrations returns how each annotator of a batch came through its
// calibration set, by name.
func (db *DB) Calibrations(ctx context.Context, p project.Project, batchID int64) ([]CalibrationLine, error) {
	rows, err := many[passageRow](db.pool.Query(ctx, selectPassage+`
		WHERE run.batch_id = $1 AND run.n = (
		    SELECT max(l.n) FROM calibration_runs l WHERE l.batch_id = run.batch_id AND l.account_id = run.account_id)
		ORDER BY lower(who.name), run.account_id`, batchID))
	if err != nil {
		return nil, err
	}
	lines := make([]CalibrationLine, len(rows))
	for i, row := range rows {
		lines[i] = CalibrationLine{Passage: row.passage(), AccountID: row.AccountID, Name: row.Name, Pseudonym: row.Pseudonym,
			N: row.N, Answered: row.Answered, Of: row.Of, Reason: row.Reason}
		done := row.N
		if row.DoneAt == nil {
			done--
		}
		if done == 0 {
			continue
		}
		items, err := calibrationItems(ctx, db.pool, row.BatchID, row.AccountID, done)
		if err != nil {
			return nil, err
		}
		lines[i].Leans = labeling.Leans(p.Protocol, comparedOf(items))
	}
	return lines, nil
}
