-- identity.account_settings holds what a user chose for their own screens. Without a row,
-- the defaults apply. It is personal: a large text size says something about a person.
CREATE TABLE identity.account_settings (
    account_id         bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    theme              text NOT NULL DEFAULT 'auto' CONSTRAINT account_settings_theme_known CHECK (theme IN ('auto', 'light', 'dark')),
    text_size          text NOT NULL DEFAULT 'normal' CONSTRAINT account_settings_text_size_known CHECK (text_size IN ('normal', 'large', 'largest')),
    reduces_motion     boolean NOT NULL DEFAULT false, -- also where the device does not ask for it
    language           text NOT NULL DEFAULT '' CONSTRAINT account_settings_language_tag CHECK (language ~ '^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$'), -- empty: that of the browser
    auto_advances      boolean NOT NULL DEFAULT true, -- an answer moves on to the next unanswered field
    shortcuts_disabled boolean NOT NULL DEFAULT false, -- single keys do nothing
    keys               jsonb NOT NULL DEFAULT '{}' CONSTRAINT account_settings_keys_object CHECK (jsonb_typeof(keys) = 'object'), -- by command; others have their default
    updated_at         timestamptz NOT NULL DEFAULT now()
);

-- The Work page reads what leads answered to correction requests.
CREATE INDEX ON correction_requests (assignment_id);
CREATE INDEX correction_requests_declined ON correction_requests (resolved_at) WHERE resolved_at IS NOT NULL AND NOT reopened;
