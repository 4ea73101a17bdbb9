DROP FUNCTION batch_counts;
DROP INDEX slots_withheld;
