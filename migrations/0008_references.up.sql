CREATE SEQUENCE adjudications_id_seq;

CREATE TABLE reference_answers (
    item_id    bigint PRIMARY KEY REFERENCES items,
    answers    jsonb NOT NULL,
    reasons    jsonb NOT NULL,
    created_by bigint REFERENCES accounts,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE reference_answers IS 'Holds the correct answers of a calibration item, and the reasons by field. Saving again overwrites them.';

CREATE TABLE reference_drafts (
    item_id      bigint REFERENCES items ON DELETE CASCADE,
    account_id   bigint REFERENCES accounts ON DELETE CASCADE,
    version      bigint NOT NULL,
    saved_by_tab text NOT NULL DEFAULT '',
    reference    jsonb NOT NULL,
    saved_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (item_id, account_id)
);
CREATE INDEX reference_drafts_account_id_idx ON reference_drafts (account_id);
COMMENT ON TABLE reference_drafts IS 'Holds reference answers as typed, until they are saved.';

CREATE TABLE adjudications (
    id                  bigint DEFAULT nextval('adjudications_id_seq'),
    protocol_version_id integer,
    revision            integer NOT NULL,
    project_id          bigint NOT NULL,
    item_id             bigint NOT NULL,
    decision_no         smallint NOT NULL, -- of the item, from 1
    replaces_id         bigint, -- the previous decision
    account_id          bigint REFERENCES accounts, -- null: decided by command
    answers             jsonb NOT NULL,
    observations        text[] NOT NULL DEFAULT '{}',
    unsure              text[] NOT NULL DEFAULT '{}',
    note                text NOT NULL DEFAULT '',
    facts               jsonb NOT NULL,
    annotation_ids      bigint[] NOT NULL -- the annotations that were compared
        CONSTRAINT adjudications_annotations_not_empty CHECK (cardinality(annotation_ids) > 0),
    cause               text NOT NULL DEFAULT ''
        CONSTRAINT adjudications_cause_known CHECK (cause IN ('', 'unclear_guideline', 'annotator_mistake', 'ambiguous_item', 'bad_data')),
    reason              text NOT NULL DEFAULT ''
        CONSTRAINT adjudications_reason_length CHECK (char_length(reason) <= 1000),
    created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT adjudications_decision_unique UNIQUE (protocol_version_id, item_id, decision_no),
    PRIMARY KEY (protocol_version_id, id),
    FOREIGN KEY (protocol_version_id, revision) REFERENCES protocol_revisions,
    FOREIGN KEY (project_id, protocol_version_id) REFERENCES project_versions,
    FOREIGN KEY (protocol_version_id, replaces_id) REFERENCES adjudications,
    CONSTRAINT adjudications_revision_has_reason CHECK (decision_no = 1 AND replaces_id IS NULL OR decision_no > 1 AND replaces_id IS NOT NULL AND reason <> '')
) PARTITION BY LIST (protocol_version_id);
CREATE INDEX adjudications_project_id_idx ON adjudications (project_id);
COMMENT ON TABLE adjudications IS 'Holds the decisions on items whose labels differ. It is append-only: a later decision replaces an earlier one. Each protocol version has its own partition, with the rules of the protocol.';

CREATE TABLE adjudication_drafts (
    item_id      bigint REFERENCES items ON DELETE CASCADE,
    account_id   bigint REFERENCES accounts ON DELETE CASCADE,
    version      bigint NOT NULL,
    saved_by_tab text NOT NULL DEFAULT '',
    decision     jsonb NOT NULL,
    saved_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (item_id, account_id)
);
CREATE INDEX adjudication_drafts_account_id_idx ON adjudication_drafts (account_id);
COMMENT ON TABLE adjudication_drafts IS 'Holds a decision as typed, until it is saved.';

CREATE TABLE judgments (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id          bigint NOT NULL,
    account_id          bigint NOT NULL,
    item_id             bigint NOT NULL REFERENCES items,
    protocol_version_id integer NOT NULL,
    answers             jsonb NOT NULL,
    created_at          timestamptz NOT NULL DEFAULT now(),
    rationale           text NOT NULL DEFAULT '',
    CONSTRAINT judgments_one_per_item UNIQUE (account_id, item_id, protocol_version_id),
    FOREIGN KEY (project_id, account_id) REFERENCES members,
    FOREIGN KEY (project_id, protocol_version_id) REFERENCES project_versions
);
CREATE INDEX judgments_project_id_idx ON judgments (project_id);
COMMENT ON TABLE judgments IS 'Holds the answers of model judges, separate from annotations. A judge is an account of kind ''model''; its name in a project is its pseudonym. The table is append-only, with one judgment per judge, item and protocol version.';

CREATE VIEW current_adjudications AS
SELECT d.*
FROM adjudications d
WHERE NOT EXISTS (
    SELECT FROM adjudications later
    WHERE later.protocol_version_id = d.protocol_version_id AND later.item_id = d.item_id AND later.decision_no > d.decision_no);
COMMENT ON VIEW current_adjudications IS 'Lists the decisions that count: the last one on each item.';

CREATE TABLE spot_checks (
    item_id    bigint PRIMARY KEY REFERENCES items,
    project_id bigint NOT NULL REFERENCES projects,
    drawn_by   bigint REFERENCES accounts, -- null: a command
    drawn_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX spot_checks_project_id_idx ON spot_checks (project_id);
COMMENT ON TABLE spot_checks IS 'Holds items on which all labels agreed, drawn at random for a lead to confirm or correct. The next decision on the item is the check.';

CREATE FUNCTION has_seen_answers(of_account_id bigint, of_item_id bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM answer_reveals r WHERE r.account_id = of_account_id) THEN
        RETURN false;
    END IF;
    RETURN EXISTS (
        SELECT FROM answer_reveals r
        WHERE r.account_id = of_account_id
          AND (r.item_id = of_item_id OR r.item_id = 0 AND r.batch_id IN (SELECT bi.batch_id FROM batch_items bi WHERE bi.item_id = of_item_id AND NOT bi.is_calibration))
          AND (EXISTS (
                  SELECT FROM annotations n
                  JOIN assignments a ON a.id = n.assignment_id AND a.kind <> 'calibration'
                  WHERE n.item_id = of_item_id AND n.account_id <> of_account_id AND n.submitted_at < r.revealed_at AND r.batch_id IN (0, n.batch_id))
              OR EXISTS (SELECT FROM adjudications d WHERE d.item_id = of_item_id AND d.created_at < r.revealed_at)
              OR EXISTS (SELECT FROM judgments j WHERE j.item_id = of_item_id AND j.created_at < r.revealed_at)));
END $$;
COMMENT ON FUNCTION has_seen_answers IS 'Reports whether an account has seen answers of others to an item: labels, decisions or judgments that were there when they were revealed.';

CREATE FUNCTION create_partitions(version_id integer, names text[], conditions text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $create_partitions$
DECLARE
    allowed CONSTANT text := $regexp$(?x)^(?:
        E'(?:[^'\\]|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})*' | '[^'\\]*' | \m[0-9]+\M
        | \m(?:answers|observations|unsure|note|facts|pg_catalog\.text|public\.has_unique_elements
            |jsonb_typeof|coalesce|array_ndims|char_length|btrim|replace|ARRAY|ANY
            |CASE|WHEN|THEN|ELSE|END|NOT|AND|OR|IS|NULL|TRUE|FALSE)\M
        | -> | <@ | <= | <> | :: | = | -(?!-) | [][(),\s]
        )*$$regexp$;
    check_rules CONSTANT text := 'check_rules_' || version_id;
    broken_rule text;
    parent text;
    name   text;
BEGIN
    IF EXISTS (SELECT FROM unnest(conditions) c WHERE c !~ allowed IS NOT FALSE) THEN
        RAISE EXCEPTION 'not the condition of a rule: %', (SELECT min(c) FROM unnest(conditions) c WHERE c !~ allowed)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_proc WHERE proname = check_rules AND pronamespace = 'public'::regnamespace) THEN
        SELECT string_agg(format(E'\n        WHEN NOT (%s) THEN %L', r.condition, r.name), '' ORDER BY r.position) INTO broken_rule
        FROM unnest(names, conditions) WITH ORDINALITY r(name, condition, position);
        EXECUTE format('CREATE FUNCTION public.%I(answers jsonb, observations text[], unsure text[], note text, facts jsonb) RETURNS boolean
            LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS %L', check_rules, format($check_rules$
DECLARE
    broken_rule CONSTANT pg_catalog.text := CASE%s
        END;
BEGIN
    IF broken_rule IS NOT NULL THEN
        RAISE check_violation USING CONSTRAINT = broken_rule, MESSAGE = 'the row breaks the rule ' || broken_rule;
    END IF;
    RETURN TRUE;
END $check_rules$, broken_rule));
    END IF;
    FOREACH parent IN ARRAY ARRAY['annotations', 'adjudications'] LOOP
        name := parent || '_' || version_id;
        CONTINUE WHEN to_regclass('public.' || quote_ident(name)) IS NOT NULL;
        EXECUTE format('CREATE TABLE public.%I (
            LIKE public.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED,
            CONSTRAINT protocol_version_fixed CHECK (protocol_version_id = %s),
            CONSTRAINT rules CHECK (public.%I(answers, observations, unsure, note, facts)))', name, parent, version_id, check_rules);
        EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.%I
            FOR EACH STATEMENT EXECUTE FUNCTION public.reject_change()', name); -- one on the parent does not count for its partitions
        EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES IN (%s)', parent, name, version_id);
    END LOOP;
