-- Jobs send mails, so a mail has no times of its own. Go code queues it.
DROP TRIGGER queue_new_work ON batch_annotators;
DROP TRIGGER queue_answer ON questions;
DROP FUNCTION queue_new_work(), queue_answer(), queue_mail(bigint, text, bigint, text, interval);
ALTER TABLE identity.mails DROP COLUMN attempt_count, DROP COLUMN next_attempt_at;
