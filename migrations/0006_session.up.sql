-- What a project decides about the sessions of its annotators. 0: never, or
-- no limit.
ALTER TABLE projects
    ADD COLUMN after_miss text NOT NULL DEFAULT 'go_on'
        CONSTRAINT project_after_miss CHECK (after_miss IN ('go_on', 'again', 'wait')),
    ADD COLUMN aside_next text NOT NULL DEFAULT 'somebody'
        CONSTRAINT project_aside_next CHECK (aside_next IN ('somebody', 'later', 'nobody')),
    ADD COLUMN break_after     integer NOT NULL DEFAULT 0 CHECK (break_after >= 0),        -- minutes without a break
    ADD COLUMN day_items       integer NOT NULL DEFAULT 0 CHECK (day_items >= 0),          -- that one annotator is given
    ADD COLUMN sitting_minutes integer NOT NULL DEFAULT 0 CHECK (sitting_minutes >= 0),
    ADD COLUMN return_after    integer NOT NULL DEFAULT 1440 CHECK (return_after >= 0);    -- minutes that an open item may rest

ALTER TABLE batches
    ADD COLUMN calibration integer NOT NULL DEFAULT 0, -- items with a reference, before the work
    ADD COLUMN duplicates  integer NOT NULL DEFAULT 0; -- hidden ones, for each annotator

-- Items of calibration are in a batch too, and have no slots.
ALTER TABLE batch_items ADD COLUMN calibration boolean NOT NULL DEFAULT false;

-- About how many work items will be this annotator's.
ALTER TABLE batch_annotators ADD COLUMN share integer NOT NULL DEFAULT 0;
UPDATE batch_annotators ba
SET share = ceil((SELECT count(*) FROM slots s WHERE s.batch_id = ba.batch_id)::numeric
    / (SELECT count(*) FROM batch_annotators o WHERE o.batch_id = ba.batch_id));

-- A sitting lasts until half an hour passes without anything done.
ALTER TABLE members
    ADD COLUMN sat_down_at timestamptz,
    ADD COLUMN seen_at     timestamptz;

-- Where an annotator's hidden duplicates come: drawn when the batch opens,
-- before anybody knows which item the n-th will be.
CREATE TABLE repeats (
    batch_id      bigint NOT NULL,
    account_id    bigint NOT NULL,
    at            integer NOT NULL, -- place among the work and the duplicates, from 1
    of            integer NOT NULL, -- which of the annotator's work items, from 1
    assignment_id bigint REFERENCES assignments,
    PRIMARY KEY (batch_id, account_id, at),
    UNIQUE (batch_id, account_id, of),
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);

-- What a lead holds to be right of a calibration item, and why, by field.
CREATE TABLE reference_answers (
    item_id bigint PRIMARY KEY REFERENCES items,
    answers jsonb NOT NULL,
    why     jsonb NOT NULL,
    by      bigint REFERENCES accounts,
    at      timestamptz NOT NULL DEFAULT now()
);

-- One passage of an annotator through the calibration set. While one is not
-- settled there is no work.
CREATE TABLE calibration_runs (
    batch_id      bigint NOT NULL,
    account_id    bigint NOT NULL,
    n             smallint NOT NULL CHECK (n > 0),
    path          bigint[] NOT NULL,
    asked_by      bigint REFERENCES accounts, -- the lead who asked for it again
    at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    done_at       timestamptz,
    missed        text[], -- fields, once done
    settled_at    timestamptz, -- by going on, or by taking it again
    settled_by    bigint REFERENCES accounts, -- the lead who let them go on
    reason        text NOT NULL DEFAULT '' CONSTRAINT calibration_reason CHECK (char_length(reason) <= 1000),
    PRIMARY KEY (batch_id, account_id, n),
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE UNIQUE INDEX calibration_gate ON calibration_runs (batch_id, account_id) WHERE settled_at IS NULL;

CREATE TABLE sections_read (
    batch_id   bigint NOT NULL,
    account_id bigint NOT NULL,
    n          smallint NOT NULL,
    section    text NOT NULL,
    at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (batch_id, account_id, n, section),
    FOREIGN KEY (batch_id, account_id, n) REFERENCES calibration_runs
);

CREATE TABLE discussion (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id   bigint NOT NULL,
    item_id    bigint NOT NULL,
    account_id bigint NOT NULL REFERENCES accounts,
    says       text NOT NULL CONSTRAINT discussion_says CHECK (char_length(says) BETWEEN 1 AND 2000),
    at         timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (batch_id, item_id) REFERENCES batch_items
);
CREATE INDEX ON discussion (batch_id, item_id, id);

-- A slip that an annotator flagged, and what the lead made of it.
CREATE TABLE flags (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    assignment_id bigint NOT NULL REFERENCES assignments,
    says          text NOT NULL CONSTRAINT flag_says CHECK (char_length(says) BETWEEN 1 AND 1000),
    at            timestamptz NOT NULL DEFAULT now(),
    settled_at    timestamptz,
    settled_by    bigint REFERENCES accounts,
    reopened      boolean NOT NULL DEFAULT false,
    reply         text NOT NULL DEFAULT '' CHECK (char_length(reply) <= 1000)
);
CREATE UNIQUE INDEX flag_once ON flags (assignment_id) WHERE settled_at IS NULL;

-- A submitted assignment that its annotator may answer once more; the number
-- of the attempt goes up when they do.
ALTER TABLE assignments
    ADD COLUMN reopened boolean NOT NULL DEFAULT false,
    ADD COLUMN later    boolean NOT NULL DEFAULT false; -- set aside, and comes back at the end

-- Whoever set an item aside for later keeps its slot; so does whoever was the
-- last to be asked, where nobody else is to be.
ALTER TABLE slots ADD COLUMN given_up boolean NOT NULL DEFAULT false;

-- Working time by tab: each says how long it was worked in, and only grows.
ALTER TABLE drafts DROP COLUMN active_ms, ADD COLUMN tabs jsonb NOT NULL DEFAULT '{}';

-- A break counts as taken once its time passed; labelling waits until then.
ALTER TABLE breaks ADD COLUMN taken boolean GENERATED ALWAYS AS (left_at >= ends_at) STORED;

ALTER TABLE annotations
    ADD COLUMN sitting_minutes integer NOT NULL DEFAULT 0, -- since the annotator sat down
    ADD COLUMN replaces        bigint;                     -- the annotation of the attempt before
