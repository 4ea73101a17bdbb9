CREATE TABLE batches (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id    bigint NOT NULL REFERENCES projects,
    name          text NOT NULL CONSTRAINT batch_name CHECK (char_length(name) BETWEEN 1 AND 100),
    overlap       smallint NOT NULL CONSTRAINT batch_overlap CHECK (overlap > 0),
    seed          bigint NOT NULL, -- every shuffle follows from it
    break_every   integer NOT NULL CHECK (break_every >= 0),   -- items; 0: no reminder
    break_minutes integer NOT NULL CHECK (break_minutes >= 0),
    opened_by     bigint REFERENCES accounts,
    opened_at     timestamptz NOT NULL DEFAULT now(),
    closed_at     timestamptz,
    UNIQUE (project_id, name)
);

CREATE TABLE batch_items (
    batch_id bigint NOT NULL REFERENCES batches,
    item_id  bigint NOT NULL REFERENCES items,
    PRIMARY KEY (batch_id, item_id)
);
CREATE INDEX ON batch_items (item_id);

CREATE TABLE batch_annotators (
    batch_id   bigint NOT NULL REFERENCES batches,
    account_id bigint NOT NULL REFERENCES accounts,
    path       bigint[] NOT NULL,          -- every item of the batch, in this annotator's order
    walked     integer NOT NULL DEFAULT 0, -- how much of path holds nothing more to claim
    placed     integer NOT NULL DEFAULT 0, -- the last position given out
    PRIMARY KEY (batch_id, account_id)
);
CREATE INDEX ON batch_annotators (account_id);

-- Overlap is exact by construction: an item has this many slots, a slot has
-- one annotator, and an annotator one slot of an item.
CREATE TABLE slots (
    batch_id   bigint NOT NULL,
    item_id    bigint NOT NULL,
    n          smallint NOT NULL,
    account_id bigint,
    claimed_at timestamptz,
    PRIMARY KEY (batch_id, item_id, n),
    CONSTRAINT slot_once UNIQUE (batch_id, item_id, account_id),
    FOREIGN KEY (batch_id, item_id) REFERENCES batch_items,
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE INDEX slots_free ON slots (batch_id, item_id) WHERE account_id IS NULL;

CREATE TABLE assignments (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token               text NOT NULL UNIQUE, -- random, and all that addresses show
    batch_id            bigint NOT NULL,
    item_id             bigint NOT NULL,
    account_id          bigint NOT NULL,
    protocol_version_id integer NOT NULL,
    kind                text NOT NULL DEFAULT 'work'
                        CONSTRAINT assignment_kind CHECK (kind IN ('calibration', 'work', 'duplicate')),
    presentation        smallint NOT NULL DEFAULT 1,
    position            integer NOT NULL,
    state               text NOT NULL DEFAULT 'open'
                        CONSTRAINT assignment_state CHECK (state IN ('open', 'submitted', 'set_aside', 'returned')),
    attempt             smallint NOT NULL DEFAULT 1,
    tries               integer NOT NULL DEFAULT 0, -- submits that came after the first
    opened_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    closed_at           timestamptz,
    UNIQUE (batch_id, item_id, account_id, presentation),
    UNIQUE (batch_id, account_id, position),
    UNIQUE (id, item_id, account_id, batch_id, protocol_version_id),
    FOREIGN KEY (batch_id, item_id) REFERENCES batch_items,
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
-- Forward only: one open item at a time.
CREATE UNIQUE INDEX assignment_open ON assignments (batch_id, account_id) WHERE state = 'open';
CREATE INDEX ON assignments (account_id) WHERE state = 'open';

-- A draft is the form as it was typed; it goes when the assignment closes.
CREATE TABLE drafts (
    assignment_id bigint PRIMARY KEY REFERENCES assignments,
    version       bigint NOT NULL,
    answers       jsonb NOT NULL,
    active_ms     bigint NOT NULL DEFAULT 0,
    saved_at      timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE set_aside (
    assignment_id bigint PRIMARY KEY REFERENCES assignments,
    reason        text NOT NULL CONSTRAINT set_aside_reason
                  CHECK (reason IN ('invalid_or_unrealistic', 'unclear', 'outside_expertise', 'distressing')),
    word          text NOT NULL DEFAULT '' CHECK (char_length(word) <= 1000),
    at            timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE breaks (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id   bigint NOT NULL,
    account_id bigint NOT NULL,
    after      integer NOT NULL, -- the position it follows
    due        boolean NOT NULL, -- the plan's, not the annotator's own
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ends_at    timestamptz NOT NULL,
    left_at    timestamptz,      -- when the annotator went on
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE UNIQUE INDEX break_open ON breaks (batch_id, account_id) WHERE left_at IS NULL;
CREATE INDEX ON breaks (batch_id, account_id, after);

CREATE TABLE warnings_read (
    project_id bigint NOT NULL REFERENCES projects,
    account_id bigint NOT NULL REFERENCES accounts,
    version    integer NOT NULL,
    day        date NOT NULL DEFAULT current_date,
    at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, account_id, version, day)
);

-- A set of texts holds no null and nothing twice.
CREATE FUNCTION is_set(text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT pg_catalog.array_position($1, NULL) IS NULL
       AND pg_catalog.cardinality($1) = (SELECT pg_catalog.count(DISTINCT e) FROM pg_catalog.unnest($1) e)
$$;

-- The submitted answers of one assignment. Every protocol version has its own
-- partition, with a CHECK named after each of its rules.
CREATE SEQUENCE annotation_ids;
CREATE TABLE annotations (
    id                  bigint NOT NULL DEFAULT nextval('annotation_ids'),
    protocol_version_id integer NOT NULL,
    revision            integer NOT NULL,
    assignment_id       bigint NOT NULL,
    attempt             smallint NOT NULL DEFAULT 1,
    batch_id            bigint NOT NULL,
    item_id             bigint NOT NULL,
    account_id          bigint NOT NULL,
    answers             jsonb NOT NULL,
    observations        text[] NOT NULL DEFAULT '{}',
    unsure              text[] NOT NULL DEFAULT '{}',
    note                text NOT NULL DEFAULT '',
    facts               jsonb NOT NULL DEFAULT '{}',
    active_ms           bigint NOT NULL DEFAULT 0 CONSTRAINT annotation_active CHECK (active_ms >= 0),
    position            integer NOT NULL DEFAULT 0,
    since_break         integer NOT NULL DEFAULT 0,
    opened_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    submitted_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (protocol_version_id, id),
    CONSTRAINT annotation_once UNIQUE (protocol_version_id, assignment_id, attempt),
    FOREIGN KEY (protocol_version_id, revision) REFERENCES protocol_revisions,
    FOREIGN KEY (assignment_id, item_id, account_id, batch_id, protocol_version_id)
        REFERENCES assignments (id, item_id, account_id, batch_id, protocol_version_id),
    FOREIGN KEY (item_id, facts) REFERENCES items (id, facts)
) PARTITION BY LIST (protocol_version_id);
CREATE INDEX ON annotations (batch_id, account_id, position);
CREATE INDEX ON annotations (item_id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON annotations
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
