CREATE INDEX correction_requests_unresolved ON correction_requests (id) WHERE resolved_at IS NULL;

-- lead_tasks lists what waits for the leads of each project. Every part reads
-- unresolved rows only, so that its cost does not grow with the history.
CREATE VIEW lead_tasks AS
SELECT 'correction' AS kind, b.project_id, b.id AS batch_id, a.account_id, c.id AS subject_id, a.item_id,
       1 AS task_count, 0 AS large_count, true AS has_started, NULL::date AS deadline, c.created_at
FROM correction_requests c
JOIN assignments a ON a.id = c.assignment_id
JOIN batches b ON b.id = a.batch_id
WHERE c.resolved_at IS NULL
UNION ALL
SELECT 'question', b.project_id, b.id, q.account_id, q.id, a.item_id, 1, 0, true, NULL, q.created_at
FROM questions q
JOIN assignments a ON a.id = q.assignment_id
JOIN batches b ON b.id = q.batch_id AND b.closed_at IS NULL
WHERE q.answered_at IS NULL
UNION ALL
-- The annotator has read the guide sections again, and waits.
SELECT 'calibration', b.project_id, b.id, c.account_id, NULL, NULL, cardinality(c.missed_fields), 0, true, NULL, c.completed_at
FROM calibration_attempts c
JOIN batches b ON b.id = c.batch_id AND b.closed_at IS NULL
JOIN projects p ON p.id = b.project_id AND p.miss_policy = 'wait'
JOIN active_annotators v ON v.batch_id = c.batch_id AND v.account_id = c.account_id
WHERE c.resolved_at IS NULL AND c.completed_at IS NOT NULL AND c.missed_fields <> '{}' AND NOT EXISTS (
    SELECT FROM unnest(c.missed_fields) missed(field)
    WHERE NOT EXISTS (
        SELECT FROM guide_sections_read r
        WHERE r.batch_id = c.batch_id AND r.account_id = c.account_id AND r.attempt_no = c.attempt_no AND r.section = missed.field));
