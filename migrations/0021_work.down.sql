DROP TABLE identity.account_settings;
