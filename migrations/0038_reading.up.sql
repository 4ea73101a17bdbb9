-- How a file of items is read has more than a preset and a mapping: an encoding, the path of the
-- records, how messages are grouped. It is one value, as a form writes it.
ALTER TABLE projects ADD COLUMN import_reading jsonb NOT NULL DEFAULT '{}'
    CONSTRAINT projects_import_reading_length CHECK (char_length(import_reading::text) <= 10000);
ALTER TABLE uploads ADD COLUMN reading jsonb NOT NULL DEFAULT '{}'
    CONSTRAINT uploads_reading_length CHECK (char_length(reading::text) <= 10000);
UPDATE projects SET import_reading = jsonb_build_object('preset', import_preset, 'mapping', import_mapping) WHERE import_preset <> '' OR import_mapping <> '';
UPDATE uploads SET reading = jsonb_build_object('preset', preset, 'mapping', mapping) WHERE preset <> '' OR mapping <> '';
ALTER TABLE projects DROP COLUMN import_preset, DROP COLUMN import_mapping;
ALTER TABLE uploads DROP COLUMN preset, DROP COLUMN mapping;
