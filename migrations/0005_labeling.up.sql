-- assignments holds the items given to an annotator, in the order of
-- sequence_no. An annotator has at most one open item in a batch.
-- States: open → submitted, skipped or released; released and skipped items can
-- open again. A submitted item with reopened set awaits another attempt.
CREATE TABLE assignments (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token               text NOT NULL CONSTRAINT assignments_token_unique UNIQUE, -- random; identifies the assignment in URLs
    batch_id            bigint NOT NULL,
    item_id             bigint NOT NULL,
    account_id          bigint NOT NULL,
    protocol_version_id integer NOT NULL,
    kind                text NOT NULL DEFAULT 'work'
                        CONSTRAINT assignments_kind_known CHECK (kind IN ('calibration', 'work', 'duplicate')),
    presentation_no     smallint NOT NULL DEFAULT 1, -- of the item to this annotator; in calibration, the attempt
    sequence_no         integer NOT NULL,
    state               text NOT NULL DEFAULT 'open'
                        CONSTRAINT assignments_state_known CHECK (state IN ('open', 'submitted', 'skipped', 'released')),
    attempt_no          smallint NOT NULL DEFAULT 1, -- of the current annotation; see current_annotations
    resubmit_count      integer NOT NULL DEFAULT 0,  -- submits after the first
    reopened            boolean NOT NULL DEFAULT false,
    deferred            boolean NOT NULL DEFAULT false, -- skipped, and returns after the other items
    opened_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    closed_at           timestamptz,
    CONSTRAINT assignments_presentation_unique UNIQUE (batch_id, item_id, account_id, presentation_no),
    CONSTRAINT assignments_sequence_unique UNIQUE (batch_id, account_id, sequence_no),
    CONSTRAINT assignments_annotation_reference_unique UNIQUE (id, item_id, account_id, batch_id, protocol_version_id),
    FOREIGN KEY (batch_id, item_id) REFERENCES batch_items,
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
) WITH (fillfactor = 70);

-- set_open_assignment keeps batch_annotators.open_assignment_id, by which an
-- annotator has at most one open item in a batch. It takes the place of a partial
-- index on the state, which would make every change of an assignment write all indexes.
-- A statement that closes one item and opens the next sets the column itself.
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
CREATE TRIGGER set_open_assignment AFTER INSERT ON assignments FOR EACH ROW
    WHEN (NEW.state = 'open') EXECUTE FUNCTION set_open_assignment();
CREATE TRIGGER change_open_assignment AFTER UPDATE ON assignments FOR EACH ROW
    WHEN ((OLD.state = 'open') <> (NEW.state = 'open')) EXECUTE FUNCTION set_open_assignment();

-- check_left_assignment rejects a change of open_assignment_id that leaves an item open.
CREATE FUNCTION check_left_assignment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT a.state = 'open' FROM assignments a WHERE a.id = OLD.open_assignment_id) THEN
        RAISE EXCEPTION 'annotator % has another open item in batch %', NEW.account_id, NEW.batch_id
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'assignments_one_open';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_left_assignment AFTER UPDATE OF open_assignment_id ON batch_annotators FOR EACH ROW
    WHEN (OLD.open_assignment_id IS NOT NULL AND OLD.open_assignment_id IS DISTINCT FROM NEW.open_assignment_id) EXECUTE FUNCTION check_left_assignment();

-- pending_assignments lists the few items of an annotator that come before or after
-- the others: reopened, deferred and released ones.
CREATE TABLE pending_assignments (
    assignment_id bigint PRIMARY KEY REFERENCES assignments,
    batch_id      bigint NOT NULL,
    account_id    bigint NOT NULL
);
CREATE INDEX ON pending_assignments (batch_id, account_id);

-- set_pending_assignment keeps pending_assignments.
CREATE FUNCTION set_pending_assignment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.reopened OR NEW.deferred OR NEW.state = 'released' THEN
        INSERT INTO pending_assignments (assignment_id, batch_id, account_id) VALUES (NEW.id, NEW.batch_id, NEW.account_id);
    ELSE
        DELETE FROM pending_assignments WHERE assignment_id = NEW.id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER set_pending_assignment AFTER UPDATE ON assignments FOR EACH ROW
    WHEN ((OLD.reopened OR OLD.deferred OR OLD.state = 'released') <> (NEW.reopened OR NEW.deferred OR NEW.state = 'released'))
    EXECUTE FUNCTION set_pending_assignment();

-- annotator_days holds what each annotator did in a project on each day, in UTC. The
-- counters are updated with the items they count.
CREATE TABLE annotator_days (
    project_id bigint NOT NULL REFERENCES projects,
    account_id bigint NOT NULL REFERENCES accounts,
    day        date NOT NULL,
    item_count integer NOT NULL DEFAULT 0, -- submitted or skipped, calibration and corrections included
    active_ms  bigint NOT NULL DEFAULT 0,  -- of submitted items
    PRIMARY KEY (project_id, account_id, day)
) WITH (fillfactor = 50);

