CREATE TABLE projects (
    id                       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key                      text NOT NULL CONSTRAINT projects_key_unique UNIQUE
        CONSTRAINT projects_key_format CHECK (key ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    title                    text NOT NULL
        CONSTRAINT projects_title_length CHECK (char_length(title) BETWEEN 1 AND 200)
        CONSTRAINT projects_title_one_line CHECK (is_one_line(title)),
    protocol_version_id      integer NOT NULL REFERENCES protocol_versions,
    content_warning          text NOT NULL DEFAULT '', -- shown before any text of the project
    -- increases with each change, which must be acknowledged again
    content_warning_version  integer NOT NULL DEFAULT 1,
    support_url              text NOT NULL DEFAULT '',
    miss_policy              text NOT NULL DEFAULT 'continue'
        CONSTRAINT projects_miss_policy_known CHECK (miss_policy IN ('continue', 'retake', 'wait')),
    skip_policy              text NOT NULL DEFAULT 'reassign'
        CONSTRAINT projects_skip_policy_known CHECK (skip_policy IN ('reassign', 'return_later', 'drop')),
    break_after_minutes      integer NOT NULL DEFAULT 0
        CONSTRAINT projects_break_after_minutes_not_negative CHECK (break_after_minutes >= 0),
    daily_item_limit         integer NOT NULL DEFAULT 0 -- per annotator
        CONSTRAINT projects_daily_item_limit_not_negative CHECK (daily_item_limit >= 0),
    session_limit_minutes    integer NOT NULL DEFAULT 0
        CONSTRAINT projects_session_limit_minutes_not_negative CHECK (session_limit_minutes >= 0),
    release_after_minutes    integer NOT NULL DEFAULT 1440 -- after which an open item without activity is abandoned
        CONSTRAINT projects_release_after_minutes_not_negative CHECK (release_after_minutes >= 0),
    show_rater_effects       boolean NOT NULL DEFAULT false, -- to annotators, for their own closed batches
    created_at               timestamptz NOT NULL DEFAULT now(),
    instructions             text NOT NULL DEFAULT ''
        CONSTRAINT projects_instructions_length CHECK (char_length(instructions) <= 20000),
    instructions_version     integer NOT NULL DEFAULT 1, -- increases with each change
    -- the first of the projects that were created together; they share uploads
    created_with             bigint REFERENCES projects,
    archived_at              timestamptz, -- since then the project is read-only
    archived_by              bigint REFERENCES accounts, -- null: a command, or not archived
    text_formats             jsonb NOT NULL DEFAULT '{}'
        CONSTRAINT projects_text_formats_known CHECK ( jsonb_typeof(text_formats) = 'object' AND NOT jsonb_path_exists(text_formats, '$.* ? (!(@ == "text" || @ == "markdown" || @ == "code"))')),
    share_calibration_scores boolean NOT NULL DEFAULT true,
    dataset_license          text NOT NULL DEFAULT ''
        CONSTRAINT projects_dataset_license_format CHECK (dataset_license ~ '^([a-z0-9][a-z0-9.+-]{0,62})?$'),
    dataset_description      text NOT NULL DEFAULT ''
        CONSTRAINT projects_dataset_description_length CHECK (char_length(dataset_description) <= 5000)
        CONSTRAINT projects_dataset_description_plain CHECK (is_plain_text(dataset_description)),
    dataset_languages        text[] NOT NULL DEFAULT '{}' -- codes such as en
        CONSTRAINT projects_dataset_languages_format CHECK (array_to_string(dataset_languages, ',') ~ '^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*(,[a-z]{2,3}(-[A-Za-z0-9]{2,8})*)*)?$'),
    blinding_key             bytea NOT NULL DEFAULT sha256((((gen_random_uuid())::text || (gen_random_uuid())::text))::bytea)
        CONSTRAINT projects_blinding_key_length CHECK (octet_length(blinding_key) = 32),
    allows_undo              boolean NOT NULL DEFAULT false,
    version                  integer NOT NULL DEFAULT 1,
    import_reading           jsonb NOT NULL DEFAULT '{}'
        CONSTRAINT projects_import_reading_length CHECK (char_length(import_reading::text) <= 10000),
    tie_rule                 text NOT NULL DEFAULT 'unresolved'
        CONSTRAINT projects_tie_rule_known CHECK (tie_rule IN ('unresolved', 'lower', 'higher')),
    citation_pattern         text NOT NULL DEFAULT '[{n}]'
        CONSTRAINT projects_citation_pattern_length CHECK (char_length(citation_pattern) <= 40)
);
CREATE INDEX projects_created_with_idx ON projects (created_with);
COMMENT ON TABLE projects IS 'Holds the projects and their settings. A project uses one protocol version at a time; see project_versions. In limits and intervals, 0 means none.';
COMMENT ON COLUMN projects.citation_pattern IS 'How answers cite chunks: {n} stands for the number of a chunk, {source} for its source. Empty: citations are not linked.';

CREATE TABLE project_versions (
    project_id          bigint REFERENCES projects,
    protocol_version_id integer REFERENCES protocol_versions,
    taken_at            timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, protocol_version_id)
);
COMMENT ON TABLE project_versions IS 'Holds the protocol versions that a project uses or used. Batches, labels, decisions and judgments stay with the version that they were made under.';