END $create_partitions$;
REVOKE EXECUTE ON FUNCTION create_partitions FROM PUBLIC;
COMMENT ON FUNCTION create_partitions IS 'Creates the partitions of a protocol version that do not exist, and the function that checks its rules. It runs with the rights of the owner, so it accepts only what conditions of rules are made of.';

CREATE FUNCTION reference_fingerprint(r reference_answers) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(convert_to(jsonb_build_array(r.item_id, r.answers, r.reasons)::text, 'UTF8'))
$$;
COMMENT ON FUNCTION reference_fingerprint IS 'Returns a hash of reference answers and their reasons.';

CREATE VIEW data_problems AS
SELECT 'label_missing' AS problem, b.project_id, b.name AS batch, i.source_id AS item, m.pseudonym
FROM assignments a
JOIN batches b ON b.id = a.batch_id
LEFT JOIN items i ON i.id = a.item_id
LEFT JOIN members m ON m.project_id = b.project_id AND m.account_id = a.account_id
LEFT JOIN (SELECT n.assignment_id, count(*) AS attempt_count FROM annotations n GROUP BY n.assignment_id) n ON n.assignment_id = a.id
WHERE (a.state = 'submitted' OR a.reopened) AND n.attempt_count IS DISTINCT FROM a.attempt_no
UNION ALL
SELECT 'assignment_missing', b.project_id, b.name, NULL, m.pseudonym
FROM batch_annotators ba
JOIN batches b ON b.id = ba.batch_id
LEFT JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
LEFT JOIN (SELECT a.batch_id, a.account_id, count(*) AS assignment_count FROM assignments a WHERE a.kind <> 'calibration' GROUP BY a.batch_id, a.account_id) a
    ON a.batch_id = ba.batch_id AND a.account_id = ba.account_id
