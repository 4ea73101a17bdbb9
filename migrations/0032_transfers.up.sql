-- A large upload arrives in pieces, and continues after an interruption. Its rows are read once,
-- and the preview or the errors are stored for the page.
ALTER TABLE uploads
    ADD COLUMN size_bytes bigint NOT NULL DEFAULT 0 -- of the whole file, as declared; 0: not known before its end
        CONSTRAINT uploads_size_not_negative CHECK (size_bytes >= 0),
    ADD COLUMN received_bytes bigint NOT NULL DEFAULT 0
        CONSTRAINT uploads_received_not_negative CHECK (received_bytes >= 0),
    ADD COLUMN start_sha256 bytea -- of its first bytes, tells files of the same name and size apart; null: does not arrive in pieces
        CONSTRAINT uploads_start_sha256_length CHECK (octet_length(start_sha256) = 32),
    ADD COLUMN hash_state bytea, -- of the SHA-256 of the received bytes
    ADD COLUMN preview json, -- of its items; null: not read, or with errors
    ADD COLUMN file_errors json; -- found by the last reading
CREATE INDEX ON uploads (account_id);
ALTER TABLE upload_targets ADD COLUMN preview json;

-- import_tasks holds the large uploads that a server reads or imports in the background, so that
-- every server can show how far they are. An import stores all of its items or, if the server
-- stops before its end, none.
CREATE TABLE import_tasks (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id   bigint NOT NULL REFERENCES projects,
    account_id   bigint NOT NULL REFERENCES accounts,
    upload_token text NOT NULL, -- of an upload, which is deleted by its import
    kind         text NOT NULL CONSTRAINT import_tasks_kind_known CHECK (kind IN ('read', 'import')),
    done_bytes   bigint NOT NULL DEFAULT 0,
    total_bytes  bigint NOT NULL DEFAULT 0,
    problem      text NOT NULL DEFAULT '', -- why it failed
    created_at   timestamptz NOT NULL DEFAULT now(),
    active_at    timestamptz NOT NULL DEFAULT now(), -- the server's last report
    finished_at  timestamptz,
    CONSTRAINT import_tasks_bytes_not_negative CHECK (done_bytes >= 0 AND total_bytes >= 0)
);
CREATE INDEX ON import_tasks (upload_token);
CREATE INDEX ON import_tasks (created_at);

-- exports holds the datasets that were exported by page or API, until they expire. A server
-- writes one in the background; if it stops before the end, the export cannot be downloaded.
CREATE TABLE exports (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id       bigint NOT NULL REFERENCES projects,
    created_by       bigint NOT NULL REFERENCES accounts,
    file_name        text NOT NULL,
    options          json NOT NULL, -- as in the manifest
    done_count       integer NOT NULL DEFAULT 0, -- labels and items written
    total_count      integer NOT NULL DEFAULT 0, -- to write; 0: not known yet
    size_bytes       bigint NOT NULL DEFAULT 0, -- written so far
    sha256           bytea, -- of the file; null: not complete
    failed_check_count integer NOT NULL DEFAULT 0, -- checks of the export that found something
    problem          text NOT NULL DEFAULT '', -- why it failed
    created_at       timestamptz NOT NULL DEFAULT now(),
    active_at        timestamptz NOT NULL DEFAULT now(), -- the server's last report
    finished_at      timestamptz,
    CONSTRAINT exports_counts_not_negative CHECK (done_count >= 0 AND total_count >= 0 AND size_bytes >= 0 AND failed_check_count >= 0),
    CONSTRAINT exports_complete_or_failed CHECK (finished_at IS NULL OR (sha256 IS NULL) = (problem <> ''))
);
CREATE INDEX ON exports (project_id, id);
CREATE INDEX ON exports (created_at);

-- export_chunks holds the files of exports in pieces, so that a client that reads slowly holds
-- no snapshot of the database, and every server can send them.
CREATE TABLE export_chunks (
    export_id bigint NOT NULL REFERENCES exports ON DELETE CASCADE,
    chunk_no  integer NOT NULL, -- from 0
    content   bytea NOT NULL,
    PRIMARY KEY (export_id, chunk_no)
);
ALTER TABLE export_chunks ALTER COLUMN content SET STORAGE EXTERNAL; -- compressed already
