-- projects holds the projects and their settings. A project uses one protocol
-- version. In limits and intervals, 0 means none.
CREATE TABLE projects (
    id                      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key                     text NOT NULL
                            CONSTRAINT projects_key_unique UNIQUE
                            CONSTRAINT projects_key_format CHECK (key ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    title                   text NOT NULL CONSTRAINT projects_title_length CHECK (char_length(title) BETWEEN 1 AND 200)
                            CONSTRAINT projects_title_one_line CHECK (is_one_line(title)),
    protocol_version_id     integer NOT NULL REFERENCES protocol_versions,
    content_warning         text NOT NULL DEFAULT '', -- shown before any text of the project
    content_warning_version integer NOT NULL DEFAULT 1, -- increases with each change, which must be acknowledged again
    support_url             text NOT NULL DEFAULT '',
    -- What an annotator does after missing the calibration tolerance.
    miss_policy             text NOT NULL DEFAULT 'continue'
                            CONSTRAINT projects_miss_policy_known CHECK (miss_policy IN ('continue', 'retake', 'wait')),
    -- Who labels a skipped item.
    skip_policy             text NOT NULL DEFAULT 'reassign'
                            CONSTRAINT projects_skip_policy_known CHECK (skip_policy IN ('reassign', 'return_later', 'drop')),
    break_after_minutes     integer NOT NULL DEFAULT 0
                            CONSTRAINT projects_break_after_minutes_not_negative CHECK (break_after_minutes >= 0),
    daily_item_limit        integer NOT NULL DEFAULT 0 -- per annotator
                            CONSTRAINT projects_daily_item_limit_not_negative CHECK (daily_item_limit >= 0),
    session_limit_minutes   integer NOT NULL DEFAULT 0
                            CONSTRAINT projects_session_limit_minutes_not_negative CHECK (session_limit_minutes >= 0),
    release_after_minutes   integer NOT NULL DEFAULT 1440 -- after which an open item without activity is abandoned
                            CONSTRAINT projects_release_after_minutes_not_negative CHECK (release_after_minutes >= 0),
    show_rater_effects      boolean NOT NULL DEFAULT false, -- to annotators, for their own closed batches
    created_at              timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT projects_id_protocol_version_unique UNIQUE (id, protocol_version_id)
);

-- members holds who works in a project. A member is known to others by a
-- pseudonym, which differs between projects. A removed member keeps the row,
-- because labels refer to it.
CREATE TABLE members (
    project_id         bigint NOT NULL REFERENCES projects,
    account_id         bigint NOT NULL REFERENCES accounts,
    role               text NOT NULL CONSTRAINT members_role_known CHECK (role IN ('lead', 'annotator')),
    pseudonym          text NOT NULL CONSTRAINT members_pseudonym_one_line CHECK (is_one_line(pseudonym)),
    joined_at          timestamptz NOT NULL DEFAULT now(),
    removed_at         timestamptz, -- since then the member has no rights in the project
    -- Leads see the name and the state of the account. They do if the member worked
    -- in the project, created it, or was added by an admin or a command. Until then
    -- a lead who adds an address learns nothing about its account.
    is_identified      boolean NOT NULL DEFAULT false,
    session_started_at timestamptz, -- of the last session; see session_is_active
    last_active_at     timestamptz,
    PRIMARY KEY (project_id, account_id),
    CONSTRAINT members_pseudonym_unique UNIQUE (project_id, pseudonym)
);
CREATE INDEX ON members (account_id);

-- session_is_active reports whether a session continues: it ends after 30
-- minutes without activity.
CREATE FUNCTION session_is_active(last_active_at timestamptz) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(last_active_at >= now() - interval '30 minutes', false)
$$;

-- project_leads lists who leads a project: every admin, and each lead who is a
-- member as lead. Disabled accounts and removed members lead nothing.
CREATE VIEW project_leads AS
SELECT p.id AS project_id, a.id AS account_id
FROM projects p
CROSS JOIN accounts a
WHERE NOT a.disabled
  AND (a.role = 'admin' OR a.role = 'lead' AND EXISTS (
      SELECT FROM members m WHERE m.project_id = p.id AND m.account_id = a.id AND m.role = 'lead' AND m.removed_at IS NULL));

-- identity.member_names lists the names by which leads know the members of a project: the
-- address until the member is identified.
CREATE VIEW identity.member_names AS
SELECT m.project_id, m.account_id, CASE WHEN m.is_identified THEN u.name ELSE u.email END AS name
FROM members m
JOIN identity.users u ON u.account_id = m.account_id;

-- identity.usable_invitations lists the invitations that set a password if they are used
-- now. One made for a project sets the first password of an account only. One made
-- by a lead needs more, because its holder could read all texts that the
-- account can read: the account is an annotator, was created by a lead, and
-- the lead who made the invitation leads all its projects.
CREATE VIEW identity.usable_invitations AS
SELECT i.token_hash, i.account_id
FROM identity.invitations i
JOIN accounts a ON a.id = i.account_id
JOIN identity.users u ON u.account_id = i.account_id
LEFT JOIN accounts c ON c.id = i.created_by
WHERE i.expires_at > now() AND NOT a.disabled
  AND (NOT i.for_project OR u.password_hash IS NULL)
  AND (i.created_by IS NULL OR c.role = 'admin' AND NOT c.disabled
       OR i.for_project AND a.role = 'annotator'
          AND EXISTS (SELECT FROM accounts creator WHERE creator.id = a.created_by AND creator.role = 'lead')
          AND (SELECT bool_and(EXISTS (
                   SELECT FROM project_leads l WHERE l.project_id = m.project_id AND l.account_id = i.created_by))
               FROM members m
               WHERE m.account_id = i.account_id AND m.removed_at IS NULL));

-- revision_publishers lists who may publish a revision of a version: every admin,
-- and each lead who leads every project that uses it. A version that no project
-- uses belongs to those who published it. Upgrades alone revise built-in versions.
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

-- check_revision rejects a revision that is not the next number, counted from 0,
-- or whose publisher may not revise the version. An upgrade may bring several
-- revisions of a built-in version at once, and publishes only the last. A null
-- publisher is a command.
CREATE FUNCTION check_revision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_builtin boolean := (SELECT v.is_builtin FROM protocol_versions v WHERE v.id = NEW.protocol_version_id);
    latest integer := (SELECT max(r.revision) FROM protocol_revisions r WHERE r.protocol_version_id = NEW.protocol_version_id);
BEGIN
    IF is_builtin AND NEW.published_by IS NOT NULL OR latest IS NOT NULL AND NEW.published_by IS NOT NULL AND NOT EXISTS (
        SELECT FROM revision_publishers p
        WHERE p.protocol_version_id = NEW.protocol_version_id AND p.account_id = NEW.published_by) THEN
        RAISE EXCEPTION 'account % may not publish this revision', NEW.published_by
            USING ERRCODE = 'check_violation', CONSTRAINT = 'protocol_revisions_publisher_allowed';
    END IF;
    IF NEW.revision <> coalesce(latest, -1) + 1 AND NOT (is_builtin AND NEW.revision > coalesce(latest, -1)) THEN
        RAISE EXCEPTION 'revision % does not follow %', NEW.revision, latest
            USING ERRCODE = 'check_violation', CONSTRAINT = 'protocol_revisions_next';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_revision BEFORE INSERT ON protocol_revisions
    FOR EACH ROW EXECUTE FUNCTION check_revision();

-- imports holds one row per imported file. The same file is imported once.
CREATE TABLE imports (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id bigint NOT NULL REFERENCES projects,
    sha256     bytea NOT NULL,
    file_name  text NOT NULL,
    item_count integer NOT NULL,
    created_by bigint REFERENCES accounts, -- null: imported by command
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT imports_file_unique UNIQUE (project_id, sha256)
);

-- items holds the texts to label. Facts are computed from the content at import
-- and never change, so that annotations can refer to them.
CREATE TABLE items (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id     bigint NOT NULL REFERENCES projects,
    import_id      bigint NOT NULL REFERENCES imports,
    source_id      text NOT NULL CONSTRAINT items_source_id_length CHECK (char_length(source_id) BETWEEN 1 AND 400),
    record_id      text NOT NULL DEFAULT '', -- items of one record are analyzed as a cluster
    is_calibration boolean NOT NULL DEFAULT false,
    content        jsonb NOT NULL,
    facts          jsonb NOT NULL,
    word_count     integer NOT NULL,
    meta           jsonb NOT NULL DEFAULT '{}', -- never shown to annotators
    CONSTRAINT items_source_id_unique UNIQUE (project_id, source_id),
    CONSTRAINT items_id_facts_unique UNIQUE (id, facts)
);

-- uploads holds files until a lead confirms the import. They are deleted after a
-- day, and an account has at most one validated file per project.
CREATE TABLE uploads (
    token      text PRIMARY KEY,
    project_id bigint NOT NULL REFERENCES projects,
    account_id bigint NOT NULL REFERENCES accounts,
    file_name  text NOT NULL CONSTRAINT uploads_file_name_length CHECK (char_length(file_name) BETWEEN 1 AND 200),
    -- These are null until the whole file is received and validated.
    sha256      bytea,
    chunk_count integer,
    item_count  integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT uploads_validated_completely CHECK (num_nulls(sha256, chunk_count, item_count) IN (0, 3))
);
CREATE UNIQUE INDEX uploads_one_per_account ON uploads (project_id, account_id) WHERE sha256 IS NOT NULL;

-- upload_chunks holds the content of uploads in pieces, so that no process has a
-- whole file in memory.
CREATE TABLE upload_chunks (
    token    text NOT NULL REFERENCES uploads ON DELETE CASCADE,
    chunk_no integer NOT NULL, -- from 0
    content  bytea NOT NULL,
    PRIMARY KEY (token, chunk_no)
);
ALTER TABLE upload_chunks ALTER COLUMN content SET STORAGE EXTERNAL;