WHERE coalesce(a.assignment_count, 0) <> ba.presented_count
UNION ALL
SELECT 'labels_changed', b.project_id, b.name, NULL, NULL
FROM seals s
LEFT JOIN batches b ON b.id = s.owner_id
CROSS JOIN LATERAL (
    SELECT sha256(string_agg(coalesce(e.fingerprint, label_fingerprint(n)), '' ORDER BY n.id)) AS fingerprint
    FROM annotations n
    LEFT JOIN erased_fingerprints e ON e.table_name = 'annotations' AND e.row_id = n.id
    WHERE n.batch_id = s.owner_id AND n.id BETWEEN s.first_id AND s.last_id) l
WHERE s.kind = 'labels' AND l.fingerprint IS DISTINCT FROM s.fingerprint
UNION ALL
SELECT 'item_changed', m.project_id, NULL, (
    SELECT i.source_id
    FROM (SELECT c.source_id, c.id, coalesce(e.fingerprint, item_fingerprint(c)) AS fingerprint, row_number() OVER (ORDER BY c.id) AS place
          FROM items c LEFT JOIN erased_fingerprints e ON e.table_name = 'items' AND e.row_id = c.id
          WHERE c.import_id = s.owner_id AND c.id BETWEEN s.first_id AND s.last_id) i
    WHERE i.fingerprint <> substring(s.fingerprint FROM 16 * i.place::integer - 15 FOR 16)
    ORDER BY i.id
    LIMIT 1), NULL
