DROP INDEX items_calibration;
DROP TRIGGER add_available_items ON items;
DROP TRIGGER change_available_item ON items;
DROP TRIGGER remove_available_items ON batch_items;
DROP FUNCTION add_available_items(), change_available_item(), remove_available_items();
DROP TABLE available_items;
