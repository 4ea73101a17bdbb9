-- Exports, imports and openings of batches are jobs, so that another server resumes what a stopped one left.
ALTER TABLE exports DROP COLUMN active_at, ADD COLUMN job_id bigint,
    ADD COLUMN attempt_no integer NOT NULL DEFAULT 0;
ALTER TABLE import_tasks DROP COLUMN active_at, ADD COLUMN job_id bigint;
ALTER TABLE batch_openings DROP COLUMN active_at, ADD COLUMN job_id bigint;
COMMENT ON COLUMN exports.job_id IS 'river.river_job, while it is not finished';
COMMENT ON COLUMN exports.attempt_no IS 'of the job, the only one that may write the file';
COMMENT ON COLUMN import_tasks.job_id IS 'river.river_job, while it is not finished';
COMMENT ON COLUMN batch_openings.job_id IS 'river.river_job, while it is not finished';
COMMENT ON TABLE import_tasks IS 'Large uploads that a job reads or imports, so that every server can show how far they are. An import stores all of its items or none.';
