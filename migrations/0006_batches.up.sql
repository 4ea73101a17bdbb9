CREATE SEQUENCE returned_queue_no MINVALUE 1099511627776;

CREATE TABLE batches (
    id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id            bigint NOT NULL REFERENCES projects,
    protocol_version_id   integer NOT NULL,
    protocol_revision     integer NOT NULL,
    name                  text NOT NULL
        CONSTRAINT batches_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
        CONSTRAINT batches_name_one_line CHECK (is_one_line(name)),
    overlap               smallint NOT NULL
        CONSTRAINT batches_overlap_positive CHECK (overlap > 0),
    assignment            text NOT NULL DEFAULT 'planned'
        CONSTRAINT batches_assignment_known CHECK (assignment IN ('planned', 'pool')),
    seed                  bigint NOT NULL,
    break_every           integer NOT NULL -- items; 0: no planned breaks
        CONSTRAINT batches_break_every_not_negative CHECK (break_every >= 0),
    break_minutes         integer NOT NULL
        CONSTRAINT batches_break_minutes_not_negative CHECK (break_minutes >= 0),
    calibration_count     integer NOT NULL DEFAULT 0, -- calibration items before the work
    duplicate_count       integer NOT NULL DEFAULT 0, -- hidden duplicates per annotator
    reference_at_end      boolean NOT NULL DEFAULT false, -- of calibration items; otherwise right after each answer
    gold_count            integer NOT NULL DEFAULT 0 -- items with known answers hidden among the work of each annotator
        CONSTRAINT batches_gold_count_not_negative CHECK (gold_count >= 0),
    gold_minimum          smallint NOT NULL DEFAULT 0 -- percent of right answers below which the work pauses; 0: never
        CONSTRAINT batches_gold_minimum_percent CHECK (gold_minimum BETWEEN 0 AND 100),
    deadline              date,
    item_count            integer NOT NULL DEFAULT 0, -- without calibration items
    slot_count            integer NOT NULL DEFAULT 0,
    opened_by             bigint REFERENCES accounts,
    opened_at             timestamptz NOT NULL DEFAULT now(),
    closed_at             timestamptz,
    archived_at           timestamptz,
    daily_item_limit      integer
        CONSTRAINT batches_daily_item_limit_not_negative CHECK (daily_item_limit >= 0),
    session_limit_minutes integer
        CONSTRAINT batches_session_limit_minutes_not_negative CHECK (session_limit_minutes >= 0),
    version               integer NOT NULL DEFAULT 1,
    drawn_by_disagreement boolean NOT NULL DEFAULT false,
    round_of              text -- of a round: which items are labeled again; null: the labels count
        CONSTRAINT batches_round_of_known CHECK (round_of IN ('labeled', 'disagreements')),
    CONSTRAINT batches_round_hides_nothing CHECK (round_of IS NULL OR duplicate_count + gold_count = 0),
    CONSTRAINT batches_name_unique UNIQUE (project_id, name),
    FOREIGN KEY (project_id, protocol_version_id) REFERENCES project_versions,
    FOREIGN KEY (protocol_version_id, protocol_revision) REFERENCES protocol_revisions,
    CONSTRAINT batches_archived_is_closed CHECK (archived_at IS NULL OR closed_at IS NOT NULL)
);
COMMENT ON TABLE batches IS 'Holds the batches of a project: items that are labeled by the same annotators under the same plan. Every shuffle follows from the seed. A batch shows its forms in one revision of the protocol, until a lead of the project accepts a later one. In a planned batch every annotator has a queue of their own from the start; in a pool, annotators claim what is free. A round has items that have labels already: its labels are compared with those, and count nowhere else.';

CREATE TABLE batch_openings (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id  bigint NOT NULL REFERENCES projects,
    batch_name  text NOT NULL,
    done_count  integer NOT NULL DEFAULT 0, -- rows written
    total_count integer NOT NULL DEFAULT 0, -- rows to write; 0: not known yet
    problem     text NOT NULL DEFAULT '', -- why nothing was opened
    created_at  timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    job_id      bigint,
    CONSTRAINT batch_openings_counts_not_negative CHECK (done_count >= 0 AND total_count >= 0)
);
CREATE INDEX batch_openings_project_id_idx ON batch_openings (project_id) WHERE (finished_at IS NULL);
COMMENT ON TABLE batch_openings IS 'Holds the large batches that a server opens in the background, so that every server can show how far they are. The batch is there when all of it is written; if the server stops before that, another one starts again.';
COMMENT ON COLUMN batch_openings.job_id IS 'river.river_job, while it is not finished';

