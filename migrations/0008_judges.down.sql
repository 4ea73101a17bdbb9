CREATE TEMP TABLE removed_judges AS SELECT DISTINCT account_id FROM judgments;
DROP TABLE judgments;
DELETE FROM members WHERE account_id IN (SELECT account_id FROM removed_judges);
DROP TABLE removed_judges;
