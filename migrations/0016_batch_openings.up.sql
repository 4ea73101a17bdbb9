-- batch_openings holds the large batches that a server opens in the background, so
-- that every server can show how far they are. The batch is there when all of it is
-- written; if the server stops before that, nothing of it is.
CREATE TABLE batch_openings (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id  bigint NOT NULL REFERENCES projects,
    batch_name  text NOT NULL,
    done_count  integer NOT NULL DEFAULT 0, -- rows written
    total_count integer NOT NULL DEFAULT 0, -- rows to write; 0: not known yet
    problem     text NOT NULL DEFAULT '', -- why nothing was opened
    created_at  timestamptz NOT NULL DEFAULT now(),
    active_at   timestamptz NOT NULL DEFAULT now(), -- the server's last report
    finished_at timestamptz,
    CONSTRAINT batch_openings_counts_not_negative CHECK (done_count >= 0 AND total_count >= 0)
);
CREATE INDEX ON batch_openings (project_id) WHERE finished_at IS NULL;
