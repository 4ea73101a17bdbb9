DROP TRIGGER forget_work_end_returned ON batch_annotators;
DROP TRIGGER forget_work_end ON batch_annotators;
DROP FUNCTION forget_work_end();
ALTER TABLE members DROP COLUMN thank_you, DROP COLUMN work_ended_at;
ALTER TABLE audit_log DROP COLUMN project_key;
DROP INDEX audit_log_created_at_id_idx, audit_log_account_id_created_at_id_idx, audit_log_action_created_at_id_idx, audit_log_account_id_action_created_at_id_idx;
