ALTER TABLE flags DROP COLUMN raised_by;

UPDATE assignments SET kind = 'duplicate' WHERE kind = 'spoiled';
ALTER TABLE assignments
    DROP CONSTRAINT assignment_kind,
    ADD CONSTRAINT assignment_kind CHECK (kind IN ('calibration', 'work', 'duplicate'));
