DROP INDEX breaks_account_id_left_at_idx, assignments_account_id_closed_at_idx, assignment_waiting;
ALTER TABLE batch_annotators DROP COLUMN since_break, DROP COLUMN since_rest, DROP COLUMN work;
