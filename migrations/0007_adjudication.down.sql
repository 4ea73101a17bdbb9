DROP TABLE adjudication_drafts, adjudications;
DROP SEQUENCE adjudications_id_seq;
