-- is_plain_text reports whether a text of several lines has no control characters,
-- bidirectional controls or line separators other than tabs and line breaks.
-- internal/plaintext has the same rule.
CREATE FUNCTION is_plain_text(text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN public.is_one_line(pg_catalog.translate($1, E'\t\n', '  '));

-- questions holds what annotators ask the leads about an item, and the answers. A
-- question belongs to one presentation of an item, so that a hidden duplicate does not
-- show the question about its original. Only its annotator and the leads see it. Until
-- it is answered, asking again replaces it.
CREATE TABLE questions (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    assignment_id   bigint NOT NULL REFERENCES assignments,
    batch_id        bigint NOT NULL REFERENCES batches,  -- of the assignment
    account_id      bigint NOT NULL REFERENCES accounts, -- of the assignment
    message         text NOT NULL CONSTRAINT questions_message_length CHECK (char_length(message) BETWEEN 1 AND 1000)
                    CONSTRAINT questions_message_plain CHECK (is_plain_text(message)),
    created_at      timestamptz NOT NULL DEFAULT now(),
    answer          text CONSTRAINT questions_answer_length CHECK (char_length(answer) BETWEEN 1 AND 2000)
                    CONSTRAINT questions_answer_plain CHECK (is_plain_text(answer)),
    answered_at     timestamptz,
    answered_by     bigint REFERENCES accounts, -- null: not answered, or answered by command
    acknowledged_at timestamptz,                -- when the annotator read the answer
    CONSTRAINT questions_answered_completely CHECK ((answer IS NULL) = (answered_at IS NULL)),
    CONSTRAINT questions_acknowledged_after_answer CHECK (acknowledged_at IS NULL OR answered_at IS NOT NULL)
);
CREATE UNIQUE INDEX questions_one_unanswered ON questions (assignment_id) WHERE answered_at IS NULL;
CREATE INDEX questions_unanswered ON questions (batch_id) WHERE answered_at IS NULL;
CREATE INDEX questions_unread ON questions (account_id) WHERE answered_at IS NOT NULL AND acknowledged_at IS NULL;
CREATE INDEX ON questions (assignment_id);
CREATE INDEX ON questions (batch_id, id);

-- announcements holds messages of leads to all annotators of a batch.
CREATE TABLE announcements (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id   bigint NOT NULL REFERENCES batches,
    message    text NOT NULL CONSTRAINT announcements_message_length CHECK (char_length(message) BETWEEN 1 AND 2000)
               CONSTRAINT announcements_message_plain CHECK (is_plain_text(message)),
    created_by bigint REFERENCES accounts, -- null: a command
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON announcements (batch_id, id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON announcements
    FOR EACH ROW EXECUTE FUNCTION reject_change();

-- announcement_acknowledgments records that an annotator read an announcement.
CREATE TABLE announcement_acknowledgments (
    announcement_id bigint NOT NULL REFERENCES announcements,
    account_id      bigint NOT NULL REFERENCES accounts,
    acknowledged_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (announcement_id, account_id)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON announcement_acknowledgments
    FOR EACH ROW EXECUTE FUNCTION reject_change();

-- unread_announcements lists the announcements that annotators of open batches have
-- not acknowledged.
CREATE VIEW unread_announcements AS
SELECT n.id, n.batch_id, v.account_id, n.message, n.created_at
FROM announcements n
JOIN batches b ON b.id = n.batch_id AND b.closed_at IS NULL
JOIN active_annotators v ON v.batch_id = n.batch_id
WHERE NOT EXISTS (SELECT FROM announcement_acknowledgments k WHERE k.announcement_id = n.id AND k.account_id = v.account_id);

-- has_unread_messages reports whether an account has announcements or answers of open batches
-- to read.
CREATE FUNCTION has_unread_messages(of_account_id bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM unread_announcements WHERE account_id = of_account_id) OR EXISTS (
        SELECT FROM questions q
        JOIN batches b ON b.id = q.batch_id AND b.closed_at IS NULL
        JOIN active_annotators v ON v.batch_id = q.batch_id AND v.account_id = q.account_id
        WHERE q.account_id = of_account_id AND q.answered_at IS NOT NULL AND q.acknowledged_at IS NULL);
END $$;
