package postgres

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/sequence"
	"github.com/labelwright/labelwright/internal/webhook"
)

// The limits of one refresh of a batch.
const (
	maxNewAnnotations = 20_000
	maxSampledItems   = 1_000
)

// RefreshBatchState brings the state of one batch up to date, the one that waited longest. It
// reports whether there was one. Several servers can call it: each takes another batch.
func (db *DB) RefreshBatchState(ctx context.Context) (refreshed bool, err error) {
	_, err = db.pool.Exec(ctx, `
		INSERT INTO batch_states (batch_id, last_annotation_id)
		SELECT b.id, coalesce((
		           SELECT min(n.id) - 1
		           FROM batch_annotators ba
		           CROSS JOIN LATERAL (SELECT id FROM annotations WHERE batch_id = b.id AND account_id = ba.account_id
		           ORDER BY sequence_no LIMIT 1) n
		           WHERE ba.batch_id = b.id), 0)
		FROM batches b
		WHERE NOT EXISTS (SELECT FROM batch_states s WHERE s.batch_id = b.id)
		ON CONFLICT DO NOTHING`)
	if err != nil {
		return false, err
	}
	s, err := collectOne[batchRefresh](db.pool.Query(ctx, `
		SELECT s.batch_id, b.protocol_version_id AS version_id, b.protocol_revision AS revision, s.last_annotation_id
		FROM batch_states s
		JOIN batches b ON b.id = s.batch_id
		WHERE CASE WHEN b.closed_at IS NULL THEN s.computed_at < now() - interval '5 seconds'
		AND s.version <> batch_version(s.batch_id)
		      ELSE s.computed_at <= b.closed_at END
		ORDER BY s.computed_at
		LIMIT 1`))
	if errors.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := s.readHorizon(ctx, db); err != nil { // before the transaction, which may hold the only connection
		return false, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT last_annotation_id FROM batch_states
			WHERE batch_id = $1 FOR UPDATE SKIP LOCKED`, s.BatchID).Scan(&s.LastAnnotationID)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && s.LastAnnotationID >= s.horizon {
			return nil // another server is at work, or was faster
		}
		if err != nil {
			return err
		}
		refreshed = true
		if s.protocol, err = db.protocolRevision(ctx, tx, s.VersionID, s.Revision); err != nil {
			return err
		}
		return s.refresh(ctx, tx)
	})
	return refreshed, err
}

type batchRefresh struct {
	BatchID          project.BatchID
	VersionID        protocol.VersionID
	Revision         int
	LastAnnotationID int64
	protocol         protocol.Protocol
	version          string
	horizon          int64 // all annotations of the batch up to here are committed
}

type freshAnnotation struct {
	ID        int64
	ItemID    project.ItemID
	AccountID account.ID
	ActiveMS  int64
	IsFirst   bool
	Kind      sequence.AssignmentKind
}

func (s *batchRefresh) refresh(ctx context.Context, tx pgx.Tx) error {
	fresh, err := collectAll[freshAnnotation](tx.Query(ctx, `
		SELECT n.id, n.item_id, n.account_id, n.active_ms, n.attempt_no = 1 AS is_first,
			CASE WHEN n.not_blind THEN 'not_blind' ELSE a.kind END AS kind
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		WHERE n.protocol_version_id = $1 AND n.batch_id = $2 AND n.id > $3 AND n.id <= $4
		ORDER BY n.id
		LIMIT $5`, s.VersionID, s.BatchID, s.LastAnnotationID, s.horizon, maxNewAnnotations))
	if err != nil {
		return err
	}
	if len(fresh) == maxNewAnnotations {
		s.horizon, s.version = fresh[len(fresh)-1].ID, ""
	}
	if err := s.countPaces(ctx, tx, fresh); err != nil {
		return err
	}
	if err := s.sampleShared(ctx, tx, fresh); err != nil {
		return err
	}
	verdicts, err := s.computeAgreement(ctx, tx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE batch_states s
		SET version = $2, last_annotation_id = $3, agreement = $4, stuck_count = stuck.slot_count,
		    stuck_at = CASE WHEN stuck.slot_count > 0 THEN coalesce(s.stuck_at, now()) END, computed_at = now()
		FROM (`+countStuck+`) stuck
		WHERE s.batch_id = $1`, s.BatchID, s.version, s.horizon, verdicts)
	if err != nil {
		return err
	}
	return announceVerdicts(ctx, tx, s.BatchID, verdicts)
}

