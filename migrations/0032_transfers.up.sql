-- A large upload arrives in pieces, and continues after an interruption. Its rows are read once,
-- and the preview or the errors are stored for the page.
ALTER TABLE uploads
    ADD COLUMN size_bytes bigint NOT NULL DEFAULT 0 -- of the whole file, as declared; 0: not known before its end
        CONSTRAINT uploads_size_not_negative CHECK (size_bytes >= 0),
    ADD COLUMN received_bytes bigint NOT NULL DEFAULT 0
        CONSTRAINT uploads_received_not_negative CHECK (received_bytes >= 0),
    ADD COLUMN start_sha256 bytea -- of its first bytes, which differ between files of the same name and size; null: does not arrive in pieces
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
