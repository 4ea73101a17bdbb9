-- exports holds the datasets that were exported by page or by API. A server writes them in the
-- background, and every server can send them, again and in parts.
CREATE TABLE exports (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id    bigint NOT NULL REFERENCES projects,
    account_id    bigint NOT NULL REFERENCES accounts, -- who asked for it
    options       json NOT NULL, -- what was chosen
    done_count    integer NOT NULL DEFAULT 0, -- labels and items written
    total_count   integer NOT NULL DEFAULT 0, -- to write; 0: not known yet
    size_bytes    bigint NOT NULL DEFAULT 0, -- of the file, as far as it is written
    sha256        bytea -- of the file; null: not complete
        CONSTRAINT exports_sha256_length CHECK (octet_length(sha256) = 32),
    failed_checks json, -- what the checks of the export found; null: not complete
    problem       text NOT NULL DEFAULT '', -- why there is no file
    created_at    timestamptz NOT NULL DEFAULT now(),
    active_at     timestamptz NOT NULL DEFAULT now(), -- the server's last report
    finished_at   timestamptz,
    cancelled_at  timestamptz,
    CONSTRAINT exports_counts_not_negative CHECK (done_count >= 0 AND total_count >= 0 AND size_bytes >= 0),
    CONSTRAINT exports_complete_with_digest CHECK (num_nulls(sha256, failed_checks) IN (0, 2) AND (sha256 IS NULL OR finished_at IS NOT NULL)),
    CONSTRAINT exports_file_or_problem CHECK (sha256 IS NULL OR problem = '' AND cancelled_at IS NULL),
    CONSTRAINT exports_cancelled_is_finished CHECK (cancelled_at IS NULL OR finished_at IS NOT NULL)
);
CREATE INDEX ON exports (project_id, id);

-- export_chunks holds the zip files of exports in pieces of one size, so that no process has a
-- whole file in memory.
CREATE TABLE export_chunks (
    export_id bigint NOT NULL REFERENCES exports ON DELETE CASCADE,
    chunk_no  integer NOT NULL, -- from 0
    content   bytea NOT NULL,
    PRIMARY KEY (export_id, chunk_no)
);
ALTER TABLE export_chunks ALTER COLUMN content SET STORAGE EXTERNAL; -- it is compressed
