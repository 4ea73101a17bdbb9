CREATE TABLE item_states (
    item_id            bigint PRIMARY KEY,
    project_id         bigint NOT NULL,
    batch_id           bigint, -- the last batch with the item as work; null: none
    is_calibration     boolean NOT NULL DEFAULT false,
    archived_at        timestamptz, -- since then no batch gets the item
    is_returned        boolean NOT NULL DEFAULT false, -- that batch closed before the item had all its labels
    is_earlier         boolean NOT NULL DEFAULT false, -- that batch is closed, and of an earlier protocol version than the project's
    labels_wanted      smallint NOT NULL DEFAULT 0, -- in that batch
    label_count        smallint NOT NULL DEFAULT 0, -- annotators with a work label
    disagreement       double precision NOT NULL DEFAULT 0,
    total_disagreement double precision NOT NULL DEFAULT 0,
    max_distance       integer NOT NULL DEFAULT 0, -- of the first of disagreeing_fields, in points
    disagreeing_fields text[] NOT NULL DEFAULT '{}', -- largest first
    tied_fields        text[] NOT NULL DEFAULT '{}', -- those among them without a consensus
    -- "FIELD=VALUE" for each answer given, "annotator=ID" for each annotator
    labels             text[] NOT NULL DEFAULT '{}',
    decided_at         timestamptz, -- when it was last adjudicated
    has_newer_labels   boolean NOT NULL DEFAULT false, -- since the decision
    state              text GENERATED ALWAYS AS (
CASE
    WHEN (archived_at IS NOT NULL) THEN 'archived'::text
    WHEN is_calibration THEN 'calibration'::text
    WHEN is_earlier THEN CASE WHEN is_returned THEN 'unassigned'::text ELSE 'earlier_version'::text END
    WHEN (decided_at IS NOT NULL) THEN 'adjudicated'::text
    WHEN (disagreement > (0)::double precision) THEN 'disagreement'::text
    WHEN ((batch_id IS NULL) OR is_returned) THEN 'unassigned'::text
    WHEN ((label_count = 0) OR (label_count < labels_wanted)) THEN 'in_progress'::text
    ELSE 'complete'::text
END) STORED NOT NULL,
    far_tied_fields    text[] NOT NULL DEFAULT '{}' -- the tied fields that no tie rule decides
) WITH (fillfactor = 80);
CREATE INDEX item_states_import_order ON item_states (project_id, item_id);
CREATE INDEX item_states_state ON item_states (project_id, state, item_id);
CREATE INDEX item_states_disagreement ON item_states (project_id, ((- disagreement)), ((- total_disagreement)), item_id)
    WHERE (disagreement > (0)::double precision);
CREATE INDEX item_states_decided ON item_states (project_id, decided_at, item_id) WHERE (decided_at IS NOT NULL);
CREATE INDEX item_states_archived ON item_states (item_id) WHERE (archived_at IS NOT NULL);
CREATE INDEX item_states_incomplete ON item_states (batch_id)
    WHERE is_returned AND archived_at IS NULL AND decided_at IS NULL AND NOT is_earlier;
CREATE INDEX item_states_labels ON item_states USING gin (labels) WHERE (labels <> '{}'::text[]);
COMMENT ON TABLE item_states IS 'Holds one row per item: what lists of items show, filter and sort by. Triggers keep it in the transaction that changes it, so there are no foreign keys; the measures, which are those of the report over the current work labels, follow shortly after.';

CREATE TABLE unmeasured_items (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item_id             bigint NOT NULL,
    protocol_version_id integer NOT NULL
);
COMMENT ON TABLE unmeasured_items IS 'The queue of items that were labeled after they were measured. A submit only adds to it, because measuring costs more than the submit itself; a job of the server, and every list before it is read, measures what waits.';

CREATE TABLE agreement_samples (
    batch_id bigint REFERENCES batches,
    item_id  bigint REFERENCES items,
    place    bigint NOT NULL, -- the hash
    PRIMARY KEY (batch_id, item_id)
);
CREATE INDEX agreement_samples_batch_id_place_idx ON agreement_samples (batch_id, place);
COMMENT ON TABLE agreement_samples IS 'Holds up to 1,000 items of each batch that have at least two labels: all, or those with the lowest hashes, which are a random sample.';

