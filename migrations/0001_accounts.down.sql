DROP VIEW audit_problems;
DROP FUNCTION audit_hash(bytea, integer, audit_log);
DROP TABLE audit_chain_end, audit_chain, audit_log, sign_in_attempts, sessions;
DROP FUNCTION append_to_audit_chain(), reject_change();
DROP SCHEMA identity CASCADE;
DROP FUNCTION is_one_line(text);
DROP TABLE accounts;
