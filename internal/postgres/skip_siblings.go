package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// promptPaths returns where the content of an item has what a person wrote: the texts that are
// not judged, and the first turn of a user. Items that share one of these are siblings.
func promptPaths(u protocol.Unit) (paths []string) {
	for _, p := range u.Parts {
		switch {
		case p.Kind == protocol.PartText && !p.Judged:
			paths = append(paths, `$."`+p.Key+`".text`)
		case p.Kind == protocol.PartConversation:
			paths = append(paths, `$."`+p.Key+`".turns[*] ? (@.role like_regex "^(user|human)$" flag "i").text`)
		}
	}
	return paths
}

// withholdSiblings ensures that the annotator of a, who skipped it for a personal reason, does not
// get what has the same content: items of the same record or with the same prompt, in all open
// batches, and their hidden duplicates. Others can get them. Both personal reasons withhold
// the same, so that leads cannot tell them apart.
//
// Batches whose row is locked keep their queue: waiting for it could end in a deadlock.
func withholdSiblings(ctx context.Context, tx querier, a assignment) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO withheld_items (account_id, item_id)
		SELECT DISTINCT $1::bigint, i.id
		FROM (SELECT mine.id, mine.project_id, mine.record_id, (
		          SELECT array_agg(jsonb_path_query_first(mine.content, p.path) ORDER BY p.path_no)
		          FROM unnest($3::jsonpath[]) WITH ORDINALITY AS p (path, path_no)) AS prompts
		      FROM items mine WHERE mine.id = $2) mine
		JOIN batches b ON b.project_id = mine.project_id AND b.closed_at IS NULL
		JOIN batch_annotators ba ON ba.batch_id = b.id AND ba.account_id = $1
		JOIN batch_items bi ON bi.batch_id = b.id AND NOT bi.is_calibration
		JOIN items i ON i.id = bi.item_id
		WHERE i.id = mine.id OR i.record_id <> '' AND i.record_id = mine.record_id OR EXISTS (
		    SELECT FROM unnest($3::jsonpath[]) WITH ORDINALITY AS p (path, path_no)
		    WHERE mine.prompts[p.path_no] <> '""' AND jsonb_path_query_first(i.content, p.path) = mine.prompts[p.path_no])
		ON CONFLICT DO NOTHING`, a.AccountID, a.ItemID, promptPaths(a.Protocol.Unit))
	if err != nil {
		return err
	}
	return freeWithheld(ctx, tx, a.AccountID, 0)
}

// freeWithheld returns what an annotator does not get any more to the pool of an open batch, or of all (0).
func freeWithheld(ctx context.Context, tx querier, accountID account.ID, batchID project.BatchID) error {
	_, err := tx.Exec(ctx, `
		WITH mine AS (
			SELECT ba.batch_id, ba.account_id, ba.queue_cursor
			FROM batch_annotators ba
			JOIN batches b ON b.id = ba.batch_id AND ($2::bigint = 0 OR b.id = $2) AND b.closed_at IS NULL
			WHERE ba.account_id = $1
			FOR NO KEY UPDATE OF ba SKIP LOCKED
		), undeferred AS (
			UPDATE assignments s SET deferred = false, set_back = false
			FROM mine, withheld_items w
			WHERE w.account_id = $1 AND s.batch_id = mine.batch_id AND s.account_id = $1 AND s.item_id = w.item_id
			  AND s.state = 'skipped' AND s.deferred AND NOT s.reopened
			RETURNING s.batch_id, s.item_id
		), freed AS (
			UPDATE slots s SET `+returnToPool+`
			FROM mine, withheld_items w
			WHERE w.account_id = $1 AND s.batch_id = mine.batch_id AND s.item_id = w.item_id AND s.account_id = $1
			  AND (s.queue_no > mine.queue_cursor OR EXISTS (
			      SELECT FROM undeferred r WHERE r.batch_id = s.batch_id AND r.item_id = s.item_id))
			RETURNING s.batch_id, s.item_id
		)
		UPDATE batch_annotators ba SET waiting_count = ba.waiting_count - n.waiting
		FROM (SELECT f.batch_id, count(*)::integer AS waiting
		      FROM freed f
		      WHERE NOT EXISTS (SELECT FROM undeferred r WHERE r.batch_id = f.batch_id AND r.item_id = f.item_id)
		      GROUP BY f.batch_id) n
		WHERE ba.batch_id = n.batch_id AND ba.account_id = $1`, accountID, batchID)
	return err
}
