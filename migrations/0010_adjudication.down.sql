DROP TABLE adjudications;
DROP SEQUENCE adjudication_ids;