FROM seals s
LEFT JOIN imports m ON m.id = s.owner_id
CROSS JOIN LATERAL (
    SELECT string_agg(coalesce(e.fingerprint, item_fingerprint(i)), '' ORDER BY i.id) AS fingerprint
    FROM items i
    LEFT JOIN erased_fingerprints e ON e.table_name = 'items' AND e.row_id = i.id
    WHERE i.import_id = s.owner_id AND i.id BETWEEN s.first_id AND s.last_id) f
WHERE s.kind = 'items' AND f.fingerprint IS DISTINCT FROM s.fingerprint
UNION ALL
SELECT 'item_added', m.project_id, NULL, NULL, NULL
FROM (SELECT i.import_id, count(*) AS item_count FROM items i GROUP BY i.import_id) i
LEFT JOIN (SELECT s.owner_id, sum(s.row_count) AS item_count FROM seals s WHERE s.kind = 'items' GROUP BY s.owner_id) s ON s.owner_id = i.import_id
LEFT JOIN imports m ON m.id = i.import_id
WHERE i.item_count > coalesce(s.item_count, 0)
UNION ALL
SELECT 'pseudonym_changed', coalesce(m.project_id, s.owner_id), NULL, NULL, m.pseudonym
FROM members m
FULL JOIN (SELECT * FROM seals WHERE kind = 'pseudonym') s ON s.owner_id = m.project_id AND s.last_id = m.account_id
WHERE s.fingerprint IS DISTINCT FROM pseudonym_fingerprint(m)
UNION ALL
SELECT 'reference_changed', i.project_id, NULL, i.source_id, NULL
FROM reference_answers r
FULL JOIN (SELECT DISTINCT ON (owner_id) owner_id, fingerprint FROM seals WHERE kind = 'reference' ORDER BY owner_id, id DESC) s ON s.owner_id = r.item_id
LEFT JOIN items i ON i.id = coalesce(r.item_id, s.owner_id)
WHERE s.fingerprint IS DISTINCT FROM CASE WHEN r.item_id IS NULL THEN '' ELSE reference_fingerprint(r) END
UNION ALL
-- A change by hand is sealed too, but no action of the audit log made it: an action and its seals have the time of their transaction.
SELECT 'reference_changed', i.project_id, NULL, i.source_id, NULL
FROM seals s
LEFT JOIN items i ON i.id = s.owner_id
WHERE s.kind = 'reference' AND EXISTS (SELECT FROM seals e WHERE e.kind = s.kind AND e.owner_id = s.owner_id AND e.id < s.id)
  AND NOT EXISTS (SELECT FROM audit_log l WHERE l.created_at = s.created_at)
