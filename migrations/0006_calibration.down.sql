DROP VIEW annotator_progress;
DROP TABLE calibration_comments, guide_sections_read, calibration_attempts, reference_answers;
DROP FUNCTION count_calibration_items(bigint, bigint, integer), count_left_duplicates(bigint, bigint, integer, integer);
