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

-- can_take_back reports whether the last submit of an annotator who has that item open can
-- be taken back.
CREATE FUNCTION can_take_back(of_last_submit_id bigint, of_open_assignment_id bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM assignments l WHERE l.id = of_last_submit_id AND l.state = 'submitted' AND NOT l.reopened)
        AND NOT EXISTS (SELECT FROM assignments o WHERE o.id = of_open_assignment_id AND o.kind = 'calibration');
END $$;
