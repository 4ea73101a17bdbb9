-- Go code queues the events of webhooks, in the transaction that causes them, and jobs send them.
DROP TRIGGER queue_changed_verdicts ON batch_states;
DROP TRIGGER queue_adjudicated_items ON adjudications;
DROP TRIGGER queue_completed_item ON item_states;
DROP TRIGGER queue_batch_event ON audit_log;
DROP FUNCTION queue_changed_verdicts(), queue_adjudicated_items(), queue_completed_item(), queue_batch_event(),
    queue_webhook_event(bigint, text, text, jsonb), add_webhook_delivery(bigint, uuid, text, text, jsonb);
ALTER TABLE identity.webhook_subjects DROP COLUMN next_attempt_at, DROP COLUMN is_claimed, DROP COLUMN claim_no;
