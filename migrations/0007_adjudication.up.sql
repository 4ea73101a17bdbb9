-- adjudications holds the final answers that an adjudicator decided for an
-- item. It is append-only: a revised decision names the one it replaces and a
-- reason. Each protocol version has its own partition, with the CHECKs of its
-- annotations.
CREATE SEQUENCE adjudications_id_seq;
CREATE TABLE adjudications (
    id                  bigint NOT NULL DEFAULT nextval('adjudications_id_seq'),
    protocol_version_id integer NOT NULL,
    revision            integer NOT NULL,
    project_id          bigint NOT NULL,
    item_id             bigint NOT NULL,
    decision_no         smallint NOT NULL, -- of the item, from 1
    replaces_id         bigint,            -- the previous decision
    account_id          bigint REFERENCES accounts, -- null: decided by command
    answers             jsonb NOT NULL,
    observations        text[] NOT NULL DEFAULT '{}',
    unsure              text[] NOT NULL DEFAULT '{}',
    note                text NOT NULL DEFAULT '',
    facts               jsonb NOT NULL,
    annotation_ids      bigint[] NOT NULL, -- the annotations that were compared
    cause               text NOT NULL DEFAULT '',
    reason              text NOT NULL DEFAULT '',
    created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (protocol_version_id, id),
    CONSTRAINT adjudications_decision_unique UNIQUE (protocol_version_id, item_id, decision_no),
    CONSTRAINT adjudications_cause_known
        CHECK (cause IN ('', 'unclear_guideline', 'annotator_mistake', 'ambiguous_item', 'bad_data')),
    CONSTRAINT adjudications_reason_length CHECK (char_length(reason) <= 1000),
    CONSTRAINT adjudications_annotations_not_empty CHECK (cardinality(annotation_ids) > 0),
    CONSTRAINT adjudications_revision_has_reason
        CHECK (decision_no = 1 AND replaces_id IS NULL OR decision_no > 1 AND replaces_id IS NOT NULL AND reason <> ''),
    FOREIGN KEY (protocol_version_id, revision) REFERENCES protocol_revisions,
    FOREIGN KEY (project_id, protocol_version_id) REFERENCES projects (id, protocol_version_id),
    FOREIGN KEY (item_id, facts) REFERENCES items (id, facts),
    FOREIGN KEY (protocol_version_id, replaces_id) REFERENCES adjudications (protocol_version_id, id)
) PARTITION BY LIST (protocol_version_id);
CREATE INDEX ON adjudications (project_id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON adjudications
    FOR EACH ROW EXECUTE FUNCTION reject_change();

-- current_adjudications lists the decisions that count: the last one on each item.
CREATE VIEW current_adjudications AS
SELECT d.*
FROM adjudications d
WHERE NOT EXISTS (
    SELECT FROM adjudications later
    WHERE later.protocol_version_id = d.protocol_version_id AND later.item_id = d.item_id AND later.decision_no > d.decision_no);

-- adjudication_drafts holds a decision as typed, until it is saved.
CREATE TABLE adjudication_drafts (
    item_id      bigint NOT NULL REFERENCES items ON DELETE CASCADE,
    account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    version      bigint NOT NULL,
    saved_by_tab text NOT NULL DEFAULT '',
    decision     jsonb NOT NULL,
    saved_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (item_id, account_id)
);
CREATE INDEX ON adjudication_drafts (account_id);

-- create_partitions creates the partitions of a protocol version that do not
-- exist, and the function that checks its rules. The application has no right
-- to create tables, so this runs with the rights of the owner. It attaches
-- finished tables, so that readers and writers of other partitions do not wait;
-- the foreign keys block writers of the referenced tables until the transaction
-- ends.
--
-- Each partition has one CHECK, which calls the function. The function raises a
-- check_violation with the name of the first rule that a row breaks, as one CHECK
-- per rule would. PostgreSQL prepares the expressions of CHECKs for every
-- statement, but the body of a function once per connection: thirty rules as
-- CHECKs cost a millisecond per row.
--
-- The conditions become part of a function. Only the words and signs that
-- conditions of rules are made of are allowed, so none can do anything else.
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
        EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES IN (%s)', parent, name, version_id);
    END LOOP;
END $create_partitions$;
REVOKE EXECUTE ON FUNCTION create_partitions FROM PUBLIC;
