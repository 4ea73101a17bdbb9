ALTER TABLE accounts DROP COLUMN form_key;
DROP TABLE decision_drafts;
ALTER TABLE drafts DROP COLUMN kept_by;
