ALTER TABLE projects
    ADD COLUMN import_preset text NOT NULL DEFAULT '' CONSTRAINT projects_import_preset_length CHECK (char_length(import_preset) <= 40),
    ADD COLUMN import_mapping text NOT NULL DEFAULT '' CONSTRAINT projects_import_mapping_length CHECK (char_length(import_mapping) <= 4000);
ALTER TABLE uploads
    ADD COLUMN preset text NOT NULL DEFAULT '' CONSTRAINT uploads_preset_length CHECK (char_length(preset) <= 40),
    ADD COLUMN mapping text NOT NULL DEFAULT '' CONSTRAINT uploads_mapping_length CHECK (char_length(mapping) <= 4000);
UPDATE projects SET import_preset = coalesce(import_reading->>'preset', ''), import_mapping = coalesce(import_reading->>'mapping', '');
UPDATE uploads SET preset = coalesce(reading->>'preset', ''), mapping = coalesce(reading->>'mapping', '');
ALTER TABLE projects DROP COLUMN import_reading;
ALTER TABLE uploads DROP COLUMN reading;
