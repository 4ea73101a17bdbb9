-- A program changes an account, project, member, batch or webhook only if it is still what the
-- program read: If-Match of the API. Progress, such as labels and deliveries, is no new version.
ALTER TABLE accounts ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE projects ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE members ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE batches ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE identity.webhooks ADD COLUMN version integer NOT NULL DEFAULT 1;

CREATE FUNCTION count_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    RETURN NEW;
END $$;
CREATE TRIGGER count_version BEFORE UPDATE OF role, disabled ON accounts FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE TRIGGER count_version BEFORE UPDATE OF role, removed_at, work_ended_at, thank_you ON members FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE TRIGGER count_version BEFORE UPDATE ON projects FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE TRIGGER count_version BEFORE UPDATE ON batches FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE TRIGGER count_version BEFORE UPDATE OF url, event_types, secret, disabled_at ON identity.webhooks FOR EACH ROW EXECUTE FUNCTION count_version();