-- blinded_items lists the items whose other answers an account must not see,
-- because it labels them: until the batch is closed and its own assignment is
-- finished. Only leads can see answers at all.
CREATE VIEW blinded_items AS
SELECT ba.account_id, b.project_id, b.id AS batch_id, bi.item_id
FROM batches b
JOIN batch_annotators ba ON ba.batch_id = b.id
JOIN batch_items bi ON bi.batch_id = b.id AND NOT bi.is_calibration
WHERE b.closed_at IS NULL OR EXISTS (
    SELECT FROM assignments a
    WHERE a.batch_id = b.id AND a.item_id = bi.item_id AND a.account_id = ba.account_id AND (a.state = 'open' OR a.reopened));

-- claimable_slots lists the free slots of a batch for each annotator who may
-- claim them: those who never had the item, and have it not in their queue. The
-- LIMIT has PostgreSQL look that up slot by slot, instead of reading everything
-- that the annotator ever had.
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
       LIMIT 1) IS NULL;

-- reclaimable_slots lists the free slots of work items that an annotator had
-- open, that were released, and that the annotator may claim again while the
-- batch is open.
CREATE VIEW reclaimable_slots AS
SELECT s.batch_id, s.item_id, s.slot_no, a.account_id, a.id AS assignment_id, a.sequence_no
FROM pending_assignments pending
JOIN assignments a ON a.id = pending.assignment_id
JOIN batches b ON b.id = a.batch_id AND b.closed_at IS NULL
JOIN slots s ON s.batch_id = a.batch_id AND s.item_id = a.item_id
WHERE a.state = 'released' AND a.kind = 'work' AND s.account_id IS NULL;

-- drafts holds the form of an item as typed. It is deleted when the assignment
-- closes.
CREATE TABLE drafts (
    assignment_id bigint PRIMARY KEY REFERENCES assignments,
    version       bigint NOT NULL,
    saved_by_tab  text NOT NULL DEFAULT '', -- may save again; any other tab must name the version it started from
    answers       jsonb NOT NULL,
    tab_times     jsonb NOT NULL DEFAULT '{}', -- active milliseconds by tab; they only grow
    saved_at      timestamptz NOT NULL DEFAULT now()
);

-- skips holds the reason for each skipped item. A personal reason is about the annotator,
-- not the item: leads see how many items an annotator skipped, but neither which of these
-- reasons it was nor the comment.
CREATE TABLE skips (
    assignment_id bigint PRIMARY KEY REFERENCES assignments,
    batch_id      bigint NOT NULL, -- of the assignment
    item_id       bigint NOT NULL,
    reason        text NOT NULL CONSTRAINT skips_reason_known
                  CHECK (reason IN ('invalid_or_unrealistic', 'unclear', 'outside_expertise', 'distressing')),
    is_personal   boolean NOT NULL GENERATED ALWAYS AS (reason IN ('outside_expertise', 'distressing')) STORED,
    comment       text NOT NULL DEFAULT '' CONSTRAINT skips_comment_length CHECK (char_length(comment) <= 1000),
    created_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT skips_distressing_without_comment CHECK (reason <> 'distressing' OR comment = ''),
    FOREIGN KEY (batch_id, item_id) REFERENCES batch_items
);
CREATE INDEX ON skips (batch_id, item_id);

-- breaks holds the breaks of an annotator in a batch, one at a time. Labeling
-- waits until the break ends.
CREATE TABLE breaks (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id          bigint NOT NULL,
    account_id        bigint NOT NULL,
    after_sequence_no integer NOT NULL, -- of the last item before the break
    planned           boolean NOT NULL, -- by the batch; otherwise the annotator asked for it
    started_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    scheduled_end_at  timestamptz NOT NULL,
    ended_at          timestamptz, -- when the annotator continued
    completed         boolean GENERATED ALWAYS AS (ended_at >= scheduled_end_at) STORED,
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE UNIQUE INDEX breaks_one_open ON breaks (batch_id, account_id) WHERE ended_at IS NULL;
CREATE INDEX ON breaks (account_id, ended_at);
CREATE INDEX ON breaks (batch_id, account_id, after_sequence_no);
-- A break stops the clock of the open item in every batch.
CREATE INDEX ON breaks (account_id, ended_at);

-- hidden_duplicates plans items that an annotator labels a second time, to
-- measure self-consistency. Positions are drawn when the batch opens, and never
-- change. A duplicate without a suitable original is dropped: its position has
-- passed, and it has no assignment.
-- A duplicate has no slot. claimed_at and stand_in_item_id let it behave as if it
-- had one: after a release, it can be opened again for as long as a work item
-- could.
CREATE TABLE hidden_duplicates (
    batch_id         bigint NOT NULL,
    account_id       bigint NOT NULL,
    position         integer NOT NULL, -- among the work items and duplicates shown to the annotator, from 1
    original_no      integer NOT NULL, -- of the work item to repeat, in the order of submission, from 1; or the nearest suitable one
    assignment_id    bigint REFERENCES assignments, -- null: not opened
    claimed_at       timestamptz, -- as in slots
    stand_in_item_id bigint, -- since the last release: the work item whose slots decide
    PRIMARY KEY (batch_id, account_id, position),
    CONSTRAINT hidden_duplicates_original_unique UNIQUE (batch_id, account_id, original_no),
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators,
    FOREIGN KEY (batch_id, stand_in_item_id) REFERENCES batch_items
);
CREATE UNIQUE INDEX hidden_duplicates_assignment ON hidden_duplicates (assignment_id);

-- reclaimable_assignments lists the released items that their annotator can open
-- again. A duplicate follows its stand-in. If the annotator never had that item,
-- one free slot is enough. Otherwise it needs one for each other annotator who
-- was active in that time and could claim the item.
CREATE VIEW reclaimable_assignments AS
SELECT assignment_id, batch_id, account_id, sequence_no FROM reclaimable_slots
UNION
SELECT a.id, a.batch_id, a.account_id, a.sequence_no
FROM pending_assignments pending
JOIN assignments a ON a.id = pending.assignment_id
JOIN hidden_duplicates h ON h.assignment_id = a.id
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
) ELSE 1 END;

