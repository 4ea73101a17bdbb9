CREATE TABLE protocol_versions (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key          text NOT NULL,
    is_builtin   boolean NOT NULL DEFAULT false, -- published and revised by upgrades only
    version      integer NOT NULL
        CONSTRAINT protocol_versions_version_positive CHECK (version > 0),
    published_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT protocol_versions_key_version_unique UNIQUE (key, version)
);
COMMENT ON TABLE protocol_versions IS 'Holds the published versions of each protocol. A version fixes keys, scales, point labels, anchors and rules, and has its own partition of annotations and of adjudications.';

CREATE TABLE protocol_fields (
    protocol_version_id integer REFERENCES protocol_versions,
    key                 text,
    span                integer NOT NULL -- highest minus lowest point
        CONSTRAINT protocol_fields_span_positive CHECK (span > 0),
    points              integer[] NOT NULL, -- of the scale
    PRIMARY KEY (protocol_version_id, key)
);
COMMENT ON TABLE protocol_fields IS 'Holds what measures of disagreement need to know of a field.';

CREATE TABLE protocol_revisions (
    protocol_version_id integer REFERENCES protocol_versions,
    revision            integer
        CONSTRAINT protocol_revisions_revision_not_negative CHECK (revision >= 0),
    definition          text NOT NULL, -- YAML, as published
    published_by        bigint REFERENCES accounts,
    published_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (protocol_version_id, revision)
);
COMMENT ON TABLE protocol_revisions IS 'Holds the wordings of a version. A revision changes prose only. It is append-only: an annotation refers to the wording it was made under.';

CREATE FUNCTION check_revision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_builtin boolean := (SELECT v.is_builtin FROM protocol_versions v WHERE v.id = NEW.protocol_version_id);
    latest integer := (SELECT max(r.revision) FROM protocol_revisions r WHERE r.protocol_version_id = NEW.protocol_version_id);
BEGIN
    IF is_builtin AND NEW.published_by IS NOT NULL OR latest IS NOT NULL AND NEW.published_by IS NOT NULL AND NOT EXISTS (
        SELECT FROM revision_publishers p
        WHERE p.protocol_version_id = NEW.protocol_version_id AND p.account_id = NEW.published_by)
        OR latest IS NULL AND NEW.published_by IS NOT NULL AND EXISTS (
        SELECT FROM protocol_versions v JOIN protocol_versions other ON other.key = v.key AND other.id <> v.id
        WHERE v.id = NEW.protocol_version_id) AND NOT EXISTS (
        SELECT FROM version_publishers p JOIN protocol_versions v ON v.key = p.key
        WHERE v.id = NEW.protocol_version_id AND p.account_id = NEW.published_by) THEN
        RAISE EXCEPTION 'account % may not publish this revision', NEW.published_by
            USING ERRCODE = 'check_violation', CONSTRAINT = 'protocol_revisions_publisher_allowed';
    END IF;
    IF NEW.revision <> coalesce(latest, -1) + 1 AND NOT (is_builtin AND NEW.revision > coalesce(latest, -1)) THEN
        RAISE EXCEPTION 'revision % does not follow %', NEW.revision, latest
            USING ERRCODE = 'check_violation', CONSTRAINT = 'protocol_revisions_next';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION check_revision IS 'Rejects a revision that is not the next number, counted from 0, or whose publisher may not revise the version, or not publish versions of the protocol. An upgrade may bring several revisions of a built-in version at once, and publishes only the last. A null publisher is a command.';
CREATE TRIGGER check_revision BEFORE INSERT ON protocol_revisions
    FOR EACH ROW EXECUTE FUNCTION check_revision();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON protocol_revisions
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON protocol_revisions FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON protocol_versions FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON protocol_versions FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