CREATE TABLE reports (
    project_id          bigint REFERENCES projects ON DELETE CASCADE,
    batch               text, -- its name; '': the whole project; '..': the closed batches, for annotators
    group_column        text, -- the metadata column to compare by; '': the default
    epsilon             double precision, -- of the test of judges
    view                text, -- of the accounts that may see it
    protocol_version_id integer,
    program             text, -- the version of the program that computed it
    data_version        text, -- of the labels, decisions and judgments, and of the program
    label_count         integer,
    content             bytea,
    computed_at         timestamptz,
    compute_seconds     double precision,
    job_id              bigint, -- of the job that computes the next one
    started_at          timestamptz, -- when that job was added
    progress            jsonb, -- of that job
    problem             jsonb, -- why the last job failed
    failed_version      text, -- of the data that it failed with
    failed_at           timestamptz,
    PRIMARY KEY (project_id, batch, group_column, epsilon, view, protocol_version_id),
    CONSTRAINT reports_complete CHECK (num_nonnulls(program, data_version, label_count, content, computed_at, compute_seconds) IN (0, 6)),
    CONSTRAINT reports_job_complete CHECK (num_nonnulls(job_id, started_at, progress) IN (0, 3)),
    CONSTRAINT reports_problem_complete CHECK (num_nonnulls(problem, failed_version, failed_at) IN (0, 3))
);
COMMENT ON TABLE reports IS 'Holds the last finished report of each choice, which pages, the API and downloads read, and which job computes the next one. A row without content is being computed for the first time.';

CREATE TABLE exports (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id    bigint NOT NULL REFERENCES projects,
    account_id    bigint NOT NULL REFERENCES accounts, -- who asked for it
    options       json NOT NULL, -- what was chosen
    protocol_version_id integer NOT NULL REFERENCES protocol_versions, -- whose labels it has
    done_count    integer NOT NULL DEFAULT 0, -- labels and items written
    total_count   integer NOT NULL DEFAULT 0, -- to write; 0: not known yet
    size_bytes    bigint NOT NULL DEFAULT 0, -- of the file, as far as it is written
    sha256        bytea -- of the file; null: not complete
        CONSTRAINT exports_sha256_length CHECK (octet_length(sha256) = 32),
    failed_checks json, -- what the checks of the export found; null: not complete
    problem       text NOT NULL DEFAULT '', -- why there is no file
    created_at    timestamptz NOT NULL DEFAULT now(),
    finished_at   timestamptz,
    cancelled_at  timestamptz,
    job_id        bigint,
    attempt_no    integer NOT NULL DEFAULT 0,
    CONSTRAINT exports_counts_not_negative CHECK (done_count >= 0 AND total_count >= 0 AND size_bytes >= 0),
    CONSTRAINT exports_complete_with_digest CHECK (num_nulls(sha256, failed_checks) IN (0, 2) AND (sha256 IS NULL OR finished_at IS NOT NULL)),
    CONSTRAINT exports_file_or_problem CHECK (sha256 IS NULL OR problem = '' AND cancelled_at IS NULL),
    CONSTRAINT exports_cancelled_is_finished CHECK (cancelled_at IS NULL OR finished_at IS NOT NULL)
);
CREATE INDEX exports_project_id_id_idx ON exports (project_id, id);
COMMENT ON TABLE exports IS 'Holds the datasets that were exported by page or by API. A server writes them in the background, and every server can send them, again and in parts.';
COMMENT ON COLUMN exports.job_id IS 'river.river_job, while it is not finished';
COMMENT ON COLUMN exports.attempt_no IS 'of the job, the only one that may write the file';

CREATE TABLE export_chunks (
    export_id bigint REFERENCES exports ON DELETE CASCADE,
    chunk_no  integer, -- from 0
    content   bytea NOT NULL,
    PRIMARY KEY (export_id, chunk_no)
);
COMMENT ON TABLE export_chunks IS 'Holds the zip files of exports in pieces of one size, so that no process has a whole file in memory.';
ALTER TABLE export_chunks ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE VIEW lead_tasks AS
SELECT 'correction' AS kind, b.project_id, b.id AS batch_id, a.account_id, c.id AS subject_id, a.item_id,
       1 AS task_count, 0 AS large_count, true AS has_started, NULL::date AS deadline, c.created_at
