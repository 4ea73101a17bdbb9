DROP INDEX annotations_batch_id_id_idx;
DROP TABLE reports;
-- reports holds the last finished report of large projects, so that another server, or one that
-- was started again, shows it at once. A row without content is being computed for the first time.
CREATE TABLE reports (
    project_id    bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    batch         text NOT NULL, -- its name; '': the whole project; '..': the closed batches, for annotators
    group_column  text NOT NULL, -- the metadata column to compare by; '': the default
    view          text NOT NULL, -- of the accounts that may see it
    data_version  jsonb,         -- of the labels, decisions and judgments, and of the program
    content       bytea,
    computed_at   timestamptz,
    claim_ends_at timestamptz,   -- a server computes a newer one until then
    PRIMARY KEY (project_id, batch, group_column, view),
    CONSTRAINT reports_complete CHECK ((content IS NULL) = (data_version IS NULL) AND (content IS NULL) = (computed_at IS NULL))
);
