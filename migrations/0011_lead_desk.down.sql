DROP VIEW lead_tasks;
DROP INDEX correction_requests_unresolved;
