DROP FUNCTION append_seal_to_audit_chain CASCADE;
DROP FUNCTION append_to_audit_chain CASCADE;
DROP VIEW audit_problems;
DROP FUNCTION seal_hash;
DROP FUNCTION audit_hash;
DROP TABLE audit_chain_end;
DROP TABLE audit_chain;
DROP TABLE seals;
DROP TABLE audit_log;
