CREATE SCHEMA identity;
COMMENT ON SCHEMA identity IS 'Names, addresses and passwords. All other tables refer to a user by account id.';

CREATE FUNCTION is_one_line(text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 !~ '[\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]';
COMMENT ON FUNCTION is_one_line IS 'Reports whether a text has no control characters, bidirectional controls or line separators, as titles and names must. internal/plaintext has the same rule.';

CREATE FUNCTION session_is_active(last_active_at timestamptz) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(last_active_at >= now() - interval '30 minutes', false)
$$;
COMMENT ON FUNCTION session_is_active IS 'Reports whether a session continues: it ends after 30 minutes without activity.';

CREATE FUNCTION has_unique_elements(text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT pg_catalog.array_position($1, NULL) IS NULL
       AND pg_catalog.cardinality($1) = (SELECT pg_catalog.count(DISTINCT e) FROM pg_catalog.unnest($1) e)
$$;
COMMENT ON FUNCTION has_unique_elements IS 'Reports whether an array has no null and no element twice. The CHECKs of the partitions of annotations use it.';

CREATE FUNCTION is_plain_text(text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN public.is_one_line(pg_catalog.translate($1, E'\t\n', '  '));
COMMENT ON FUNCTION is_plain_text IS 'Reports whether a text of several lines has no control characters, bidirectional controls or line separators other than tabs and line breaks. internal/plaintext has the same rule.';

CREATE FUNCTION required_documents(content_warning text, content_warning_version integer, instructions text, instructions_version integer, guide_revision integer)
RETURNS TABLE (document_no integer, document text, version integer, is_daily boolean) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT d.document_no, d.document, d.version, d.is_daily
    FROM (VALUES
        (1, 'content_warning', content_warning_version, true, content_warning <> ''),
        (2, 'instructions', instructions_version, false, instructions <> ''),
        (3, 'guide', guide_revision, false, true)) d (document_no, document, version, is_daily, is_required)
    WHERE d.is_required $$;
COMMENT ON FUNCTION required_documents IS 'Lists what annotators must read before the items, in this order: the content warning each day, instructions and guide in their current version.';

CREATE FUNCTION is_active_annotator(removed_at timestamptz, member_removed_at timestamptz, project_archived_at timestamptz)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT removed_at IS NULL AND member_removed_at IS NULL AND project_archived_at IS NULL $$;
COMMENT ON FUNCTION is_active_annotator IS 'Reports whether an annotator can label: not removed from the batch, a member of the project, which is not archived.';

CREATE TABLE accounts (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    role       text NOT NULL
        CONSTRAINT accounts_role_known CHECK (role IN ('admin', 'lead', 'viewer', 'annotator')),
    kind       text NOT NULL DEFAULT 'human'
        CONSTRAINT accounts_kind_known CHECK (kind IN ('human', 'model')),
    disabled   boolean NOT NULL DEFAULT false,
    -- signs forms, so that one sent after the session ended is still attributed to its author
    form_key   uuid NOT NULL DEFAULT gen_random_uuid(),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by bigint REFERENCES accounts, -- null: a command, the first admin, or a first sign-in through the company
    version    integer NOT NULL DEFAULT 1
);
COMMENT ON TABLE accounts IS 'Holds one row per user and per model judge. An account is never deleted: annotations and the audit log refer to it.';

CREATE TABLE identity.users (
    account_id       bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    email            text NOT NULL
        CONSTRAINT users_email_length CHECK (char_length(email) BETWEEN 3 AND 254),
    name             text NOT NULL
        CONSTRAINT users_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
        CONSTRAINT users_name_one_line CHECK (is_one_line(name)),
    password_hash    text, -- argon2id in PHC format; null until the user accepts an invitation
    receives_mail    boolean NOT NULL DEFAULT true, -- about work and questions; invitations are always sent
    last_digest_on   date,
    browser_language text NOT NULL DEFAULT '' -- at the last sign-in; empty: not known
        CONSTRAINT users_browser_language_tag CHECK (browser_language ~ '^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$')
);
CREATE UNIQUE INDEX users_email_unique ON identity.users (lower(email));
COMMENT ON TABLE identity.users IS 'Holds the personal data of a human account. Addresses are unique regardless of case.';

CREATE TABLE identity.account_settings (
    account_id         bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    theme              text NOT NULL DEFAULT 'auto'
        CONSTRAINT account_settings_theme_known CHECK (theme IN ('auto', 'light', 'dark')),
    text_size          text NOT NULL DEFAULT 'normal'
        CONSTRAINT account_settings_text_size_known CHECK (text_size IN ('normal', 'large', 'largest')),
    reduces_motion     boolean NOT NULL DEFAULT false, -- also where the device does not ask for it
    language           text NOT NULL DEFAULT '' -- empty: that of the browser
        CONSTRAINT account_settings_language_tag CHECK (language ~ '^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$'),
    auto_advances      boolean NOT NULL DEFAULT true, -- an answer moves on to the next unanswered field
    shortcuts_disabled boolean NOT NULL DEFAULT false, -- single keys do nothing
    keys               jsonb NOT NULL DEFAULT '{}' -- by command; others have their default
        CONSTRAINT account_settings_keys_object CHECK (jsonb_typeof(keys) = 'object'),
    updated_at         timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE identity.account_settings IS 'Holds what a user chose for their own screens. Without a row, the defaults apply. It is personal: a large text size says something about a person.';

CREATE TABLE identity.invitations (
    token_hash  bytea PRIMARY KEY,
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    created_by  bigint REFERENCES accounts, -- null: a command
    for_project boolean NOT NULL, -- made for a member of a project: sets the first password only
    is_mailed   boolean NOT NULL, -- known only to who reads the mail of the account
    expires_at  timestamptz NOT NULL,
    new_email   text -- of a link that gives the account this address; null: it sets a password
        CONSTRAINT invitations_new_email_length CHECK (char_length(new_email) BETWEEN 3 AND 254),
    CONSTRAINT invitations_new_email_own CHECK (new_email IS NULL OR created_by = account_id AND is_mailed AND NOT for_project)
);
CREATE INDEX invitations_account_id_idx ON identity.invitations (account_id);
COMMENT ON TABLE identity.invitations IS 'Holds the links with which a user sets a password or changes their address once, before expires_at. They are deleted when one is used.';

CREATE TABLE identity.setup_token (
    only_row boolean DEFAULT true PRIMARY KEY
        CONSTRAINT setup_token_only_row CHECK (only_row),
    token    text NOT NULL
);
COMMENT ON TABLE identity.setup_token IS 'Holds, until there is an admin, the token of the link that creates the first one. Every node prints the same link, so the token itself is stored.';

CREATE TABLE identity.known_browsers (
    token_hash   bytea PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    last_seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX known_browsers_account_id_idx ON identity.known_browsers (account_id);
COMMENT ON TABLE identity.known_browsers IS 'Holds browsers that a user signed in from. Failed sign-ins from a known browser are counted separately, so that an attacker cannot lock the user out.';

CREATE TABLE identity.sign_ins (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id     bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    browser        text NOT NULL -- as shown to the user, such as "Firefox on Linux"
        CONSTRAINT sign_ins_browser_length CHECK (char_length(browser) <= 200),
    client_address text NOT NULL
        CONSTRAINT sign_ins_client_address_length CHECK (char_length(client_address) <= 100),
    created_at     timestamptz NOT NULL DEFAULT now(),
    last_active_at timestamptz NOT NULL DEFAULT now(), -- to the minute
    confirmed_at   timestamptz NOT NULL DEFAULT now() -- when the password was last entered
);
CREATE INDEX sign_ins_account_id_idx ON identity.sign_ins (account_id);
COMMENT ON TABLE identity.sign_ins IS 'Holds a row for each browser that is signed in. Deleting it signs the browser out.';

CREATE TABLE identity.oidc_subjects (
    issuer     text,
    subject    text
        CONSTRAINT oidc_subjects_subject_length CHECK (char_length(subject) BETWEEN 1 AND 255),
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT oidc_subjects_account_id_issuer_key UNIQUE (account_id, issuer),
    PRIMARY KEY (issuer, subject)
);
COMMENT ON TABLE identity.oidc_subjects IS 'Links accounts to users of the company''s sign-in. A subject never changes and is never given to another user, an email address can be: so the address finds an account only once.';

CREATE TABLE identity.second_factors (
    account_id     bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    secret         text NOT NULL, -- of the one-time codes, in base32
    last_step      bigint NOT NULL, -- the time step of the last accepted code
    recovery_codes bytea[] NOT NULL, -- hashes of those that are not used
    created_at     timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE identity.second_factors IS 'Holds the authenticator app of an account. A code is accepted only for a later time step than last_step, so each works once.';

CREATE TABLE identity.passkeys (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    credential_id bytea NOT NULL
        CONSTRAINT passkeys_credential_id_unique UNIQUE,
    credential    jsonb NOT NULL, -- the public key, and what its device says of itself
    sign_count    bigint NOT NULL, -- at the last use; devices that do not count stay at 0
    name          text NOT NULL
        CONSTRAINT passkeys_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
        CONSTRAINT passkeys_name_one_line CHECK (is_one_line(name)),
    created_at    timestamptz NOT NULL DEFAULT now(),
    last_used_at  timestamptz -- null: not used yet
);
CREATE INDEX passkeys_account_id_idx ON identity.passkeys (account_id);
COMMENT ON TABLE identity.passkeys IS 'Holds the passkeys of accounts. Each use must have a higher sign_count, else the passkey may have been copied, and it is refused.';

CREATE TABLE sessions (
    token_hash text PRIMARY KEY,
    data       bytea NOT NULL,
    sign_in_id bigint, -- null: not signed in; also in data, and here to find the account with the session
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);
COMMENT ON TABLE sessions IS 'Stores web sessions. It holds only a hash of the session token.';

CREATE TABLE sign_in_attempts (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email_hash   bytea NOT NULL,
    browser_hash bytea NOT NULL, -- of the token of a known browser, else of the network
    attempted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_attempts_email_hash_attempted_at_idx ON sign_in_attempts (email_hash, attempted_at);
COMMENT ON TABLE sign_in_attempts IS 'Limits password guessing per address and browser or network. A row is added before the password is checked, and deleted if it was correct.';

CREATE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND is_being_erased(regexp_replace(TG_TABLE_NAME, '_[0-9]+$', ''), to_jsonb(OLD)) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
COMMENT ON FUNCTION reject_change IS 'Trigger: rejects the statement. Tables that keep their rows have it. Only an erasure changes a row, of which it first keeps the fingerprint.';
CREATE TRIGGER keep_rows BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

CREATE FUNCTION count_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION count_version IS 'Trigger: increases the version of a row, by which clients notice that it was changed.';
CREATE TRIGGER count_version BEFORE UPDATE OF role, disabled ON accounts FOR EACH ROW EXECUTE FUNCTION count_version();

COMMENT ON TABLE schema_migrations IS 'Holds the version of the schema.';
