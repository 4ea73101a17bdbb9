ALTER TABLE projects DROP COLUMN text_formats;
