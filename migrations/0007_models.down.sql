CREATE TEMP TABLE models_gone AS SELECT DISTINCT account_id FROM judgements;
DROP TABLE judgements;
DELETE FROM members WHERE account_id IN (SELECT account_id FROM models_gone);
DROP TABLE models_gone;