-- is_reclaimable and count_claimable ask the views above about one annotator. They are not
-- part of the queries that each submit and each page run, so that these do not set up
-- plans which they seldom need: that took longer than the rest of the query.
CREATE FUNCTION is_reclaimable(released_id bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM reclaimable_assignments r WHERE r.assignment_id = released_id);
END $$;
CREATE FUNCTION count_claimable(of_batch_id bigint, of_account_id bigint, most integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT count(*) FROM (
        SELECT FROM claimable_slots s WHERE s.batch_id = of_batch_id AND s.account_id = of_account_id LIMIT most) free);
END $$;

-- has_unique_elements reports whether an array has no null and no element twice.
-- The CHECKs of the partitions of annotations use it.
CREATE FUNCTION has_unique_elements(text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT pg_catalog.array_position($1, NULL) IS NULL
       AND pg_catalog.cardinality($1) = (SELECT pg_catalog.count(DISTINCT e) FROM pg_catalog.unnest($1) e)
$$;

-- annotations holds the submitted labels. It is append-only: a correction is
-- another attempt. Each protocol version has its own partition, with one CHECK
-- per rule of the protocol, named after the rule.
CREATE SEQUENCE annotations_id_seq;
CREATE TABLE annotations (
    id                          bigint NOT NULL DEFAULT nextval('annotations_id_seq'),
    protocol_version_id         integer NOT NULL,
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
    active_ms                   bigint NOT NULL DEFAULT 0 CONSTRAINT annotations_active_ms_not_negative CHECK (active_ms >= 0),
    sequence_no                 integer NOT NULL DEFAULT 0,
    items_since_completed_break integer NOT NULL DEFAULT 0,
    session_minutes             integer NOT NULL DEFAULT 0, -- since the session started
    opened_at                   timestamptz NOT NULL DEFAULT clock_timestamp(),
    submitted_at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (protocol_version_id, id),
    CONSTRAINT annotations_attempt_unique UNIQUE (protocol_version_id, assignment_id, attempt_no),
    FOREIGN KEY (protocol_version_id, revision) REFERENCES protocol_revisions,
    FOREIGN KEY (assignment_id, item_id, account_id, batch_id, protocol_version_id)
        REFERENCES assignments (id, item_id, account_id, batch_id, protocol_version_id),
    FOREIGN KEY (item_id, facts) REFERENCES items (id, facts)
) PARTITION BY LIST (protocol_version_id);
CREATE INDEX ON annotations (batch_id, account_id, sequence_no);
CREATE INDEX ON annotations (item_id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON annotations
    FOR EACH ROW EXECUTE FUNCTION reject_change();

-- current_annotations lists the annotations that count: the last attempt of
-- each assignment, with the kind of the assignment.
CREATE VIEW current_annotations AS
SELECT n.id, n.protocol_version_id, n.revision, n.assignment_id, n.attempt_no, n.replaces_id, n.batch_id, n.item_id, n.account_id,
       n.answers, n.observations, n.unsure, n.note, n.facts, n.active_ms, n.sequence_no, n.items_since_completed_break,
       n.session_minutes, n.opened_at, n.submitted_at, a.kind, a.presentation_no
FROM annotations n
JOIN assignments a ON a.id = n.assignment_id AND a.attempt_no = n.attempt_no;

-- correction_requests holds the requests to correct a submitted item, and how a
-- lead resolved them. An assignment has at most one unresolved request.
CREATE TABLE correction_requests (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    assignment_id bigint NOT NULL REFERENCES assignments,
    message       text NOT NULL CONSTRAINT correction_requests_message_length CHECK (char_length(message) BETWEEN 1 AND 1000),
    created_by    bigint REFERENCES accounts, -- the lead who reopened the item without a request; null: its annotator
    created_at    timestamptz NOT NULL DEFAULT now(),
    resolved_at   timestamptz,
    resolved_by   bigint REFERENCES accounts,
    reopened      boolean NOT NULL DEFAULT false,
    reply         text NOT NULL DEFAULT '' CONSTRAINT correction_requests_reply_length CHECK (char_length(reply) <= 1000)
);
CREATE UNIQUE INDEX correction_requests_one_unresolved ON correction_requests (assignment_id) WHERE resolved_at IS NULL;
