DROP TRIGGER count_version ON identity.webhooks;
DROP TRIGGER count_version ON batches;
DROP TRIGGER count_version ON projects;
DROP FUNCTION count_version;
ALTER TABLE identity.webhooks DROP COLUMN version;
ALTER TABLE batches DROP COLUMN version;
ALTER TABLE projects DROP COLUMN version;
