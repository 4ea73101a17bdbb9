package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// OpenBatch hands items that are in no batch yet to annotators. Each item gets
// overlap slots, and each annotator an own order of the items.
func (db *DB) OpenBatch(ctx context.Context, actorID account.ID, p project.Project, spec project.BatchSpec) (project.Batch, error) {
	spec, err := spec.Check()
	if err != nil {
		return project.Batch{}, err
	}
	annotators, err := db.accountsByEmail(ctx, spec.Annotators)
	if err != nil {
		return project.Batch{}, err
	}
	if spec.Seed == 0 {
		spec.Seed = rand.Int64N(1<<53-1) + 1 // exact in JSON and spreadsheets
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error { return openBatch(ctx, tx, actorID, p, spec, annotators) })
	if err != nil {
		return project.Batch{}, err
	}
	return db.Batch(ctx, p.ID, spec.Name)
}

// accountsByEmail returns the accounts behind e-mail addresses; the fault of one
// that is missing names it.
func (db *DB) accountsByEmail(ctx context.Context, addresses []string) ([]account.Account, error) {
	var accounts []account.Account
	for _, address := range addresses {
		a, err := db.AccountByEmail(ctx, address)
		if err != nil {
			return nil, err
		}
		if a.Disabled {
			return nil, fault.Conflict.Errorf("The account of “%s” is disabled. Choose somebody else, or enable it.", address)
		}
		accounts = append(accounts, a)
	}
	return accounts, nil
}

func openBatch(ctx context.Context, tx pgx.Tx, actorID account.ID, p project.Project, spec project.BatchSpec, annotators []account.Account) error {
	if err := lockProject(ctx, tx, p.ID); err != nil {
		return err
	}
	err := tx.QueryRow(ctx, `SELECT warning, support_url FROM projects WHERE id = $1`, p.ID).Scan(&p.ContentWarning, &p.SupportURL)
	if err != nil {
		return err
	}
	if err := p.CheckSupportLink(); err != nil {
		return err
	}
	items, err := unassignedItems(ctx, tx, p.ID)
	if err != nil {
		return err
	}
	if err := spec.CheckSize(len(items)); err != nil {
		return err
	}
	items = drawItems(items, spec)
	references, err := referenceItems(ctx, tx, p.ID)
	if err != nil {
		return err
	}
	plan, err := spec.PlanSequence(p.Protocol.Plan, len(items), len(references))
	if err != nil {
		return err
	}
	id, err := insertBatch(ctx, tx, actorID, p.ID, spec, plan)
	if err != nil {
		return err
	}
	calibrationSet := sequence.Shuffle(spec.Seed, -1, references)[:plan.Calibration]
	if err := insertBatchItems(ctx, tx, id, items, calibrationSet, spec.Overlap); err != nil {
		return err
	}
	for _, a := range annotators {
		if err := addMember(ctx, tx, p.ID, a.ID, account.Annotator); err != nil {
			return err
		}
		if err := addAnnotator(ctx, tx, id, a.ID, spec.Seed, plan, items, calibrationSet); err != nil {
			return err
		}
	}
	return recordAudit(ctx, tx, actorID, "batch.open", batchSubject(p.Key, spec.Name), map[string]any{
		"items": len(items), "overlap": spec.Overlap, "annotators": len(annotators), "seed": spec.Seed,
		"calibration": plan.Calibration, "duplicates": plan.Duplicates})
}

func insertBatch(ctx context.Context, tx pgx.Tx, actorID account.ID, projectID project.ID, spec project.BatchSpec, plan sequence.Plan) (id project.BatchID, err error) {
	err = tx.QueryRow(ctx, `
		INSERT INTO batches (project_id, name, overlap, seed, break_every, break_minutes, calibration, duplicates, opened_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, 0))
		RETURNING id`, projectID, spec.Name, spec.Overlap, spec.Seed, spec.BreakEvery, spec.BreakMinutes, plan.Calibration, plan.Duplicates, actorID).Scan(&id)
	if violates(err, "batches_project_id_name_key") {
		return 0, fault.Conflict.Errorf("There is a batch “%s” in this project already. Choose another name.", spec.Name)
	}
	return id, err
}

