ALTER TABLE batches DROP COLUMN drawn_by_disagreement;
CREATE TABLE judge_draws (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id      bigint NOT NULL,
    batch_id        bigint NOT NULL REFERENCES batches CONSTRAINT judge_draws_one_per_batch UNIQUE,
    judge_id        bigint NOT NULL,
    field           text,
    seed            bigint NOT NULL,
    item_count      integer NOT NULL,
    candidate_count integer NOT NULL,
    last_label_id   bigint NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    created_by      bigint REFERENCES accounts,
    CONSTRAINT judge_draws_counts CHECK (item_count BETWEEN 1 AND candidate_count),
    FOREIGN KEY (project_id, judge_id) REFERENCES members
);
CREATE INDEX ON judge_draws (project_id, id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON judge_draws
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TABLE judge_draw_items (
    draw_id     bigint NOT NULL REFERENCES judge_draws,
    item_id     bigint NOT NULL REFERENCES items,
    probability double precision NOT NULL
                CONSTRAINT judge_draw_items_probability_range CHECK (probability > 0 AND probability <= 1),
    is_drawn    boolean NOT NULL,
    PRIMARY KEY (draw_id, item_id)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON judge_draw_items
    FOR EACH ROW EXECUTE FUNCTION reject_change();
ALTER TABLE judgments DROP COLUMN rationale;

CREATE OR REPLACE FUNCTION measure_items(measured_ids bigint[], version_id integer) RETURNS void LANGUAGE sql AS $$
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

ALTER TABLE item_states DROP COLUMN far_tied_fields;
ALTER TABLE projects DROP COLUMN tie_rule;
