DROP TABLE import_tasks;
ALTER TABLE upload_targets DROP COLUMN preview;
ALTER TABLE uploads
    DROP COLUMN file_errors,
    DROP COLUMN preview,
    DROP COLUMN hash_state,
    DROP COLUMN start_sha256,
    DROP COLUMN received_bytes,
    DROP COLUMN size_bytes;
DROP INDEX uploads_account_id_idx;
