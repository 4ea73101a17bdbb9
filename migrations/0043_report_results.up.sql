-- reports holds the last finished report of each choice, which pages, the API and downloads read, and who
-- computes the next one. A row without content is being computed for the first time.
DROP TABLE reports;
CREATE TABLE reports (
    project_id      bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    batch           text NOT NULL, -- its name; '': the whole project; '..': the closed batches, for annotators
    group_column    text NOT NULL, -- the metadata column to compare by; '': the default
    epsilon         double precision NOT NULL, -- of the test of judges
    view            text NOT NULL, -- of the accounts that may see it
    program         text,          -- the version of the program that computed it
    data_version    text,          -- changes with everything that it is computed from
    label_count     integer,
    content         bytea,
    computed_at     timestamptz,
    compute_seconds double precision,
    started_at      timestamptz,   -- a server has computed the next one since then,
    claim_ends_at   timestamptz,   -- unless it gave no sign until then
    progress        jsonb,
    PRIMARY KEY (project_id, batch, group_column, epsilon, view),
    CONSTRAINT reports_complete CHECK (num_nonnulls(program, data_version, label_count, content, computed_at, compute_seconds) IN (0, 6)),
    CONSTRAINT reports_claim_complete CHECK (num_nonnulls(started_at, claim_ends_at, progress) IN (0, 3))
);

-- The last annotation of a batch is part of the version of its data.
CREATE INDEX ON annotations (batch_id, id);
