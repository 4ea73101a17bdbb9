DROP VIEW annotator_progress;
DROP TABLE calibration_comments, guide_sections_read, calibration_attempts, reference_answers;
