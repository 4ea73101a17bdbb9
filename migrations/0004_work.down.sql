DROP TABLE annotations, warnings_read, breaks, set_aside, drafts, assignments, slots, batch_annotators, batch_items, batches;
DROP SEQUENCE annotation_ids;
DROP FUNCTION is_set(text[]);
