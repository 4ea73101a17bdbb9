DROP TABLE audit, sign_in_failures, sessions;
DROP FUNCTION refuse_change();
DROP SCHEMA identity CASCADE;
DROP TABLE accounts;
