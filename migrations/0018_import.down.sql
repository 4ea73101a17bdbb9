DELETE FROM uploads WHERE item_count IS NULL;
DELETE FROM upload_targets WHERE item_count IS NULL;
ALTER TABLE upload_targets ALTER COLUMN item_count SET NOT NULL;
ALTER TABLE uploads
    DROP CONSTRAINT uploads_received_completely,
    DROP CONSTRAINT uploads_validated_after_receipt,
    ADD CONSTRAINT uploads_validated_completely CHECK (num_nulls(sha256, chunk_count, item_count) IN (0, 3)),
    DROP COLUMN preset,
    DROP COLUMN mapping;
ALTER TABLE projects
    DROP COLUMN import_preset,
    DROP COLUMN import_mapping;
