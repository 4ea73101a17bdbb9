-- Whether annotators can take back their last submit, until the next one.
ALTER TABLE projects ADD COLUMN allows_undo boolean NOT NULL DEFAULT false;

-- The last item that the annotator submitted in the batch, except a calibration item; and
-- whether the annotator took that submit back.
ALTER TABLE batch_annotators
    ADD COLUMN last_submit_id bigint,
    ADD COLUMN last_submit_undone boolean NOT NULL DEFAULT false;

-- An item that was open when its annotator took back the submit before it. It waits like a
-- deferred one and keeps its slot and draft, but comes first.
ALTER TABLE assignments
    ADD COLUMN set_back boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT assignments_set_back_deferred CHECK (NOT set_back OR deferred AND state = 'skipped');
