DROP VIEW lead_tasks;
DROP INDEX correction_requests_unresolved;
DROP TABLE agreement_samples, annotator_paces, batch_states, annotator_counts;
DROP TRIGGER count_skip ON skips;
DROP TRIGGER count_correction ON correction_requests;
DROP FUNCTION batch_version(bigint), count_skip(), count_correction();
