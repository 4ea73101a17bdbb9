DROP VIEW active_annotators;
DROP TRIGGER keep_rows ON items;
DROP TABLE slots, batch_annotators, batch_items, batches;
DROP SEQUENCE returned_queue_no;
DROP FUNCTION check_new_slots(), check_slot_owner(), check_new_batch_items();
