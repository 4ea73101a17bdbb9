DROP TABLE audit_log, sign_in_attempts, sessions;
DROP FUNCTION reject_change();
DROP SCHEMA identity CASCADE;
DROP FUNCTION is_one_line(text);
DROP TABLE accounts;