CREATE TABLE members (
    project_id         bigint REFERENCES projects,
    account_id         bigint REFERENCES accounts,
    role               text NOT NULL
        CONSTRAINT members_role_known CHECK (role IN ('lead', 'viewer', 'annotator')),
    pseudonym          text NOT NULL
        CONSTRAINT members_pseudonym_one_line CHECK (is_one_line(pseudonym)),
    joined_at          timestamptz NOT NULL DEFAULT now(),
    removed_at         timestamptz, -- since then the member has no rights in the project
    is_identified      boolean NOT NULL DEFAULT false,
    session_started_at timestamptz, -- of the last session; see session_is_active
    last_active_at     timestamptz,
    work_ended_at      timestamptz, -- null: it did not, or the member is in an open batch again
    thank_you          text NOT NULL DEFAULT ''
        CONSTRAINT members_thank_you_length CHECK (char_length(thank_you) <= 1000),
    version            integer NOT NULL DEFAULT 1,
    CONSTRAINT members_pseudonym_unique UNIQUE (project_id, pseudonym),
    PRIMARY KEY (project_id, account_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);
CREATE INDEX members_account_id_idx ON members (account_id);
COMMENT ON TABLE members IS 'Holds who works in a project. A member is known to others by a pseudonym, which differs between projects. A removed member keeps the row, because labels refer to it.';

CREATE TABLE required_texts (
    project_id bigint REFERENCES projects,
    document   text
        CONSTRAINT required_texts_document_known CHECK (document IN ('content_warning', 'instructions')),
    version    integer,
    content    text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, document, version)
);
COMMENT ON TABLE required_texts IS 'Keeps every version of the texts of a project that its annotators must read. A trigger of projects writes it.';

CREATE TABLE reading_acknowledgments (
    project_id      bigint REFERENCES projects,
    account_id      bigint REFERENCES accounts,
    document        text
        CONSTRAINT reading_acknowledgments_document_known CHECK (document IN ('content_warning', 'instructions', 'guide')),
    version         integer, -- of the guide: the revision of the protocol
    day             date DEFAULT CURRENT_DATE,
    acknowledged_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, account_id, document, version, day)
);
COMMENT ON TABLE reading_acknowledgments IS 'Records that a member read a document of a project on a day.';

CREATE TABLE identity.api_tokens (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name         text NOT NULL
        CONSTRAINT api_tokens_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
        CONSTRAINT api_tokens_name_one_line CHECK (is_one_line(name)),
    prefix       text NOT NULL, -- its first characters, by which the user recognizes it
    token_hash   bytea NOT NULL CONSTRAINT api_tokens_token_hash_unique UNIQUE,
    scopes       text[] NOT NULL
        CONSTRAINT api_tokens_scopes_known CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['label', 'read', 'judge', 'manage', 'export', 'admin']),
    all_projects boolean NOT NULL, -- false: only those of api_token_projects
    created_by   bigint REFERENCES accounts, -- null: a command
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL,
    last_used_at timestamptz, -- to the minute
    revoked_at   timestamptz
);
CREATE INDEX api_tokens_account_id_idx ON identity.api_tokens (account_id);
COMMENT ON TABLE identity.api_tokens IS 'Holds the tokens with which programs use the API. A token has the rights of its account when it is used, restricted to its scopes and projects. Only a hash is stored: the token is shown once.';

