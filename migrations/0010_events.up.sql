CREATE TABLE identity.webhooks (
    id                         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id                 bigint NOT NULL REFERENCES projects,
    url                        text NOT NULL
        CONSTRAINT webhooks_url_length CHECK (char_length(url) BETWEEN 1 AND 1000)
        CONSTRAINT webhooks_url_one_line CHECK (is_one_line(url)),
    event_types                text[] NOT NULL
        CONSTRAINT webhooks_event_types_known CHECK (cardinality(event_types) > 0 AND event_types <@ ARRAY['batch.opened', 'batch.changed', 'batch.closed', 'batch.reopened', 'item.completed', 'item.adjudicated', 'verdict.changed', 'export.ready']),
    secret                     text NOT NULL,
    previous_secret            text, -- of the last rotation; it signs, too, until it expires
    previous_secret_expires_at timestamptz,
    created_by                 bigint REFERENCES accounts, -- null: a command
    created_at                 timestamptz NOT NULL DEFAULT now(),
    disabled_at                timestamptz, -- since then nothing is queued or sent
    problem                    text NOT NULL DEFAULT '', -- why the server disabled it; empty: a lead did
    failure_count              integer NOT NULL DEFAULT 0, -- attempts that failed since one succeeded
    -- a receiver that keeps failing gets nothing until then
    resume_at                  timestamptz NOT NULL DEFAULT now(),
    last_delivered_at          timestamptz,
    last_failed_at             timestamptz,
    version                    integer NOT NULL DEFAULT 1,
    CONSTRAINT webhooks_previous_secret_expires CHECK ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL))
);
CREATE INDEX webhooks_project_id_idx ON identity.webhooks (project_id);
COMMENT ON TABLE identity.webhooks IS 'Holds the addresses to which events of a project are sent. The secrets sign the messages, so they are stored as they are, where only the server reads them.';

CREATE TABLE identity.webhook_subjects (
    webhook_id    bigint REFERENCES identity.webhooks ON DELETE CASCADE,
    subject       text,
    pending_count integer NOT NULL, -- events to send
    PRIMARY KEY (webhook_id, subject)
);
COMMENT ON TABLE identity.webhook_subjects IS 'Has a row for each subject with events to send. One job sends them in order while there are any. Adding an event locks the row before the event gets its id, so that the ids of a subject have the order of the commits.';

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
CREATE INDEX webhook_deliveries_waiting ON identity.webhook_deliveries (webhook_id, subject, id)
    WHERE ((delivered_at IS NULL) AND (failed_at IS NULL));
CREATE INDEX webhook_deliveries_newest ON identity.webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_ended ON identity.webhook_deliveries (created_at)
    WHERE ((delivered_at IS NOT NULL) OR (failed_at IS NOT NULL));
COMMENT ON TABLE identity.webhook_deliveries IS 'The outbox: the transaction that changes something adds the event for each webhook that wants it. It holds ids, keys, times and counts, and no texts.';

CREATE TABLE identity.webhook_attempts (
    delivery_id bigint REFERENCES identity.webhook_deliveries ON DELETE CASCADE,
    attempt_no  integer,
    started_at  timestamptz NOT NULL,
    duration_ms integer NOT NULL,
    status_code smallint NOT NULL DEFAULT 0, -- 0: no answer
    problem     text NOT NULL DEFAULT '', -- a code; empty: the receiver took it
    answer      text NOT NULL DEFAULT '' -- its first characters
        CONSTRAINT webhook_attempts_answer_length CHECK (char_length(answer) <= 200),
    PRIMARY KEY (delivery_id, attempt_no)
);
COMMENT ON TABLE identity.webhook_attempts IS 'Logs the requests of each delivery.';

CREATE TABLE identity.mail_server (
    only_row   boolean DEFAULT true PRIMARY KEY
        CONSTRAINT mail_server_only_row CHECK (only_row),
    enabled_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE identity.mail_server IS 'Has a row while a server sends mail.';

CREATE TABLE identity.mails (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind            text NOT NULL
        CONSTRAINT mails_kind_known CHECK (kind IN ('invitation', 'password', 'new_work', 'answer', 'digest')),
    project_id      bigint REFERENCES projects, -- null: no project
    token           text, -- of an invitation, until the mail is sent
    created_at      timestamptz NOT NULL DEFAULT now(),
    outcome_unknown boolean NOT NULL DEFAULT false, -- of an attempt: the mail may have arrived
    sent_at         timestamptz,
    failed_at       timestamptz, -- given up
    problem         text NOT NULL DEFAULT '', -- of the last attempt
    CONSTRAINT mails_token_of_link CHECK (token IS NULL OR kind IN ('invitation', 'password') AND sent_at IS NULL AND failed_at IS NULL)
);
CREATE UNIQUE INDEX mails_one_pending ON identity.mails (account_id, kind, COALESCE(project_id, (0)::bigint))
    WHERE ((sent_at IS NULL) AND (failed_at IS NULL));
COMMENT ON TABLE identity.mails IS 'Holds the mails. They have no text: it is made when a job sends the mail. outcome_unknown is set before that, so that a mail whose server stopped is sent again and says that it may be a repetition.';

CREATE TABLE backups (
    created_at timestamptz PRIMARY KEY, -- the moment that it shows
    byte_count bigint NOT NULL
);
COMMENT ON TABLE backups IS 'Records the backups that the command wrote, so that metrics tell the age of the last.';

CREATE TRIGGER count_version BEFORE UPDATE OF url, event_types, secret, disabled_at ON identity.webhooks FOR EACH ROW EXECUTE FUNCTION count_version();

-- The tables of River, which runs work in the background: its own migrations create and update them.
CREATE SCHEMA river;
