DROP TABLE protocol_revisions, protocol_versions;
