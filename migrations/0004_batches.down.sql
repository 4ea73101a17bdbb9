DROP VIEW active_annotators;
DROP TABLE slots, batch_annotators, batch_items, batches;
