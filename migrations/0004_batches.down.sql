DROP TABLE slots, batch_annotators, batch_items, batches;
