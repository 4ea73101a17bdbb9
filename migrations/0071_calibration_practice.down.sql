ALTER TABLE projects ALTER COLUMN share_calibration_scores SET DEFAULT false;
ALTER TABLE calibration_attempts DROP COLUMN is_practice;
ALTER TABLE batch_items DROP COLUMN for_retake;
