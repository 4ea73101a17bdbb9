DROP TRIGGER assignments_overlap_rule ON assignments;
DROP FUNCTION apply_overlap_rule(), add_slot_by_rule(overlap_rules, bigint);
DROP TABLE overlap_rules, work_notices;
ALTER TABLE batch_annotators DROP COLUMN added_slot_count;
ALTER TABLE batches DROP COLUMN daily_item_limit, DROP COLUMN session_limit_minutes;
