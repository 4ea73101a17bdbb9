-- Whether annotators see each other's calibration answers in the discussion, once all of a
-- batch finished.
ALTER TABLE projects ADD COLUMN share_calibration_scores boolean NOT NULL DEFAULT false;
