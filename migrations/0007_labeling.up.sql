CREATE SEQUENCE annotations_id_seq;

CREATE FUNCTION is_reclaimable(released_id bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM reclaimable_assignments r WHERE r.assignment_id = released_id);
END $$;
COMMENT ON FUNCTION is_reclaimable IS 'Reports whether a released item can be opened again. A function, so that submits do not plan the view reclaimable_assignments.';

CREATE FUNCTION count_claimable(of_batch_id bigint, of_account_id bigint, most integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT count(*) FROM (
        SELECT FROM claimable_slots s WHERE s.batch_id = of_batch_id AND s.account_id = of_account_id LIMIT most) free);
END $$;
COMMENT ON FUNCTION count_claimable IS 'Counts the free slots that an annotator can claim, up to a limit. A function, so that submits do not plan the view claimable_slots.';

CREATE TABLE assignments (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- random; identifies the assignment in URLs
    token               text NOT NULL CONSTRAINT assignments_token_unique UNIQUE,
    batch_id            bigint NOT NULL,
    item_id             bigint NOT NULL,
    account_id          bigint NOT NULL,
    protocol_version_id integer NOT NULL,
    kind                text NOT NULL DEFAULT 'work'
        CONSTRAINT assignments_kind_known CHECK (kind IN ('calibration', 'work', 'duplicate', 'gold')),
    presentation_no     smallint NOT NULL DEFAULT 1, -- of the item to this annotator; in calibration, the attempt
    sequence_no         integer NOT NULL,
    state               text NOT NULL DEFAULT 'open'
        CONSTRAINT assignments_state_known CHECK (state IN ('open', 'submitted', 'skipped', 'released')),
    attempt_no          smallint NOT NULL DEFAULT 1, -- of the current annotation; see current_annotations
    resubmit_count      integer NOT NULL DEFAULT 0, -- submits after the first
    reopened            boolean NOT NULL DEFAULT false,
    deferred            boolean NOT NULL DEFAULT false, -- skipped, and returns after the other items
    opened_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    closed_at           timestamptz,
    set_back            boolean NOT NULL DEFAULT false,
    CONSTRAINT assignments_presentation_unique UNIQUE (batch_id, item_id, account_id, presentation_no),
    CONSTRAINT assignments_sequence_unique UNIQUE (batch_id, account_id, sequence_no),
    CONSTRAINT assignments_set_back_deferred CHECK (NOT set_back OR deferred AND state = 'skipped')
) WITH (fillfactor = 70);
COMMENT ON TABLE assignments IS 'Holds the items given to an annotator, in the order of sequence_no. An annotator has at most one open item in a batch. States: open → submitted, skipped or released; released and skipped items can open again. A submitted item with reopened set awaits another attempt.';

CREATE TABLE pending_assignments (
    assignment_id bigint PRIMARY KEY REFERENCES assignments,
    batch_id      bigint NOT NULL,
    account_id    bigint NOT NULL
);
CREATE INDEX pending_assignments_batch_id_account_id_idx ON pending_assignments (batch_id, account_id);
COMMENT ON TABLE pending_assignments IS 'Lists the few items of an annotator that come before or after the others: reopened, deferred and released ones.';

