-- Lists of skipped items find them by item, whatever their number. A foreign key to projects
-- would make annotators wait for leads who lock a project.
ALTER TABLE skips ADD COLUMN project_id bigint;
UPDATE skips k SET project_id = b.project_id FROM batches b WHERE b.id = k.batch_id;
ALTER TABLE skips ALTER COLUMN project_id SET NOT NULL;
CREATE INDEX skips_item ON skips (project_id, item_id) WHERE NOT is_personal;

-- reference_drafts holds reference answers as typed, until they are saved.
CREATE TABLE reference_drafts (
    item_id      bigint NOT NULL REFERENCES items ON DELETE CASCADE,
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    version      bigint NOT NULL,
    saved_by_tab text NOT NULL DEFAULT '',
    reference    jsonb NOT NULL,
    saved_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (item_id, account_id)
);
CREATE INDEX ON reference_drafts (account_id);
