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

-- What a lead said when the work of a member in the project ended; shown on the Work page.
ALTER TABLE members
    ADD COLUMN work_ended_at timestamptz, -- null: it did not, or the member is in an open batch again
    ADD COLUMN thank_you text NOT NULL DEFAULT '' CONSTRAINT members_thank_you_length CHECK (char_length(thank_you) <= 1000);

-- forget_work_end ends the thank-you of a member who gets work again.
CREATE FUNCTION forget_work_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE members m SET work_ended_at = NULL, thank_you = ''
    FROM batches b
    WHERE b.id = NEW.batch_id AND m.project_id = b.project_id AND m.account_id = NEW.account_id AND m.work_ended_at IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER forget_work_end AFTER INSERT ON batch_annotators
    FOR EACH ROW EXECUTE FUNCTION forget_work_end();
CREATE TRIGGER forget_work_end_returned AFTER UPDATE ON batch_annotators
    FOR EACH ROW WHEN (OLD.removed_at IS NOT NULL AND NEW.removed_at IS NULL) EXECUTE FUNCTION forget_work_end();
