ALTER TABLE identity.mails
    ADD COLUMN attempt_count smallint NOT NULL DEFAULT 0,
    ADD COLUMN next_attempt_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX mails_pending ON identity.mails (next_attempt_at) WHERE sent_at IS NULL AND failed_at IS NULL;

CREATE FUNCTION queue_mail(recipient_id bigint, mail_kind text, about_project_id bigint, invitation_token text, delay interval) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO identity.mails (account_id, kind, project_id, token, next_attempt_at)
    SELECT recipient_id, mail_kind, about_project_id, invitation_token, now() + delay WHERE EXISTS (SELECT FROM identity.mail_server)
    ON CONFLICT (account_id, kind, coalesce(project_id, 0)) WHERE sent_at IS NULL AND failed_at IS NULL DO UPDATE SET token = excluded.token
$$;

CREATE FUNCTION queue_new_work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM queue_mail(NEW.account_id, 'new_work', b.project_id, NULL, '1 minute') FROM batches b WHERE b.id = NEW.batch_id;
    RETURN NULL;
END $$;
CREATE TRIGGER queue_new_work AFTER INSERT ON batch_annotators FOR EACH ROW EXECUTE FUNCTION queue_new_work();

CREATE FUNCTION queue_answer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM queue_mail(NEW.account_id, 'answer', b.project_id, NULL, '5 minutes') FROM batches b WHERE b.id = NEW.batch_id;
    RETURN NULL;
END $$;
CREATE TRIGGER queue_answer AFTER UPDATE ON questions FOR EACH ROW
    WHEN (OLD.answered_at IS NULL AND NEW.answered_at IS NOT NULL) EXECUTE FUNCTION queue_answer();