CREATE TABLE identity.api_token_projects (
    token_id   bigint REFERENCES identity.api_tokens ON DELETE CASCADE,
    project_id bigint REFERENCES projects,
    PRIMARY KEY (token_id, project_id)
);
COMMENT ON TABLE identity.api_token_projects IS 'Holds the projects to which a token is limited.';

CREATE TABLE identity.api_requests (
    token_id        bigint REFERENCES identity.api_tokens ON DELETE CASCADE,
    idempotency_key text
        CONSTRAINT api_requests_idempotency_key_length CHECK (char_length(idempotency_key) BETWEEN 1 AND 200),
    fingerprint     bytea NOT NULL, -- of the operation and everything that was sent
    response        bytea, -- null: not done yet; empty: erased
    started_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (token_id, idempotency_key)
);
CREATE INDEX api_requests_started_at_idx ON identity.api_requests (started_at);
COMMENT ON TABLE identity.api_requests IS 'Holds the responses to writes that had an idempotency key, so that a program can repeat a request safely. They are deleted after a day. Each erasure empties all of them.';

CREATE VIEW project_leads AS
SELECT p.id AS project_id, a.id AS account_id
FROM projects p
CROSS JOIN accounts a
WHERE NOT a.disabled
  AND (a.role = 'admin' OR a.role = 'lead' AND EXISTS (
      SELECT FROM members m WHERE m.project_id = p.id AND m.account_id = a.id AND m.role = 'lead' AND m.removed_at IS NULL));
COMMENT ON VIEW project_leads IS 'Lists who leads a project: every admin, and each lead who is a member as lead. Disabled accounts and removed members lead nothing.';

CREATE VIEW project_viewers AS
SELECT m.project_id, m.account_id
FROM members m
JOIN accounts a ON a.id = m.account_id
WHERE m.role = 'viewer' AND m.removed_at IS NULL AND a.role = 'viewer' AND NOT a.disabled;
COMMENT ON VIEW project_viewers IS 'Lists who reads the reports of a project and nothing else of it. An annotator whom a lead made a viewer is none: they could read the results of what they label.';

CREATE VIEW identity.member_names AS
SELECT m.project_id, m.account_id, known.name, known.name || ' · ' || m.pseudonym AS label
FROM members m
JOIN identity.users u ON u.account_id = m.account_id
CROSS JOIN LATERAL (SELECT CASE WHEN m.is_identified THEN u.name ELSE u.email END AS name) known;
COMMENT ON VIEW identity.member_names IS 'Lists the names by which leads know the members of a project: the address until the member is identified. A label has the pseudonym, too, as outside adjudication.';

CREATE VIEW identity.usable_invitations AS
SELECT i.token_hash, i.account_id
FROM identity.invitations i
JOIN accounts a ON a.id = i.account_id
JOIN identity.users u ON u.account_id = i.account_id
LEFT JOIN accounts c ON c.id = i.created_by
WHERE i.expires_at > now() AND i.new_email IS NULL AND NOT a.disabled
  AND (NOT i.for_project OR u.password_hash IS NULL)
  AND (i.created_by IS NULL OR i.created_by = i.account_id OR i.is_mailed OR c.role = 'admin' AND NOT c.disabled
       OR i.for_project AND a.role IN ('viewer', 'annotator')
          AND EXISTS (SELECT FROM accounts creator WHERE creator.id = a.created_by AND creator.role = 'lead')
          AND (SELECT bool_and(EXISTS (
                   SELECT FROM project_leads l WHERE l.project_id = m.project_id AND l.account_id = i.created_by))
               FROM members m
               WHERE m.account_id = i.account_id AND m.removed_at IS NULL));
