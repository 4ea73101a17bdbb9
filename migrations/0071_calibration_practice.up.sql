-- A retake has calibration items that the annotator has not seen. They are in the batch for retakes only. Without any, the
-- attempt repeats items whose reference was shown: it is practice, and the annotator starts work only if a lead says so.
ALTER TABLE batch_items ADD COLUMN for_retake boolean NOT NULL DEFAULT false;
ALTER TABLE calibration_attempts ADD COLUMN is_practice boolean NOT NULL DEFAULT false;
ALTER TABLE projects ALTER COLUMN share_calibration_scores SET DEFAULT true;
