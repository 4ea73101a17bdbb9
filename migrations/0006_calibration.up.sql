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

-- count_calibration_items and count_left_duplicates serve annotator_progress. They are functions
-- for the reason given at is_reclaimable: most batches have neither.
CREATE FUNCTION count_calibration_items(of_batch_id bigint, of_account_id bigint, of_attempt_no integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT count(*) FROM assignments a
            WHERE a.batch_id = of_batch_id AND a.account_id = of_account_id
              AND a.kind = 'calibration' AND a.presentation_no = of_attempt_no AND a.state <> 'open');
END $$;
CREATE FUNCTION count_left_duplicates(of_batch_id bigint, of_account_id bigint, presented_count integer, waiting_count integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT count(*)
            FROM (SELECT h.position - count_left_duplicates.presented_count - row_number() OVER (ORDER BY h.position) AS work_items_before
                  FROM hidden_duplicates h
                  WHERE h.batch_id = of_batch_id AND h.account_id = of_account_id AND h.position > count_left_duplicates.presented_count) h
            WHERE h.work_items_before < count_left_duplicates.waiting_count);
END $$;

-- annotator_progress is the only source of the counters that annotators see. In the
-- current calibration attempt it counts its items. In a planned batch it counts what
-- is left for the annotator, work items and the hidden duplicates that will come: a
-- duplicate takes the place of a work item, so as many come as have one left after
-- them. After the own queue, free slots of up to 100 items count. What is left of a
-- pool is not known: expected_items is 0.
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
                WHEN ba.waiting_count > 0 THEN ba.waiting_count + pending.returning_count + CASE WHEN b.duplicate_count > 0 THEN
                    count_left_duplicates(ba.batch_id, ba.account_id, ba.presented_count, ba.waiting_count) ELSE 0 END
                ELSE pending.returning_count + count_claimable(ba.batch_id, ba.account_id, 100) END
            END AS expected_items,
       CASE WHEN b.break_every = 0 THEN 0 ELSE greatest(b.break_every - ba.items_since_break, 1) END AS items_to_break
FROM batch_annotators ba
JOIN batches b ON b.id = ba.batch_id
LEFT JOIN calibration_attempts c ON c.batch_id = ba.batch_id AND c.account_id = ba.account_id AND c.resolved_at IS NULL
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE a.reopened AND a.kind <> 'calibration')::integer AS reopened_count,
           (count(*) FILTER (WHERE a.deferred AND NOT a.reopened) + count(*) FILTER (WHERE a.state = 'released' AND is_reclaimable(a.id)))::integer AS returning_count
    FROM pending_assignments p
    JOIN assignments a ON a.id = p.assignment_id
    WHERE p.batch_id = ba.batch_id AND p.account_id = ba.account_id) pending;
