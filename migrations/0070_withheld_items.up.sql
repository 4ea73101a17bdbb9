-- withheld_items lists the items that an annotator does not get, because they skipped one with the same content for a
-- personal reason: the same record, or the same prompt. No page, file or API shows them.
CREATE TABLE withheld_items (
    account_id bigint NOT NULL REFERENCES accounts,
    item_id    bigint NOT NULL REFERENCES items,
    PRIMARY KEY (account_id, item_id)
);
COMMENT ON TABLE withheld_items IS 'Lists the items that an annotator does not get, because they skipped one with the same content for a personal reason: the same record, or the same prompt. No page, file or API shows them.';

CREATE OR REPLACE VIEW claimable_slots AS
SELECT s.batch_id, s.item_id, s.slot_no, s.queue_no, ba.account_id
FROM slots s
JOIN batch_annotators ba ON ba.batch_id = s.batch_id
WHERE s.account_id IS NULL AND s.queue_no > ba.pool_cursor
  AND (SELECT a.id FROM assignments a
       WHERE a.batch_id = s.batch_id AND a.item_id = s.item_id AND a.account_id = ba.account_id
       LIMIT 1) IS NULL
  AND (SELECT own.slot_no FROM slots own
       WHERE own.batch_id = s.batch_id AND own.item_id = s.item_id AND own.account_id = ba.account_id
       LIMIT 1) IS NULL
  AND (SELECT w.item_id FROM withheld_items w WHERE w.account_id = ba.account_id AND w.item_id = s.item_id) IS NULL;

CREATE OR REPLACE VIEW reclaimable_slots AS
SELECT s.batch_id, s.item_id, s.slot_no, a.account_id, a.id AS assignment_id, a.sequence_no
FROM pending_assignments pending
JOIN assignments a ON a.id = pending.assignment_id
JOIN batches b ON b.id = a.batch_id AND b.closed_at IS NULL
JOIN slots s ON s.batch_id = a.batch_id AND s.item_id = a.item_id
WHERE a.state = 'released' AND a.kind = 'work' AND s.account_id IS NULL
  AND (SELECT w.item_id FROM withheld_items w WHERE w.account_id = a.account_id AND w.item_id = a.item_id) IS NULL;

CREATE OR REPLACE VIEW reclaimable_assignments AS
SELECT assignment_id, batch_id, account_id, sequence_no FROM reclaimable_slots
UNION
SELECT a.id, a.batch_id, a.account_id, a.sequence_no
FROM pending_assignments pending
JOIN assignments a ON a.id = pending.assignment_id
JOIN hidden_duplicates h ON h.assignment_id = a.id
JOIN batches b ON b.id = a.batch_id AND b.closed_at IS NULL
WHERE a.state = 'released' AND (
    SELECT count(*) FROM slots s
    WHERE s.batch_id = a.batch_id AND s.item_id = h.stand_in_item_id AND s.account_id IS NULL
) >= CASE WHEN EXISTS (
    SELECT FROM assignments own
    WHERE own.batch_id = a.batch_id AND own.item_id = h.stand_in_item_id AND own.account_id = a.account_id
) THEN (
    SELECT count(*)
    FROM batch_annotators other
    JOIN members m ON m.project_id = b.project_id AND m.account_id = other.account_id
    WHERE other.batch_id = a.batch_id AND other.account_id <> a.account_id AND m.last_active_at > h.claimed_at AND NOT EXISTS (
        SELECT FROM assignments had
        WHERE had.batch_id = a.batch_id AND had.item_id = h.stand_in_item_id AND had.account_id = other.account_id)
) ELSE 1 END
  AND NOT EXISTS (SELECT FROM withheld_items w WHERE w.account_id = a.account_id AND w.item_id = a.item_id);
