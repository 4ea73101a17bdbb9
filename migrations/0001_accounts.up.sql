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
    form_key      uuid NOT NULL DEFAULT gen_random_uuid(), -- signs forms, so that one sent after the session ended is still attributed to its author
    created_at    timestamptz NOT NULL DEFAULT now(),
    created_by    bigint REFERENCES accounts -- null: a command, or the first admin
);

-- is_one_line reports whether a text has no control characters, bidirectional
-- controls or line separators, as titles and names must. internal/plaintext
-- has the same rule.
CREATE FUNCTION is_one_line(text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 !~ '[\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]';

-- identity.users holds the personal data of a human account. Addresses are
-- unique regardless of case.
CREATE TABLE identity.users (
    account_id    bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    email         text NOT NULL CONSTRAINT users_email_length CHECK (char_length(email) BETWEEN 3 AND 254),
    name          text NOT NULL CONSTRAINT users_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
                  CONSTRAINT users_name_one_line CHECK (is_one_line(name)),
    password_hash text -- argon2id in PHC format; null until the user accepts an invitation
);
CREATE UNIQUE INDEX users_email_unique ON identity.users (lower(email));

-- identity.invitations holds the links with which a user sets a password once,
-- before expires_at. They are deleted when the password is set. Whether one
-- works is decided when it is used; see identity.usable_invitations.
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

-- identity.sign_ins holds a row for each browser that is signed in. Deleting
-- it signs the browser out.
CREATE TABLE identity.sign_ins (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id     bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    browser        text NOT NULL CONSTRAINT sign_ins_browser_length CHECK (char_length(browser) <= 200), -- as shown to the user, such as "Firefox on Linux"
    client_address text NOT NULL CONSTRAINT sign_ins_client_address_length CHECK (char_length(client_address) <= 100),
    created_at     timestamptz NOT NULL DEFAULT now(),
    last_active_at timestamptz NOT NULL DEFAULT now(), -- to the minute
    confirmed_at   timestamptz NOT NULL DEFAULT now()  -- when the password was last entered
);
CREATE INDEX ON identity.sign_ins (account_id);

-- sessions stores web sessions. It holds only a hash of the session token.
CREATE TABLE sessions (
    token_hash text PRIMARY KEY,
    data       bytea NOT NULL,
    sign_in_id bigint, -- null: not signed in; also in data, and here to find the account with the session
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

-- audit_chain makes a changed, deleted or reordered entry of the audit log
-- visible: each link's hash covers the previous hash and its entry. Only the
-- trigger below writes it.
CREATE TABLE audit_chain (
    sequence_no integer PRIMARY KEY, -- from 1, without gaps
    entry_id    bigint NOT NULL CONSTRAINT audit_chain_entry_unique UNIQUE REFERENCES audit_log,
    hash        bytea NOT NULL
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_chain
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON audit_chain
    FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

-- audit_chain_end holds the last link in its only row, so that links deleted
-- from the end are noticed. Its lock puts concurrent writers in order.
CREATE TABLE audit_chain_end (
    only_row    boolean PRIMARY KEY DEFAULT true CONSTRAINT audit_chain_end_only_row CHECK (only_row),
    sequence_no integer NOT NULL,
    hash        bytea NOT NULL
);
INSERT INTO audit_chain_end (sequence_no, hash) VALUES (0, '');

-- audit_hash returns the hash of a link. The text of jsonb is canonical.
CREATE FUNCTION audit_hash(previous_hash bytea, sequence_no integer, entry audit_log) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(previous_hash || convert_to(jsonb_build_array(
        sequence_no, entry.id, extract(epoch FROM entry.created_at), entry.account_id, entry.action, entry.subject, entry.detail)::text, 'UTF8'))
$$;

-- append_to_audit_chain runs when the transaction commits: other writers wait
-- for that moment only, and no lock is taken after this one.
CREATE FUNCTION append_to_audit_chain() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    last audit_chain_end;
BEGIN
    SELECT * INTO STRICT last FROM audit_chain_end FOR UPDATE;
    last.sequence_no := last.sequence_no + 1;
    last.hash := audit_hash(last.hash, last.sequence_no, NEW);
    INSERT INTO audit_chain (sequence_no, entry_id, hash) VALUES (last.sequence_no, NEW.id, last.hash);
    UPDATE audit_chain_end SET sequence_no = last.sequence_no, hash = last.hash;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION append_to_audit_chain FROM PUBLIC; -- for triggers of other tables
CREATE CONSTRAINT TRIGGER audit_log_chained AFTER INSERT ON audit_log
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION append_to_audit_chain();

-- audit_problems lists what is wrong with the audit log, in the order of the
-- chain: entries that were changed, deleted or added without a link.
CREATE VIEW audit_problems AS
WITH links AS (
    SELECT sequence_no, entry_id, hash,
           lag(hash, 1, '') OVER (ORDER BY sequence_no) AS previous_hash,
           lag(sequence_no, 1, 0) OVER (ORDER BY sequence_no) AS previous_no
    FROM audit_chain)
SELECT k.sequence_no, k.entry_id,
       CASE WHEN k.sequence_no <> k.previous_no + 1 THEN 'deleted_before' WHEN l.id IS NULL THEN 'deleted' ELSE 'changed' END AS problem
FROM links k
LEFT JOIN audit_log l ON l.id = k.entry_id
WHERE k.sequence_no <> k.previous_no + 1 OR l.id IS NULL OR k.hash <> audit_hash(k.previous_hash, k.sequence_no, l)
UNION ALL
SELECT last.sequence_no, k.entry_id, 'deleted_after'
FROM audit_chain_end last
LEFT JOIN LATERAL (SELECT sequence_no, entry_id, hash FROM audit_chain ORDER BY sequence_no DESC LIMIT 1) k ON true
WHERE (last.sequence_no, last.hash) IS DISTINCT FROM (coalesce(k.sequence_no, 0), coalesce(k.hash, ''))
UNION ALL
SELECT NULL, l.id, 'not_linked'
FROM audit_log l
WHERE NOT EXISTS (SELECT FROM audit_chain k WHERE k.entry_id = l.id);
