package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// A batchEditor changes a batch. It holds the locks that keep everybody else from changing
// it: the project, the batch, and all its annotators in the order of their ids.
type batchEditor struct {
	tx         pgx.Tx
	actorID    account.ID
	project    project.Project
	batch      project.Batch
	annotators []batchAnnotator
	labelItems []project.ItemID // that get more labels; nil: all
	changed    batchAuditDetail
}

// A batchAnnotator is an annotator of a batch that is being changed.
type batchAnnotator struct {
	AccountID        account.ID
	Email, Pseudonym string
	Share            float64
	WaitingCount     int
	Paused, Removed  bool
}

// A batchAuditDetail is what the audit log records of a change.
type batchAuditDetail struct {
	project.BatchEffect
	Reason   string                 `json:"reason"`
	ItemIDs  []project.ItemID       `json:"ids,omitempty"` // of chosen items, unless there are many
	Settings *project.BatchSettings `json:"settings,omitempty"`
	Rule     any                    `json:"rule,omitempty"` // a project.OverlapRule, or "dropped"
}

// ChangeBatch changes an open batch. It returns what that did, or project.FormProblems that
// list what to change in c.
func (db *DB) ChangeBatch(ctx context.Context, actorID account.ID, p project.Project, name string,
	c project.BatchChange) (effect project.BatchEffect, err error) {
	err = db.changeBatch(ctx, actorID, p, name, c, func(e *batchEditor, _ []batchAnnotator) error {
		effect = e.changed.BatchEffect
		return e.record(ctx, "batch.change", c.Reason)
	})
	return effect, err
}

// errPreviewed undoes a change that was made to see what it does.
var errPreviewed = errors.New("previewed")

// PreviewBatchChange returns what ChangeBatch would do. It makes the change and undoes it, so annotators of the batch
// wait as long.
func (db *DB) PreviewBatchChange(ctx context.Context, actorID account.ID, p project.Project, name string,
	c project.BatchChange) (preview project.BatchChangePreview, err error) {
	c.Reason = "preview"
	err = db.changeBatch(ctx, actorID, p, name, c, func(e *batchEditor, before []batchAnnotator) error {
		preview.Effect = e.changed.BatchEffect
		waiting := map[account.ID]int{}
		for _, a := range before {
			waiting[a.AccountID] = a.WaitingCount
		}
		for _, a := range e.annotators {
			preview.Annotators = append(preview.Annotators, project.ChangedQueue{Email: a.Email, Pseudonym: a.Pseudonym,
				Before: waiting[a.AccountID], After: a.WaitingCount, IsPaused: a.Paused, IsRemoved: a.Removed})
		}
		counts, err := collectOne[project.Batch](e.tx.Query(ctx, selectBatch+`WHERE b.id = $2`, 0, e.batch.ID))
		if err != nil {
			return err
		}
		preview.LabelsBefore, preview.LabelsAfter = e.batch.LabelsWanted, counts.LabelsWanted
		if err := e.tx.QueryRow(ctx, countStuck, e.batch.ID).Scan(&preview.Stuck); err != nil {
			return err
		}
		return errPreviewed
	})
	if errors.Is(err, errPreviewed) {
		err = nil
	}
	return preview, err
}

// changeBatch makes a change; finish gets the annotators as they were before it, and can undo it with an error.
func (db *DB) changeBatch(ctx context.Context, actorID account.ID, p project.Project, name string,
	c project.BatchChange, finish func(e *batchEditor, before []batchAnnotator) error) (err error) {
	if c, err = c.Check(); err != nil {
		return err
	}
	var labelItems []project.ItemID
	if c.LabelItems != nil {
		if labelItems, err = db.selectBatchItems(ctx, actorID, p, name, *c.LabelItems); err != nil {
			return err
		}
	}
	return db.editBatch(ctx, actorID, p, name, func(e *batchEditor) error {
		if e.batch.ClosedAt != nil {
			return fault.Conflict.Errorf("The batch “%s” is closed. Reopen it to change it.", name)
		}
		if e.labelItems = labelItems; len(labelItems) <= maxRecordedIDs {
			e.changed.ItemIDs = labelItems
		}
		before := e.annotators
		if err := e.apply(ctx, c); err != nil {
			return err
		}
		return finish(e, before)
	})
}

