-- A label, and what it was given for, cannot vanish or change unnoticed: not by TRUNCATE, not by a change of the item's
-- text, and not by hand with all triggers off. A submit pays nothing for it.

-- What an annotator saw, and who gave a label, never changes.
CREATE TRIGGER keep_content BEFORE UPDATE OF id, project_id, import_id, source_id, record_id, content, facts, word_count, meta ON items FOR EACH ROW
    WHEN ((NEW.id, NEW.project_id, NEW.import_id, NEW.source_id, NEW.record_id, NEW.content, NEW.facts, NEW.word_count, NEW.meta)
        IS DISTINCT FROM (OLD.id, OLD.project_id, OLD.import_id, OLD.source_id, OLD.record_id, OLD.content, OLD.facts, OLD.word_count, OLD.meta))
    EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_pseudonym AFTER UPDATE OF project_id, account_id, pseudonym ON members FOR EACH ROW
    WHEN ((NEW.project_id, NEW.account_id, NEW.pseudonym) IS DISTINCT FROM (OLD.project_id, OLD.account_id, OLD.pseudonym))
    EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_keys BEFORE UPDATE OF id, batch_id, item_id, account_id, protocol_version_id, kind, presentation_no ON assignments FOR EACH ROW
    WHEN ((NEW.id, NEW.batch_id, NEW.item_id, NEW.account_id, NEW.protocol_version_id, NEW.kind, NEW.presentation_no)
        IS DISTINCT FROM (OLD.id, OLD.batch_id, OLD.item_id, OLD.account_id, OLD.protocol_version_id, OLD.kind, OLD.presentation_no))
    EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON assignments FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON imports FOR EACH ROW EXECUTE FUNCTION reject_change();

