-- batches holds the batches of a project: items that are labeled by the same
-- annotators under the same plan. Every shuffle follows from the seed. A batch
-- shows its forms in one revision of the protocol, until a lead of the project
-- accepts a later one. In a planned batch every annotator has a queue of their
-- own from the start; in a pool, annotators claim what is free.
CREATE TABLE batches (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id          bigint NOT NULL REFERENCES projects,
    protocol_version_id integer NOT NULL,
    protocol_revision   integer NOT NULL,
    name                text NOT NULL CONSTRAINT batches_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
                        CONSTRAINT batches_name_one_line CHECK (is_one_line(name)),
    overlap             smallint NOT NULL CONSTRAINT batches_overlap_positive CHECK (overlap > 0),
    assignment          text NOT NULL DEFAULT 'planned'
                        CONSTRAINT batches_assignment_known CHECK (assignment IN ('planned', 'pool')),
    seed                bigint NOT NULL,
    break_every         integer NOT NULL -- items; 0: no planned breaks
                        CONSTRAINT batches_break_every_not_negative CHECK (break_every >= 0),
    break_minutes       integer NOT NULL CONSTRAINT batches_break_minutes_not_negative CHECK (break_minutes >= 0),
    calibration_count   integer NOT NULL DEFAULT 0, -- calibration items before the work
    duplicate_count     integer NOT NULL DEFAULT 0, -- hidden duplicates per annotator
    deadline            date,
    item_count          integer NOT NULL DEFAULT 0, -- without calibration items
    slot_count          integer NOT NULL DEFAULT 0,
    opened_by           bigint REFERENCES accounts,
    opened_at           timestamptz NOT NULL DEFAULT now(),
    closed_at           timestamptz,
    archived_at         timestamptz,
    CONSTRAINT batches_archived_is_closed CHECK (archived_at IS NULL OR closed_at IS NOT NULL),
    CONSTRAINT batches_name_unique UNIQUE (project_id, name),
    FOREIGN KEY (project_id, protocol_version_id) REFERENCES projects (id, protocol_version_id),
    FOREIGN KEY (protocol_version_id, protocol_revision) REFERENCES protocol_revisions
);

-- batch_items holds the items of a batch, which are of its project. Calibration items have
-- no slots. check_new_batch_items takes the place of foreign keys, which check millions
-- of rows one by one; neither batches nor items lose rows.
CREATE TABLE batch_items (
    batch_id       bigint NOT NULL,
    item_id        bigint NOT NULL,
    is_calibration boolean NOT NULL DEFAULT false,
    PRIMARY KEY (batch_id, item_id)
);
CREATE INDEX ON batch_items (item_id);

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
CREATE TRIGGER check_new_batch_items AFTER INSERT ON batch_items
    REFERENCING NEW TABLE AS new_items FOR EACH STATEMENT EXECUTE FUNCTION check_new_batch_items();
CREATE TRIGGER keep_keys BEFORE UPDATE OF batch_id, item_id ON batch_items FOR EACH ROW
    WHEN ((NEW.batch_id, NEW.item_id) IS DISTINCT FROM (OLD.batch_id, OLD.item_id)) EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON batches FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON items FOR EACH ROW EXECUTE FUNCTION reject_change();