UNION ALL
SELECT 'erasure_changed', NULL, NULL, 'erasure ' || coalesce(e.id, s.owner_id), NULL
FROM erasures e
FULL JOIN (SELECT * FROM seals WHERE kind = 'erasure') s ON s.owner_id = e.id
WHERE s.fingerprint IS DISTINCT FROM erasure_fingerprint(e) OR NOT EXISTS (SELECT FROM audit_log l WHERE l.created_at = s.created_at)
UNION ALL
SELECT 'erasure_changed', NULL, NULL, r.table_name || ' ' || r.row_id, NULL
FROM (SELECT DISTINCT ON (table_name, row_id) * FROM erased_rows ORDER BY table_name, row_id, erasure_id DESC) r
JOIN (SELECT 'annotations' AS table_name, n.id AS row_id, label_fingerprint(n) AS fingerprint
      FROM annotations n WHERE n.id IN (SELECT row_id FROM erased_rows WHERE table_name = 'annotations')
      UNION ALL
      SELECT 'items', i.id, item_fingerprint(i) FROM items i WHERE i.id IN (SELECT row_id FROM erased_rows WHERE table_name = 'items')
      UNION ALL
      SELECT 'audit_log', l.id, audit_hash('', 0, l) FROM audit_log l WHERE l.id IN (SELECT row_id FROM erased_rows WHERE table_name = 'audit_log')) c
    USING (table_name, row_id)
WHERE c.fingerprint <> r.erased_fingerprint;
COMMENT ON VIEW data_problems IS 'Lists what is wrong with labels and with what they were given for: rows that are missing, and rows that differ from their seals.';

CREATE FUNCTION mark_adjudicated_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM item_states s WHERE s.item_id = NEW.item_id FOR NO KEY UPDATE;
    UPDATE item_states s
    SET decided_at = NEW.created_at, has_newer_labels = EXISTS (
        SELECT FROM current_annotations n
        WHERE n.protocol_version_id = NEW.protocol_version_id AND n.item_id = NEW.item_id AND n.kind = 'work' AND n.id <> ALL (NEW.annotation_ids))
    WHERE s.item_id = NEW.item_id AND NEW.protocol_version_id = coalesce((SELECT b.protocol_version_id FROM batches b WHERE b.id = s.batch_id), NEW.protocol_version_id);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION mark_adjudicated_item IS 'Trigger: records in item_states that an item was adjudicated.';
CREATE TRIGGER mark_adjudicated_item AFTER INSERT ON adjudications
    FOR EACH ROW EXECUTE FUNCTION mark_adjudicated_item();

CREATE FUNCTION seal_reference() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
    SELECT 'reference', r.item_id, r.item_id, r.item_id, (TG_OP <> 'DELETE')::integer, CASE TG_OP WHEN 'DELETE' THEN '' ELSE reference_fingerprint(r) END
    FROM (SELECT (CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END).*) r;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION seal_reference FROM PUBLIC;
COMMENT ON FUNCTION seal_reference IS 'Trigger: seals reference answers that are new, changed or removed.';
CREATE TRIGGER seal_reference AFTER INSERT OR UPDATE OR DELETE ON reference_answers FOR EACH ROW EXECUTE FUNCTION seal_reference();

CREATE FUNCTION check_new_adjudication() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM items i WHERE i.id = NEW.item_id AND i.facts = NEW.facts) THEN
        RAISE EXCEPTION 'an adjudication with other facts than its item'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'adjudications_facts_of_item';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION check_new_adjudication IS 'Trigger: rejects an adjudication with other facts than its item.';
CREATE TRIGGER check_new_adjudication AFTER INSERT ON adjudications FOR EACH ROW EXECUTE FUNCTION check_new_adjudication();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON adjudications
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON judgments
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER reject_archived_change BEFORE INSERT OR UPDATE ON reference_answers
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('item_id');
CREATE TRIGGER reject_archived_change BEFORE INSERT ON adjudications
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('project_id');
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON adjudications FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON judgments FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