FROM correction_requests c
JOIN assignments a ON a.id = c.assignment_id
JOIN batches b ON b.id = a.batch_id
WHERE c.resolved_at IS NULL
UNION ALL
SELECT 'question', b.project_id, b.id, q.account_id, q.id, a.item_id, 1, 0, true, NULL, q.created_at
FROM questions q
JOIN assignments a ON a.id = q.assignment_id
JOIN batches b ON b.id = q.batch_id
WHERE q.answered_at IS NULL
UNION ALL
-- The annotator has read the guide sections again, and waits.
SELECT 'calibration', b.project_id, b.id, c.account_id, NULL, NULL, cardinality(c.missed_fields), 0, true, NULL, c.completed_at
FROM calibration_attempts c
JOIN batches b ON b.id = c.batch_id AND b.closed_at IS NULL
JOIN projects p ON p.id = b.project_id AND p.miss_policy = 'wait'
JOIN active_annotators v ON v.batch_id = c.batch_id AND v.account_id = c.account_id
WHERE c.resolved_at IS NULL AND c.completed_at IS NOT NULL AND c.missed_fields <> '{}' AND NOT EXISTS (
    SELECT FROM unnest(c.missed_fields) missed(field)
    WHERE NOT EXISTS (
        SELECT FROM guide_sections_read r
        WHERE r.batch_id = c.batch_id AND r.account_id = c.account_id AND r.attempt_no = c.attempt_no AND r.section = missed.field))
UNION ALL
-- The answers to gold items paused the annotator.
SELECT 'gold', b.project_id, b.id, ba.account_id, NULL, NULL, 1, 0, true, NULL, ba.paused_at
FROM batches b
JOIN batch_annotators ba ON ba.batch_id = b.id AND ba.paused_by_gold AND ba.removed_at IS NULL
WHERE b.closed_at IS NULL AND b.gold_minimum > 0
UNION ALL
SELECT 'stuck', b.project_id, b.id, NULL, NULL, NULL, s.stuck_count, 0, true, NULL, s.stuck_at
FROM batch_states s
JOIN batches b ON b.id = s.batch_id AND b.closed_at IS NULL
WHERE s.stuck_count > 0
UNION ALL
-- A batch closed before its items had all their labels, and no later one has them. An archived batch is done with. Up
-- to 500 items are counted.
SELECT 'incomplete', b.project_id, b.id, NULL, NULL, NULL, lacking.item_count, 0, true, NULL, b.closed_at
FROM batches b
CROSS JOIN LATERAL (
    SELECT count(*)::integer AS item_count
    FROM (SELECT FROM item_states s
          WHERE s.batch_id = b.id AND s.is_returned AND s.archived_at IS NULL AND s.decided_at IS NULL AND NOT s.is_earlier
          LIMIT 500) i) lacking
WHERE b.closed_at IS NOT NULL AND b.archived_at IS NULL AND lacking.item_count > 0
UNION ALL
-- An annotator with items left did nothing for two days while another one did, or will
-- miss the deadline at the present pace. An open item counts like one that waits.
SELECT 'behind', b.project_id, b.id, ba.account_id, NULL, NULL, remaining.item_count, 0, ba.last_opened_at IS NOT NULL,
       CASE WHEN idle.is_idle THEN NULL ELSE b.deadline END, CASE WHEN idle.is_idle THEN coalesce(ba.last_opened_at, b.opened_at) ELSE b.opened_at END
FROM batches b
JOIN active_annotators v ON v.batch_id = b.id AND v.paused_at IS NULL
JOIN batch_annotators ba ON ba.batch_id = v.batch_id AND ba.account_id = v.account_id
CROSS JOIN LATERAL (
    SELECT coalesce(ba.last_opened_at, b.opened_at) < now() - interval '2 days' AND EXISTS (
        SELECT FROM batch_annotators other
        WHERE other.batch_id = b.id AND other.last_opened_at > greatest(ba.last_opened_at, now() - interval '2 days')) AS is_idle) idle
CROSS JOIN LATERAL (
    SELECT ba.waiting_count + (SELECT count(*)::integer FROM assignments a WHERE a.id = ba.open_assignment_id AND a.kind = 'work' AND NOT a.reopened) AS item_count) remaining
WHERE b.closed_at IS NULL AND b.assignment = 'planned' AND remaining.item_count > 0
  AND (idle.is_idle OR now() > b.opened_at + interval '1 day' AND b.deadline IS NOT NULL
       AND now() + (now() - b.opened_at) * (remaining.item_count / greatest(ba.label_count, 0.5)) > b.deadline + 1)
  AND NOT EXISTS (
    SELECT FROM calibration_attempts c
    WHERE c.batch_id = b.id AND c.account_id = ba.account_id AND c.resolved_at IS NULL AND c.completed_at IS NOT NULL)
