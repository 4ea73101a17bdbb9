-- batches holds the batches of a project: items that are labeled by the same
-- annotators under the same plan. Every shuffle follows from the seed. A batch
-- shows its forms in one revision of the protocol, until a lead of the project
-- accepts a later one.
CREATE TABLE batches (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id          bigint NOT NULL REFERENCES projects,
    protocol_version_id integer NOT NULL,
    protocol_revision   integer NOT NULL,
    name                text NOT NULL CONSTRAINT batches_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
                        CONSTRAINT batches_name_one_line CHECK (is_one_line(name)),
    overlap             smallint NOT NULL CONSTRAINT batches_overlap_positive CHECK (overlap > 0),
    seed                bigint NOT NULL,
    break_every         integer NOT NULL -- items; 0: no planned breaks
                        CONSTRAINT batches_break_every_not_negative CHECK (break_every >= 0),
    break_minutes       integer NOT NULL CONSTRAINT batches_break_minutes_not_negative CHECK (break_minutes >= 0),
    calibration_count   integer NOT NULL DEFAULT 0, -- calibration items before the work
    duplicate_count     integer NOT NULL DEFAULT 0, -- hidden duplicates per annotator
    opened_by           bigint REFERENCES accounts,
    opened_at           timestamptz NOT NULL DEFAULT now(),
    closed_at           timestamptz,
    CONSTRAINT batches_name_unique UNIQUE (project_id, name),
    FOREIGN KEY (project_id, protocol_version_id) REFERENCES projects (id, protocol_version_id),
    FOREIGN KEY (protocol_version_id, protocol_revision) REFERENCES protocol_revisions
);

-- batch_items holds the items of a batch. Calibration items have no slots.
CREATE TABLE batch_items (
    batch_id       bigint NOT NULL REFERENCES batches,
    item_id        bigint NOT NULL REFERENCES items,
    is_calibration boolean NOT NULL DEFAULT false,
    PRIMARY KEY (batch_id, item_id)
);
CREATE INDEX ON batch_items (item_id);

-- batch_annotators holds the progress of each annotator in a batch. A transaction that
-- assigns or closes an item locks this row first. The counters are updated with
-- the rows they count, so that no submit has to count.
CREATE TABLE batch_annotators (
    batch_id                    bigint NOT NULL REFERENCES batches,
    account_id                  bigint NOT NULL REFERENCES accounts,
    queue                       bigint[] NOT NULL,          -- the work items of the batch, in this annotator's order
    queue_offset                integer NOT NULL DEFAULT 0, -- queue has no free slot up to here
    last_sequence_no            integer NOT NULL DEFAULT 0, -- of the last assignment
    expected_items              integer NOT NULL DEFAULT 0, -- an equal share of the work, rounded up
    presented_count             integer NOT NULL DEFAULT 0, -- work items and hidden duplicates opened, each counted once
    completed_count             integer NOT NULL DEFAULT 0, -- work items and hidden duplicates submitted, each counted once
    items_since_break           integer NOT NULL DEFAULT 0, -- annotations since the last break, completed or not
    items_since_completed_break integer NOT NULL DEFAULT 0,
    PRIMARY KEY (batch_id, account_id)
);
CREATE INDEX ON batch_annotators (account_id);

-- active_annotators lists the annotators of each batch who are members of its
-- project. Only they can label. A removed one keeps the rows of batch_annotators,
-- because labels refer to them.
CREATE VIEW active_annotators AS
SELECT ba.batch_id, ba.account_id
FROM batch_annotators ba
JOIN batches b ON b.id = ba.batch_id
JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
WHERE m.removed_at IS NULL;

-- slots makes overlap exact: an item has as many slots as the batch has
-- overlap, a slot has one annotator, and an annotator one slot per item.
CREATE TABLE slots (
    batch_id   bigint NOT NULL,
    item_id    bigint NOT NULL,
    slot_no    smallint NOT NULL,
    account_id bigint, -- null: free
    claimed_at timestamptz,
    withheld   boolean NOT NULL DEFAULT false, -- its annotator skipped the item, and no other annotator gets it
    PRIMARY KEY (batch_id, item_id, slot_no),
    CONSTRAINT slots_one_per_annotator UNIQUE (batch_id, item_id, account_id),
    FOREIGN KEY (batch_id, item_id) REFERENCES batch_items,
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE INDEX slots_free ON slots (batch_id, item_id) WHERE account_id IS NULL;
