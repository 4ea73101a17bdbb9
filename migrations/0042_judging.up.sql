-- The consensus is that of stats.ConsensusRule: a median counts only if an annotator gave it, and the tie rule is a setting of
-- the project, not of the protocol. It decides no tie of labels two or more points apart.
ALTER TABLE projects ADD COLUMN tie_rule text NOT NULL DEFAULT 'unresolved'
    CONSTRAINT projects_tie_rule_known CHECK (tie_rule IN ('unresolved', 'lower', 'higher'));
ALTER TABLE item_states ADD COLUMN far_tied_fields text[] NOT NULL DEFAULT '{}'; -- the tied fields that no tie rule decides

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
    WHERE s.item_id = measured.item_id
$$;

INSERT INTO unmeasured_items (item_id, protocol_version_id)
SELECT DISTINCT item_id, protocol_version_id FROM annotations;

-- A judge can give a reason with its answers.
ALTER TABLE judgments ADD COLUMN rationale text NOT NULL DEFAULT '';

-- Draws are uniform, or take the items on which judges differ most. The labels of such a batch are kept out of estimates.
DROP TABLE judge_draw_items;
DROP TABLE judge_draws;
ALTER TABLE batches ADD COLUMN drawn_by_disagreement boolean NOT NULL DEFAULT false;
