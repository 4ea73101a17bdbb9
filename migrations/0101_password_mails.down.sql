DELETE FROM identity.mails WHERE kind = 'password';
ALTER TABLE identity.mails
    DROP CONSTRAINT mails_kind_known,
    DROP CONSTRAINT mails_token_of_link,
    ADD CONSTRAINT mails_kind_known CHECK (kind IN ('invitation', 'new_work', 'answer', 'digest')),
    ADD CONSTRAINT mails_token_of_invitation CHECK (token IS NULL OR kind = 'invitation' AND sent_at IS NULL AND failed_at IS NULL);