CREATE TABLE batch_items (
    batch_id       bigint,
    item_id        bigint,
    is_calibration boolean NOT NULL DEFAULT false,
    beyond_set     boolean NOT NULL DEFAULT false, -- of a retake, or gold
    PRIMARY KEY (batch_id, item_id)
);
CREATE INDEX batch_items_item_id_idx ON batch_items (item_id);
COMMENT ON TABLE batch_items IS 'Holds the items of a batch, which are of its project. Calibration items have no slots. check_new_batch_items takes the place of foreign keys, which check millions of rows one by one; neither batches nor items lose rows.';

CREATE TABLE batch_annotators (
    batch_id                    bigint REFERENCES batches,
    account_id                  bigint REFERENCES accounts,
    share                       real NOT NULL DEFAULT 1 -- of the work, relative to the other annotators
        CONSTRAINT batch_annotators_share_positive CHECK (share > 0),
    -- queue_no of the last slot of the own queue that was given
    queue_cursor                bigint NOT NULL DEFAULT 0,
    -- the pool has no slot for this annotator up to here, except returned ones
    pool_cursor                 bigint NOT NULL DEFAULT 0,
    waiting_count               integer NOT NULL DEFAULT 0 -- slots of the own queue that are not given yet
        CONSTRAINT batch_annotators_waiting_count_not_negative CHECK (waiting_count >= 0),
    open_assignment_id          bigint, -- null: none; see set_open_assignment
    last_sequence_no            integer NOT NULL DEFAULT 0, -- of the last assignment
    may_label_seen              boolean NOT NULL DEFAULT false, -- items whose answers they have seen
    -- the share of the work when the batch opened, for the plan of the hidden items
    expected_items              integer NOT NULL DEFAULT 0,
    -- work items and hidden items opened, each counted once
    presented_count             integer NOT NULL DEFAULT 0,
    -- work items and hidden items submitted, each counted once
    completed_count             integer NOT NULL DEFAULT 0,
    label_count                 integer NOT NULL DEFAULT 0, -- work items submitted, each counted once
    items_since_break           integer NOT NULL DEFAULT 0, -- annotations since the last break, completed or not
    items_since_completed_break integer NOT NULL DEFAULT 0,
    last_opened_at              timestamptz,
    paused_at                   timestamptz, -- nothing new is opened
    -- the pause is by gold_minimum, and a lead has not decided
    paused_by_gold              boolean NOT NULL DEFAULT false
        CONSTRAINT batch_annotators_gold_pause_is_pause CHECK (NOT paused_by_gold OR paused_at IS NOT NULL),
    gold_from_sequence_no       integer NOT NULL DEFAULT 0, -- later gold counts for the next pause
    removed_at                  timestamptz, -- from the batch
    added_slot_count            integer NOT NULL DEFAULT 0
        CONSTRAINT batch_annotators_added_slot_count_not_negative CHECK (added_slot_count >= 0),
    last_submit_id              bigint,
    last_submit_undone          boolean NOT NULL DEFAULT false,
    recent_active_ms            integer[] NOT NULL DEFAULT '{}'::integer[],
    PRIMARY KEY (batch_id, account_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);
CREATE INDEX batch_annotators_account_id_idx ON batch_annotators (account_id);
COMMENT ON TABLE batch_annotators IS 'Holds the progress of each annotator in a batch. A transaction that assigns or closes an item locks this row first; one that changes several annotators locks their rows in the order of account_id. The counters are updated with the rows they count, so that nothing has to count.';

CREATE TABLE slots (
    batch_id   bigint,
    item_id    bigint,
    slot_no    smallint,
    account_id bigint, -- the owner; null: free
    queue_no   bigint NOT NULL, -- place in the owner's queue, or in the pool; 0: claimed from the pool
    claimed_at timestamptz, -- from the pool
    withheld   boolean NOT NULL DEFAULT false, -- its annotator skipped the item, and no other annotator gets it
    CONSTRAINT slots_one_per_annotator UNIQUE (batch_id, item_id, account_id),
    PRIMARY KEY (batch_id, item_id, slot_no)
);
CREATE INDEX slots_queue ON slots (batch_id, account_id, queue_no);
CREATE INDEX slots_withheld ON slots (batch_id) WHERE withheld;
COMMENT ON TABLE slots IS 'Makes overlap exact: a slot is one label that an item needs. It has one owner, and an annotator owns at most one slot of an item. The owner of a slot whose queue_no is behind the owner''s queue_cursor was given the item; the others wait. Free slots are the pool: any annotator of the batch who never had the item can claim them, in a planned batch after the own queue. There are no foreign keys, because they check millions of rows one by one: check_new_slots and check_slot_owner enforce the same, and neither batch_items nor batch_annotators lose rows.';

CREATE TABLE overlap_rules (
    batch_id       bigint PRIMARY KEY REFERENCES batches,
    field          text NOT NULL DEFAULT '', -- empty: any field
    min_difference integer NOT NULL
        CONSTRAINT overlap_rules_min_difference_positive CHECK (min_difference > 0),
    most_labels    smallint NOT NULL -- that an item gets
        CONSTRAINT overlap_rules_most_labels_above_two CHECK (most_labels > 2),
    created_by     bigint REFERENCES accounts, -- null: a command
    created_at     timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE overlap_rules IS 'Holds the rule by which items of a batch get more labels: as soon as all labels of an item are in, and two differ by min_difference or more.';

CREATE TABLE answer_reveals (
    account_id  bigint REFERENCES accounts,
    batch_id    bigint, -- 0: all
    item_id     bigint, -- 0: all of the batch
    revealed_at timestamptz NOT NULL DEFAULT clock_timestamp(), -- last
    PRIMARY KEY (account_id, batch_id, item_id)
);
COMMENT ON TABLE answer_reveals IS 'Records when an account last saw the answers to items that it had not to be blind to: on a page, in a report or export, or by the API. Whole batches are one row.';

CREATE TABLE batch_states (
    batch_id           bigint PRIMARY KEY REFERENCES batches,
    -- batch_version that the row is computed from; empty: more is to be read
    version            text NOT NULL DEFAULT '',
    last_annotation_id bigint NOT NULL DEFAULT 0, -- annotations up to here are counted
    shared_count       integer NOT NULL DEFAULT 0, -- items with two labels or more
    agreement          jsonb NOT NULL DEFAULT '[]', -- by field
    stuck_count        integer NOT NULL DEFAULT 0, -- free slots that no annotator can take
    stuck_at           timestamptz, -- since when there are any
    computed_at        timestamptz NOT NULL DEFAULT '-infinity'::timestamp with time zone,
    announced_verdicts jsonb NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE batch_states IS 'Holds what leads read of a batch that is too costly to compute for each page. A background job brings the rows up to date, one batch at a time.';

CREATE TABLE annotator_counts (
    batch_id         bigint,
    account_id       bigint,
    skip_count       integer NOT NULL DEFAULT 0, -- work items skipped for any reason, each counted once
    declined_count   integer NOT NULL DEFAULT 0, -- of them, those that do not return to the annotator
    correction_count integer NOT NULL DEFAULT 0, -- work items that they or a lead wanted to correct
    PRIMARY KEY (batch_id, account_id),
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
COMMENT ON TABLE annotator_counts IS 'Counts what annotators did in a batch other than submitting.';

CREATE TABLE announcements (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id   bigint NOT NULL REFERENCES batches,
    message    text NOT NULL
        CONSTRAINT announcements_message_length CHECK (char_length(message) BETWEEN 1 AND 2000)
        CONSTRAINT announcements_message_plain CHECK (is_plain_text(message)),
    created_by bigint REFERENCES accounts, -- null: a command
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX announcements_batch_id_id_idx ON announcements (batch_id, id);
COMMENT ON TABLE announcements IS 'Holds messages of leads to all annotators of a batch.';

CREATE TABLE announcement_acknowledgments (
    announcement_id bigint REFERENCES announcements,
    account_id      bigint REFERENCES accounts,
    acknowledged_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (announcement_id, account_id)
);
COMMENT ON TABLE announcement_acknowledgments IS 'Records that an annotator read an announcement.';

CREATE VIEW active_annotators AS
SELECT ba.batch_id, ba.account_id, ba.paused_at
FROM batch_annotators ba
JOIN batches b ON b.id = ba.batch_id
JOIN projects p ON p.id = b.project_id
JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
WHERE is_active_annotator(ba.removed_at, m.removed_at, p.archived_at);
COMMENT ON VIEW active_annotators IS 'Lists the active annotators of each batch. A removed one keeps the rows of batch_annotators, because labels refer to them.';

CREATE VIEW unread_announcements AS
SELECT n.id, n.batch_id, v.account_id, n.message, n.created_at
FROM announcements n
JOIN batches b ON b.id = n.batch_id AND b.closed_at IS NULL
JOIN active_annotators v ON v.batch_id = n.batch_id
WHERE NOT EXISTS (SELECT FROM announcement_acknowledgments k WHERE k.announcement_id = n.id AND k.account_id = v.account_id);
COMMENT ON VIEW unread_announcements IS 'Lists the announcements that annotators of open batches have not acknowledged.';

CREATE VIEW required_reading AS
SELECT b.id AS batch_id, b.project_id, d.*
FROM batches b
JOIN projects p ON p.id = b.project_id
CROSS JOIN LATERAL required_documents(p.content_warning, p.content_warning_version, p.instructions, p.instructions_version, b.protocol_revision) d;
COMMENT ON VIEW required_reading IS 'Lists the required documents of batches.';

CREATE VIEW pending_reading AS
SELECT b.id AS batch_id, m.account_id, d.document_no, d.document, d.version
FROM batches b
JOIN projects p ON p.id = b.project_id
JOIN members m ON m.project_id = p.id
CROSS JOIN LATERAL pending_documents(p.id, m.account_id,
    p.content_warning, p.content_warning_version, p.instructions, p.instructions_version, b.protocol_revision) d;
COMMENT ON VIEW pending_reading IS 'Lists the pending documents of the members of batches. Without them, no text of an item is shown and no item is submitted.';

CREATE FUNCTION batch_version(bigint) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT md5(coalesce(string_agg(concat_ws(' ', ba.account_id, ba.last_sequence_no, ba.completed_count, ba.presented_count, ba.items_since_break,
        ba.waiting_count, ba.open_assignment_id, ba.paused_at, ba.removed_at), ',' ORDER BY ba.account_id), ''))
    FROM batch_annotators ba
    WHERE ba.batch_id = $1
$$;
COMMENT ON FUNCTION batch_version IS 'Changes whenever an annotator of the batch does something.';

CREATE FUNCTION check_new_batch_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM new_items n
        LEFT JOIN batches b ON b.id = n.batch_id
        LEFT JOIN items i ON i.id = n.item_id
        WHERE b.project_id = i.project_id IS NOT TRUE) THEN
        RAISE EXCEPTION 'an item that is not in the project of its batch'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'batch_items_item_in_project';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION check_new_batch_items IS 'Trigger: rejects items that are not of the project of their batch.';
CREATE TRIGGER check_new_batch_items AFTER INSERT ON batch_items
    REFERENCING NEW TABLE AS new_items FOR EACH STATEMENT EXECUTE FUNCTION check_new_batch_items();

CREATE FUNCTION check_new_slots() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM new_slots s WHERE NOT EXISTS (
        SELECT FROM batch_items i WHERE i.batch_id = s.batch_id AND i.item_id = s.item_id AND NOT i.is_calibration)) THEN
        RAISE EXCEPTION 'a slot of an item that is not a work item of its batch'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'slots_item_in_batch';
    END IF;
    IF EXISTS (SELECT FROM (SELECT DISTINCT batch_id, account_id FROM new_slots WHERE account_id IS NOT NULL) s
               WHERE NOT EXISTS (SELECT FROM batch_annotators a WHERE a.batch_id = s.batch_id AND a.account_id = s.account_id)) THEN
        RAISE EXCEPTION 'a slot of an account that is not an annotator of its batch'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'slots_owner_in_batch';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION check_new_slots IS 'Rejects slots of items or annotators that the batch does not have.';
CREATE TRIGGER check_new_slots AFTER INSERT ON slots
    REFERENCING NEW TABLE AS new_slots FOR EACH STATEMENT EXECUTE FUNCTION check_new_slots();

CREATE FUNCTION check_slot_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.batch_id, NEW.item_id) IS DISTINCT FROM (OLD.batch_id, OLD.item_id) OR NEW.account_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM batch_annotators a WHERE a.batch_id = NEW.batch_id AND a.account_id = NEW.account_id) THEN
        RAISE EXCEPTION 'a slot of an account that is not an annotator of its batch'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'slots_owner_in_batch';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION check_slot_owner IS 'Trigger: rejects an owner who is not an annotator of the batch. A slot never changes its item.';
CREATE TRIGGER check_slot_owner AFTER UPDATE ON slots FOR EACH ROW
    WHEN ((OLD.batch_id, OLD.item_id, OLD.account_id) IS DISTINCT FROM (NEW.batch_id, NEW.item_id, NEW.account_id))
    EXECUTE FUNCTION check_slot_owner();

CREATE FUNCTION check_left_assignment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT a.state = 'open' FROM assignments a WHERE a.id = OLD.open_assignment_id) THEN
        RAISE EXCEPTION 'annotator % has another open item in batch %', NEW.account_id, NEW.batch_id
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'assignments_one_open';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION check_left_assignment IS 'Rejects a change of open_assignment_id that leaves an item open.';
CREATE TRIGGER check_left_assignment AFTER UPDATE OF open_assignment_id ON batch_annotators FOR EACH ROW
    WHEN (OLD.open_assignment_id IS NOT NULL AND OLD.open_assignment_id IS DISTINCT FROM NEW.open_assignment_id) EXECUTE FUNCTION check_left_assignment();

