-- reference_answers holds the correct answers of a calibration item, and the
-- reasons by field. Saving again overwrites them.
CREATE TABLE reference_answers (
    item_id    bigint PRIMARY KEY REFERENCES items,
    answers    jsonb NOT NULL,
    reasons    jsonb NOT NULL,
    created_by bigint REFERENCES accounts,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- calibration_attempts holds the attempts of an annotator at the calibration
-- set of a batch. While one is unresolved, the annotator gets no work.
CREATE TABLE calibration_attempts (
    batch_id      bigint NOT NULL,
    account_id    bigint NOT NULL,
    attempt_no    smallint NOT NULL CONSTRAINT calibration_attempts_attempt_no_positive CHECK (attempt_no > 0),
    queue         bigint[] NOT NULL, -- the calibration items, in the order of this attempt
    requested_by  bigint REFERENCES accounts, -- the lead who requested a retake
    started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    completed_at  timestamptz,
    missed_fields text[], -- fields outside the tolerance; set on completion
    resolved_at   timestamptz, -- when the annotator continued or started a retake
    resolved_by   bigint REFERENCES accounts, -- the lead who let the annotator continue
    reason        text NOT NULL DEFAULT '' CONSTRAINT calibration_attempts_reason_length CHECK (char_length(reason) <= 1000),
    PRIMARY KEY (batch_id, account_id, attempt_no),
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE UNIQUE INDEX calibration_attempts_one_unresolved ON calibration_attempts (batch_id, account_id) WHERE resolved_at IS NULL;

-- guide_sections_read records the guide sections that an annotator read again
-- after missing fields.
CREATE TABLE guide_sections_read (
    batch_id   bigint NOT NULL,
    account_id bigint NOT NULL,
    attempt_no smallint NOT NULL,
    section    text NOT NULL,
    read_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (batch_id, account_id, attempt_no, section),
    FOREIGN KEY (batch_id, account_id, attempt_no) REFERENCES calibration_attempts
);

-- calibration_comments holds the discussion of a calibration item.
CREATE TABLE calibration_comments (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id   bigint NOT NULL,
    item_id    bigint NOT NULL,
    account_id bigint NOT NULL REFERENCES accounts,
    message    text NOT NULL CONSTRAINT calibration_comments_message_length CHECK (char_length(message) BETWEEN 1 AND 2000),
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (batch_id, item_id) REFERENCES batch_items
);
CREATE INDEX ON calibration_comments (batch_id, item_id, id);

-- annotator_progress is the only source of the counters that annotators see. It
-- counts the current calibration attempt, or the work with hidden duplicates.
CREATE VIEW annotator_progress AS
SELECT ba.batch_id, ba.account_id,
       CASE WHEN c.attempt_no IS NULL THEN ba.completed_count ELSE (
           SELECT count(*)::integer FROM assignments a
           WHERE a.batch_id = ba.batch_id AND a.account_id = ba.account_id
             AND a.kind = 'calibration' AND a.presentation_no = c.attempt_no AND a.state <> 'open') END AS completed_items,
       CASE WHEN c.attempt_no IS NULL THEN ba.expected_items + b.duplicate_count ELSE cardinality(c.queue) END AS expected_items,
       CASE WHEN b.break_every = 0 THEN 0 ELSE greatest(b.break_every - ba.items_since_break, 1) END AS items_to_break
FROM batch_annotators ba
JOIN batches b ON b.id = ba.batch_id
LEFT JOIN calibration_attempts c ON c.batch_id = ba.batch_id AND c.account_id = ba.account_id AND c.resolved_at IS NULL;
