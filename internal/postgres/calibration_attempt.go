package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

// startCalibrationAttempt starts an attempt at the calibration set of a batch, without items that
// the annotator skipped for a personal reason. A retake has items of the project that the
// annotator has not seen, as many as the set has. Without any, it is practice: the same items in
// a new order. requestedBy is the lead who requested it, or 0.
func startCalibrationAttempt(ctx context.Context, tx querier, batchID project.BatchID, accountID,
	requestedBy account.ID) error {
	row, err := collectOne[struct {
		Seed      int64
		Size      int
		AttemptNo int
		ItemIDs   []int64
		UnseenIDs []int64
	}](tx.Query(ctx, `
		SELECT b.seed, b.calibration_count AS size, 1 + (SELECT count(*) FROM calibration_attempts c WHERE c.batch_id = b.id
		AND c.account_id = $2) AS attempt_no,
		       ARRAY (SELECT i.item_id FROM batch_items i WHERE i.batch_id = b.id AND i.is_calibration
		           AND NOT i.beyond_set AND NOT EXISTS (
		           SELECT FROM assignments a JOIN skips s ON s.assignment_id = a.id AND s.is_personal
		           WHERE a.batch_id = b.id AND a.account_id = $2 AND a.item_id = i.item_id)
		           ORDER BY i.item_id) AS item_ids,
		       ARRAY (SELECT i.id FROM items i WHERE i.project_id = b.project_id AND `+isReference+` AND NOT EXISTS (
		           SELECT FROM assignments a JOIN batches o ON o.id = a.batch_id AND o.project_id = b.project_id
		           WHERE a.account_id = $2 AND a.item_id = i.id)
		           ORDER BY i.id) AS unseen_ids
		FROM batches b
		WHERE b.id = $1`, batchID, accountID))
	if err != nil {
		return err
	}
	isRetake := row.AttemptNo > 1
	isPractice := isRetake && len(row.UnseenIDs) == 0
	queue := sequence.ShuffleAttempt(row.Seed, accountID, row.AttemptNo, row.ItemIDs)
	if isRetake && !isPractice {
		queue = sequence.ShuffleAttempt(row.Seed, accountID, row.AttemptNo, row.UnseenIDs)
		queue = queue[:min(len(queue), row.Size)]
	}
	_, err = tx.Exec(ctx, `
		WITH added AS (
			INSERT INTO batch_items (batch_id, item_id, is_calibration, beyond_set)
			SELECT $1, item.id, true, true FROM unnest($4::bigint[]) AS item (id)
			ON CONFLICT DO NOTHING
		)
		INSERT INTO calibration_attempts (batch_id, account_id, attempt_no, queue, requested_by, completed_at,
		missed_fields, is_practice)
		SELECT $1, $2, $3, queue, nullif($5, 0), CASE WHEN queue = '{}' THEN clock_timestamp() END,
		CASE WHEN queue = '{}' THEN '{}'::text[] END, $6
		FROM (SELECT $4::bigint[] AS queue) new`,
		batchID, accountID, row.AttemptNo, queue, requestedBy, isPractice)
	return err
}

// openCalibrationItem opens the next item of the unresolved attempt.
func openCalibrationItem(ctx context.Context, tx querier, s annotatorState) (token string, err error) {
	return openByStatement(ctx, tx, `
		WITH next AS (
			SELECT item.id
			FROM calibration_attempts c, unnest(c.queue) WITH ORDINALITY AS item (id, ord)
			WHERE c.batch_id = $1 AND c.account_id = $2 AND c.attempt_no = $4 AND NOT EXISTS (
			    SELECT FROM assignments a
			    WHERE a.batch_id = $1 AND a.account_id = $2 AND a.item_id = item.id AND a.presentation_no = $4)
			ORDER BY item.ord
			LIMIT 1
		), counted AS (
			UPDATE batch_annotators SET last_sequence_no = last_sequence_no + 1, last_opened_at = clock_timestamp()
			WHERE batch_id = $1 AND account_id = $2 AND EXISTS (SELECT FROM next)
			RETURNING last_sequence_no
		)
		INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, kind, presentation_no,
		sequence_no)
		SELECT $3, $1, next.id, $2, p.protocol_version_id, 'calibration', $4, counted.last_sequence_no
		FROM next, counted, batches b
		JOIN projects p ON p.id = b.project_id
		WHERE b.id = $1
		RETURNING token`, s.BatchID, s.AccountID, s.CalibrationAttemptNo)
}

