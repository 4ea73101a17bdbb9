-- A batch can have limits of its own. Null: those of the project.
ALTER TABLE batches
    ADD COLUMN daily_item_limit integer
        CONSTRAINT batches_daily_item_limit_not_negative CHECK (daily_item_limit >= 0),
    ADD COLUMN session_limit_minutes integer
        CONSTRAINT batches_session_limit_minutes_not_negative CHECK (session_limit_minutes >= 0);

-- Slots that a rule added when this annotator submitted. They are counted here, because a
-- submit locks no other row of the batch; the others are counted in batches.
ALTER TABLE batch_annotators ADD COLUMN added_slot_count integer NOT NULL DEFAULT 0
    CONSTRAINT batch_annotators_added_slot_count_not_negative CHECK (added_slot_count >= 0);

-- work_notices shows annotators on their start page what a lead changed about their work,
-- so that an open item is not lost without notice.
CREATE TABLE work_notices (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id      bigint NOT NULL,
    account_id    bigint NOT NULL,
    kind          text NOT NULL CONSTRAINT work_notices_kind_known
                  CHECK (kind IN ('removed', 'open_item_reassigned', 'items_reassigned', 'items_added', 'paused', 'resumed', 'closed', 'reopened')),
    item_count    integer NOT NULL DEFAULT 0, -- that the annotator lost or got
    assignment_id bigint REFERENCES assignments, -- the lost open item, whose draft is kept; null: none
    created_at    timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE INDEX ON work_notices (account_id, created_at);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON work_notices
    FOR EACH ROW EXECUTE FUNCTION reject_change();

-- overlap_rules holds the rule by which items of a batch get more labels: as soon as all
-- labels of an item are in, and two differ by min_difference or more.
CREATE TABLE overlap_rules (
    batch_id       bigint PRIMARY KEY REFERENCES batches,
    field          text NOT NULL DEFAULT '', -- empty: any field
    min_difference integer NOT NULL CONSTRAINT overlap_rules_min_difference_positive CHECK (min_difference > 0),
    most_labels    smallint NOT NULL CONSTRAINT overlap_rules_most_labels_above_two CHECK (most_labels > 2), -- that an item gets
    created_by     bigint REFERENCES accounts, -- null: a command
    created_at     timestamptz NOT NULL DEFAULT now()
);

-- add_slot_by_rule adds a free slot to an item whose labels are all in and differ. It
-- returns how many it added. The caller has locked the item in batch_items in an earlier
-- statement: of two annotators who submit at the same time, the second sees both labels.
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
        JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id AND n.attempt_no = a.attempt_no
        CROSS JOIN jsonb_each_text(n.answers) AS answer (field, value)
        WHERE a.batch_id = rule.batch_id AND a.item_id = labeled_item_id AND a.kind = 'work' AND a.state = 'submitted'
          AND (rule.field = '' OR answer.field = rule.field)
        GROUP BY answer.field
        HAVING max(answer.value::numeric) - min(answer.value::numeric) >= rule.min_difference);
    GET DIAGNOSTICS added = ROW_COUNT;
    RETURN added;
END $$;

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
-- Deferred to the end of the transaction, when the annotation is stored too.
CREATE CONSTRAINT TRIGGER assignments_overlap_rule AFTER UPDATE OF state ON assignments
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.state = 'submitted' AND NEW.kind = 'work' AND OLD.state <> 'submitted')
    EXECUTE FUNCTION apply_overlap_rule();
