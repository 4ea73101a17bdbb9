ALTER TABLE identity.users DROP browser_language;
