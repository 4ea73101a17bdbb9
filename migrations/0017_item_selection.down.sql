DROP TABLE reference_drafts;
DROP INDEX skips_item;
ALTER TABLE skips DROP COLUMN project_id;
