CREATE INDEX slots_withheld ON slots (batch_id) WHERE withheld;

CREATE FUNCTION batch_counts(of_batch_id bigint, reader_id bigint) RETURNS TABLE (
    items integer, labels_wanted integer, labels_given integer, in_progress integer, deferred integer, withheld integer, stuck integer)
    LANGUAGE sql STABLE AS $$
    SELECT b.item_count, b.slot_count + a.added, least(a.given, b.slot_count + a.added), a.in_progress,
           (SELECT count(*)::integer FROM pending_assignments p JOIN assignments d ON d.id = p.assignment_id
            WHERE p.batch_id = b.id AND b.closed_at IS NULL AND d.kind = 'work' AND d.state = 'skipped' AND d.deferred AND NOT d.set_back
              AND d.account_id <> reader_id),
           (SELECT count(*)::integer FROM slots s WHERE s.batch_id = b.id AND s.withheld),
           CASE WHEN b.closed_at IS NULL THEN coalesce((SELECT t.stuck_count FROM batch_states t WHERE t.batch_id = b.id), 0) ELSE 0 END
    FROM batches b
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(ba.added_slot_count), 0)::integer AS added,
               coalesce(sum(CASE WHEN ba.account_id = reader_id AND b.closed_at IS NULL THEN ba.completed_count ELSE ba.label_count END), 0)::integer AS given,
               count(*) FILTER (WHERE ba.account_id = reader_id AND ba.open_assignment_id IS NOT NULL OR EXISTS (
                   SELECT FROM assignments o WHERE o.id = ba.open_assignment_id AND o.kind = 'work' AND NOT o.reopened))::integer AS in_progress
        FROM batch_annotators ba
        WHERE ba.batch_id = b.id) a
    WHERE b.id = of_batch_id
$$;
COMMENT ON FUNCTION batch_counts IS 'The only source of the counts of a batch that leads and programs see. Of an open batch in which the reader labels, their own work is counted as they see it, so that no count tells their hidden duplicates: completed items, the open item of any kind, and none that they skipped for now. An account that labels nowhere is 0.';
