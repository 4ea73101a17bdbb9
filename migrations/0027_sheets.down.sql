DROP TABLE sheet_rows;
DROP TABLE sheets;
