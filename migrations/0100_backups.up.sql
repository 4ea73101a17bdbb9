CREATE TABLE backups (
    created_at timestamptz PRIMARY KEY, -- the moment that it shows
    byte_count bigint NOT NULL
);
COMMENT ON TABLE backups IS 'Records the backups that the command wrote, so that metrics tell the age of the last.';
