-- Lists of items read these columns and tables instead of texts and labels, so
-- that they answer at any size.

-- The tokens are made by the program, because the parser of PostgreSQL does not
-- split scripts without spaces, and its rules depend on the locale: lower-case
-- words, pairs of characters in such scripts, "project:ID", "record:ID" and
-- "meta:COLUMN=VALUE". No word has a colon.
ALTER TABLE items ADD COLUMN title   text NOT NULL DEFAULT '', -- the first line
                  ADD COLUMN preview text NOT NULL DEFAULT '', -- the second line
                  ADD COLUMN search  tsvector NOT NULL DEFAULT '';

-- Items of an earlier schema get what PostgreSQL finds by itself.
UPDATE items SET
    title = left(coalesce(jsonb_path_query_first(content, '$.**.text') #>> '{}', source_id), 200),
    search = array_to_tsvector(ARRAY (
        SELECT DISTINCT left(lower(t.token), 64)
        FROM regexp_split_to_table(source_id || ' ' || (SELECT coalesce(string_agg(v #>> '{}', ' '), '') FROM jsonb_path_query(content, '$.**.text') v), '[^[:alnum:]]+') AS t (token)
        WHERE t.token <> '') || ('project:' || project_id) || CASE WHEN record_id = '' THEN '{}'::text[] ELSE ARRAY['record:' || record_id] END);

CREATE INDEX items_search ON items USING gin (search);
ALTER TABLE items ALTER COLUMN search SET STATISTICS 500;

-- search_terms holds the words of a project, with their groups of three
-- characters. A search for a part of a word finds the words here first.
CREATE TABLE search_terms (
    project_id bigint NOT NULL REFERENCES projects,
    term       text NOT NULL,
    trigrams   text[] NOT NULL,
    PRIMARY KEY (project_id, term)
);
CREATE INDEX search_terms_trigrams ON search_terms USING gin (trigrams);

-- item_conditions lists the metadata columns with few values, and these values.
CREATE TABLE item_conditions (
    project_id bigint NOT NULL REFERENCES projects,
    name       text NOT NULL,
    condition  text NOT NULL,
    PRIMARY KEY (project_id, name, condition)
);

-- protocol_fields holds what measures of disagreement need to know of a field.
CREATE TABLE protocol_fields (
    protocol_version_id integer NOT NULL REFERENCES protocol_versions,
    key                 text NOT NULL,
    span                integer NOT NULL CONSTRAINT protocol_fields_span_positive CHECK (span > 0), -- highest minus lowest point
    points              integer[] NOT NULL, -- of the scale
    PRIMARY KEY (protocol_version_id, key)
);

-- item_states holds one row per item: what lists of items show, filter and sort by.
-- The triggers below keep it in the transaction that changes it, so there are no
-- foreign keys; the measures, which are those of the report over the current work
-- labels, follow shortly after.
CREATE TABLE item_states (
    item_id             bigint PRIMARY KEY,
    project_id          bigint NOT NULL,
    batch_id            bigint, -- the last batch with the item as work; null: none
    is_calibration      boolean NOT NULL DEFAULT false,
    archived_at         timestamptz, -- since then no batch gets the item
    is_returned         boolean NOT NULL DEFAULT false, -- that batch closed before the item had all its labels
    labels_wanted       smallint NOT NULL DEFAULT 0, -- in that batch
    label_count         smallint NOT NULL DEFAULT 0, -- annotators with a work label
    disagreement        float8 NOT NULL DEFAULT 0, -- the largest mean distance of a field, as a share of its scale
    total_disagreement  float8 NOT NULL DEFAULT 0, -- the sum over all fields
    max_distance        integer NOT NULL DEFAULT 0, -- of the first of disagreeing_fields, in points
    disagreeing_fields  text[] NOT NULL DEFAULT '{}', -- largest first
    tied_fields         text[] NOT NULL DEFAULT '{}', -- those among them without a consensus
    labels              text[] NOT NULL DEFAULT '{}', -- "FIELD=VALUE" for each answer given, "annotator=ID" for each annotator
    decided_at          timestamptz, -- when it was last adjudicated
    has_newer_labels    boolean NOT NULL DEFAULT false, -- since the decision
    state               text NOT NULL GENERATED ALWAYS AS (CASE
                            WHEN archived_at IS NOT NULL THEN 'archived'
                            WHEN is_calibration THEN 'calibration'
                            WHEN decided_at IS NOT NULL THEN 'adjudicated'
                            WHEN disagreement > 0 THEN 'disagreement'
                            WHEN batch_id IS NULL OR is_returned THEN 'unassigned'
                            WHEN label_count = 0 OR label_count < labels_wanted THEN 'in_progress'
                            ELSE 'complete' END) STORED
) WITH (fillfactor = 80);
CREATE INDEX item_states_import_order ON item_states (project_id, item_id);
CREATE INDEX item_states_state ON item_states (project_id, state, item_id);
CREATE INDEX item_states_disagreement ON item_states (project_id, (-disagreement), (-total_disagreement), item_id)
    WHERE disagreement > 0;
CREATE INDEX item_states_decided ON item_states (project_id, decided_at, item_id) WHERE decided_at IS NOT NULL;
CREATE INDEX item_states_archived ON item_states (item_id) WHERE archived_at IS NOT NULL;
CREATE INDEX item_states_labels ON item_states USING gin (labels) WHERE labels <> '{}';

INSERT INTO item_states (item_id, project_id, is_calibration) SELECT id, project_id, is_calibration FROM items;

CREATE FUNCTION insert_item_states() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO item_states (item_id, project_id, is_calibration) SELECT id, project_id, is_calibration FROM changed;
    RETURN NULL;
END $$;
CREATE TRIGGER insert_item_states AFTER INSERT ON items
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_item_states();

CREATE FUNCTION mark_calibration_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE item_states SET is_calibration = NEW.is_calibration WHERE item_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER mark_calibration_item AFTER UPDATE OF is_calibration ON items
    FOR EACH ROW WHEN (OLD.is_calibration <> NEW.is_calibration) EXECUTE FUNCTION mark_calibration_item();

-- unmeasured_items is the queue of items that were labeled after they were measured. A
-- submit only adds to it, because measuring costs more than the submit itself; a job of
-- the server, and every list before it is read, measures what waits.
CREATE TABLE unmeasured_items (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item_id             bigint NOT NULL,
    protocol_version_id integer NOT NULL
);

CREATE FUNCTION queue_labeled_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unmeasured_items (item_id, protocol_version_id) VALUES (NEW.item_id, NEW.protocol_version_id);
    RETURN NULL;
END $$;
CREATE TRIGGER queue_labeled_item AFTER INSERT ON annotations
    FOR EACH ROW EXECUTE FUNCTION queue_labeled_item();

-- measure_items brings the measures of items up to date. The caller has locked their rows
-- in an earlier statement, so that the measures of two sessions do not overtake each other.
CREATE FUNCTION measure_items(measured_ids bigint[], version_id integer) RETURNS void LANGUAGE sql AS $$
    WITH current_labels AS MATERIALIZED (
        SELECT DISTINCT ON (n.item_id, n.account_id) n.item_id, n.account_id, n.id, n.answers
        FROM unnest(measured_ids) AS measured (item_id)
        JOIN annotations n ON n.item_id = measured.item_id
        JOIN assignments a ON a.id = n.assignment_id AND a.attempt_no = n.attempt_no
        WHERE n.protocol_version_id = version_id AND a.kind = 'work'
        ORDER BY n.item_id, n.account_id, n.id DESC
    ), given AS MATERIALIZED (
        SELECT l.item_id, e.key AS field, e.value::integer AS answer,
               row_number() OVER (PARTITION BY l.item_id, e.key ORDER BY e.value::integer) AS place
        FROM current_labels l, jsonb_each_text(l.answers) e
    ), sums AS (
        SELECT g.item_id, g.field, count(*) AS answer_count, max(g.answer) - min(g.answer) AS max_distance, array_agg(g.answer ORDER BY g.answer) AS answers,
               sum(g.answer * (2 * g.place - 1)) - sum(g.answer) * count(*) AS distance_sum -- over pairs, as the answers are sorted
        FROM given g
        GROUP BY g.item_id, g.field
        HAVING max(g.answer) > min(g.answer)
    ), differing AS (
        SELECT x.item_id, x.field, x.max_distance, x.distance_sum::float8 / (x.answer_count * (x.answer_count - 1) / 2)::float8 / f.span::float8 AS mean_distance,
               m.low <> m.high AND ((m.low + m.high) % 2 <> 0 OR (m.low + m.high) / 2 <> ALL (f.points)) AS is_tied
        FROM sums x
        JOIN protocol_fields f ON f.protocol_version_id = version_id AND f.key = x.field
        CROSS JOIN LATERAL (SELECT x.answers[(x.answer_count + 1) / 2] AS low, x.answers[x.answer_count / 2 + 1] AS high) m -- the middle answers
    ), disagreements AS (
        SELECT d.item_id, max(d.mean_distance) AS disagreement, sum(d.mean_distance ORDER BY d.mean_distance DESC) AS total_disagreement,
               (array_agg(d.max_distance ORDER BY d.mean_distance DESC, d.field))[1] AS max_distance,
               array_agg(d.field ORDER BY d.mean_distance DESC, d.field) AS disagreeing_fields,
               coalesce(array_agg(d.field ORDER BY d.mean_distance DESC, d.field) FILTER (WHERE d.is_tied), '{}') AS tied_fields
        FROM differing d
        GROUP BY d.item_id
    ), labeled AS (
        SELECT l.item_id, count(*) AS label_count, array_agg(l.id) AS annotation_ids, array_agg('annotator=' || l.account_id) AS annotators
        FROM current_labels l
        GROUP BY l.item_id
    ), answered AS (
        SELECT g.item_id, array_agg(DISTINCT g.field || '=' || g.answer) AS answers
        FROM given g
        GROUP BY g.item_id
    )
    UPDATE item_states s
    SET label_count = coalesce(l.label_count, 0), disagreement = coalesce(d.disagreement, 0), total_disagreement = coalesce(d.total_disagreement, 0),
        max_distance = coalesce(d.max_distance, 0), disagreeing_fields = coalesce(d.disagreeing_fields, '{}'), tied_fields = coalesce(d.tied_fields, '{}'),
        labels = coalesce(g.answers, '{}') || coalesce(l.annotators, '{}'),
        has_newer_labels = s.decided_at IS NOT NULL AND NOT coalesce(l.annotation_ids, '{}') <@ coalesce((
            SELECT c.annotation_ids FROM current_adjudications c WHERE c.protocol_version_id = version_id AND c.item_id = s.item_id), '{}')
    FROM unnest(measured_ids) AS measured (item_id)
    LEFT JOIN labeled l USING (item_id)
    LEFT JOIN answered g USING (item_id)
    LEFT JOIN disagreements d USING (item_id)
    WHERE s.item_id = measured.item_id
$$;

CREATE FUNCTION mark_adjudicated_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM item_states s WHERE s.item_id = NEW.item_id FOR NO KEY UPDATE;
    UPDATE item_states s
    SET decided_at = NEW.created_at, has_newer_labels = EXISTS (
        SELECT FROM current_annotations n
        WHERE n.protocol_version_id = NEW.protocol_version_id AND n.item_id = NEW.item_id AND n.kind = 'work' AND n.id <> ALL (NEW.annotation_ids))
    WHERE s.item_id = NEW.item_id;
    RETURN NULL;
END $$;
CREATE TRIGGER mark_adjudicated_item AFTER INSERT ON adjudications
    FOR EACH ROW EXECUTE FUNCTION mark_adjudicated_item();

-- The slots of an item say how many labels it needs, and in which batch. Labels from
-- earlier batches count.
CREATE FUNCTION add_wanted_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE item_states s
    SET labels_wanted = c.slot_count + CASE
            WHEN s.batch_id IS NULL THEN 0
            WHEN s.batch_id = c.batch_id THEN s.labels_wanted
            ELSE (
                SELECT count(*)
                FROM batch_items bi
                JOIN assignments a ON a.batch_id = bi.batch_id AND a.item_id = bi.item_id AND a.kind = 'work' AND a.state = 'submitted'
                WHERE bi.item_id = s.item_id) END,
        batch_id = c.batch_id, is_returned = false
    FROM (SELECT n.batch_id, n.item_id, count(*) FILTER (WHERE NOT n.withheld) AS slot_count FROM changed n GROUP BY n.batch_id, n.item_id) c
    WHERE s.item_id = c.item_id;
    RETURN NULL;
END $$;
CREATE TRIGGER add_wanted_labels AFTER INSERT ON slots
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION add_wanted_labels();

CREATE FUNCTION recount_wanted_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE item_states s
    SET batch_id = w.batch_id, labels_wanted = coalesce(w.slot_count, 0) + (
        SELECT count(*)
        FROM batch_items bi
        JOIN assignments a ON a.batch_id = bi.batch_id AND a.item_id = bi.item_id AND a.kind = 'work' AND a.state = 'submitted'
        WHERE bi.item_id = d.item_id AND bi.batch_id <> w.batch_id)
    FROM (SELECT DISTINCT c.item_id FROM changed c) d
    LEFT JOIN LATERAL (
        SELECT o.batch_id, count(*) FILTER (WHERE NOT o.withheld) AS slot_count
        FROM slots o
        WHERE (o.batch_id, o.item_id) IN (SELECT bi.batch_id, bi.item_id FROM batch_items bi WHERE bi.item_id = d.item_id AND NOT bi.is_calibration)
        GROUP BY o.batch_id
        ORDER BY o.batch_id DESC
        LIMIT 1) w ON true
    WHERE s.item_id = d.item_id;
    RETURN NULL;
END $$;
CREATE TRIGGER remove_wanted_labels AFTER DELETE ON slots
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION recount_wanted_labels();
CREATE FUNCTION recount_withheld_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE item_states s
    SET labels_wanted = s.labels_wanted + CASE WHEN NEW.withheld THEN -1 ELSE 1 END
    WHERE s.item_id = NEW.item_id AND s.batch_id = NEW.batch_id;
    RETURN NULL;
END $$;
CREATE TRIGGER recount_withheld_labels AFTER UPDATE OF withheld ON slots
    FOR EACH ROW WHEN (OLD.withheld <> NEW.withheld) EXECUTE FUNCTION recount_withheld_labels();