CREATE FUNCTION add_wanted_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unmeasured_items (item_id, protocol_version_id)
    SELECT DISTINCT n.item_id, b.protocol_version_id
    FROM changed n
    JOIN batches b ON b.id = n.batch_id AND b.round_of IS NULL
    JOIN item_states s ON s.item_id = n.item_id AND s.is_earlier;
    UPDATE item_states s
    SET labels_wanted = c.slot_count + CASE
            WHEN s.batch_id IS NULL THEN 0
            WHEN s.batch_id = c.batch_id THEN s.labels_wanted
            ELSE (
                SELECT count(*)
                FROM batch_items bi
                JOIN batches o ON o.id = bi.batch_id AND o.round_of IS NULL AND o.protocol_version_id = c.protocol_version_id
                JOIN assignments a ON a.batch_id = bi.batch_id AND a.item_id = bi.item_id AND a.kind = 'work' AND a.state = 'submitted'
                WHERE bi.item_id = s.item_id) END,
        batch_id = c.batch_id, is_returned = false, is_earlier = false, decided_at = CASE WHEN NOT s.is_earlier THEN s.decided_at END
    FROM (SELECT n.batch_id, n.item_id, b.protocol_version_id, count(*) FILTER (WHERE NOT n.withheld) AS slot_count
          FROM changed n
          JOIN batches b ON b.id = n.batch_id AND b.round_of IS NULL
          GROUP BY n.batch_id, n.item_id, b.protocol_version_id) c
    WHERE s.item_id = c.item_id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION add_wanted_labels IS 'Trigger: counts the labels that new slots want, and the batch of their items, in item_states. Labels from earlier batches of the same protocol version count.';
