-- identity.api_tokens holds the tokens with which programs use the API. A token has the rights
-- of its account when it is used, restricted to its scopes and projects. Only a hash is
-- stored: the token is shown once.
CREATE TABLE identity.api_tokens (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name         text NOT NULL CONSTRAINT api_tokens_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
                 CONSTRAINT api_tokens_name_one_line CHECK (is_one_line(name)),
    prefix       text NOT NULL, -- its first characters, by which the user recognizes it
    token_hash   bytea NOT NULL CONSTRAINT api_tokens_token_hash_unique UNIQUE,
    scopes       text[] NOT NULL CONSTRAINT api_tokens_scopes_known
                 CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'judge', 'manage', 'export', 'admin']),
    all_projects boolean NOT NULL, -- false: only those of api_token_projects
    created_by   bigint REFERENCES accounts, -- null: a command
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL,
    last_used_at timestamptz, -- to the minute
    revoked_at   timestamptz
);
CREATE INDEX ON identity.api_tokens (account_id);

-- identity.api_token_projects holds the projects to which a token is limited.
CREATE TABLE identity.api_token_projects (
    token_id   bigint NOT NULL REFERENCES identity.api_tokens ON DELETE CASCADE,
    project_id bigint NOT NULL REFERENCES projects,
    PRIMARY KEY (token_id, project_id)
);

-- identity.api_requests holds the responses to writes that had an idempotency key, so that a
-- program can repeat a request safely. They are deleted after a day.
CREATE TABLE identity.api_requests (
    token_id        bigint NOT NULL REFERENCES identity.api_tokens ON DELETE CASCADE,
    idempotency_key text NOT NULL CONSTRAINT api_requests_idempotency_key_length CHECK (char_length(idempotency_key) BETWEEN 1 AND 200),
    fingerprint     bytea NOT NULL, -- of the operation and everything that was sent
    response        bytea, -- null: not done yet
    started_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (token_id, idempotency_key)
);
CREATE INDEX ON identity.api_requests (started_at);
