DROP FUNCTION create_partitions(integer, text[], text[]);
DROP VIEW current_adjudications;
DROP TABLE adjudication_drafts, adjudications;
DROP SEQUENCE adjudications_id_seq;
