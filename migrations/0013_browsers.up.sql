-- A browser that somebody signed in from. Guesses at their password that come
-- from it are counted apart from those of strangers, who so cannot keep them out.
CREATE TABLE identity.browsers (
    token_hash bytea PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    seen_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON identity.browsers (account_id);

-- A guess is counted before it is judged, and forgotten where it was right.
ALTER TABLE sign_in_failures
    ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ADD COLUMN browser bytea; -- hashed; null: a strange one

-- The trail tells of wrong passwords once in a while, and so looks for the last.
CREATE INDEX audit_sign_in_failed ON audit (subject, at) WHERE action = 'account.sign_in_failed';
