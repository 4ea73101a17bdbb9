-- The language of mails to users who chose none for their screens.
ALTER TABLE identity.users
    ADD browser_language text NOT NULL DEFAULT '' CONSTRAINT users_browser_language_tag CHECK (browser_language ~ '^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$'); -- at the last sign-in; empty: not known
