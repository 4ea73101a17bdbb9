CREATE TABLE identity.oidc_subjects (
    issuer     text NOT NULL,
    subject    text NOT NULL
        CONSTRAINT oidc_subjects_subject_length CHECK (char_length(subject) BETWEEN 1 AND 255),
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject),
    UNIQUE (account_id, issuer)
);
COMMENT ON TABLE identity.oidc_subjects IS 'Links accounts to users of the company''s sign-in. A subject never changes and is never given to another user, an email address can be: so the address finds an account only once.';
