CREATE OR REPLACE VIEW active_annotators AS
SELECT ba.batch_id, ba.account_id, ba.paused_at
FROM batch_annotators ba
JOIN batches b ON b.id = ba.batch_id
JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
WHERE m.removed_at IS NULL AND ba.removed_at IS NULL;
DROP FUNCTION is_active_annotator;
DROP TRIGGER reject_archived_change ON assignments;
DROP TRIGGER reject_archived_change ON adjudications;
DROP TRIGGER reject_archived_change ON reference_answers;
DROP TRIGGER reject_archived_role ON members;
DROP TRIGGER reject_archived_change ON members;
DROP TRIGGER reject_archived_change ON uploads;
DROP TRIGGER reject_archived_change ON imports;
DROP TRIGGER reject_archived_change ON batches;
DROP TRIGGER reject_archived_change ON projects;
DROP FUNCTION reject_archived_change();
DROP VIEW pending_reading, required_reading;
DROP FUNCTION pending_documents;
DROP FUNCTION required_documents;
DROP TRIGGER keep_required_texts ON projects;
DROP TRIGGER number_required_texts ON projects;
DROP FUNCTION keep_required_texts();
DROP FUNCTION number_required_texts();
DROP TABLE reading_acknowledgments, required_texts, upload_targets;
ALTER TABLE projects
    DROP COLUMN archived_by, DROP COLUMN archived_at, DROP COLUMN created_with,
    DROP COLUMN instructions_version, DROP COLUMN instructions;
