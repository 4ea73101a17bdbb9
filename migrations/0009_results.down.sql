DROP FUNCTION measure_items;
DROP VIEW lead_tasks;
DROP TABLE export_chunks;
DROP TABLE exports;
DROP TABLE reports;
DROP TABLE agreement_samples;
DROP TABLE unmeasured_items;
DROP TABLE item_states;