UNION ALL
-- Up to 500 disagreements are counted, so that the cost does not grow with the project.
SELECT 'adjudication', p.id, NULL, NULL, NULL, NULL, undecided.item_count::integer, undecided.large_count::integer, true, NULL, date_trunc('day', now())
FROM projects p
CROSS JOIN LATERAL (
    SELECT count(*) AS item_count, count(*) FILTER (WHERE s.max_distance >= 2) AS large_count
    FROM (SELECT i.max_distance FROM item_states i WHERE i.project_id = p.id AND i.state = 'disagreement' LIMIT 500) s) undecided
WHERE undecided.item_count > 0;
COMMENT ON VIEW lead_tasks IS 'Lists what waits for the leads of each project. Every part reads unresolved rows only, so that its cost does not grow with the history.';

CREATE FUNCTION mark_earlier_items(of_project_id bigint) RETURNS void LANGUAGE sql AS $$
    WITH earlier AS (
        SELECT b.id
        FROM batches b
        JOIN projects p ON p.id = b.project_id AND p.protocol_version_id <> b.protocol_version_id
        WHERE b.project_id = of_project_id AND b.closed_at IS NOT NULL
    ), marked AS (
        UPDATE item_states s SET is_earlier = true
        WHERE s.project_id = of_project_id AND s.batch_id IN (SELECT e.id FROM earlier e) AND NOT s.is_earlier
        RETURNING s.item_id
    )
    UPDATE available_items v SET label_count = 0
    WHERE v.project_id = of_project_id AND v.label_count > 0 AND v.item_id IN (SELECT m.item_id FROM marked m)
$$;
COMMENT ON FUNCTION mark_earlier_items IS 'Marks the items whose last batch is closed and of an earlier protocol version than the one of the project. Those that miss labels get all of them under the new version.';

CREATE FUNCTION measure_items(measured_ids bigint[], version_id integer) RETURNS void LANGUAGE sql AS $$
    WITH current_labels AS MATERIALIZED (
        SELECT DISTINCT ON (n.item_id, n.account_id) n.item_id, n.account_id, n.id, n.answers
        FROM unnest(measured_ids) AS measured (item_id)
        JOIN current_annotations n ON n.item_id = measured.item_id
        WHERE n.protocol_version_id = version_id AND n.kind = 'work'
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
               m.low <> m.high AS is_tied, array_position(f.points, m.high) - array_position(f.points, m.low) > 1 AS is_far
        FROM sums x
        JOIN protocol_fields f ON f.protocol_version_id = version_id AND f.key = x.field
        CROSS JOIN LATERAL (SELECT x.answers[(x.answer_count + 1) / 2] AS low, x.answers[x.answer_count / 2 + 1] AS high) m -- the middle answers
    ), disagreements AS (
        SELECT d.item_id, max(d.mean_distance) AS disagreement, sum(d.mean_distance ORDER BY d.mean_distance DESC) AS total_disagreement,
               (array_agg(d.max_distance ORDER BY d.mean_distance DESC, d.field))[1] AS max_distance,
               array_agg(d.field ORDER BY d.mean_distance DESC, d.field) AS disagreeing_fields,
               coalesce(array_agg(d.field ORDER BY d.mean_distance DESC, d.field) FILTER (WHERE d.is_tied), '{}') AS tied_fields,
               coalesce(array_agg(d.field ORDER BY d.mean_distance DESC, d.field) FILTER (WHERE d.is_far), '{}') AS far_tied_fields
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
        far_tied_fields = coalesce(d.far_tied_fields, '{}'),
        labels = coalesce(g.answers, '{}') || coalesce(l.annotators, '{}'),
        has_newer_labels = s.decided_at IS NOT NULL AND NOT coalesce(l.annotation_ids, '{}') <@ coalesce((
            SELECT c.annotation_ids FROM current_adjudications c WHERE c.protocol_version_id = version_id AND c.item_id = s.item_id), '{}')
    FROM unnest(measured_ids) AS measured (item_id)
    LEFT JOIN labeled l USING (item_id)
    LEFT JOIN answered g USING (item_id)
    LEFT JOIN disagreements d USING (item_id)
    WHERE s.item_id = measured.item_id -- under the version of the item's last batch
      AND version_id = coalesce((SELECT b.protocol_version_id FROM batches b WHERE b.id = s.batch_id), version_id)
$$;
COMMENT ON FUNCTION measure_items IS 'Brings the measures of items up to date. The caller has locked their rows in an earlier statement, so that the measures of two sessions do not overtake each other.';