// completeCalibrationAttempt completes an attempt if its last item was just closed, and
// records the missed fields.
func completeCalibrationAttempt(ctx context.Context, tx querier, a assignment, p protocol.Protocol) error {
	if a.Kind != sequence.KindCalibration {
		return nil
	}
	var hasOpenItems bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT FROM calibration_attempts c, unnest(c.queue) item
			WHERE c.batch_id = $1 AND c.account_id = $2 AND c.attempt_no = $3 AND NOT EXISTS (
			    SELECT FROM assignments a
			    WHERE a.batch_id = $1 AND a.account_id = $2 AND a.item_id = item AND a.presentation_no = $3
			    AND a.state <> 'open'))`,
		a.BatchID, a.AccountID, a.PresentationNo).Scan(&hasOpenItems)
	if err != nil || hasOpenItems {
		return err
	}
	items, err := loadCalibrationItems(ctx, tx, a.BatchID, a.AccountID, a.PresentationNo)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE calibration_attempts SET completed_at = clock_timestamp(), missed_fields = $4
		WHERE batch_id = $1 AND account_id = $2 AND attempt_no = $3`,
		a.BatchID, a.AccountID, a.PresentationNo, labeling.MissedFields(labeling.ComputeBiases(p, pairAnswers(items))))
	return err
}

// A CalibrationItem is an item of a calibration set, with the reference and the annotator's
// own answers.
type CalibrationItem struct {
	ItemID    project.ItemID
	SourceID  string
	Content   project.Content
	Facts     protocol.Facts
	Reference protocol.Answers
	Reasons   map[string]string // by field key; under protocol.NoteKey for the whole item
	Answered  bool              // otherwise skipped, or not opened yet
	Own       protocol.Answers
}

type calibrationItemRow struct {
	ItemID               project.ItemID
	SourceID             string
	Content              project.Content
	Facts                protocol.Facts
	Reference            protocol.Answers
	Reasons              map[string]string
	Answered             bool
	Values               map[string]int
	Observations, Unsure []string
	Note                 string
}

func loadCalibrationItems(ctx context.Context, q querier, batchID project.BatchID, accountID account.ID,
	attemptNo int) ([]CalibrationItem, error) {
	rows, err := collectAll[calibrationItemRow](q.Query(ctx, `
		SELECT i.id AS item_id, i.source_id, i.content, i.facts, r.answers AS reference, r.reasons,
		n.id IS NOT NULL AS answered,
		       coalesce(n.answers, '{}') AS values, coalesce(n.observations, '{}') AS observations,
		       coalesce(n.unsure, '{}') AS unsure, coalesce(n.note, '') AS note
		FROM calibration_attempts c
		CROSS JOIN unnest(c.queue) WITH ORDINALITY AS item (id, ord)
		JOIN items i ON i.id = item.id
		JOIN reference_answers r ON r.item_id = i.id
		LEFT JOIN assignments a ON a.batch_id = c.batch_id AND a.account_id = c.account_id AND a.item_id = i.id
		     AND a.presentation_no = c.attempt_no AND a.kind = 'calibration'
		LEFT JOIN current_annotations n ON n.assignment_id = a.id AND n.protocol_version_id = a.protocol_version_id
		WHERE c.batch_id = $1 AND c.account_id = $2 AND c.attempt_no = $3
		ORDER BY item.ord`, batchID, accountID, attemptNo))
	items := make([]CalibrationItem, len(rows))
	for i, r := range rows {
		items[i] = CalibrationItem{ItemID: r.ItemID, SourceID: r.SourceID, Content: r.Content, Facts: r.Facts,
			Reference: r.Reference, Reasons: r.Reasons,
			Answered: r.Answered, Own: protocol.Answers{Values: r.Values, Observations: r.Observations,
				Unsure: r.Unsure, Note: r.Note}}
	}
	return items, err
}

// pairAnswers pairs own and reference answers of the items that were answered.
func pairAnswers(items []CalibrationItem) (pairs []labeling.AnswerPair) {
	for _, i := range items {
		if i.Answered {
			pairs = append(pairs, labeling.AnswerPair{Own: i.Own, Reference: i.Reference})
		}
	}
	return pairs
}
