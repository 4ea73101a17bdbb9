-- A file that was found in order waits here until somebody has seen its items
-- and stores them. After a day it is forgotten.
CREATE TABLE uploads (
    token      text PRIMARY KEY,
    project_id bigint NOT NULL REFERENCES projects,
    account_id bigint NOT NULL REFERENCES accounts,
    file_name  text NOT NULL CONSTRAINT upload_file_name CHECK (char_length(file_name) BETWEEN 1 AND 200),
    sha256     bytea NOT NULL,
    content    bytea NOT NULL,
    at         timestamptz NOT NULL DEFAULT now()
);
-- One at a time, so that files tried out do not pile up.
CREATE UNIQUE INDEX upload_once ON uploads (project_id, account_id);
ALTER TABLE uploads ALTER COLUMN content SET STORAGE EXTERNAL;
