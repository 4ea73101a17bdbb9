-- A hidden duplicate that a break came to stand beside counts for nothing;
-- another comes instead.
ALTER TABLE assignments
    DROP CONSTRAINT assignment_kind,
    ADD CONSTRAINT assignment_kind CHECK (kind IN ('calibration', 'work', 'duplicate', 'spoiled'));

-- A lead can open an item once more without being told of a slip: the word is
-- then theirs. Null: the annotator's.
ALTER TABLE flags ADD COLUMN raised_by bigint REFERENCES accounts;