COMMENT ON VIEW identity.usable_invitations IS 'Lists the invitations that set a password if they are used now. One made for a project sets the first password of an account only. A mailed one, as a user''s own, is known only at the address of the account. One that a lead passes on needs more, because its holder could read all texts that the account can read: the account is an annotator or a viewer, was created by a lead, and the lead who made the invitation leads all its projects.';

CREATE VIEW revision_publishers AS
SELECT v.id AS protocol_version_id, a.id AS account_id
FROM protocol_versions v
CROSS JOIN accounts a
WHERE NOT v.is_builtin AND NOT a.disabled
  AND (a.role = 'admin' OR a.role = 'lead' AND CASE
      WHEN EXISTS (SELECT FROM projects p WHERE p.protocol_version_id = v.id) THEN NOT EXISTS (
          SELECT FROM projects p
          WHERE p.protocol_version_id = v.id
            AND NOT EXISTS (SELECT FROM project_leads l WHERE l.project_id = p.id AND l.account_id = a.id))
      ELSE EXISTS (SELECT FROM protocol_revisions r WHERE r.protocol_version_id = v.id AND r.published_by = a.id)
      END);
COMMENT ON VIEW revision_publishers IS 'Lists who may publish a revision of a version: every admin, and each lead who leads every project that uses it. A version that no project uses belongs to those who published it. Upgrades alone revise built-in versions.';

CREATE VIEW version_publishers AS
SELECT k.key, a.id AS account_id
FROM (SELECT DISTINCT v.key FROM protocol_versions v WHERE NOT v.is_builtin) k
CROSS JOIN accounts a
WHERE NOT a.disabled
  AND (a.role = 'admin' OR a.role = 'lead' AND (
      EXISTS (
          SELECT FROM protocol_versions v
          JOIN protocol_revisions r ON r.protocol_version_id = v.id AND r.published_by = a.id
          WHERE v.key = k.key)
      OR EXISTS (SELECT FROM projects p JOIN protocol_versions v ON v.id = p.protocol_version_id WHERE v.key = k.key)
      AND NOT EXISTS (
          SELECT FROM projects p
          JOIN protocol_versions v ON v.id = p.protocol_version_id
          WHERE v.key = k.key AND NOT EXISTS (SELECT FROM project_leads l WHERE l.project_id = p.id AND l.account_id = a.id))));
COMMENT ON VIEW version_publishers IS 'Lists who may publish the next version of a protocol: every admin, its authors, and each lead who leads every project that uses a version of it.';

CREATE FUNCTION pending_documents(of_project_id bigint, of_account_id bigint,
    content_warning text, content_warning_version integer, instructions text, instructions_version integer, guide_revision integer)
RETURNS TABLE (document_no integer, document text, version integer) LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT d.document_no, d.document, d.version
    FROM required_documents(content_warning, content_warning_version, instructions, instructions_version, guide_revision) d
    WHERE NOT EXISTS (
        SELECT FROM reading_acknowledgments k
        WHERE k.project_id = of_project_id AND k.account_id = of_account_id AND k.document = d.document
          AND k.version >= d.version AND (NOT d.is_daily OR k.day = current_date)) $$;
COMMENT ON FUNCTION pending_documents IS 'Lists the required documents that a member of a project has not acknowledged yet.';

CREATE FUNCTION pseudonym_fingerprint(m members) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(convert_to(jsonb_build_array(m.project_id, m.account_id, m.pseudonym)::text, 'UTF8'))
$$;
COMMENT ON FUNCTION pseudonym_fingerprint IS 'Returns a hash of a pseudonym and whose it is.';

CREATE FUNCTION number_required_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.content_warning_version := OLD.content_warning_version + (NEW.content_warning <> OLD.content_warning)::int;
    NEW.instructions_version := OLD.instructions_version + (NEW.instructions <> OLD.instructions)::int;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION number_required_texts IS 'Gives a changed text the next version.';
CREATE TRIGGER number_required_texts BEFORE UPDATE OF content_warning, instructions ON projects
    FOR EACH ROW EXECUTE FUNCTION number_required_texts();

