-- annotator_counts counts what annotators did in a batch other than submitting.
CREATE TABLE annotator_counts (
    batch_id         bigint NOT NULL,
    account_id       bigint NOT NULL,
    skip_count       integer NOT NULL DEFAULT 0, -- work items skipped for any reason, each counted once
    declined_count   integer NOT NULL DEFAULT 0, -- of them, those that do not return to the annotator
    correction_count integer NOT NULL DEFAULT 0, -- work items that they or a lead wanted to correct
    PRIMARY KEY (batch_id, account_id),
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);

CREATE FUNCTION count_skip() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO annotator_counts AS c (batch_id, account_id, skip_count, declined_count)
    SELECT a.batch_id, a.account_id, (TG_OP = 'INSERT')::integer, (a.state = 'skipped' AND NOT a.deferred)::integer
    FROM assignments a WHERE a.id = NEW.assignment_id AND a.kind = 'work'
    ON CONFLICT (batch_id, account_id) DO UPDATE
    SET skip_count = c.skip_count + excluded.skip_count, declined_count = c.declined_count + excluded.declined_count;
    RETURN NULL;
END $$;
CREATE TRIGGER count_skip AFTER INSERT OR UPDATE OF reason ON skips FOR EACH ROW EXECUTE FUNCTION count_skip();

CREATE FUNCTION count_correction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO annotator_counts AS c (batch_id, account_id, correction_count)
    SELECT a.batch_id, a.account_id, 1 FROM assignments a WHERE a.id = NEW.assignment_id AND a.kind = 'work'
    ON CONFLICT (batch_id, account_id) DO UPDATE SET correction_count = c.correction_count + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER count_correction AFTER INSERT ON correction_requests FOR EACH ROW EXECUTE FUNCTION count_correction();

-- batch_version changes whenever an annotator of the batch does something.
CREATE FUNCTION batch_version(bigint) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT md5(coalesce(string_agg(concat_ws(' ', ba.account_id, ba.last_sequence_no, ba.completed_count, ba.presented_count, ba.items_since_break,
        ba.waiting_count, ba.open_assignment_id, ba.paused_at, ba.removed_at), ',' ORDER BY ba.account_id), ''))
    FROM batch_annotators ba
    WHERE ba.batch_id = $1
$$;

-- batch_states holds what leads read of a batch that is too costly to compute for each
-- page. A background job brings the rows up to date, one batch at a time.
CREATE TABLE batch_states (
    batch_id           bigint PRIMARY KEY REFERENCES batches,
    version            text NOT NULL DEFAULT '',     -- batch_version that the row is computed from; empty: more is to be read
    last_annotation_id bigint NOT NULL DEFAULT 0,    -- annotations up to here are counted
    shared_count       integer NOT NULL DEFAULT 0,   -- items with two labels or more
    agreement          jsonb NOT NULL DEFAULT '[]',  -- by field
    stuck_count        integer NOT NULL DEFAULT 0,   -- free slots that no annotator can take
    stuck_at           timestamptz,                  -- since when there are any
    computed_at        timestamptz NOT NULL DEFAULT '-infinity'
);

-- annotator_paces counts the labels of an annotator by active time, in classes of about
-- 10%, so that the median needs no sorting of all labels.
CREATE TABLE annotator_paces (
    batch_id   bigint NOT NULL REFERENCES batches,
    account_id bigint NOT NULL REFERENCES accounts,
    counts     integer[] NOT NULL, -- element i: times around 0.1 s × e^((i-1)/10)
    PRIMARY KEY (batch_id, account_id)
);

-- agreement_samples holds up to 1,000 items of each batch that have at least two labels: all,
-- or those with the lowest hashes, which are a random sample.
CREATE TABLE agreement_samples (
    batch_id bigint NOT NULL REFERENCES batches,
    item_id  bigint NOT NULL REFERENCES items,
    place    bigint NOT NULL, -- the hash
    PRIMARY KEY (batch_id, item_id)
);
CREATE INDEX ON agreement_samples (batch_id, place);

CREATE INDEX correction_requests_unresolved ON correction_requests (id) WHERE resolved_at IS NULL;

-- lead_tasks lists what waits for the leads of each project. Every part reads
-- unresolved rows only, so that its cost does not grow with the history.
CREATE VIEW lead_tasks AS
SELECT 'correction' AS kind, b.project_id, b.id AS batch_id, a.account_id, c.id AS subject_id, a.item_id,
       1 AS task_count, 0 AS large_count, true AS has_started, NULL::date AS deadline, c.created_at
FROM correction_requests c
JOIN assignments a ON a.id = c.assignment_id
JOIN batches b ON b.id = a.batch_id
WHERE c.resolved_at IS NULL
UNION ALL
SELECT 'question', b.project_id, b.id, q.account_id, q.id, a.item_id, 1, 0, true, NULL, q.created_at
FROM questions q
JOIN assignments a ON a.id = q.assignment_id
JOIN batches b ON b.id = q.batch_id AND b.closed_at IS NULL
WHERE q.answered_at IS NULL
UNION ALL
-- The annotator has read the guide sections again, and waits.
SELECT 'calibration', b.project_id, b.id, c.account_id, NULL, NULL, cardinality(c.missed_fields), 0, true, NULL, c.completed_at
FROM calibration_attempts c
JOIN batches b ON b.id = c.batch_id AND b.closed_at IS NULL
JOIN projects p ON p.id = b.project_id AND p.miss_policy = 'wait'
JOIN active_annotators v ON v.batch_id = c.batch_id AND v.account_id = c.account_id
WHERE c.resolved_at IS NULL AND c.completed_at IS NOT NULL AND c.missed_fields <> '{}' AND NOT EXISTS (
    SELECT FROM unnest(c.missed_fields) missed(field)
    WHERE NOT EXISTS (
        SELECT FROM guide_sections_read r
        WHERE r.batch_id = c.batch_id AND r.account_id = c.account_id AND r.attempt_no = c.attempt_no AND r.section = missed.field))
