DROP INDEX audit_sign_in_failed;

ALTER TABLE sign_in_failures
    DROP COLUMN id,
    DROP COLUMN browser;

DROP TABLE identity.browsers;