CREATE FUNCTION keep_required_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO required_texts (project_id, document, version, content)
    SELECT NEW.id, t.document, t.version, t.content
    FROM (VALUES ('content_warning', NEW.content_warning_version, NEW.content_warning),
                 ('instructions', NEW.instructions_version, NEW.instructions)) t (document, version, content)
    WHERE t.content <> ''
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION keep_required_texts IS 'Stores the versions that are not empty.';
CREATE TRIGGER keep_required_texts AFTER INSERT OR UPDATE OF content_warning, instructions ON projects
    FOR EACH ROW EXECUTE FUNCTION keep_required_texts();

CREATE FUNCTION keep_project_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NOT EXISTS (
        SELECT FROM protocol_versions o JOIN protocol_versions n ON n.key = o.key AND n.version > o.version
        WHERE o.id = OLD.protocol_version_id AND n.id = NEW.protocol_version_id) THEN
        RAISE EXCEPTION 'not a later version of the protocol of project %', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'projects_protocol_version_later';
    END IF;
    INSERT INTO project_versions (project_id, protocol_version_id) VALUES (NEW.id, NEW.protocol_version_id);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION keep_project_version IS 'Trigger: records the protocol version that a project takes. It must be a later one of the same protocol.';
CREATE TRIGGER keep_project_version AFTER INSERT ON projects FOR EACH ROW EXECUTE FUNCTION keep_project_version();
CREATE TRIGGER keep_later_project_version AFTER UPDATE OF protocol_version_id ON projects
    FOR EACH ROW WHEN (OLD.protocol_version_id <> NEW.protocol_version_id) EXECUTE FUNCTION keep_project_version();

CREATE FUNCTION reject_archived_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    row_id bigint := (to_jsonb(NEW) ->> TG_ARGV[0])::bigint;
    found_id bigint := CASE TG_ARGV[0]
        WHEN 'item_id' THEN (SELECT i.project_id FROM items i WHERE i.id = row_id)
        WHEN 'batch_id' THEN (SELECT b.project_id FROM batches b WHERE b.id = row_id)
        ELSE row_id END;
BEGIN
    IF EXISTS (SELECT FROM projects p WHERE p.id = found_id AND p.archived_at IS NOT NULL)
        AND NOT EXISTS (SELECT FROM erasures e WHERE e.kind IN ('items', 'project') AND e.subject_id = found_id AND e.created_at = now()) THEN
        RAISE EXCEPTION 'project % is archived', found_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'projects_archived_unchanged';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION reject_archived_change IS 'Rejects a change in an archived project. Its argument is the column that leads to the project.';
CREATE TRIGGER reject_archived_change BEFORE UPDATE ON projects
    FOR EACH ROW WHEN (OLD.archived_at IS NOT NULL AND NEW.archived_at IS NOT NULL) EXECUTE FUNCTION reject_archived_change('id');
CREATE TRIGGER reject_archived_change BEFORE INSERT ON members
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('project_id');
CREATE TRIGGER reject_archived_role BEFORE UPDATE ON members
    FOR EACH ROW WHEN ((OLD.role, OLD.removed_at) IS DISTINCT FROM (NEW.role, NEW.removed_at)) EXECUTE FUNCTION reject_archived_change('project_id');

CREATE FUNCTION seal_pseudonym() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
    VALUES ('pseudonym', NEW.project_id, NEW.account_id, NEW.account_id, 1, pseudonym_fingerprint(NEW));
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION seal_pseudonym FROM PUBLIC;
COMMENT ON FUNCTION seal_pseudonym IS 'Trigger: seals the pseudonym of a new member.';
CREATE TRIGGER seal_pseudonym AFTER INSERT ON members FOR EACH ROW EXECUTE FUNCTION seal_pseudonym();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON project_versions
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON project_versions FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON required_texts
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER count_version BEFORE UPDATE OF role, removed_at, work_ended_at, thank_you ON members FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE TRIGGER count_version BEFORE UPDATE ON projects FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE TRIGGER keep_pseudonym AFTER UPDATE OF project_id, account_id, pseudonym ON members FOR EACH ROW
    WHEN ((NEW.project_id, NEW.account_id, NEW.pseudonym) IS DISTINCT FROM (OLD.project_id, OLD.account_id, OLD.pseudonym))
    EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON members FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON required_texts FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON projects FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON projects FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
