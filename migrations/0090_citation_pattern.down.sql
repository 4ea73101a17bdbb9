ALTER TABLE projects DROP COLUMN citation_pattern;