CREATE TRIGGER add_wanted_labels AFTER INSERT ON slots
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION add_wanted_labels();

CREATE FUNCTION recount_wanted_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE item_states s
    SET batch_id = w.batch_id, labels_wanted = coalesce(w.slot_count, 0) + (
        SELECT count(*)
        FROM batch_items bi
        JOIN batches b ON b.id = bi.batch_id AND b.round_of IS NULL AND b.protocol_version_id = w.protocol_version_id
        JOIN assignments a ON a.batch_id = bi.batch_id AND a.item_id = bi.item_id AND a.kind = 'work' AND a.state = 'submitted'
        WHERE bi.item_id = d.item_id AND bi.batch_id <> w.batch_id)
    FROM (SELECT DISTINCT c.item_id FROM changed c) d
    LEFT JOIN LATERAL (
        SELECT o.batch_id, b.protocol_version_id, count(*) FILTER (WHERE NOT o.withheld) AS slot_count
        FROM batch_items bi
        JOIN batches b ON b.id = bi.batch_id AND b.round_of IS NULL
        JOIN slots o ON o.batch_id = bi.batch_id AND o.item_id = bi.item_id
        WHERE bi.item_id = d.item_id AND NOT bi.is_calibration
        GROUP BY o.batch_id, b.protocol_version_id
        ORDER BY o.batch_id DESC
        LIMIT 1) w ON true
    WHERE s.item_id = d.item_id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION recount_wanted_labels IS 'Trigger: counts the wanted labels of items again after slots were deleted.';
