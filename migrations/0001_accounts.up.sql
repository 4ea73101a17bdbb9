-- Names, addresses and passwords are stored in this schema only. All other
-- tables refer to a user by account id.
CREATE SCHEMA identity;

-- accounts holds one row per user and per model judge. An account is never
-- deleted: annotations and the audit log refer to it.
CREATE TABLE accounts (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    role          text NOT NULL CONSTRAINT accounts_role_known CHECK (role IN ('admin', 'lead', 'annotator')),
    kind          text NOT NULL DEFAULT 'human' CONSTRAINT accounts_kind_known CHECK (kind IN ('human', 'model')),
    disabled      boolean NOT NULL DEFAULT false,
    session_epoch integer NOT NULL DEFAULT 0, -- increasing it ends every session of the account
    form_key      uuid NOT NULL DEFAULT gen_random_uuid(), -- signs forms, so that one sent after the session ended is still attributed to its author
    created_at    timestamptz NOT NULL DEFAULT now(),
    created_by    bigint REFERENCES accounts -- null: a command, or the first admin
);

-- identity.users holds the personal data of a human account. Addresses are
-- unique regardless of case.
CREATE TABLE identity.users (
    account_id    bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    email         text NOT NULL CONSTRAINT users_email_length CHECK (char_length(email) BETWEEN 3 AND 254),
    name          text NOT NULL CONSTRAINT users_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
    password_hash text -- argon2id in PHC format; null until the user accepts an invitation
);
CREATE UNIQUE INDEX users_email_unique ON identity.users (lower(email));

-- identity.invitations holds the links with which a user sets a password once,
-- before expires_at. They are deleted when the password is set. Whether one
-- works is decided when it is used; see usable_invitations.
CREATE TABLE identity.invitations (
    token_hash  bytea PRIMARY KEY,
    account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    created_by  bigint REFERENCES accounts, -- null: a command
    for_project boolean NOT NULL, -- made for a member of a project: sets the first password only
    expires_at  timestamptz NOT NULL
);
CREATE INDEX ON identity.invitations (account_id);

-- identity.setup_token holds, until there is an admin, the token of the link
-- that creates the first one. Every node prints the same link, so the token
-- itself is stored.
CREATE TABLE identity.setup_token (
    only_row boolean PRIMARY KEY DEFAULT true CONSTRAINT setup_token_only_row CHECK (only_row),
    token    text NOT NULL
);

-- identity.known_browsers holds browsers that a user signed in from. Failed
-- sign-ins from a known browser are counted separately, so that an attacker
-- cannot lock the user out.
CREATE TABLE identity.known_browsers (
    token_hash   bytea PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    last_seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON identity.known_browsers (account_id);

-- sessions stores web sessions. It holds only a hash of the session token.
CREATE TABLE sessions (
    token_hash text PRIMARY KEY,
    data       bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX ON sessions (expires_at);

-- sign_in_attempts limits password guessing per address and browser. A row is
-- added before the password is checked, and deleted if it was correct.
CREATE TABLE sign_in_attempts (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email_hash   bytea NOT NULL,
    browser_hash bytea, -- null: the browser is unknown
    attempted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON sign_in_attempts (email_hash, attempted_at);

-- audit_log records every change that is not an annotation. It is append-only.
CREATE TABLE audit_log (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    account_id bigint REFERENCES accounts, -- null: no account, such as a command or a failed sign-in
    action     text NOT NULL,
    subject    text NOT NULL DEFAULT '',
    detail     jsonb NOT NULL DEFAULT '{}'
);
-- Failed sign-ins are recorded at most once per interval and subject; this finds the last one.
CREATE INDEX audit_log_sign_in_failed ON audit_log (subject, created_at) WHERE action = 'account.sign_in_failed';

CREATE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
