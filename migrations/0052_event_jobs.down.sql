ALTER TABLE identity.webhook_subjects
    ADD COLUMN next_attempt_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN is_claimed boolean NOT NULL DEFAULT false,
    ADD COLUMN claim_no bigint NOT NULL DEFAULT 0;
CREATE INDEX webhook_subjects_due ON identity.webhook_subjects (webhook_id, next_attempt_at);

CREATE FUNCTION queue_webhook_event(in_project_id bigint, new_event_type text, event_subject text, event_payload jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    new_event_id uuid := gen_random_uuid();
    receiver_id  bigint;
BEGIN
    FOR receiver_id IN
        SELECT w.id FROM identity.webhooks w
        WHERE w.project_id = in_project_id AND w.disabled_at IS NULL AND new_event_type = ANY (w.event_types)
        ORDER BY w.id
        FOR KEY SHARE -- before the rows that refer to it, as a deletion does
    LOOP
        PERFORM add_webhook_delivery(receiver_id, new_event_id, new_event_type, event_subject, event_payload);
    END LOOP;
END $$;

CREATE FUNCTION add_webhook_delivery(receiver_id bigint, new_event_id uuid, new_event_type text, event_subject text, event_payload jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO identity.webhook_subjects AS s (webhook_id, subject, pending_count) VALUES (receiver_id, event_subject, 1)
    ON CONFLICT (webhook_id, subject) DO UPDATE SET pending_count = s.pending_count + 1;
    INSERT INTO identity.webhook_deliveries (webhook_id, event_id, event_type, subject, payload, created_at)
    VALUES (receiver_id, new_event_id, new_event_type, event_subject, event_payload, clock_timestamp());
END $$;

-- Every change of a batch by a lead has an audit entry in its transaction.
CREATE FUNCTION queue_batch_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM queue_webhook_event(b.project_id, CASE NEW.action
                WHEN 'batch.open' THEN 'batch.opened' WHEN 'batch.close' THEN 'batch.closed' WHEN 'batch.reopen' THEN 'batch.reopened' ELSE 'batch.changed' END,
            'batch ' || b.id, jsonb_build_object('project', p.key, 'batch', b.name) || (
                SELECT coalesce(jsonb_object_agg(d.key, d.value), '{}')
                FROM jsonb_each(NEW.detail) d
                WHERE jsonb_typeof(d.value) = 'number' AND d.key IN ('items', 'labels', 'overlap', 'annotators', 'annotators_added', 'annotators_removed',
                    'paused', 'resumed', 'items_added', 'items_reassigned', 'labels_added', 'items_available')))
    FROM projects p
    JOIN batches b ON b.project_id = p.id
    WHERE p.key = NEW.project_key AND b.name = substr(NEW.subject, strpos(NEW.subject, '/') + 1);
    RETURN NULL;
END $$;
CREATE TRIGGER queue_batch_event AFTER INSERT ON audit_log
    FOR EACH ROW WHEN (NEW.action IN ('batch.open', 'batch.change', 'batch.close', 'batch.reopen', 'batch.archive', 'batch.use_revision')) EXECUTE FUNCTION queue_batch_event();

-- The measures of items follow their labels by about a second; this is where an item is seen
-- to have all of them. A submit does not write these rows.
CREATE FUNCTION queue_completed_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM identity.webhooks w WHERE w.project_id = NEW.project_id) THEN
        RETURN NULL;
    END IF;
    PERFORM queue_webhook_event(NEW.project_id, 'item.completed', 'item ' || NEW.item_id,
        jsonb_build_object('project', p.key, 'batch', b.name, 'item', i.source_id, 'labels', NEW.label_count))
    FROM projects p
    JOIN items i ON i.id = NEW.item_id
    JOIN batches b ON b.id = NEW.batch_id
    WHERE p.id = NEW.project_id;
    RETURN NULL;
END $$;
CREATE TRIGGER queue_completed_item AFTER UPDATE OF label_count ON item_states
    FOR EACH ROW WHEN (OLD.label_count < NEW.labels_wanted AND NEW.label_count >= NEW.labels_wanted AND NOT NEW.is_calibration)
    EXECUTE FUNCTION queue_completed_item();

-- It runs after mark_adjudicated_item has locked the state of each item.
CREATE FUNCTION queue_adjudicated_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM queue_webhook_event(c.project_id, 'item.adjudicated', 'item ' || c.item_id,
        jsonb_build_object('project', p.key, 'item', i.source_id, 'decision', c.decision_no))
    FROM changed c
    JOIN projects p ON p.id = c.project_id
    JOIN items i ON i.id = c.item_id
    WHERE EXISTS (SELECT FROM identity.webhooks w WHERE w.project_id = c.project_id AND w.disabled_at IS NULL AND 'item.adjudicated' = ANY (w.event_types))
    ORDER BY c.item_id, c.decision_no;
    RETURN NULL;
END $$;
CREATE TRIGGER queue_adjudicated_items AFTER INSERT ON adjudications
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION queue_adjudicated_items();


CREATE FUNCTION queue_changed_verdicts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    verdicts jsonb := (SELECT coalesce(jsonb_object_agg(a ->> 'key', a -> 'outcome'), '{}') FROM jsonb_array_elements(NEW.agreement) a);
BEGIN
    IF EXISTS (
        SELECT FROM batches b
        JOIN project_leads l ON l.project_id = b.project_id
        JOIN active_annotators v ON v.batch_id = b.id AND v.account_id = l.account_id
        WHERE b.id = NEW.batch_id AND b.closed_at IS NULL) THEN
        RETURN NEW;
    END IF;
    PERFORM queue_webhook_event(b.project_id, 'verdict.changed', 'batch ' || b.id, jsonb_build_object('project', p.key, 'batch', b.name, 'field', v.key))
    FROM batches b
    JOIN projects p ON p.id = b.project_id
    CROSS JOIN jsonb_each(verdicts) v
    WHERE b.id = NEW.batch_id AND v.value IS DISTINCT FROM coalesce(NEW.announced_verdicts -> v.key, '"not_enough_data"')
    ORDER BY v.key COLLATE "C";
    NEW.announced_verdicts := verdicts;
    RETURN NEW;
END $$;
CREATE TRIGGER queue_changed_verdicts BEFORE UPDATE OF agreement ON batch_states
    FOR EACH ROW EXECUTE FUNCTION queue_changed_verdicts();
CREATE OR REPLACE FUNCTION queue_changed_verdicts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    verdicts jsonb := (SELECT coalesce(jsonb_object_agg(a ->> 'key', a -> 'verdict'), '{}') FROM jsonb_array_elements(NEW.agreement) a);
BEGIN
    IF EXISTS (
        SELECT FROM batches b
        JOIN project_leads l ON l.project_id = b.project_id
        JOIN active_annotators v ON v.batch_id = b.id AND v.account_id = l.account_id
        WHERE b.id = NEW.batch_id AND b.closed_at IS NULL) THEN
        RETURN NEW;
    END IF;
    PERFORM queue_webhook_event(b.project_id, 'verdict.changed', 'batch ' || b.id, jsonb_build_object('project', p.key, 'batch', b.name, 'field', v.key))
    FROM batches b
    JOIN projects p ON p.id = b.project_id
    CROSS JOIN jsonb_each(verdicts) v
    WHERE b.id = NEW.batch_id AND v.value IS DISTINCT FROM coalesce(NEW.announced_verdicts -> v.key, '"too_few_items"')
    ORDER BY v.key COLLATE "C";
    NEW.announced_verdicts := verdicts;
    RETURN NEW;
END $$;
