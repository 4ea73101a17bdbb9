package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// openGold opens a calibration item with a reference answer that the annotator was not shown in any
// batch. The seed decides which.
func openGold(ctx context.Context, tx querier, s annotatorState) (token string, err error) {
	return openByStatement(ctx, tx, `
		WITH pick AS (
			SELECT i.id AS item_id, p.protocol_version_id
			FROM batches b
			JOIN projects p ON p.id = b.project_id
			JOIN items i ON i.project_id = p.id AND `+isReference+`
			WHERE b.id = $1 AND NOT EXISTS (
			    SELECT FROM assignments a WHERE a.account_id = $2 AND a.item_id = i.id) AND NOT EXISTS (
			    SELECT FROM withheld_items w WHERE w.account_id = $2 AND w.item_id = i.id)
			ORDER BY md5(format('%s %s %s', b.seed, $2::bigint, i.id))
			LIMIT 1
		), added AS (
			INSERT INTO batch_items (batch_id, item_id, is_calibration, beyond_set)
			SELECT $1, item_id, true, true FROM pick
			ON CONFLICT DO NOTHING
		), counted AS (
			UPDATE batch_annotators SET last_sequence_no = last_sequence_no + 1, presented_count = presented_count + 1,
			last_opened_at = clock_timestamp()
			WHERE batch_id = $1 AND account_id = $2 AND EXISTS (SELECT FROM pick)
			RETURNING last_sequence_no, presented_count
		), opened AS (
			INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, kind, sequence_no)
			SELECT $3, $1, pick.item_id, $2, pick.protocol_version_id, 'gold', counted.last_sequence_no
			FROM pick, counted
			RETURNING id, token
		)
		UPDATE hidden_items h SET assignment_id = opened.id, claimed_at = clock_timestamp()
		FROM opened, counted
		WHERE h.batch_id = $1 AND h.account_id = $2 AND h.position = counted.presented_count
		RETURNING opened.token`, s.BatchID, s.AccountID)
}

// selectGold reads the blind answers to the gold items of batch $1 and the references, of annotators other than $2.
const selectGold = `
	SELECT a.account_id, n.answers AS own, r.answers -> 'values' AS reference
	FROM hidden_items h
	JOIN batch_annotators ba ON ba.batch_id = h.batch_id AND ba.account_id = h.account_id
	JOIN assignments a ON a.id = h.assignment_id AND a.kind = 'gold' AND a.state = 'submitted'
	JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id
	     AND n.attempt_no = a.attempt_no AND NOT n.not_blind
	JOIN reference_answers r ON r.item_id = a.item_id
	WHERE h.batch_id = $1 AND h.account_id <> $2 AND h.original_no IS NULL `

type goldRow struct {
	AccountID      account.ID
	Own, Reference map[string]int
}

// goldAccuracies returns the share of right answers to gold items of each annotator.
func goldAccuracies(p protocol.Protocol, rows []goldRow) map[account.ID]stats.Proportion {
	answers := map[account.ID][]study.GoldAnswer{}
	for _, r := range rows {
		answers[r.AccountID] = append(answers[r.AccountID], study.GoldAnswer{Own: r.Own, Reference: r.Reference})
	}
	accuracies := map[account.ID]stats.Proportion{}
	for id, items := range answers {
		accuracies[id] = study.GoldAccuracy(p, items)
	}
	return accuracies
}

// goldAccuraciesOf returns the share of right answers to the gold items of a batch by annotator. An annotator of an
// open batch, also a lead, does not get their own.
func (db *DB) goldAccuraciesOf(ctx context.Context, readerID account.ID, p protocol.Protocol, b project.Batch) (
	map[account.ID]stats.Proportion, error) {
	if b.GoldCount == 0 {
		return nil, nil
	}
	if b.ClosedAt != nil {
		readerID = 0
	}
	rows, err := collectAll[goldRow](db.pool.Query(ctx, selectGold, b.ID, readerID))
	return goldAccuracies(p, rows), err
}

// pauseByGold pauses an annotator whose answers to gold items are certainly below the minimum of the batch, and
// reports whether it did. It looks after every tenth item, gold or not, so that a pause does not tell which one was
// gold. After a lead resumed the work, only later items count.
func pauseByGold(ctx context.Context, tx querier, a assignment, minimum int) (isPaused bool, err error) {
	rows, err := collectAll[goldRow](tx.Query(ctx, selectGold+`AND h.account_id = $3
		AND n.sequence_no > ba.gold_from_sequence_no`, a.BatchID, 0, a.AccountID))
	accuracy := goldAccuracies(a.Protocol, rows)[a.AccountID]
	if err != nil || !study.IsBelowMinimum(accuracy, minimum) {
		return false, err
	}
	var projectKey, batchName string
	err = tx.QueryRow(ctx, `
		WITH paused AS (
			UPDATE batch_annotators SET paused_at = now(), paused_by_gold = true, gold_from_sequence_no = last_sequence_no
			WHERE batch_id = $1 AND account_id = $2
		), notice AS (
			INSERT INTO work_notices (batch_id, account_id, kind) VALUES ($1, $2, 'paused_by_gold')
		)
		SELECT p.key, b.name FROM batches b JOIN projects p ON p.id = b.project_id WHERE b.id = $1`,
		a.BatchID, a.AccountID).Scan(&projectKey, &batchName)
	if err != nil {
		return false, err
	}
	return true, recordAudit(ctx, tx, a.AccountID, "batch.pause_by_gold", batchSubject(projectKey, batchName),
		map[string]any{"right": accuracy.Hits, "answers": accuracy.Total, "minimum": minimum})
}
