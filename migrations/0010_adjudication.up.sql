-- Gold answers: what a lead settled an item on. They are only ever added; a
-- later decision on an item points to the one it replaces. Every protocol
-- version has its own partition, with the CHECKs of its annotations.
CREATE SEQUENCE adjudication_ids;
CREATE TABLE adjudications (
    id                  bigint NOT NULL DEFAULT nextval('adjudication_ids'),
    protocol_version_id integer NOT NULL,
    revision            integer NOT NULL,
    project_id          bigint NOT NULL,
    item_id             bigint NOT NULL,
    n                   smallint NOT NULL, -- which decision on the item, from 1
    replaces            bigint,            -- the decision before
    account_id          bigint REFERENCES accounts, -- who decided; none: the program, by command
    answers             jsonb NOT NULL,
    observations        text[] NOT NULL DEFAULT '{}',
    unsure              text[] NOT NULL DEFAULT '{}',
    note                text NOT NULL DEFAULT '',
    facts               jsonb NOT NULL,
    settles             bigint[] NOT NULL, -- the annotations that it was decided over
    cause               text NOT NULL DEFAULT '',
    reason              text NOT NULL DEFAULT '',
    at                  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (protocol_version_id, id),
    CONSTRAINT adjudication_once UNIQUE (protocol_version_id, item_id, n),
    -- No rule of a protocol can have a name with spaces.
    CONSTRAINT "a known cause" CHECK (cause IN ('', 'unclear_guideline', 'annotator_mistake', 'ambiguous_item', 'bad_data')),
    CONSTRAINT "a short reason" CHECK (char_length(reason) <= 1000),
    CONSTRAINT "over some annotations" CHECK (cardinality(settles) > 0),
    CONSTRAINT "anew with a reason" CHECK (n = 1 AND replaces IS NULL OR n > 1 AND replaces IS NOT NULL AND reason <> ''),
    FOREIGN KEY (protocol_version_id, revision) REFERENCES protocol_revisions,
    FOREIGN KEY (project_id, protocol_version_id) REFERENCES projects (id, protocol_version_id),
    FOREIGN KEY (item_id, facts) REFERENCES items (id, facts),
    FOREIGN KEY (protocol_version_id, replaces) REFERENCES adjudications (protocol_version_id, id)
) PARTITION BY LIST (protocol_version_id);
CREATE INDEX ON adjudications (project_id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON adjudications
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Versions that are published already get theirs now; later ones, as they are
-- published.
DO $$
DECLARE
    version integer;
    rule    record;
BEGIN
    FOR version IN SELECT id FROM protocol_versions ORDER BY id LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF adjudications FOR VALUES IN (%s)', 'adjudications_' || version, version);
        FOR rule IN
            SELECT conname, pg_get_constraintdef(oid) AS says
            FROM pg_constraint
            WHERE conrelid = ('annotations_' || version)::regclass AND contype = 'c' AND coninhcount = 0
        LOOP
            EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I %s', 'adjudications_' || version, rule.conname, rule.says);
        END LOOP;
    END LOOP;
END $$;