CREATE TRIGGER remove_wanted_labels AFTER DELETE ON slots
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION recount_wanted_labels();

CREATE FUNCTION recount_withheld_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE item_states s
    SET labels_wanted = s.labels_wanted + CASE WHEN NEW.withheld THEN -1 ELSE 1 END
    WHERE s.item_id = NEW.item_id AND s.batch_id = NEW.batch_id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION recount_withheld_labels IS 'Trigger: counts a slot that is withheld, or no longer, in item_states.';
CREATE TRIGGER recount_withheld_labels AFTER UPDATE OF withheld ON slots
    FOR EACH ROW WHEN (OLD.withheld <> NEW.withheld) EXECUTE FUNCTION recount_withheld_labels();

CREATE FUNCTION forget_work_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE members m SET work_ended_at = NULL, thank_you = ''
    FROM batches b
    WHERE b.id = NEW.batch_id AND m.project_id = b.project_id AND m.account_id = NEW.account_id AND m.work_ended_at IS NOT NULL;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION forget_work_end IS 'Ends the thank-you of a member who gets work again.';
CREATE TRIGGER forget_work_end AFTER INSERT ON batch_annotators
    FOR EACH ROW EXECUTE FUNCTION forget_work_end();
CREATE TRIGGER forget_work_end_returned AFTER UPDATE ON batch_annotators
    FOR EACH ROW WHEN (OLD.removed_at IS NOT NULL AND NEW.removed_at IS NULL) EXECUTE FUNCTION forget_work_end();