// editBatch locks a batch and runs edit in one transaction. Annotators wait, and then see
// the change.
func (db *DB) editBatch(ctx context.Context, actorID account.ID, p project.Project, name string,
	edit func(*batchEditor) error) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		// Not FOR UPDATE, which would wait for annotators whose rows refer to the project, while
		// they wait for this transaction.
		_, err := tx.Exec(ctx, `SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE`, p.ID)
		if err != nil {
			return err
		}
		e := &batchEditor{tx: tx, actorID: actorID, project: p}
		if _, err = tx.Exec(ctx, `SELECT FROM batches WHERE project_id = $1
			AND name = $2 FOR NO KEY UPDATE`, p.ID, name); err != nil {
			return err
		}
		if e.batch, err = collectOne[project.Batch](tx.Query(ctx, selectBatch+`WHERE b.project_id = $2 AND b.name = $3`,
			0, p.ID, name)); err != nil {
			return err
		}
		if e.project, err = db.WithVersion(ctx, p, e.batch.ProtocolVersionID); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `SELECT FROM batch_annotators WHERE batch_id = $1
			ORDER BY account_id FOR NO KEY UPDATE`, e.batch.ID); err != nil {
			return err
		}
		if err := checkVersion(ctx, tx, VersionedBatch, e.batch.ID); err != nil {
			return err
		}
		if err := e.loadAnnotators(ctx); err != nil {
			return err
		}
		if err := edit(e); err != nil {
			return err
		}
		if err := withholdSeen(ctx, tx, e.batch.ID); err != nil {
			return err
		}
		// a new version, also where only annotators changed
		_, err = tx.Exec(ctx, `UPDATE batches SET version = version WHERE id = $1`, e.batch.ID)
		return err
	})
}

func (e *batchEditor) loadAnnotators(ctx context.Context) (err error) {
	e.annotators, err = collectAll[batchAnnotator](e.tx.Query(ctx, `
		SELECT ba.account_id, u.email, m.pseudonym, ba.share, ba.waiting_count,
		ba.paused_at IS NOT NULL AS paused,
		       ba.removed_at IS NOT NULL OR m.removed_at IS NOT NULL AS removed
		FROM batch_annotators ba
		JOIN members m ON m.project_id = $2 AND m.account_id = ba.account_id
		JOIN identity.users u ON u.account_id = ba.account_id
		WHERE ba.batch_id = $1
		ORDER BY ba.account_id`, e.batch.ID, e.project.ID))
	return err
}

