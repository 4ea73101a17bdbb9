-- Comments change nothing that an earlier version knows.
SELECT 1;
