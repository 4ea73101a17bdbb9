DROP TABLE empty_records;
ALTER TABLE imports DROP COLUMN ledger, DROP COLUMN invalid_rows;