// referenceItems returns the items of a project that have reference answers.
func referenceItems(ctx context.Context, q querier, projectID project.ID) ([]int64, error) {
	rows, err := q.Query(ctx, `
		SELECT i.id
		FROM items i
		JOIN reference_answers r ON r.item_id = i.id
		WHERE i.project_id = $1 AND i.calibration
		ORDER BY i.id`, projectID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

func unassignedItems(ctx context.Context, tx pgx.Tx, projectID project.ID) ([]int64, error) {
	rows, err := tx.Query(ctx, `
		SELECT i.id
		FROM items i
		WHERE i.project_id = $1 AND NOT i.calibration
		  AND NOT EXISTS (SELECT FROM batch_items b WHERE b.item_id = i.id)
		ORDER BY i.id`, projectID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// drawItems returns as many items as h asks for, drawn by its seed.
func drawItems(items []int64, spec project.BatchSpec) []int64 {
	if spec.Items == 0 || spec.Items == len(items) {
		return items
	}
	sampled := sequence.Shuffle(spec.Seed, 0, items)[:spec.Items]
	slices.Sort(sampled)
	return sampled
}

func insertBatchItems(ctx context.Context, tx pgx.Tx, batchID project.BatchID, items, calibration []int64, overlap int) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO batch_items (batch_id, item_id, calibration)
		SELECT $1::bigint, unnest($2::bigint[]), false
		UNION ALL
		SELECT $1::bigint, unnest($3::bigint[]), true`, batchID, items, calibration)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO slots (batch_id, item_id, n)
		SELECT $1, item_id, n
		FROM unnest($2::bigint[]) item_id, generate_series(1, $3::int) n`, batchID, items, overlap)
	return err
}

// addAnnotator lays an annotator's path through a batch: an own order of its
// items, where duplicates hide, and the calibration that comes first.
func addAnnotator(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID, seed int64, plan sequence.Plan, items, calibration []int64) error {
	arrangement, err := plan.Arrange(seed, accountID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO batch_annotators (batch_id, account_id, path, share) VALUES ($1, $2, $3, $4)`,
		batchID, accountID, sequence.Shuffle(seed, accountID, items), plan.Work)
	if err != nil {
		return err
	}
	for _, d := range arrangement.Placed {
		_, err := tx.Exec(ctx, `INSERT INTO repeats (batch_id, account_id, at, of) VALUES ($1, $2, $3, $4)`, batchID, accountID, d.Position, d.OriginalNo)
		if err != nil {
			return err
		}
	}
	if len(calibration) == 0 {
		return nil
	}
	return startCalibrationAttempt(ctx, tx, batchID, accountID, 0)
}

const selectBatch = `
	SELECT b.id, b.project_id, b.name, b.overlap, b.seed, b.break_every, b.break_minutes, b.calibration, b.duplicates,
	       b.opened_at, b.closed_at,
	       (SELECT count(*) FROM batch_items i WHERE i.batch_id = b.id AND NOT i.calibration) AS items,
	       (SELECT count(*) FROM batch_annotators a WHERE a.batch_id = b.id) AS annotators,
	       s.slots, s.claimed, a.submitted
	FROM batches b
	CROSS JOIN LATERAL (
		SELECT count(*) AS slots, count(account_id) AS claimed FROM slots WHERE batch_id = b.id) s
	CROSS JOIN LATERAL (
		SELECT count(*) AS submitted FROM assignments WHERE batch_id = b.id AND state = 'submitted' AND kind = 'work') a `

// Batches returns the batches of a project, newest first.
func (db *DB) Batches(ctx context.Context, projectID project.ID) ([]project.Batch, error) {
	return collectAll[project.Batch](db.pool.Query(ctx, selectBatch+`WHERE b.project_id = $1 ORDER BY b.id DESC`, projectID))
}

// Batch returns a project's batch of that name.
func (db *DB) Batch(ctx context.Context, projectID project.ID, name string) (project.Batch, error) {
	b, err := collectOne[project.Batch](db.pool.Query(ctx, selectBatch+`WHERE b.project_id = $1 AND b.name = $2`, projectID, name))
	if errors.Is(err, fault.NotFound) {
		return b, fault.NotFound.Errorf("There is no batch “%s” in this project.", name)
	}
	return b, err
}

// AnnotatorProgress returns how far each annotator of a batch has come. What was set
// aside as distressing is not counted to anybody, nor does it show as a time.
func (db *DB) AnnotatorProgress(ctx context.Context, batchID project.BatchID) ([]project.AnnotatorProgress, error) {
	return collectAll[project.AnnotatorProgress](db.pool.Query(ctx, `
		SELECT ba.account_id, m.pseudonym, p.name,
		       count(*) FILTER (WHERE a.state = 'submitted' AND a.kind = 'work') AS submitted,
		       count(*) FILTER (WHERE a.state = 'set_aside' AND a.kind = 'work' AND s.reason <> 'distressing') AS set_aside,
		       coalesce(bool_or(a.state = 'open'), false) AS open,
		       max(a.closed_at) FILTER (WHERE a.state = 'submitted') AS last_at,
		       coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY n.active_ms) FILTER (WHERE n.active_ms > 0), 0) AS active_ms
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
		JOIN identity.people p ON p.account_id = ba.account_id
		LEFT JOIN assignments a ON a.batch_id = ba.batch_id AND a.account_id = ba.account_id
		LEFT JOIN set_aside s ON s.assignment_id = a.id
		LEFT JOIN annotations n ON n.assignment_id = a.id AND n.protocol_version_id = a.protocol_version_id AND n.attempt = a.attempt
		WHERE ba.batch_id = $1
		GROUP BY ba.account_id, m.pseudonym, p.name
		ORDER BY lower(p.name), ba.account_id`, batchID))
}

// CloseBatch ends a batch: nobody is given an item of it any more. Items that
// are open stay with their annotators until they are submitted.
func (db *DB) CloseBatch(ctx context.Context, actorID account.ID, p project.Project, name string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE batches SET closed_at = now() WHERE project_id = $1 AND name = $2 AND closed_at IS NULL`, p.ID, name)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.Conflict.Errorf("The batch “%s” is closed already.", name)
		}
		return recordAudit(ctx, tx, actorID, "batch.close", batchSubject(p.Key, name), nil)
	})
}

// MoveToFront puts items, by source id, at the front of an annotator's path that
// has not been walked yet, so that labels given elsewhere can be given again
// in their order.
func (db *DB) MoveToFront(ctx context.Context, batchID project.BatchID, accountID account.ID, sourceIDs []string) error {
	_, err := db.pool.Exec(ctx, `
		UPDATE batch_annotators b
		SET path = (
			SELECT array_agg(p.item_id ORDER BY array_position($3, i.source_id), p.ord)
			FROM unnest(b.path) WITH ORDINALITY AS p (item_id, ord)
			JOIN items i ON i.id = p.item_id)
		WHERE b.batch_id = $1 AND b.account_id = $2 AND b.walked = 0`, batchID, accountID, sourceIDs)
	return err
}

// CountUnassigned returns how many items of a project are in no batch yet.
func (db *DB) CountUnassigned(ctx context.Context, projectID project.ID) (n int, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT count(*)
		FROM items i
		WHERE i.project_id = $1 AND NOT i.calibration
		  AND NOT EXISTS (SELECT FROM batch_items b WHERE b.item_id = i.id)`, projectID).Scan(&n)
	return n, err
}
