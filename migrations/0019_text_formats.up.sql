ALTER TABLE projects
    -- How the texts of parts are shown, by key, where it differs from the protocol.
    ADD COLUMN text_formats jsonb NOT NULL DEFAULT '{}'
        CONSTRAINT projects_text_formats_known CHECK (
            jsonb_typeof(text_formats) = 'object'
            AND NOT jsonb_path_exists(text_formats, '$.* ? (!(@ == "text" || @ == "markdown" || @ == "code"))'));