-- batch_annotators holds the progress of each annotator in a batch. A transaction that
-- assigns or closes an item locks this row first; one that changes several annotators
-- locks their rows in the order of account_id. The counters are updated with the rows
-- they count, so that nothing has to count.
CREATE TABLE batch_annotators (
    batch_id                    bigint NOT NULL REFERENCES batches,
    account_id                  bigint NOT NULL REFERENCES accounts,
    share                       real NOT NULL DEFAULT 1 -- of the work, relative to the other annotators
                                CONSTRAINT batch_annotators_share_positive CHECK (share > 0),
    queue_cursor                bigint NOT NULL DEFAULT 0,  -- queue_no of the last slot of the own queue that was given
    pool_cursor                 bigint NOT NULL DEFAULT 0,  -- the pool has no slot for this annotator up to here, except returned ones
    waiting_count               integer NOT NULL DEFAULT 0  -- slots of the own queue that are not given yet
                                CONSTRAINT batch_annotators_waiting_count_not_negative CHECK (waiting_count >= 0),
    open_assignment_id          bigint,                     -- null: none; see set_open_assignment
    last_sequence_no            integer NOT NULL DEFAULT 0, -- of the last assignment
    expected_items              integer NOT NULL DEFAULT 0, -- the share of the work when the batch opened, for the plan of the duplicates
    presented_count             integer NOT NULL DEFAULT 0, -- work items and hidden duplicates opened, each counted once
    completed_count             integer NOT NULL DEFAULT 0, -- work items and hidden duplicates submitted, each counted once
    label_count                 integer NOT NULL DEFAULT 0, -- work items submitted, each counted once
    items_since_break           integer NOT NULL DEFAULT 0, -- annotations since the last break, completed or not
    items_since_completed_break integer NOT NULL DEFAULT 0,
    last_opened_at              timestamptz,
    paused_at                   timestamptz, -- nothing new is opened
    removed_at                  timestamptz, -- from the batch
    PRIMARY KEY (batch_id, account_id)
) WITH (fillfactor = 50);
CREATE INDEX ON batch_annotators (account_id);

-- active_annotators lists the annotators of each batch who are members of its
-- project. Only they can label. A removed one keeps the rows of batch_annotators,
-- because labels refer to them.
CREATE VIEW active_annotators AS
SELECT ba.batch_id, ba.account_id, ba.paused_at
FROM batch_annotators ba
JOIN batches b ON b.id = ba.batch_id
JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
WHERE m.removed_at IS NULL AND ba.removed_at IS NULL;

-- slots makes overlap exact: a slot is one label that an item needs. It has one
-- owner, and an annotator owns at most one slot of an item. The owner of a slot
-- whose queue_no is behind the owner's queue_cursor was given the item; the others
-- wait. Free slots are the pool: any annotator of the batch who never had the item
-- can claim them, in a planned batch after the own queue.
--
-- There are no foreign keys, because they check millions of rows one by one:
-- check_new_slots and check_slot_owner enforce the same, and neither batch_items
-- nor batch_annotators lose rows.
CREATE TABLE slots (
    batch_id   bigint NOT NULL,
    item_id    bigint NOT NULL,
    slot_no    smallint NOT NULL,
    account_id bigint, -- the owner; null: free
    queue_no   bigint NOT NULL, -- place in the owner's queue, or in the pool; 0: claimed from the pool
    claimed_at timestamptz, -- from the pool
    withheld   boolean NOT NULL DEFAULT false, -- its annotator skipped the item, and no other annotator gets it
    PRIMARY KEY (batch_id, item_id, slot_no),
    CONSTRAINT slots_one_per_annotator UNIQUE (batch_id, item_id, account_id)
);
CREATE INDEX slots_queue ON slots (batch_id, account_id, queue_no);

-- returned_queue_no gives slots that return to the pool a place behind all others.
CREATE SEQUENCE returned_queue_no MINVALUE 1099511627776;

-- check_new_slots rejects slots of items or annotators that the batch does not have.
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
CREATE TRIGGER check_new_slots AFTER INSERT ON slots
    REFERENCING NEW TABLE AS new_slots FOR EACH STATEMENT EXECUTE FUNCTION check_new_slots();

-- check_slot_owner does the same for a slot that changes its owner. A slot never
-- changes its item.
CREATE FUNCTION check_slot_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.batch_id, NEW.item_id) IS DISTINCT FROM (OLD.batch_id, OLD.item_id) OR NEW.account_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM batch_annotators a WHERE a.batch_id = NEW.batch_id AND a.account_id = NEW.account_id) THEN
        RAISE EXCEPTION 'a slot of an account that is not an annotator of its batch'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'slots_owner_in_batch';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_slot_owner AFTER UPDATE ON slots FOR EACH ROW
    WHEN ((OLD.batch_id, OLD.item_id, OLD.account_id) IS DISTINCT FROM (NEW.batch_id, NEW.item_id, NEW.account_id))
    EXECUTE FUNCTION check_slot_owner();

CREATE TRIGGER keep_rows BEFORE DELETE ON batch_items FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON batch_annotators FOR EACH ROW EXECUTE FUNCTION reject_change();
