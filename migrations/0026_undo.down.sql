DROP FUNCTION can_take_back;
ALTER TABLE assignments DROP COLUMN set_back;
ALTER TABLE batch_annotators DROP COLUMN last_submit_undone, DROP COLUMN last_submit_id;
ALTER TABLE projects DROP COLUMN allows_undo;
