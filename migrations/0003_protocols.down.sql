DROP FUNCTION check_revision CASCADE;
DROP TABLE protocol_revisions;
DROP TABLE protocol_fields;
DROP TABLE protocol_versions;
