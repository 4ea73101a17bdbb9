ALTER TABLE projects
    DROP COLUMN dataset_license,
    DROP COLUMN dataset_description,
    DROP COLUMN dataset_languages,
    DROP COLUMN blinding_key;