CREATE TABLE drafts (
    assignment_id bigint PRIMARY KEY REFERENCES assignments,
    version       bigint NOT NULL,
    saved_by_tab  text NOT NULL DEFAULT '', -- may save again; any other tab must name the version it started from
    answers       jsonb NOT NULL,
    tab_times     jsonb NOT NULL DEFAULT '{}', -- active milliseconds by tab; they only grow
    saved_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE drafts IS 'Holds the form of an item as typed. It is deleted when the assignment closes.';

CREATE TABLE annotations (
    id                          bigint DEFAULT nextval('annotations_id_seq'),
    protocol_version_id         integer,
    revision                    integer NOT NULL,
    assignment_id               bigint NOT NULL,
    attempt_no                  smallint NOT NULL DEFAULT 1,
    replaces_id                 bigint, -- the annotation of the previous attempt
    batch_id                    bigint NOT NULL,
    item_id                     bigint NOT NULL,
    account_id                  bigint NOT NULL,
    answers                     jsonb NOT NULL,
    observations                text[] NOT NULL DEFAULT '{}',
    unsure                      text[] NOT NULL DEFAULT '{}',
    note                        text NOT NULL DEFAULT '',
    facts                       jsonb NOT NULL DEFAULT '{}', -- of the item, so that CHECKs can use them
    active_ms                   bigint NOT NULL DEFAULT 0
        CONSTRAINT annotations_active_ms_not_negative CHECK (active_ms >= 0),
    sequence_no                 integer NOT NULL DEFAULT 0,
    items_since_completed_break integer NOT NULL DEFAULT 0,
    session_minutes             integer NOT NULL DEFAULT 0, -- since the session started
    opened_at                   timestamptz NOT NULL DEFAULT clock_timestamp(),
    submitted_at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- given after its annotator had seen other answers to the item
    not_blind                   boolean NOT NULL DEFAULT false,
    CONSTRAINT annotations_attempt_unique UNIQUE (protocol_version_id, assignment_id, attempt_no),
    PRIMARY KEY (protocol_version_id, id)
) PARTITION BY LIST (protocol_version_id);
CREATE INDEX annotations_batch_id_account_id_sequence_no_idx ON annotations (batch_id, account_id, sequence_no);
CREATE INDEX annotations_item_id_idx ON annotations (item_id);
CREATE INDEX annotations_batch_id_id_idx ON annotations (batch_id, id);
COMMENT ON TABLE annotations IS 'Holds the submitted labels. It is append-only: a correction is another attempt. Each protocol version has its own partition, with the rules of the protocol.';

CREATE TABLE hidden_items (
    batch_id         bigint,
    account_id       bigint,
    position         integer, -- among the work items and hidden items shown to the annotator, from 1
    -- of the work item to repeat, in the order of submission, from 1; or the nearest suitable one. Null: gold
    original_no      integer,
    assignment_id    bigint REFERENCES assignments, -- null: not opened
    claimed_at       timestamptz, -- as in slots
    stand_in_item_id bigint, -- since the last release: the work item whose slots decide
    CONSTRAINT hidden_items_original_unique UNIQUE (batch_id, account_id, original_no),
    PRIMARY KEY (batch_id, account_id, "position"),
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators,
    FOREIGN KEY (batch_id, stand_in_item_id) REFERENCES batch_items
);
CREATE UNIQUE INDEX hidden_items_assignment ON hidden_items (assignment_id);
COMMENT ON TABLE hidden_items IS 'Plans the items that come without a mark among the work of an annotator: duplicates, which the annotator labels a second time, to measure self-consistency, and gold items, which have a reference answer that the annotator has not seen. Positions are drawn when the batch opens, and never change; those to come are deleted when the annotator gets a sheet. A duplicate without a suitable original, or gold without an item that is new to the annotator, is dropped: its position has passed, and it has no assignment. A hidden item has no slot. claimed_at and stand_in_item_id let it behave as if it had one: after a release, it can be opened again for as long as a work item could.';

CREATE TABLE skips (
    assignment_id bigint PRIMARY KEY REFERENCES assignments,
    batch_id      bigint NOT NULL, -- of the assignment
    item_id       bigint NOT NULL,
    reason        text NOT NULL
        CONSTRAINT skips_reason_known CHECK (reason IN ('invalid_or_unrealistic', 'unclear', 'outside_expertise', 'distressing')),
    is_personal   boolean GENERATED ALWAYS AS ((reason = ANY (ARRAY['outside_expertise'::text, 'distressing'::text]))) STORED NOT NULL,
    comment       text NOT NULL DEFAULT ''
        CONSTRAINT skips_comment_length CHECK (char_length(comment) <= 1000),
    created_at    timestamptz NOT NULL DEFAULT now(),
    project_id    bigint NOT NULL,
    FOREIGN KEY (batch_id, item_id) REFERENCES batch_items,
    CONSTRAINT skips_distressing_without_comment CHECK (reason <> 'distressing' OR comment = '')
);
CREATE INDEX skips_batch_id_item_id_idx ON skips (batch_id, item_id);
CREATE INDEX skips_item ON skips (project_id, item_id) WHERE (NOT is_personal);
COMMENT ON TABLE skips IS 'Holds the reason for each skipped item. A personal reason is about the annotator, not the item: leads see how many items an annotator skipped, but neither which of these reasons it was nor the comment.';

CREATE TABLE withheld_items (
    account_id bigint REFERENCES accounts,
    item_id    bigint REFERENCES items,
    has_seen   boolean NOT NULL DEFAULT false, -- the reason is that they have seen answers to the item
    PRIMARY KEY (account_id, item_id)
);
COMMENT ON TABLE withheld_items IS 'Lists the items that an annotator does not get: because they have seen answers to it, or because they skipped one with the same content for a personal reason: the same record, or the same prompt. No page, file or API shows the latter.';

CREATE TABLE breaks (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id          bigint NOT NULL,
    account_id        bigint NOT NULL,
    after_sequence_no integer NOT NULL, -- of the last item before the break
    planned           boolean NOT NULL, -- by the batch; otherwise the annotator asked for it
    started_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    scheduled_end_at  timestamptz NOT NULL,
    ended_at          timestamptz, -- when the annotator continued
    completed         boolean GENERATED ALWAYS AS ((ended_at >= scheduled_end_at)) STORED,
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE UNIQUE INDEX breaks_one_open ON breaks (batch_id, account_id) WHERE (ended_at IS NULL);
CREATE INDEX breaks_account_id_ended_at_idx ON breaks (account_id, ended_at);
CREATE INDEX breaks_batch_id_account_id_after_sequence_no_idx ON breaks (batch_id, account_id, after_sequence_no);
COMMENT ON TABLE breaks IS 'Holds the breaks of an annotator in a batch, one at a time. Labeling waits until the break ends.';

CREATE TABLE calibration_attempts (
    batch_id      bigint,
    account_id    bigint,
    attempt_no    smallint
        CONSTRAINT calibration_attempts_attempt_no_positive CHECK (attempt_no > 0),
    queue         bigint[] NOT NULL, -- the calibration items, in the order of this attempt
    requested_by  bigint REFERENCES accounts, -- the lead who requested a retake
    started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    completed_at  timestamptz,
    missed_fields text[], -- fields outside the tolerance; set on completion
    resolved_at   timestamptz, -- when the annotator continued or started a retake
    resolved_by   bigint REFERENCES accounts, -- the lead who let the annotator continue
    reason        text NOT NULL DEFAULT ''
        CONSTRAINT calibration_attempts_reason_length CHECK (char_length(reason) <= 1000),
    is_practice   boolean NOT NULL DEFAULT false,
    PRIMARY KEY (batch_id, account_id, attempt_no),
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE UNIQUE INDEX calibration_attempts_one_unresolved ON calibration_attempts (batch_id, account_id)
    WHERE (resolved_at IS NULL);
COMMENT ON TABLE calibration_attempts IS 'Holds the attempts of an annotator at the calibration set of a batch. While one is unresolved, the annotator gets no work.';

CREATE TABLE calibration_comments (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id   bigint NOT NULL,
    item_id    bigint NOT NULL,
    account_id bigint NOT NULL REFERENCES accounts,
    message    text NOT NULL
        CONSTRAINT calibration_comments_message_length CHECK (char_length(message) BETWEEN 1 AND 2000),
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (batch_id, item_id) REFERENCES batch_items
);
CREATE INDEX calibration_comments_batch_id_item_id_id_idx ON calibration_comments (batch_id, item_id, id);
COMMENT ON TABLE calibration_comments IS 'Holds the discussion of a calibration item.';

CREATE TABLE guide_sections_read (
    batch_id   bigint,
    account_id bigint,
    attempt_no smallint,
    section    text,
    read_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (batch_id, account_id, attempt_no, section),
    FOREIGN KEY (batch_id, account_id, attempt_no) REFERENCES calibration_attempts
);
COMMENT ON TABLE guide_sections_read IS 'Records the guide sections that an annotator read again after missing fields.';

CREATE TABLE correction_requests (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    assignment_id bigint NOT NULL REFERENCES assignments,
    message       text NOT NULL
        CONSTRAINT correction_requests_message_length CHECK (char_length(message) BETWEEN 1 AND 1000),
    created_by    bigint REFERENCES accounts, -- the lead who reopened the item without a request; null: its annotator
    created_at    timestamptz NOT NULL DEFAULT now(),
    resolved_at   timestamptz,
    resolved_by   bigint REFERENCES accounts,
    reopened      boolean NOT NULL DEFAULT false,
    reply         text NOT NULL DEFAULT ''
        CONSTRAINT correction_requests_reply_length CHECK (char_length(reply) <= 1000)
);
CREATE UNIQUE INDEX correction_requests_one_unresolved ON correction_requests (assignment_id)
    WHERE (resolved_at IS NULL);
CREATE INDEX correction_requests_unresolved ON correction_requests (id) WHERE (resolved_at IS NULL);
CREATE INDEX correction_requests_assignment_id_idx ON correction_requests (assignment_id);
CREATE INDEX correction_requests_declined ON correction_requests (resolved_at)
    WHERE ((resolved_at IS NOT NULL) AND (NOT reopened));
COMMENT ON TABLE correction_requests IS 'Holds the requests to correct a submitted item, and how a lead resolved them. An assignment has at most one unresolved request.';

CREATE TABLE questions (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    assignment_id   bigint NOT NULL REFERENCES assignments,
    batch_id        bigint NOT NULL REFERENCES batches, -- of the assignment
    account_id      bigint NOT NULL REFERENCES accounts, -- of the assignment
    message         text NOT NULL
        CONSTRAINT questions_message_length CHECK (char_length(message) BETWEEN 1 AND 1000)
        CONSTRAINT questions_message_plain CHECK (is_plain_text(message)),
    created_at      timestamptz NOT NULL DEFAULT now(),
    answer          text
        CONSTRAINT questions_answer_length CHECK (char_length(answer) BETWEEN 1 AND 2000)
        CONSTRAINT questions_answer_plain CHECK (is_plain_text(answer)),
    answered_at     timestamptz,
    answered_by     bigint REFERENCES accounts, -- null: not answered, or answered by command
    acknowledged_at timestamptz, -- when the annotator read the answer
    CONSTRAINT questions_answered_completely CHECK ((answer IS NULL) = (answered_at IS NULL)),
    CONSTRAINT questions_acknowledged_after_answer CHECK (acknowledged_at IS NULL OR answered_at IS NOT NULL)
);
CREATE UNIQUE INDEX questions_one_unanswered ON questions (assignment_id) WHERE (answered_at IS NULL);
CREATE INDEX questions_unanswered ON questions (batch_id) WHERE (answered_at IS NULL);
CREATE INDEX questions_unread ON questions (account_id)
    WHERE ((answered_at IS NOT NULL) AND (acknowledged_at IS NULL));
CREATE INDEX questions_assignment_id_idx ON questions (assignment_id);
CREATE INDEX questions_batch_id_id_idx ON questions (batch_id, id);
COMMENT ON TABLE questions IS 'Holds what annotators ask the leads about an item, and the answers. A question belongs to one presentation of an item, so that a hidden duplicate does not show the question about its original. Only its annotator and the leads see it. Until it is answered, asking again replaces it.';

CREATE TABLE work_notices (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id      bigint NOT NULL,
    account_id    bigint NOT NULL,
    kind          text NOT NULL
        CONSTRAINT work_notices_kind_known CHECK (kind IN ('removed', 'open_item_reassigned', 'items_reassigned', 'items_added', 'paused', 'paused_by_gold', 'resumed', 'closed', 'reopened')),
    item_count    integer NOT NULL DEFAULT 0, -- that the annotator lost or got
    assignment_id bigint REFERENCES assignments, -- the lost open item, whose draft is kept; null: none
    created_at    timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE INDEX work_notices_account_id_created_at_idx ON work_notices (account_id, created_at);
COMMENT ON TABLE work_notices IS 'Shows annotators on their start page what a lead changed about their work, so that an open item is not lost without notice.';

CREATE TABLE sheets (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id   bigint NOT NULL,
    account_id bigint NOT NULL, -- the annotator
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by bigint REFERENCES accounts, -- null: a command
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE INDEX sheets_batch_id_account_id_idx ON sheets (batch_id, account_id);
COMMENT ON TABLE sheets IS 'Holds the annotation sheets that were made for annotators to fill in elsewhere. A returned sheet is recognized by the keys of its rows.';

CREATE TABLE sheet_rows (
    sheet_id bigint REFERENCES sheets,
    row_no   integer, -- from 1
    row_key  text NOT NULL,
    item_id  bigint NOT NULL REFERENCES items,
    CONSTRAINT sheet_rows_key_unique UNIQUE (sheet_id, row_key),
    PRIMARY KEY (sheet_id, row_no)
);
COMMENT ON TABLE sheet_rows IS 'Holds the rows of each sheet: the items that wait for the annotator, in their order. The keys are random, so that none of them shows which item it is.';

CREATE TABLE annotator_days (
    project_id bigint REFERENCES projects,
    account_id bigint REFERENCES accounts,
    day        date,
    item_count integer NOT NULL DEFAULT 0, -- submitted or skipped, calibration and corrections included
    active_ms  bigint NOT NULL DEFAULT 0, -- of submitted items
    PRIMARY KEY (project_id, account_id, day)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);
COMMENT ON TABLE annotator_days IS 'Holds what each annotator did in a project on each day, in UTC. The counters are updated with the items they count.';

CREATE TABLE annotator_paces (
    batch_id   bigint REFERENCES batches,
    account_id bigint REFERENCES accounts,
    counts     integer[] NOT NULL, -- element i: times around 0.1 s × e^((i-1)/10)
    PRIMARY KEY (batch_id, account_id)
);
COMMENT ON TABLE annotator_paces IS 'Counts the labels of an annotator by active time, in classes of about 10%, so that the median needs no sorting of all labels.';

CREATE VIEW blinded_items AS
SELECT ba.account_id, b.project_id, b.id AS batch_id, bi.item_id
FROM batches b
JOIN batch_annotators ba ON ba.batch_id = b.id
JOIN batch_items bi ON bi.batch_id = b.id AND NOT bi.is_calibration
WHERE b.closed_at IS NULL OR EXISTS (
    SELECT FROM assignments a
    WHERE a.batch_id = b.id AND a.item_id = bi.item_id AND a.account_id = ba.account_id AND (a.state = 'open' OR a.reopened));
COMMENT ON VIEW blinded_items IS 'Lists the items whose other answers an account must not see, because it labels them: until the batch is closed and its own assignment is finished. Only leads can see answers at all.';

CREATE VIEW claimable_slots AS
SELECT s.batch_id, s.item_id, s.slot_no, s.queue_no, ba.account_id
FROM slots s
JOIN batch_annotators ba ON ba.batch_id = s.batch_id
WHERE s.account_id IS NULL AND s.queue_no > ba.pool_cursor
  AND (SELECT a.id FROM assignments a
       WHERE a.batch_id = s.batch_id AND a.item_id = s.item_id AND a.account_id = ba.account_id
       LIMIT 1) IS NULL
  AND (SELECT own.slot_no FROM slots own
       WHERE own.batch_id = s.batch_id AND own.item_id = s.item_id AND own.account_id = ba.account_id
       LIMIT 1) IS NULL
  AND (SELECT w.item_id FROM withheld_items w WHERE w.account_id = ba.account_id AND w.item_id = s.item_id) IS NULL;
COMMENT ON VIEW claimable_slots IS 'Lists the free slots of a batch for each annotator who may claim them: those who never had the item, and have it not in their queue. The LIMIT has PostgreSQL look that up slot by slot, instead of reading everything that the annotator ever had.';

CREATE VIEW reclaimable_slots AS
SELECT s.batch_id, s.item_id, s.slot_no, a.account_id, a.id AS assignment_id, a.sequence_no
FROM pending_assignments pending
JOIN assignments a ON a.id = pending.assignment_id
JOIN batches b ON b.id = a.batch_id AND b.closed_at IS NULL
JOIN slots s ON s.batch_id = a.batch_id AND s.item_id = a.item_id
WHERE a.state = 'released' AND a.kind = 'work' AND s.account_id IS NULL
  AND (SELECT w.item_id FROM withheld_items w WHERE w.account_id = a.account_id AND w.item_id = a.item_id) IS NULL;
COMMENT ON VIEW reclaimable_slots IS 'Lists the free slots of work items that an annotator had open, that were released, and that the annotator may claim again while the batch is open.';

CREATE VIEW reclaimable_assignments AS
SELECT assignment_id, batch_id, account_id, sequence_no FROM reclaimable_slots
UNION
SELECT a.id, a.batch_id, a.account_id, a.sequence_no
FROM pending_assignments pending
JOIN assignments a ON a.id = pending.assignment_id
JOIN hidden_items h ON h.assignment_id = a.id
JOIN batches b ON b.id = a.batch_id AND b.closed_at IS NULL
WHERE a.state = 'released' AND (
    SELECT count(*) FROM slots s
    WHERE s.batch_id = a.batch_id AND s.item_id = h.stand_in_item_id AND s.account_id IS NULL
) >= CASE WHEN EXISTS (
    SELECT FROM assignments own
    WHERE own.batch_id = a.batch_id AND own.item_id = h.stand_in_item_id AND own.account_id = a.account_id
) THEN (
    SELECT count(*)
    FROM batch_annotators other
    JOIN members m ON m.project_id = b.project_id AND m.account_id = other.account_id
    WHERE other.batch_id = a.batch_id AND other.account_id <> a.account_id AND m.last_active_at > h.claimed_at AND NOT EXISTS (
        SELECT FROM assignments had
        WHERE had.batch_id = a.batch_id AND had.item_id = h.stand_in_item_id AND had.account_id = other.account_id)
) ELSE 1 END
  AND NOT EXISTS (SELECT FROM withheld_items w WHERE w.account_id = a.account_id AND w.item_id = a.item_id);
COMMENT ON VIEW reclaimable_assignments IS 'Lists the released items that their annotator can open again. A hidden item follows its stand-in. If the annotator never had that item, one free slot is enough. Otherwise it needs one for each other annotator who was active in that time and could claim the item.';

CREATE VIEW current_annotations AS
SELECT n.id, n.protocol_version_id, n.revision, n.assignment_id, n.attempt_no, n.replaces_id, n.batch_id, n.item_id, n.account_id,
       n.answers, n.observations, n.unsure, n.note, n.facts, n.active_ms, n.sequence_no, n.items_since_completed_break,
       n.session_minutes, n.opened_at, n.submitted_at,
       CASE WHEN n.not_blind THEN 'not_blind' WHEN b.round_of IS NOT NULL AND a.kind = 'work' THEN 'round' ELSE a.kind END AS kind, a.presentation_no
FROM annotations n
JOIN assignments a ON a.id = n.assignment_id AND a.attempt_no = n.attempt_no
JOIN batches b ON b.id = n.batch_id;
COMMENT ON VIEW current_annotations IS 'Lists the annotations that count: the last attempt of each assignment, with its kind: of the assignment, or not_blind, or round for work in a round.';

CREATE FUNCTION count_calibration_items(of_batch_id bigint, of_account_id bigint, of_attempt_no integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT count(*) FROM assignments a
            WHERE a.batch_id = of_batch_id AND a.account_id = of_account_id
              AND a.kind = 'calibration' AND a.presentation_no = of_attempt_no AND a.state <> 'open');
END $$;
COMMENT ON FUNCTION count_calibration_items IS 'Returns how many items of a calibration attempt are done, for annotator_progress. A function, because most batches have none.';

CREATE FUNCTION count_left_hidden(of_batch_id bigint, of_account_id bigint, presented_count integer, work_count integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT count(*)
            FROM (SELECT h.position - count_left_hidden.presented_count - row_number() OVER (ORDER BY h.position) AS work_items_before
                  FROM hidden_items h
                  WHERE h.batch_id = of_batch_id AND h.account_id = of_account_id AND h.position > count_left_hidden.presented_count) h
            WHERE h.work_items_before < count_left_hidden.work_count);
END $$;
COMMENT ON FUNCTION count_left_hidden IS 'Returns how many hidden items will come before the work that is left ends, for annotator_progress. A function, because most batches have none.';

CREATE FUNCTION has_unread_messages(of_account_id bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM unread_announcements WHERE account_id = of_account_id) OR EXISTS (
        SELECT FROM questions q
        JOIN active_annotators v ON v.batch_id = q.batch_id AND v.account_id = q.account_id
        WHERE q.account_id = of_account_id AND q.answered_at IS NOT NULL AND q.acknowledged_at IS NULL);
END $$;
COMMENT ON FUNCTION has_unread_messages IS 'Reports whether an account has announcements of open batches, or answers, to read.';

CREATE FUNCTION add_slot_by_rule(rule overlap_rules, labeled_item_id bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    added integer;
BEGIN
    INSERT INTO slots (batch_id, item_id, slot_no, queue_no)
    SELECT rule.batch_id, labeled_item_id, s.last_no + 1, nextval('returned_queue_no')
    FROM (SELECT max(slot_no) AS last_no, count(*) FILTER (WHERE NOT withheld) AS slot_count FROM slots
          WHERE batch_id = rule.batch_id AND item_id = labeled_item_id) s
    CROSS JOIN (SELECT count(*) AS label_count FROM assignments a
                WHERE a.batch_id = rule.batch_id AND a.item_id = labeled_item_id AND a.kind = 'work' AND a.state = 'submitted') l
    WHERE s.slot_count = l.label_count AND l.label_count BETWEEN 2 AND rule.most_labels - 1 AND EXISTS (
        SELECT FROM assignments a
        JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id AND n.attempt_no = a.attempt_no AND NOT n.not_blind
        CROSS JOIN jsonb_each_text(n.answers) AS answer (field, value)
        WHERE a.batch_id = rule.batch_id AND a.item_id = labeled_item_id AND a.kind = 'work' AND a.state = 'submitted'
          AND (rule.field = '' OR answer.field = rule.field)
        GROUP BY answer.field
        HAVING max(answer.value::numeric) - min(answer.value::numeric) >= rule.min_difference);
    GET DIAGNOSTICS added = ROW_COUNT;
    RETURN added;
END $$;
COMMENT ON FUNCTION add_slot_by_rule IS 'Adds a free slot to an item whose labels are all in and differ. It returns how many it added. The caller has locked the item in batch_items in an earlier statement: of two annotators who submit at the same time, the second sees both labels.';

CREATE FUNCTION can_take_back(of_last_submit_id bigint, of_open_assignment_id bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM assignments l WHERE l.id = of_last_submit_id AND l.state = 'submitted' AND NOT l.reopened)
        AND NOT EXISTS (SELECT FROM assignments o WHERE o.id = of_open_assignment_id AND o.kind = 'calibration');
END $$;
COMMENT ON FUNCTION can_take_back IS 'Reports whether the last submit of an annotator who has that item open can be taken back.';

CREATE FUNCTION label_fingerprint(n annotations) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(convert_to(jsonb_build_array(n.id, n.protocol_version_id, n.revision, n.assignment_id, n.attempt_no, n.batch_id, n.item_id, n.account_id,
        n.answers, to_jsonb(n.observations), to_jsonb(n.unsure), n.note, n.active_ms, extract(epoch FROM n.submitted_at), n.not_blind)::text, 'UTF8'))
$$;
COMMENT ON FUNCTION label_fingerprint IS 'Returns a hash of an annotation.';

CREATE FUNCTION seal_labels(sealed_batch_id bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
    SELECT 'labels', sealed_batch_id, min(n.id), max(n.id), count(*), sha256(string_agg(coalesce(e.fingerprint, label_fingerprint(n)), '' ORDER BY n.id))
    FROM annotations n
    LEFT JOIN erased_fingerprints e ON e.table_name = 'annotations' AND e.row_id = n.id
    WHERE n.batch_id = sealed_batch_id
      AND n.id > coalesce((SELECT max(s.last_id) FROM seals s WHERE s.kind = 'labels' AND s.owner_id = sealed_batch_id), 0)
    HAVING count(*) > 0
$$;
REVOKE EXECUTE ON FUNCTION seal_labels FROM PUBLIC;
COMMENT ON FUNCTION seal_labels IS 'Seals the labels of a batch that were given since it was sealed last.';

CREATE FUNCTION batch_counts(of_batch_id bigint, reader_id bigint) RETURNS TABLE (
    items integer, labels_wanted integer, labels_given integer, in_progress integer, deferred integer, withheld integer, stuck integer)
    LANGUAGE sql STABLE AS $$
    SELECT b.item_count, b.slot_count + a.added, least(a.given, b.slot_count + a.added), a.in_progress,
           (SELECT count(*)::integer FROM pending_assignments p JOIN assignments d ON d.id = p.assignment_id
            WHERE p.batch_id = b.id AND b.closed_at IS NULL AND d.kind = 'work' AND d.state = 'skipped' AND d.deferred AND NOT d.set_back
              AND d.account_id <> reader_id),
           (SELECT count(*)::integer FROM slots s WHERE s.batch_id = b.id AND s.withheld),
           CASE WHEN b.closed_at IS NULL THEN coalesce((SELECT t.stuck_count FROM batch_states t WHERE t.batch_id = b.id), 0) ELSE 0 END
    FROM batches b
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(ba.added_slot_count), 0)::integer AS added,
               coalesce(sum(CASE WHEN ba.account_id = reader_id AND b.closed_at IS NULL THEN ba.completed_count ELSE ba.label_count END), 0)::integer AS given,
               count(*) FILTER (WHERE ba.account_id = reader_id AND ba.open_assignment_id IS NOT NULL OR EXISTS (
                   SELECT FROM assignments o WHERE o.id = ba.open_assignment_id AND o.kind = 'work' AND NOT o.reopened))::integer AS in_progress
        FROM batch_annotators ba
        WHERE ba.batch_id = b.id) a
    WHERE b.id = of_batch_id
$$;
COMMENT ON FUNCTION batch_counts IS 'The only source of the counts of a batch that leads and programs see. Of an open batch in which the reader labels, their own work is counted as they see it, so that no count shows their hidden items: completed items, the open item of any kind, and none that they skipped for now. An account that labels nowhere is 0.';

CREATE VIEW annotator_progress AS
SELECT ba.batch_id, ba.account_id,
       CASE WHEN c.attempt_no IS NULL THEN ba.completed_count - pending.reopened_count ELSE
           count_calibration_items(ba.batch_id, ba.account_id, c.attempt_no) END AS completed_items,
       CASE WHEN c.attempt_no IS NOT NULL THEN cardinality(c.queue)
            WHEN b.assignment = 'pool' THEN 0
            ELSE ba.completed_count + (
                SELECT count(*)::integer FROM assignments a
                WHERE a.id = ba.open_assignment_id AND a.kind <> 'calibration' AND NOT a.reopened) + CASE
                WHEN b.closed_at IS NOT NULL THEN 0
                ELSE pending.returning_count + (
                    SELECT work.left_count + CASE WHEN b.duplicate_count + b.gold_count > 0 THEN
                        count_left_hidden(ba.batch_id, ba.account_id, ba.presented_count, work.left_count) ELSE 0 END
                    FROM (SELECT CASE WHEN ba.waiting_count > 0 THEN ba.waiting_count ELSE
                              count_claimable(ba.batch_id, ba.account_id, 100) END AS left_count OFFSET 0) work) END
            END AS expected_items,
       CASE WHEN b.break_every = 0 OR c.attempt_no IS NOT NULL THEN 0 ELSE
           greatest(b.break_every - ba.items_since_break, CASE ba.completed_count WHEN 0 THEN 2 ELSE 1 END) END AS items_to_break
FROM batch_annotators ba
JOIN batches b ON b.id = ba.batch_id
LEFT JOIN calibration_attempts c ON c.batch_id = ba.batch_id AND c.account_id = ba.account_id AND c.resolved_at IS NULL
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE a.reopened AND a.kind <> 'calibration')::integer AS reopened_count,
           (count(*) FILTER (WHERE a.deferred AND NOT a.reopened) + count(*) FILTER (WHERE a.state = 'released' AND is_reclaimable(a.id)))::integer AS returning_count
    FROM pending_assignments p
    JOIN assignments a ON a.id = p.assignment_id
    WHERE p.batch_id = ba.batch_id AND p.account_id = ba.account_id) pending;
COMMENT ON VIEW annotator_progress IS 'The only source of the counters that annotators see. In the current calibration attempt it counts its items. In a planned batch it counts what is left for the annotator, work items and the hidden items that will come: one takes the place of a work item, so as many come as have one left after them. After the own queue, free slots of up to 100 items count. What is left of a pool is not known: expected_items is 0. No break is inside calibration or after the first item.';

CREATE FUNCTION set_open_assignment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    open_id bigint := (SELECT ba.open_assignment_id FROM batch_annotators ba WHERE ba.batch_id = NEW.batch_id AND ba.account_id = NEW.account_id);
BEGIN
    IF (NEW.state = 'open') = (open_id IS NOT DISTINCT FROM NEW.id) THEN
        RETURN NULL;
    END IF;
    UPDATE batch_annotators SET open_assignment_id = CASE NEW.state WHEN 'open' THEN NEW.id END
    WHERE batch_id = NEW.batch_id AND account_id = NEW.account_id
      AND open_assignment_id IS NOT DISTINCT FROM CASE NEW.state WHEN 'open' THEN NULL ELSE NEW.id END;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'annotator % has another open item in batch %', NEW.account_id, NEW.batch_id
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'assignments_one_open';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION set_open_assignment IS 'Keeps batch_annotators.open_assignment_id, by which an annotator has at most one open item in a batch. It takes the place of a partial index on the state, which would make every change of an assignment write all indexes. A statement that closes one item and opens the next sets the column itself.';
CREATE TRIGGER set_open_assignment AFTER INSERT ON assignments FOR EACH ROW
    WHEN (NEW.state = 'open') EXECUTE FUNCTION set_open_assignment();
CREATE TRIGGER change_open_assignment AFTER UPDATE ON assignments FOR EACH ROW
    WHEN ((OLD.state = 'open') <> (NEW.state = 'open')) EXECUTE FUNCTION set_open_assignment();

CREATE FUNCTION set_pending_assignment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.reopened OR NEW.deferred OR NEW.state = 'released' THEN
        INSERT INTO pending_assignments (assignment_id, batch_id, account_id) VALUES (NEW.id, NEW.batch_id, NEW.account_id);
    ELSE
        DELETE FROM pending_assignments WHERE assignment_id = NEW.id;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION set_pending_assignment IS 'Keeps pending_assignments.';
CREATE TRIGGER set_pending_assignment AFTER UPDATE ON assignments FOR EACH ROW
    WHEN ((OLD.reopened OR OLD.deferred OR OLD.state = 'released') <> (NEW.reopened OR NEW.deferred OR NEW.state = 'released'))
    EXECUTE FUNCTION set_pending_assignment();

CREATE FUNCTION count_skip() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO annotator_counts AS c (batch_id, account_id, skip_count, declined_count)
    SELECT a.batch_id, a.account_id, (TG_OP = 'INSERT')::integer, (a.state = 'skipped' AND NOT a.deferred)::integer
    FROM assignments a WHERE a.id = NEW.assignment_id AND a.kind = 'work'
    ON CONFLICT (batch_id, account_id) DO UPDATE
    SET skip_count = c.skip_count + excluded.skip_count, declined_count = c.declined_count + excluded.declined_count;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION count_skip IS 'Trigger: counts skips in annotator_counts.';
CREATE TRIGGER count_skip AFTER INSERT OR UPDATE OF reason ON skips FOR EACH ROW EXECUTE FUNCTION count_skip();

CREATE FUNCTION count_correction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO annotator_counts AS c (batch_id, account_id, correction_count)
    SELECT a.batch_id, a.account_id, 1 FROM assignments a WHERE a.id = NEW.assignment_id AND a.kind = 'work'
    ON CONFLICT (batch_id, account_id) DO UPDATE SET correction_count = c.correction_count + 1;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION count_correction IS 'Trigger: counts correction requests in annotator_counts.';
CREATE TRIGGER count_correction AFTER INSERT ON correction_requests FOR EACH ROW EXECUTE FUNCTION count_correction();

CREATE FUNCTION apply_overlap_rule() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    rule overlap_rules;
BEGIN
    SELECT r.* INTO rule FROM overlap_rules r
    JOIN batches b ON b.id = r.batch_id AND b.closed_at IS NULL -- reopening applies the rule
    WHERE r.batch_id = NEW.batch_id;
    IF FOUND AND NEW.kind = 'work' THEN
        PERFORM FROM batch_items i WHERE i.batch_id = NEW.batch_id AND i.item_id = NEW.item_id FOR NO KEY UPDATE;
        UPDATE batch_annotators ba SET added_slot_count = ba.added_slot_count + added.slot_count
        FROM (SELECT add_slot_by_rule(rule, NEW.item_id) AS slot_count) added
        WHERE ba.batch_id = NEW.batch_id AND ba.account_id = NEW.account_id AND added.slot_count > 0;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION apply_overlap_rule IS 'Trigger: adds a slot by the overlap rule of the batch after a submit, at the end of its transaction.';
-- Deferred to the end of the transaction, when the annotation is stored too.
CREATE CONSTRAINT TRIGGER assignments_overlap_rule AFTER UPDATE OF state ON assignments
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.state = 'submitted' AND NEW.kind = 'work' AND OLD.state <> 'submitted')
    EXECUTE FUNCTION apply_overlap_rule();

CREATE FUNCTION check_new_annotation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM assignments a
        WHERE a.id = NEW.assignment_id AND a.item_id = NEW.item_id AND a.account_id = NEW.account_id AND a.batch_id = NEW.batch_id
          AND a.protocol_version_id = NEW.protocol_version_id) THEN
        RAISE EXCEPTION 'an annotation that is not of its assignment'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'annotations_of_assignment';
    END IF;
    IF NOT EXISTS (SELECT FROM items i WHERE i.id = NEW.item_id AND i.facts = NEW.facts) THEN
        RAISE EXCEPTION 'an annotation with other facts than its item'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'annotations_facts_of_item';
    END IF;
    IF NOT EXISTS (SELECT FROM protocol_revisions r WHERE r.protocol_version_id = NEW.protocol_version_id AND r.revision = NEW.revision) THEN
        RAISE EXCEPTION 'an annotation under a wording that was not published'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'annotations_of_revision';
    END IF;
    INSERT INTO unmeasured_items (item_id, protocol_version_id) VALUES (NEW.item_id, NEW.protocol_version_id);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION check_new_annotation IS 'Rejects an annotation that is not of its assignment, of the facts of its item, or under a wording of its protocol, and queues its item to be measured.';
CREATE TRIGGER check_new_annotation AFTER INSERT ON annotations FOR EACH ROW EXECUTE FUNCTION check_new_annotation();

CREATE FUNCTION check_new_assignment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM batch_items i WHERE i.batch_id = NEW.batch_id AND i.item_id = NEW.item_id) THEN
        RAISE EXCEPTION 'an assignment of an item that is not in its batch'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'assignments_item_in_batch';
    END IF;
    IF NOT EXISTS (SELECT FROM batch_annotators a WHERE a.batch_id = NEW.batch_id AND a.account_id = NEW.account_id) THEN
        RAISE EXCEPTION 'an assignment to an account that is not an annotator of its batch'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'assignments_annotator_in_batch';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION check_new_assignment IS 'Rejects an assignment of an item or an annotator that the batch does not have.';
CREATE TRIGGER check_new_assignment AFTER INSERT ON assignments FOR EACH ROW EXECUTE FUNCTION check_new_assignment();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON annotations
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER reject_archived_change BEFORE UPDATE ON assignments
    FOR EACH ROW WHEN (NEW.reopened AND NOT OLD.reopened) EXECUTE FUNCTION reject_archived_change('batch_id');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON work_notices
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_keys BEFORE UPDATE OF id, batch_id, item_id, account_id, protocol_version_id, kind, presentation_no ON assignments FOR EACH ROW
    WHEN ((NEW.id, NEW.batch_id, NEW.item_id, NEW.account_id, NEW.protocol_version_id, NEW.kind, NEW.presentation_no)
        IS DISTINCT FROM (OLD.id, OLD.batch_id, OLD.item_id, OLD.account_id, OLD.protocol_version_id, OLD.kind, OLD.presentation_no))
    EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON assignments FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON assignments FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON annotations FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON work_notices FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