// announceVerdicts queues the events of fields whose verdict changed since the last event about it: without the
// verdict itself, and not while a lead of the project labels in the open batch, because it would show something of the
// others' answers.
func announceVerdicts(ctx context.Context, tx pgx.Tx, id project.BatchID, fields []project.KappaSoFar) error {
	b, err := collectOne[struct {
		ProjectID  project.ID
		ProjectKey string
		BatchName  string
		IsBlind    bool
		Announced  map[string]string
	}](tx.Query(ctx, `
		SELECT b.project_id, p.key AS project_key, b.name AS batch_name, s.announced_verdicts AS announced,
		       b.closed_at IS NULL AND EXISTS (
		           SELECT FROM project_leads l
		           JOIN active_annotators v ON v.batch_id = b.id AND v.account_id = l.account_id
		           WHERE l.project_id = b.project_id) AS is_blind
		FROM batch_states s
		JOIN batches b ON b.id = s.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE s.batch_id = $1`, id))
	if err != nil || b.IsBlind {
		return err
	}
	verdicts := map[string]string{}
	var events []event
	for _, field := range fields {
		verdicts[field.Key] = field.Verdict
		if field.Verdict != cmp.Or(b.Announced[field.Key], string(agreement.TooFewItems)) {
			p := project.Project{ID: b.ProjectID, Key: b.ProjectKey}
			e := batchEvent(p, webhook.VerdictChanged, id, b.BatchName)
			e.payload["field"] = field.Key
			events = append(events, e)
		}
	}
	if maps.Equal(verdicts, b.Announced) {
		return nil
	}
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Compare(a.payload["field"].(string), b.payload["field"].(string))
	})
	if _, err := tx.Exec(ctx, `UPDATE batch_states SET announced_verdicts = $2 WHERE batch_id = $1`, id,
		verdicts); err != nil {
		return err
	}
	return queueEvents(ctx, tx, events...)
}

// readHorizon waits for the submits in progress. A submit locks the row of its annotator
// before it gets the id of its annotation, so ids up to the horizon are committed.
func (s *batchRefresh) readHorizon(ctx context.Context, db *DB) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT FROM batch_annotators WHERE batch_id = $1
			ORDER BY account_id FOR SHARE`, s.BatchID)
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT batch_version($1),
			nextval('annotations_id_seq')`, s.BatchID).Scan(&s.version, &s.horizon)
	})
}

// countStuck counts the free slots of batch $1 that no annotator can take: each has, or had,
// the item. It checks up to 500 slots at each end of the pool: an item gets there by being
// passed by everyone, or by being returned.
const countStuck = `
	SELECT count(*) AS slot_count
	FROM (
		(SELECT item_id, slot_no FROM slots WHERE batch_id = $1 AND account_id IS NULL AND NOT withheld
		ORDER BY queue_no LIMIT 500)
		UNION
		(SELECT item_id, slot_no FROM slots WHERE batch_id = $1 AND account_id IS NULL AND NOT withheld
		ORDER BY queue_no DESC LIMIT 500)) free
	WHERE NOT EXISTS (
		SELECT FROM active_annotators v
		WHERE v.batch_id = $1
		  AND NOT EXISTS (SELECT FROM slots own WHERE own.batch_id = $1 AND own.item_id = free.item_id
		  AND own.account_id = v.account_id)
		  AND NOT EXISTS (
		      SELECT FROM assignments a
		      WHERE a.batch_id = $1 AND a.item_id = free.item_id AND a.account_id = v.account_id
		      AND a.state <> 'released')
		  AND NOT EXISTS (SELECT FROM withheld_items w WHERE w.account_id = v.account_id AND w.item_id = free.item_id
		  AND w.has_seen))`

// paceClasses is the number of classes of annotator_paces; the last is about 4 hours.
const paceClasses = 120

// paceClass returns the class of an active time, from 0.
func paceClass(ms int64) int {
	return min(max(int(math.Round(10*math.Log(float64(ms)/100))), 0), paceClasses-1)
}

// countPaces counts the active times of new labels.
func (s *batchRefresh) countPaces(ctx context.Context, tx pgx.Tx, fresh []freshAnnotation) error {
	added := map[account.ID][]int32{}
	for _, n := range fresh {
		if n.Kind == sequence.KindCalibration || n.ActiveMS <= 0 {
			continue
		}
		if added[n.AccountID] == nil {
			added[n.AccountID] = make([]int32, paceClasses)
		}
		added[n.AccountID][paceClass(n.ActiveMS)]++
	}
	for id, counts := range added {
		_, err := tx.Exec(ctx, `
			INSERT INTO annotator_paces AS p (batch_id, account_id, counts) VALUES ($1, $2, $3)
			ON CONFLICT (batch_id, account_id) DO UPDATE SET counts = ARRAY (
			    SELECT coalesce(t.earlier, 0) + coalesce(t.added, 0)
			    FROM unnest(p.counts, excluded.counts) WITH ORDINALITY AS t (earlier, added, class_no)
			    ORDER BY t.class_no)`, s.BatchID, id, counts)
		if err != nil {
			return err
		}
	}
	return nil
}