// apply makes the changes in an order in which each sees the ones before: who works, what is
// to be labeled, and then who labels it.
func (e *batchEditor) apply(ctx context.Context, c project.BatchChange) error {
	steps := []func(context.Context, project.BatchChange) error{
		e.changeSettings, e.resume, e.add, e.allowSeen, e.pause, e.remove, e.reassign, e.give,
		e.addItems, e.raiseLabels, e.changeRule,
	}
	for _, step := range steps {
		if err := step(ctx, c); err != nil {
			return err
		}
		if err := e.loadAnnotators(ctx); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(e.annotators, func(a batchAnnotator) bool { return !a.Removed }) {
		return project.FormProblems{{Field: "remove",
			Err: fault.Conflict.Errorf("The batch would have no annotator left. Add one, or close the batch.")}}
	}
	return nil
}

// find returns the annotators of these addresses or pseudonyms who are not removed.
func (e *batchEditor) find(field string, names []string) (found []batchAnnotator, err error) {
	for _, name := range names {
		i := slices.IndexFunc(e.annotators, func(a batchAnnotator) bool {
			return !a.Removed && (strings.EqualFold(a.Email, name) || a.Pseudonym == name)
		})
		if i < 0 {
			return nil, project.FormProblems{{Field: field,
				Err: fault.NotFound.Errorf("“%s” is not an annotator of this batch.", name)}}
		}
		found = append(found, e.annotators[i])
	}
	return found, nil
}

// working returns the annotators who can get items, except some.
func (e *batchEditor) working(except ...account.ID) (working []batchAnnotator) {
	for _, a := range e.annotators {
		if !a.Removed && !a.Paused && !slices.Contains(except, a.AccountID) {
			working = append(working, a)
		}
	}
	return working
}

func (e *batchEditor) changeSettings(ctx context.Context, c project.BatchChange) error {
	s := c.Settings
	if s == (project.BatchSettings{}) {
		return nil
	}
	e.changed.Settings = &s
	_, err := e.tx.Exec(ctx, `
		UPDATE batches
		SET break_every = coalesce($2, break_every), break_minutes = coalesce($3, break_minutes),
		    daily_item_limit = CASE WHEN $4::int IS NULL THEN daily_item_limit ELSE nullif($4, -1) END,
		    session_limit_minutes = CASE WHEN $5::int IS NULL THEN session_limit_minutes ELSE nullif($5, -1) END,
		    deadline = CASE WHEN $6::text IS NULL THEN deadline ELSE nullif($6, '')::date END
		WHERE id = $1`, e.batch.ID, s.BreakEvery, s.BreakMinutes, s.DailyItemLimit, s.SessionLimitMinutes, s.Deadline)
	return err
}

func (e *batchEditor) pause(ctx context.Context, c project.BatchChange) error {
	return e.setPaused(ctx, "pause", c.Pause, true, "paused", &e.changed.Paused)
}

func (e *batchEditor) resume(ctx context.Context, c project.BatchChange) error {
	return e.setPaused(ctx, "resume", c.Resume, false, "resumed", &e.changed.Resumed)
}

// setPaused pauses or resumes annotators. A paused one keeps the open item, and gets no other.
func (e *batchEditor) setPaused(ctx context.Context, field string, names []string, isPaused bool, notice string,
	count *int) error {
	annotators, err := e.find(field, names)
	for _, a := range annotators {
		if a.Paused == isPaused {
			continue
		}
		_, err := e.tx.Exec(ctx, `UPDATE batch_annotators SET paused_at = CASE WHEN $3 THEN now() END,
			paused_by_gold = false
			WHERE batch_id = $1 AND account_id = $2`, e.batch.ID, a.AccountID, isPaused)
		if err != nil {
			return err
		}
		*count++
		if err := e.notify(ctx, a.AccountID, notice, 0, nil); err != nil {
			return err
		}
	}
	return err
}

// allowSeen lets annotators label items of the batch although they have seen answers to them. The labels are
// not blind. Only an admin or a command may do that.
func (e *batchEditor) allowSeen(ctx context.Context, c project.BatchChange) error {
	annotators, err := e.find("allow_seen", c.AllowSeen)
	if err != nil || len(annotators) == 0 {
		return err
	}
	if e.actorID != 0 {
		if err := requireAdmin(ctx, e.tx, e.actorID); err != nil {
			return err
		}
	}
	for _, a := range annotators {
		_, err := e.tx.Exec(ctx, `
			WITH allowed AS (
				UPDATE batch_annotators SET may_label_seen = true WHERE batch_id = $1 AND account_id = $2
			)
			DELETE FROM withheld_items w
			USING batch_items bi
			WHERE w.account_id = $2 AND w.has_seen AND bi.batch_id = $1 AND bi.item_id = w.item_id`,
			e.batch.ID, a.AccountID)
		if err != nil {
			return err
		}
		e.changed.AllowedSeen++
	}
	return nil
}

// add adds annotators, who take their share of what waits for the others. In a pool they
// claim what is free.
func (e *batchEditor) add(ctx context.Context, c project.BatchChange) error {
	ids, err := findAnnotators(ctx, e.tx, e.actorID, e.project.ID, c.Add)
	if err != nil || len(ids) == 0 {
		return err
	}
	for _, id := range ids {
		if err := e.addAccount(ctx, id); err != nil {
			return err
		}
	}
	if err := e.loadAnnotators(ctx); err != nil {
		return err
	}
	if err := e.shareWaiting(ctx); err != nil {
		return err
	}
	return e.scheduleHidden(ctx, ids)
}

// scheduleHidden plans hidden items for added annotators, as many as fit into what waits for them.
func (e *batchEditor) scheduleHidden(ctx context.Context, ids []account.ID) error {
	if err := e.loadAnnotators(ctx); err != nil {
		return err
	}
	for _, a := range e.annotators {
		if !slices.Contains(ids, a.AccountID) {
			continue
		}
		var presented int
		err := e.tx.QueryRow(ctx, `UPDATE batch_annotators SET expected_items = $3 WHERE batch_id = $1 AND account_id = $2
			AND expected_items = 0 RETURNING presented_count`, e.batch.ID, a.AccountID, a.WaitingCount).Scan(&presented)
		if errors.Is(err, pgx.ErrNoRows) || presented > 0 {
			continue
		}
		if err != nil {
			return err
		}
		plan := sequence.Plan{Work: a.WaitingCount, Duplicates: e.batch.DuplicateCount, Gold: e.batch.GoldCount}.Fit()
		arrangement, err := plan.Arrange(e.batch.Seed, a.AccountID)
		if err != nil {
			return err
		}
		if err := insertHiddenItems(ctx, e.tx, e.batch.ID, a.AccountID, arrangement); err != nil {
			return err
		}
	}
	return nil
}

// addAccount adds an annotator, or one who was removed again.
func (e *batchEditor) addAccount(ctx context.Context, id account.ID) error {
	if err := addMember(ctx, e.tx, e.actorID, e.project.ID, id, account.Annotator); err != nil {
		return err
	}
	tag, err := e.tx.Exec(ctx, `
		INSERT INTO batch_annotators (batch_id, account_id) VALUES ($1, $2)
		ON CONFLICT (batch_id, account_id) DO UPDATE SET removed_at = NULL, paused_at = NULL, paused_by_gold = false
		WHERE batch_annotators.removed_at IS NOT NULL`, e.batch.ID, id)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	e.changed.AnnotatorsAdded++
	if err := queueMail(ctx, e.tx, account.MailNewWork, id, e.project.ID, ""); err != nil {
		return err
	}
	var hasAttempt bool
	err = e.tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM calibration_attempts WHERE batch_id = $1
		AND account_id = $2)`, e.batch.ID, id).Scan(&hasAttempt)
	if err != nil || hasAttempt || e.batch.CalibrationCount == 0 {
		return err
	}
	return startCalibrationAttempt(ctx, e.tx, e.batch.ID, id, 0)
}

func (e *batchEditor) record(ctx context.Context, action, reason string) error {
	e.changed.Reason = reason
	return recordBatchAction(ctx, e.tx, e.actorID, e.project, e.batch.ID, e.batch.Name, action, e.changed)
}

// notify shows an annotator what changed. lost is the item whose draft they can still read.
func (e *batchEditor) notify(ctx context.Context, accountID account.ID, kind string, items int,
	lost *labeling.AssignmentID) error {
	_, err := e.tx.Exec(ctx, `INSERT INTO work_notices (batch_id, account_id, kind, item_count, assignment_id)
		VALUES ($1, $2, $3, $4, $5)`,
		e.batch.ID, accountID, kind, items, lost)
	return err
}
