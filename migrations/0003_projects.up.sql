CREATE TABLE projects (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key                 text NOT NULL UNIQUE CONSTRAINT project_key CHECK (key ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    title               text NOT NULL CONSTRAINT project_title CHECK (char_length(title) BETWEEN 1 AND 200),
    protocol_version_id integer NOT NULL REFERENCES protocol_versions,
    warning             text NOT NULL DEFAULT '', -- shown before any text of the project
    warning_version     integer NOT NULL DEFAULT 1,
    support_url         text NOT NULL DEFAULT '',
    created_at          timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, protocol_version_id)
);

-- A member is known by a pseudonym that says nothing, a different one in each
-- project.
CREATE TABLE members (
    project_id bigint NOT NULL REFERENCES projects,
    account_id bigint NOT NULL REFERENCES accounts,
    role       text NOT NULL CONSTRAINT member_role CHECK (role IN ('lead', 'annotator')),
    pseudonym  text NOT NULL,
    joined_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, account_id),
    UNIQUE (project_id, pseudonym)
);
CREATE INDEX ON members (account_id);

CREATE TABLE imports (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id bigint NOT NULL REFERENCES projects,
    sha256     bytea NOT NULL,
    file_name  text NOT NULL,
    items      integer NOT NULL,
    by         bigint REFERENCES accounts,
    at         timestamptz NOT NULL DEFAULT now(),
    UNIQUE (project_id, sha256)
);

CREATE TABLE items (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id  bigint NOT NULL REFERENCES projects,
    import_id   bigint NOT NULL REFERENCES imports,
    source_id   text NOT NULL CONSTRAINT item_source_id CHECK (char_length(source_id) BETWEEN 1 AND 400),
    record_id   text NOT NULL DEFAULT '',
    calibration boolean NOT NULL DEFAULT false,
    content     jsonb NOT NULL,
    facts       jsonb NOT NULL,
    words       integer NOT NULL,
    meta        jsonb NOT NULL DEFAULT '{}', -- never reaches an annotator
    UNIQUE (project_id, source_id),
    UNIQUE (id, facts)
);
