ALTER TABLE projects DROP COLUMN share_calibration_scores;
