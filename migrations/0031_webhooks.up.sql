-- identity.webhooks holds the addresses to which events of a project are sent. The secrets
-- sign the messages, so they are stored as they are, where only the server reads them.
CREATE TABLE identity.webhooks (
    id                         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id                 bigint NOT NULL REFERENCES projects,
    url                        text NOT NULL CONSTRAINT webhooks_url_length CHECK (char_length(url) BETWEEN 1 AND 1000)
                               CONSTRAINT webhooks_url_one_line CHECK (is_one_line(url)),
    event_types                text[] NOT NULL CONSTRAINT webhooks_event_types_known
                               CHECK (cardinality(event_types) > 0 AND event_types <@ ARRAY['batch.opened', 'batch.changed', 'batch.closed', 'batch.reopened',
                                   'item.completed', 'item.adjudicated', 'verdict.changed', 'export.ready']),
    secret                     text NOT NULL,
    previous_secret            text, -- of the last rotation; it signs, too, until it expires
    previous_secret_expires_at timestamptz,
    created_by                 bigint REFERENCES accounts, -- null: a command
    created_at                 timestamptz NOT NULL DEFAULT now(),
    disabled_at                timestamptz, -- since then nothing is queued or sent
    problem                    text NOT NULL DEFAULT '', -- why the server disabled it; empty: a lead did
    failure_count              integer NOT NULL DEFAULT 0, -- attempts that failed since one succeeded
    resume_at                  timestamptz NOT NULL DEFAULT now(), -- a receiver that keeps failing gets nothing until then
    last_delivered_at          timestamptz,
    last_failed_at             timestamptz,
    CONSTRAINT webhooks_previous_secret_expires CHECK ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL))
);
CREATE INDEX ON identity.webhooks (project_id);

-- identity.webhook_deliveries is the outbox: the transaction that changes something adds the
-- event for each webhook that wants it. It holds ids, keys, times and counts, and no texts.
CREATE TABLE identity.webhook_deliveries (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id    bigint NOT NULL REFERENCES identity.webhooks ON DELETE CASCADE,
    event_id      uuid NOT NULL, -- the same for all webhooks
    event_type    text NOT NULL,
    subject       text NOT NULL, -- such as "batch 7": its events are sent in the order of their ids
    payload       jsonb NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    attempt_count integer NOT NULL DEFAULT 0,
    retry_no      smallint NOT NULL DEFAULT 0, -- failed attempts since it was queued, or sent again
    delivered_at  timestamptz,
    failed_at     timestamptz, -- given up
    CONSTRAINT webhook_deliveries_event_unique UNIQUE (webhook_id, event_id),
    CONSTRAINT webhook_deliveries_one_end CHECK (delivered_at IS NULL OR failed_at IS NULL)
);
CREATE INDEX webhook_deliveries_waiting ON identity.webhook_deliveries (webhook_id, subject, id) WHERE delivered_at IS NULL AND failed_at IS NULL;
CREATE INDEX webhook_deliveries_newest ON identity.webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_ended ON identity.webhook_deliveries (created_at) WHERE delivered_at IS NOT NULL OR failed_at IS NOT NULL;

-- identity.webhook_subjects has a row for each subject with events to send. A server claims
-- the row, and sends the first events of the subject in order. Adding an event locks the row
-- before the event gets its id, so that the ids of a subject have the order of the commits.
CREATE TABLE identity.webhook_subjects (
    webhook_id      bigint NOT NULL REFERENCES identity.webhooks ON DELETE CASCADE,
    subject         text NOT NULL,
    pending_count   integer NOT NULL, -- events to send
    next_attempt_at timestamptz NOT NULL DEFAULT now(), -- while claimed: when another server may claim it
    is_claimed      boolean NOT NULL DEFAULT false,
    claim_no        bigint NOT NULL DEFAULT 0, -- a server whose claim was taken over changes nothing
    PRIMARY KEY (webhook_id, subject)
);
CREATE INDEX webhook_subjects_due ON identity.webhook_subjects (webhook_id, next_attempt_at);

-- identity.webhook_attempts logs the requests of each delivery.
CREATE TABLE identity.webhook_attempts (
    delivery_id bigint NOT NULL REFERENCES identity.webhook_deliveries ON DELETE CASCADE,
    attempt_no  integer NOT NULL,
    started_at  timestamptz NOT NULL,
    duration_ms integer NOT NULL,
    status_code smallint NOT NULL DEFAULT 0, -- 0: no answer
    problem     text NOT NULL DEFAULT '', -- a code; empty: the receiver took it
    answer      text NOT NULL DEFAULT '' CONSTRAINT webhook_attempts_answer_length CHECK (char_length(answer) <= 200), -- its first characters
    PRIMARY KEY (delivery_id, attempt_no)
);

-- queue_webhook_event adds an event for each webhook of the project that wants it. Without
-- one it only reads an index.
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

-- announced_verdicts holds the verdict of each field that webhooks know of. A changed one is
-- announced without the verdict itself, and not while a lead of the project labels in the open
-- batch: it would show something of the others' answers.
ALTER TABLE batch_states ADD COLUMN announced_verdicts jsonb NOT NULL DEFAULT '{}';

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
