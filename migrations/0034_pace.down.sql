ALTER TABLE batch_annotators DROP COLUMN recent_active_ms;