// sampleShared counts the items that got a second label, and adds them to the sample.
func (s *batchRefresh) sampleShared(ctx context.Context, tx pgx.Tx, fresh []freshAnnotation) error {
	var ids, items []int64
	for _, n := range fresh {
		if n.IsFirst && n.Kind == sequence.KindWork {
			ids, items = append(ids, n.ID), append(items, int64(n.ItemID))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `
		WITH shared AS (
			SELECT f.item_id
			FROM unnest($3::bigint[], $4::bigint[]) f (id, item_id)
			WHERE (SELECT count(*)
			       FROM annotations o
			       JOIN assignments a ON a.id = o.assignment_id AND a.kind = 'work' AND NOT o.not_blind
			       WHERE o.protocol_version_id = $2 AND o.item_id = f.item_id AND o.batch_id = $1 AND o.attempt_no = 1
			       AND o.id < f.id) = 1
		), counted AS (
			UPDATE batch_states SET shared_count = shared_count + (SELECT count(*) FROM shared) WHERE batch_id = $1
		)
		INSERT INTO agreement_samples (batch_id, item_id, place)
		SELECT $1, item_id, hashint8extended(item_id, 7) FROM shared
		ON CONFLICT DO NOTHING`, s.BatchID, s.VersionID, ids, items)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		DELETE FROM agreement_samples
		WHERE batch_id = $1 AND place > (SELECT place FROM agreement_samples WHERE batch_id = $1
		ORDER BY place OFFSET $2 - 1 LIMIT 1)`, s.BatchID, maxSampledItems)
	return err
}

// computeAgreement returns κ and the verdict on each field on the sampled items, as the
// report defines them.
func (s *batchRefresh) computeAgreement(ctx context.Context, tx pgx.Tx) ([]project.KappaSoFar, error) {
	labels, err := collectAll[sampledLabel](tx.Query(ctx, `
		SELECT n.id, n.item_id, n.account_id, n.answers, n.observations, n.active_ms, n.items_since_completed_break AS
		items_since_break, i.record_id
		FROM agreement_samples s
		JOIN items i ON i.id = s.item_id
		JOIN annotations n ON n.protocol_version_id = $2 AND n.item_id = s.item_id AND n.batch_id = s.batch_id
		JOIN assignments a ON a.id = n.assignment_id AND a.attempt_no = n.attempt_no AND a.kind = 'work' AND NOT n.not_blind
		WHERE s.batch_id = $1
		ORDER BY n.item_id, n.id`, s.BatchID, s.VersionID))
	if err != nil || len(labels) == 0 {
		return []project.KappaSoFar{}, err
	}
	verdicts, err := report.ComputeVerdicts(s.reportData(labels), report.BuildOptions{Seed: reportSeed})
	fields := make([]project.KappaSoFar, len(verdicts))
	for i, f := range verdicts {
		fields[i] = project.KappaSoFar{Key: f.Key, Verdict: string(f.Verdict), Advice: string(f.Advice)}
		if f.Verdict != agreement.TooFewItems {
			fields[i].Kappa, fields[i].Low, fields[i].High = f.Kappa.Value, f.Kappa.Low, f.Kappa.High
		}
	}
	return fields, err
}

type sampledLabel struct {
	ID        int64
	ItemID    project.ItemID
	AccountID account.ID
	Answers   map[string]int
	RecordID  string

	Observations    []string
	ActiveMS        int64
	ItemsSinceBreak int
}

// reportData returns labels, ordered by item, as the input of a report.
func (s *batchRefresh) reportData(labels []sampledLabel) study.Data {
	d := study.Data{Protocol: s.protocol}
	for _, l := range labels {
		if n := len(d.Items); n == 0 || d.Items[n-1].ID != l.ItemID {
			d.Items = append(d.Items, study.ItemData{ID: l.ItemID, SourceID: strconv.FormatInt(int64(l.ItemID), 10),
				RecordID: l.RecordID})
		}
		d.Labels = append(d.Labels, study.Label{ID: l.ID, ItemID: l.ItemID,
			Annotator: strconv.FormatInt(int64(l.AccountID), 10), Kind: study.Work, Values: l.Answers,
			Observations: l.Observations, ActiveMS: l.ActiveMS, ItemsSinceBreak: l.ItemsSinceBreak})
	}
	return d
}
