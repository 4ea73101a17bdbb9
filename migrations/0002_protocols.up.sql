-- A version has its own keys, scales and rules, and its own partition of the
-- annotations. A revision is a wording of it. Neither ever changes.
CREATE TABLE protocol_versions (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key          text NOT NULL,
    version      integer NOT NULL CHECK (version > 0),
    published_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (key, version)
);

CREATE TABLE protocol_revisions (
    protocol_version_id integer NOT NULL REFERENCES protocol_versions,
    revision            integer NOT NULL CHECK (revision >= 0),
    definition          text NOT NULL, -- as it was published
    published_by        bigint REFERENCES accounts,
    published_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (protocol_version_id, revision)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON protocol_revisions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
