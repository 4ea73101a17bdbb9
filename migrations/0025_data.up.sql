ALTER TABLE projects
    -- What a dataset card says of an exported dataset. A license id such as cc-by-4.0; empty:
    -- none was chosen.
    ADD COLUMN dataset_license text NOT NULL DEFAULT ''
        CONSTRAINT projects_dataset_license_format CHECK (dataset_license ~ '^([a-z0-9][a-z0-9.+-]{0,62})?$'),
    ADD COLUMN dataset_description text NOT NULL DEFAULT ''
        CONSTRAINT projects_dataset_description_length CHECK (char_length(dataset_description) <= 5000)
        CONSTRAINT projects_dataset_description_plain CHECK (is_plain_text(dataset_description)),
    ADD COLUMN dataset_languages text[] NOT NULL DEFAULT '{}' -- codes such as en
        CONSTRAINT projects_dataset_languages_format CHECK (array_to_string(dataset_languages, ',') ~ '^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*(,[a-z]{2,3}(-[A-Za-z0-9]{2,8})*)*)?$'),
    -- Makes the ids of items in blinded exports, always the same ones.
    ADD COLUMN blinding_key bytea NOT NULL DEFAULT sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea)
        CONSTRAINT projects_blinding_key_length CHECK (octet_length(blinding_key) = 32);
