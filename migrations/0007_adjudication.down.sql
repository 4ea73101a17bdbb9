DROP VIEW current_adjudications;
DROP TABLE adjudication_drafts, adjudications;
DROP SEQUENCE adjudications_id_seq;
