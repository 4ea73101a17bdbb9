ALTER TABLE annotations DROP COLUMN replaces, DROP COLUMN sitting_minutes;
ALTER TABLE breaks DROP COLUMN taken;
ALTER TABLE drafts DROP COLUMN tabs, ADD COLUMN active_ms bigint NOT NULL DEFAULT 0;
ALTER TABLE slots DROP COLUMN given_up;
ALTER TABLE assignments DROP COLUMN later, DROP COLUMN reopened;
DROP TABLE flags, discussion, sections_read, calibration_runs, reference_answers, repeats;
ALTER TABLE members DROP COLUMN seen_at, DROP COLUMN sat_down_at;
ALTER TABLE batch_annotators DROP COLUMN share;
ALTER TABLE batch_items DROP COLUMN calibration;
ALTER TABLE batches DROP COLUMN duplicates, DROP COLUMN calibration;
ALTER TABLE projects DROP COLUMN return_after, DROP COLUMN sitting_minutes, DROP COLUMN day_items,
    DROP COLUMN break_after, DROP COLUMN aside_next, DROP COLUMN after_miss;
