ALTER TABLE exports DROP COLUMN attempt_no, DROP COLUMN job_id, ADD COLUMN active_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE import_tasks DROP COLUMN job_id, ADD COLUMN active_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE batch_openings DROP COLUMN job_id, ADD COLUMN active_at timestamptz NOT NULL DEFAULT now();
