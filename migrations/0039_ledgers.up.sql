-- An import keeps what became of each value of its file, the rows that were left out by choice, and
-- the records that retrieved nothing: they have no chunk to label, and count as queries without a hit.
ALTER TABLE imports ADD COLUMN ledger jsonb NOT NULL DEFAULT '{}', ADD COLUMN invalid_rows text NOT NULL DEFAULT '';
CREATE TABLE empty_records (
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    import_id bigint NOT NULL REFERENCES imports ON DELETE CASCADE,
    record_id text NOT NULL,
    PRIMARY KEY (project_id, record_id)
);
CREATE INDEX empty_records_import ON empty_records (import_id);
