-- protocol_versions holds the published versions of each protocol. A version
-- fixes keys, scales, point labels, anchors and rules, and has its own partition
-- of annotations and of adjudications.
CREATE TABLE protocol_versions (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key          text NOT NULL,
    is_builtin   boolean NOT NULL DEFAULT false, -- published and revised by upgrades only
    version      integer NOT NULL CONSTRAINT protocol_versions_version_positive CHECK (version > 0),
    published_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT protocol_versions_key_version_unique UNIQUE (key, version)
);

-- protocol_revisions holds the wordings of a version. A revision changes prose
-- only. It is append-only: an annotation refers to the wording it was made under.
-- check_revision holds the rest of the rules.
CREATE TABLE protocol_revisions (
    protocol_version_id integer NOT NULL REFERENCES protocol_versions,
    revision            integer NOT NULL CONSTRAINT protocol_revisions_revision_not_negative CHECK (revision >= 0),
    definition          text NOT NULL, -- YAML, as published
    published_by        bigint REFERENCES accounts,
    published_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (protocol_version_id, revision)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON protocol_revisions
    FOR EACH ROW EXECUTE FUNCTION reject_change();
