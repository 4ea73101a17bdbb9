-- project_key is the project that an entry is about; entries about accounts and protocols
-- have none. It follows from the subject, which the chain covers.
ALTER TABLE audit_log ADD COLUMN project_key text
    GENERATED ALWAYS AS (substring(subject FROM '^(?!account |protocol )[a-z_]+ ([a-z0-9][a-z0-9-]*)')) STORED;

-- Each filter of the audit log reads its newest entries from one of these.
CREATE INDEX ON audit_log (created_at, id);
CREATE INDEX ON audit_log (account_id, created_at, id);
CREATE INDEX ON audit_log (action, created_at, id);
CREATE INDEX ON audit_log (account_id, action, created_at, id);
CREATE INDEX ON audit_log (project_key, created_at, id) WHERE project_key IS NOT NULL;
CREATE INDEX ON audit_log (project_key, account_id, created_at, id) WHERE project_key IS NOT NULL;
CREATE INDEX ON audit_log (project_key, action, created_at, id) WHERE project_key IS NOT NULL;