-- seals holds fingerprints of rows that must stay as they are. They are links of the audit chain, so that neither the rows nor
-- their seals can be changed without a trace. Only the triggers below write it.
CREATE TABLE seals (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL CONSTRAINT seals_kind_known CHECK (kind IN ('items', 'pseudonym', 'reference', 'labels')),
    owner_id    bigint NOT NULL, -- items: the import; pseudonym: the project; reference: the item; labels: the batch
    first_id    bigint NOT NULL, -- items and labels: of the rows from here
    last_id     bigint NOT NULL, -- to here; pseudonym: the account; reference: the item
    row_count   integer NOT NULL, -- reference: 0 if the answers were removed
    fingerprint bytea NOT NULL, -- items: 16 bytes for each, in the order of ids; otherwise a hash of all rows
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX seals_owner ON seals (kind, owner_id, last_id, id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON seals FOR EACH ROW EXECUTE FUNCTION reject_change();

-- The fingerprints. The text of jsonb is canonical.
CREATE FUNCTION item_fingerprint(i items) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT substring(sha256(convert_to(jsonb_build_array(i.id, i.project_id, i.source_id, i.record_id, i.content, i.facts, i.meta)::text, 'UTF8')) FOR 16)
$$;
CREATE FUNCTION pseudonym_fingerprint(m members) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(convert_to(jsonb_build_array(m.project_id, m.account_id, m.pseudonym)::text, 'UTF8'))
$$;
CREATE FUNCTION reference_fingerprint(r reference_answers) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(convert_to(jsonb_build_array(r.item_id, r.answers, r.reasons)::text, 'UTF8'))
$$;
CREATE FUNCTION label_fingerprint(n annotations) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(convert_to(jsonb_build_array(n.id, n.protocol_version_id, n.revision, n.assignment_id, n.attempt_no, n.batch_id, n.item_id, n.account_id,
        n.answers, to_jsonb(n.observations), to_jsonb(n.unsure), n.note, n.active_ms, extract(epoch FROM n.submitted_at))::text, 'UTF8'))
$$;

CREATE FUNCTION seal_items() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
    SELECT 'items', i.import_id, min(i.id), max(i.id), count(*), string_agg(item_fingerprint(i.*::items), '' ORDER BY i.id)
    FROM sealed i
    GROUP BY i.import_id;
    RETURN NULL;
END $$;
CREATE TRIGGER seal_items AFTER INSERT ON items
    REFERENCING NEW TABLE AS sealed FOR EACH STATEMENT EXECUTE FUNCTION seal_items();

CREATE FUNCTION seal_pseudonym() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
    VALUES ('pseudonym', NEW.project_id, NEW.account_id, NEW.account_id, 1, pseudonym_fingerprint(NEW));
    RETURN NULL;
END $$;
CREATE TRIGGER seal_pseudonym AFTER INSERT ON members FOR EACH ROW EXECUTE FUNCTION seal_pseudonym();

-- Leads can change reference answers; each change is sealed with its entry of the audit log.
CREATE FUNCTION seal_reference() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
    SELECT 'reference', r.item_id, r.item_id, r.item_id, (TG_OP <> 'DELETE')::integer, CASE TG_OP WHEN 'DELETE' THEN '' ELSE reference_fingerprint(r) END
    FROM (SELECT (CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END).*) r;
    RETURN NULL;
END $$;
CREATE TRIGGER seal_reference AFTER INSERT OR UPDATE OR DELETE ON reference_answers FOR EACH ROW EXECUTE FUNCTION seal_reference();

-- seal_labels seals the labels of a batch that were given since it was sealed last.
CREATE FUNCTION seal_labels(sealed_batch_id bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
    SELECT 'labels', sealed_batch_id, min(n.id), max(n.id), count(*), sha256(string_agg(label_fingerprint(n), '' ORDER BY n.id))
    FROM annotations n
    WHERE n.batch_id = sealed_batch_id
      AND n.id > coalesce((SELECT max(s.last_id) FROM seals s WHERE s.kind = 'labels' AND s.owner_id = sealed_batch_id), 0)
    HAVING count(*) > 0
$$;
REVOKE EXECUTE ON FUNCTION seal_labels FROM PUBLIC;
-- Whoever closes a batch has locked all its annotators, so that no label below the last one is still to come.
CREATE FUNCTION seal_closed_batch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM seal_labels(NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER seal_closed_batch AFTER UPDATE OF closed_at ON batches FOR EACH ROW
    WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL) EXECUTE FUNCTION seal_closed_batch();

-- A link of the audit chain covers an entry of the audit log or a seal.
ALTER TABLE audit_chain
    ALTER COLUMN entry_id DROP NOT NULL,
    ADD COLUMN seal_id bigint CONSTRAINT audit_chain_seal_unique UNIQUE REFERENCES seals,
    ADD CONSTRAINT audit_chain_one_of CHECK (num_nonnulls(entry_id, seal_id) = 1);

CREATE FUNCTION seal_hash(previous_hash bytea, sequence_no integer, seal seals) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(previous_hash || convert_to(jsonb_build_array(sequence_no, 'seal', seal.id, extract(epoch FROM seal.created_at), seal.kind,
        seal.owner_id, seal.first_id, seal.last_id, seal.row_count)::text, 'UTF8') || seal.fingerprint)
$$;

CREATE FUNCTION append_seal_to_audit_chain() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    last audit_chain_end;
BEGIN
    SELECT * INTO STRICT last FROM audit_chain_end FOR UPDATE;
    last.sequence_no := last.sequence_no + 1;
    last.hash := seal_hash(last.hash, last.sequence_no, NEW);
    INSERT INTO audit_chain (sequence_no, seal_id, hash) VALUES (last.sequence_no, NEW.id, last.hash);
    UPDATE audit_chain_end SET sequence_no = last.sequence_no, hash = last.hash;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION append_seal_to_audit_chain, seal_items, seal_pseudonym, seal_reference, seal_closed_batch FROM PUBLIC;
CREATE CONSTRAINT TRIGGER seals_chained AFTER INSERT ON seals
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION append_seal_to_audit_chain();

CREATE OR REPLACE VIEW audit_problems AS
WITH links AS (
    SELECT sequence_no, entry_id, seal_id, hash,
           lag(hash, 1, '') OVER (ORDER BY sequence_no) AS previous_hash,
           lag(sequence_no, 1, 0) OVER (ORDER BY sequence_no) AS previous_no
    FROM audit_chain)
SELECT k.sequence_no, k.entry_id,
       CASE WHEN k.sequence_no <> k.previous_no + 1 THEN 'deleted_before' WHEN l.id IS NULL AND s.id IS NULL THEN 'deleted' ELSE 'changed' END AS problem,
       k.seal_id
FROM links k
LEFT JOIN audit_log l ON l.id = k.entry_id
LEFT JOIN seals s ON s.id = k.seal_id
WHERE k.sequence_no <> k.previous_no + 1 OR l.id IS NULL AND s.id IS NULL OR k.hash IS DISTINCT FROM CASE
    WHEN k.seal_id IS NULL THEN audit_hash(k.previous_hash, k.sequence_no, l) ELSE seal_hash(k.previous_hash, k.sequence_no, s) END
UNION ALL
SELECT last.sequence_no, k.entry_id, 'deleted_after', k.seal_id
FROM audit_chain_end last
LEFT JOIN LATERAL (SELECT sequence_no, entry_id, seal_id, hash FROM audit_chain ORDER BY sequence_no DESC LIMIT 1) k ON true
WHERE (last.sequence_no, last.hash) IS DISTINCT FROM (coalesce(k.sequence_no, 0), coalesce(k.hash, ''))
UNION ALL
SELECT NULL, l.id, 'not_linked', NULL
FROM audit_log l
WHERE NOT EXISTS (SELECT FROM audit_chain k WHERE k.entry_id = l.id)
UNION ALL
SELECT NULL, NULL, 'not_linked', s.id
FROM seals s
WHERE NOT EXISTS (SELECT FROM audit_chain k WHERE k.seal_id = s.id);

-- data_problems lists what is wrong with labels and with what they were given for: rows that are missing, and rows that differ
-- from their seals.
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
    SELECT sha256(string_agg(label_fingerprint(n), '' ORDER BY n.id)) AS fingerprint
    FROM annotations n
    WHERE n.batch_id = s.owner_id AND n.id BETWEEN s.first_id AND s.last_id) l
WHERE s.kind = 'labels' AND l.fingerprint IS DISTINCT FROM s.fingerprint
UNION ALL
SELECT 'item_changed', m.project_id, NULL, (
    SELECT i.source_id
    FROM (SELECT c.source_id, c.id, item_fingerprint(c) AS fingerprint, row_number() OVER (ORDER BY c.id) AS place
          FROM items c WHERE c.import_id = s.owner_id AND c.id BETWEEN s.first_id AND s.last_id) i
    WHERE i.fingerprint <> substring(s.fingerprint FROM 16 * i.place::integer - 15 FOR 16)
    ORDER BY i.id
    LIMIT 1), NULL
FROM seals s
LEFT JOIN imports m ON m.id = s.owner_id
CROSS JOIN LATERAL (
    SELECT string_agg(item_fingerprint(i), '' ORDER BY i.id) AS fingerprint
    FROM items i
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
  AND NOT EXISTS (SELECT FROM audit_log l WHERE l.created_at = s.created_at);

-- What is here is sealed as it is now.
INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
SELECT 'items', i.import_id, min(i.id), max(i.id), count(*), string_agg(item_fingerprint(i), '' ORDER BY i.id)
FROM items i GROUP BY i.import_id, i.id / 5000;
INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
SELECT 'pseudonym', m.project_id, m.account_id, m.account_id, 1, pseudonym_fingerprint(m) FROM members m;
INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
SELECT 'reference', r.item_id, r.item_id, r.item_id, 1, reference_fingerprint(r) FROM reference_answers r;
SELECT seal_labels(b.id) FROM batches b WHERE b.closed_at IS NOT NULL;

-- No table whose rows must stay can be emptied, nor any of its partitions.
DO $$
DECLARE
    kept regclass;
BEGIN
    FOR kept IN
        SELECT DISTINCT g.tgrelid::regclass FROM pg_trigger g
        WHERE g.tgname IN ('append_only', 'keep_rows') AND NOT EXISTS (
            SELECT FROM pg_trigger t WHERE t.tgrelid = g.tgrelid AND t.tgname = 'append_only_truncate')
    LOOP
        EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION reject_change()', kept);
    END LOOP;
END $$;

-- The partitions of later versions have the trigger too.
CREATE OR REPLACE FUNCTION create_partitions(version_id integer, names text[], conditions text[]) RETURNS void
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
