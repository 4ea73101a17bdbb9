-- Who a person is stands in one schema; everything else refers to the account.
CREATE SCHEMA identity;

CREATE TABLE accounts (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    role       text NOT NULL CONSTRAINT account_role CHECK (role IN ('admin', 'lead', 'annotator')),
    kind       text NOT NULL DEFAULT 'person' CONSTRAINT account_kind CHECK (kind IN ('person', 'model')),
    disabled   boolean NOT NULL DEFAULT false,
    -- Sessions of an earlier epoch are over: raised at sign-out everywhere, a
    -- new password, a new role, and when the account is disabled.
    epoch      integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE identity.people (
    account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    email      text NOT NULL CONSTRAINT person_email CHECK (char_length(email) BETWEEN 3 AND 254),
    name       text NOT NULL CONSTRAINT person_name CHECK (char_length(name) BETWEEN 1 AND 100),
    password   text -- an argon2id PHC string; null until the invitation is taken
);
CREATE UNIQUE INDEX people_email ON identity.people (lower(email));

CREATE TABLE identity.invitations (
    token_hash bytea PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX ON identity.invitations (account_id);

CREATE TABLE sessions (
    token      text PRIMARY KEY, -- hashed
    data       bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX ON sessions (expires_at);

-- Wrong passwords, so that guessing is slow whichever address it comes from.
CREATE TABLE sign_in_failures (
    email_hash bytea NOT NULL,
    at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON sign_in_failures (email_hash, at);

-- What people did, besides labelling: an annotation is its own record.
CREATE TABLE audit (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         timestamptz NOT NULL DEFAULT now(),
    account_id bigint REFERENCES accounts,
    action     text NOT NULL,
    subject    text NOT NULL DEFAULT '',
    detail     jsonb NOT NULL DEFAULT '{}'
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% only takes new rows', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