UNION ALL
SELECT 'stuck', b.project_id, b.id, NULL, NULL, NULL, s.stuck_count, 0, true, NULL, s.stuck_at
FROM batch_states s
JOIN batches b ON b.id = s.batch_id AND b.closed_at IS NULL
WHERE s.stuck_count > 0
UNION ALL
-- An annotator with items left did nothing for two days while another one did, or will
-- miss the deadline at the present pace. An open item counts like one that waits.
SELECT 'behind', b.project_id, b.id, ba.account_id, NULL, NULL, remaining.item_count, 0, ba.last_opened_at IS NOT NULL,
       CASE WHEN idle.is_idle THEN NULL ELSE b.deadline END, CASE WHEN idle.is_idle THEN coalesce(ba.last_opened_at, b.opened_at) ELSE b.opened_at END
FROM batches b
JOIN active_annotators v ON v.batch_id = b.id AND v.paused_at IS NULL
JOIN batch_annotators ba ON ba.batch_id = v.batch_id AND ba.account_id = v.account_id
CROSS JOIN LATERAL (
    SELECT coalesce(ba.last_opened_at, b.opened_at) < now() - interval '2 days' AND EXISTS (
        SELECT FROM batch_annotators other
        WHERE other.batch_id = b.id AND other.last_opened_at > greatest(ba.last_opened_at, now() - interval '2 days')) AS is_idle) idle
CROSS JOIN LATERAL (
    SELECT ba.waiting_count + (SELECT count(*)::integer FROM assignments a WHERE a.id = ba.open_assignment_id AND a.kind = 'work' AND NOT a.reopened) AS item_count) remaining
WHERE b.closed_at IS NULL AND b.assignment = 'planned' AND remaining.item_count > 0
  AND (idle.is_idle OR now() > b.opened_at + interval '1 day' AND b.deadline IS NOT NULL
       AND now() + (now() - b.opened_at) * (remaining.item_count / greatest(ba.label_count, 0.5)) > b.deadline + 1)
  AND NOT EXISTS (
    SELECT FROM calibration_attempts c
    WHERE c.batch_id = b.id AND c.account_id = ba.account_id AND c.resolved_at IS NULL AND c.completed_at IS NOT NULL)
UNION ALL
-- Up to 500 disagreements are counted, so that the cost does not grow with the project.
SELECT 'adjudication', p.id, NULL, NULL, NULL, NULL, undecided.item_count::integer, undecided.large_count::integer, true, NULL, date_trunc('day', now())
FROM projects p
CROSS JOIN LATERAL (
    SELECT count(*) AS item_count, count(*) FILTER (WHERE s.max_distance >= 2) AS large_count
    FROM (SELECT i.max_distance FROM item_states i WHERE i.project_id = p.id AND i.state = 'disagreement' LIMIT 500) s) undecided
WHERE undecided.item_count > 0;

-- Mail is optional: nothing is queued unless a server with SMTP settings runs.
ALTER TABLE identity.users ADD COLUMN receives_mail boolean NOT NULL DEFAULT true, -- about work and questions; invitations are always sent
                           ADD COLUMN last_digest_on date;

-- identity.mail_server has a row while a server sends mail.
CREATE TABLE identity.mail_server (
    only_row   boolean PRIMARY KEY DEFAULT true CONSTRAINT mail_server_only_row CHECK (only_row),
    enabled_at timestamptz NOT NULL DEFAULT now()
);

-- identity.mails is the queue of mails. It holds no text: the text is made when a mail is
-- sent. A server that takes a mail first moves next_attempt_at, so that no other one takes
-- it. If it stops before it records the outcome, the mail is sent again and says that it may
-- be a repetition.
CREATE TABLE identity.mails (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind            text NOT NULL CONSTRAINT mails_kind_known CHECK (kind IN ('invitation', 'new_work', 'answer', 'digest')),
    project_id      bigint REFERENCES projects, -- null: no project
    token           text, -- of an invitation, until the mail is sent
    created_at      timestamptz NOT NULL DEFAULT now(),
    attempt_count   smallint NOT NULL DEFAULT 0,
    outcome_unknown boolean NOT NULL DEFAULT false, -- of an attempt: the mail may have arrived
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    sent_at         timestamptz,
    failed_at       timestamptz, -- given up
    problem         text NOT NULL DEFAULT '', -- of the last attempt
    CONSTRAINT mails_token_of_invitation CHECK (token IS NULL OR kind = 'invitation' AND sent_at IS NULL AND failed_at IS NULL)
);
CREATE INDEX mails_pending ON identity.mails (next_attempt_at) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE UNIQUE INDEX mails_one_pending ON identity.mails (account_id, kind, coalesce(project_id, 0)) WHERE sent_at IS NULL AND failed_at IS NULL;

-- queue_mail queues a mail, unless the same one waits already. Several events of one kind
-- within the delay become one mail. A new invitation replaces one that waits.
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
