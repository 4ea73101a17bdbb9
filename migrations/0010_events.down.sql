DROP SCHEMA river CASCADE;
DROP TABLE backups;
DROP TABLE identity.mails;
DROP TABLE identity.mail_server;
DROP TABLE identity.webhook_attempts;
DROP TABLE identity.webhook_deliveries;
DROP TABLE identity.webhook_subjects;
DROP TABLE identity.webhooks;