CREATE FUNCTION remove_available_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM available_items a
    USING new_items n
    JOIN batches b ON b.id = n.batch_id
    WHERE a.project_id = b.project_id AND a.item_id = n.item_id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION remove_available_items IS 'Trigger: removes items that a batch took from available_items.';
CREATE TRIGGER remove_available_items AFTER INSERT ON batch_items
    REFERENCING NEW TABLE AS new_items FOR EACH STATEMENT EXECUTE FUNCTION remove_available_items();

CREATE FUNCTION check_batch_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.protocol_version_id <> (SELECT p.protocol_version_id FROM projects p WHERE p.id = NEW.project_id) THEN
        RAISE EXCEPTION 'batch % has an earlier protocol version than its project', NEW.name
            USING ERRCODE = 'check_violation', CONSTRAINT = 'batches_open_in_current_version';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION check_batch_version IS 'Trigger: a batch opens, and opens again, only in the protocol version that its project has.';
CREATE TRIGGER check_batch_version AFTER INSERT ON batches FOR EACH ROW EXECUTE FUNCTION check_batch_version();
CREATE TRIGGER check_reopened_version AFTER UPDATE OF closed_at ON batches FOR EACH ROW
    WHEN (OLD.closed_at IS NOT NULL AND NEW.closed_at IS NULL) EXECUTE FUNCTION check_batch_version();

CREATE FUNCTION seal_closed_batch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM seal_labels(NEW.id);
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION seal_closed_batch FROM PUBLIC;
COMMENT ON FUNCTION seal_closed_batch IS 'Trigger: seals the labels of a batch that is closed. Whoever closes it has locked its annotators, so no earlier label is still to come.';
CREATE TRIGGER seal_closed_batch AFTER UPDATE OF closed_at ON batches FOR EACH ROW
    WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL) EXECUTE FUNCTION seal_closed_batch();

CREATE TRIGGER keep_keys BEFORE UPDATE OF batch_id, item_id ON batch_items FOR EACH ROW
    WHEN ((NEW.batch_id, NEW.item_id) IS DISTINCT FROM (OLD.batch_id, OLD.item_id)) EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON batches FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON batch_items FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON batch_annotators FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON announcements
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON announcement_acknowledgments
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER reject_archived_change BEFORE INSERT OR UPDATE ON batches
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('project_id');
CREATE TRIGGER count_version BEFORE UPDATE ON batches FOR EACH ROW EXECUTE FUNCTION count_version();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON batches FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON batch_items FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON batch_annotators FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON announcements FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON announcement_acknowledgments FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_keys BEFORE UPDATE OF batch_id, account_id ON batch_annotators FOR EACH ROW
    WHEN ((NEW.batch_id, NEW.account_id) IS DISTINCT FROM (OLD.batch_id, OLD.account_id)) EXECUTE FUNCTION reject_change();
