ALTER TABLE identity.mails
    DROP CONSTRAINT mails_kind_known,
    DROP CONSTRAINT mails_token_of_invitation,
    ADD CONSTRAINT mails_kind_known CHECK (kind IN ('invitation', 'password', 'new_work', 'answer', 'digest')),
    ADD CONSTRAINT mails_token_of_link CHECK (token IS NULL OR kind IN ('invitation', 'password') AND sent_at IS NULL AND failed_at IS NULL);

CREATE OR REPLACE VIEW identity.usable_invitations AS
SELECT i.token_hash, i.account_id
FROM identity.invitations i
JOIN accounts a ON a.id = i.account_id
JOIN identity.users u ON u.account_id = i.account_id
LEFT JOIN accounts c ON c.id = i.created_by
WHERE i.expires_at > now() AND NOT a.disabled
  AND (NOT i.for_project OR u.password_hash IS NULL)
  AND (i.created_by IS NULL OR i.created_by = i.account_id OR c.role = 'admin' AND NOT c.disabled
       OR i.for_project AND a.role = 'annotator'
          AND EXISTS (SELECT FROM accounts creator WHERE creator.id = a.created_by AND creator.role = 'lead')
          AND (SELECT bool_and(EXISTS (
                   SELECT FROM project_leads l WHERE l.project_id = m.project_id AND l.account_id = i.created_by))
               FROM members m
               WHERE m.account_id = i.account_id AND m.removed_at IS NULL));
COMMENT ON VIEW identity.usable_invitations IS 'Lists the invitations that set a password if they are used now. One made for a project sets the first password of an account only. A user''s own one is sent to the address of the account. One made by a lead needs more, because its holder could read all texts that the account can read: the account is an annotator, was created by a lead, and the lead who made the invitation leads all its projects.';
