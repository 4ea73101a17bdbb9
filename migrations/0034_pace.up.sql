-- The active times of the annotator's last 50 submits in the batch that took any, newest
-- first. The labeling page shows their median.
ALTER TABLE batch_annotators ADD COLUMN recent_active_ms integer[] NOT NULL DEFAULT '{}';
