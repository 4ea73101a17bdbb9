DROP TABLE batch_openings;
