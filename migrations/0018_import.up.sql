-- How a file of items is read: the preset of the program that wrote it, and the mappings of
-- columns, one COLUMN=PATH per line. A project keeps those of its last import.
ALTER TABLE projects
    ADD COLUMN import_preset text NOT NULL DEFAULT ''
        CONSTRAINT projects_import_preset_length CHECK (char_length(import_preset) <= 40),
    ADD COLUMN import_mapping text NOT NULL DEFAULT ''
        CONSTRAINT projects_import_mapping_length CHECK (char_length(import_mapping) <= 4000);
ALTER TABLE uploads
    ADD COLUMN preset text NOT NULL DEFAULT ''
        CONSTRAINT uploads_preset_length CHECK (char_length(preset) <= 40),
    ADD COLUMN mapping text NOT NULL DEFAULT ''
        CONSTRAINT uploads_mapping_length CHECK (char_length(mapping) <= 4000),
    -- A received file has no count of items as long as reading it finds errors.
    DROP CONSTRAINT uploads_validated_completely,
    ADD CONSTRAINT uploads_received_completely CHECK (num_nulls(sha256, chunk_count) IN (0, 2)),
    ADD CONSTRAINT uploads_validated_after_receipt CHECK (item_count IS NULL OR sha256 IS NOT NULL);
ALTER TABLE upload_targets ALTER COLUMN item_count DROP NOT NULL; -- null: as in uploads
