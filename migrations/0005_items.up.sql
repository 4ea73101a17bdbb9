CREATE TABLE uploads (
    token          text PRIMARY KEY,
    project_id     bigint NOT NULL REFERENCES projects,
    account_id     bigint NOT NULL REFERENCES accounts,
    file_name      text NOT NULL
        CONSTRAINT uploads_file_name_length CHECK (char_length(file_name) BETWEEN 1 AND 200),
    sha256         bytea,
    chunk_count    integer,
    item_count     integer,
    created_at     timestamptz NOT NULL DEFAULT now(),
    size_bytes     bigint NOT NULL DEFAULT 0 -- of the whole file, as declared; 0: not known before its end
        CONSTRAINT uploads_size_not_negative CHECK (size_bytes >= 0),
    received_bytes bigint NOT NULL DEFAULT 0
        CONSTRAINT uploads_received_not_negative CHECK (received_bytes >= 0),
    -- of its first bytes, which differ between files of the same name and size; null: does not arrive in pieces
    start_sha256   bytea
        CONSTRAINT uploads_start_sha256_length CHECK (octet_length(start_sha256) = 32),
    hash_state     bytea, -- of the SHA-256 of the received bytes
    preview        json, -- of its items; null: not read, or with errors
    file_errors    json, -- found by the last reading
    reading        jsonb NOT NULL DEFAULT '{}'
        CONSTRAINT uploads_reading_length CHECK (char_length(reading::text) <= 10000),
    CONSTRAINT uploads_received_completely CHECK (num_nulls(sha256, chunk_count) IN (0, 2)),
    CONSTRAINT uploads_validated_after_receipt CHECK (item_count IS NULL OR sha256 IS NOT NULL)
);
CREATE UNIQUE INDEX uploads_one_per_account ON uploads (project_id, account_id) WHERE (sha256 IS NOT NULL);
CREATE INDEX uploads_account_id_idx ON uploads (account_id);
COMMENT ON TABLE uploads IS 'Holds files until a lead confirms the import. They are deleted after a day, and an account has at most one validated file per project.';

CREATE TABLE upload_targets (
    token      text REFERENCES uploads ON DELETE CASCADE,
    project_id bigint REFERENCES projects,
    item_count integer,
    preview    json,
    PRIMARY KEY (token, project_id)
);
COMMENT ON TABLE upload_targets IS 'Holds the further projects that an upload fills.';

CREATE TABLE upload_chunks (
    token    text REFERENCES uploads ON DELETE CASCADE,
    chunk_no integer, -- from 0
    content  bytea NOT NULL,
    PRIMARY KEY (token, chunk_no)
);
COMMENT ON TABLE upload_chunks IS 'Holds the content of uploads in pieces, so that no process has a whole file in memory.';
ALTER TABLE upload_chunks ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE imports (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id   bigint NOT NULL REFERENCES projects,
    sha256       bytea NOT NULL,
    file_name    text NOT NULL,
    item_count   integer NOT NULL,
    created_by   bigint REFERENCES accounts, -- null: imported by command
    created_at   timestamptz NOT NULL DEFAULT now(),
    ledger       jsonb NOT NULL DEFAULT '{}',
    invalid_rows text NOT NULL DEFAULT '',
    CONSTRAINT imports_file_unique UNIQUE (project_id, sha256)
);
COMMENT ON TABLE imports IS 'Holds one row per imported file. The same file is imported once.';

CREATE TABLE import_tasks (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id   bigint NOT NULL REFERENCES projects,
    account_id   bigint NOT NULL REFERENCES accounts,
    upload_token text NOT NULL, -- of an upload, which is deleted by its import
    kind         text NOT NULL
        CONSTRAINT import_tasks_kind_known CHECK (kind IN ('read', 'import')),
    done_bytes   bigint NOT NULL DEFAULT 0,
    total_bytes  bigint NOT NULL DEFAULT 0,
    problem      text NOT NULL DEFAULT '', -- why it failed
    created_at   timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz,
    job_id       bigint,
    CONSTRAINT import_tasks_bytes_not_negative CHECK (done_bytes >= 0 AND total_bytes >= 0)
);
CREATE INDEX import_tasks_upload_token_idx ON import_tasks (upload_token);
CREATE INDEX import_tasks_created_at_idx ON import_tasks (created_at);
COMMENT ON TABLE import_tasks IS 'Large uploads that a job reads or imports, so that every server can show how far they are. An import stores all of its items or none.';
COMMENT ON COLUMN import_tasks.job_id IS 'river.river_job, while it is not finished';

CREATE TABLE items (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id     bigint NOT NULL REFERENCES projects,
    import_id      bigint NOT NULL REFERENCES imports,
    source_id      text NOT NULL
        CONSTRAINT items_source_id_length CHECK (char_length(source_id) BETWEEN 1 AND 400),
    record_id      text NOT NULL DEFAULT '', -- items of one record are analyzed as a cluster
    is_calibration boolean NOT NULL DEFAULT false,
    content        jsonb NOT NULL,
    facts          jsonb NOT NULL,
    word_count     integer NOT NULL,
    meta           jsonb NOT NULL DEFAULT '{}', -- never shown to annotators
    title          text NOT NULL DEFAULT '', -- the first line
    preview        text NOT NULL DEFAULT '', -- the second line
    search         tsvector NOT NULL DEFAULT ''::tsvector,
    CONSTRAINT items_source_id_unique UNIQUE (project_id, source_id)
);
CREATE INDEX items_search ON items USING gin (search);
CREATE INDEX items_calibration ON items (project_id, id) WHERE is_calibration;
COMMENT ON TABLE items IS 'Holds the texts to label. Facts are computed from the content at import and never change, so that annotations can refer to them.';
ALTER TABLE items ALTER COLUMN search SET STATISTICS 500;

CREATE TABLE item_tags (
    project_id bigint NOT NULL REFERENCES projects,
    item_id    bigint REFERENCES items,
    tag        text
        CONSTRAINT item_tags_tag_length CHECK (char_length(tag) BETWEEN 1 AND 50)
        CONSTRAINT item_tags_tag_one_line CHECK (is_one_line(tag))
        CONSTRAINT item_tags_tag_without_comma CHECK (strpos(tag, ',') = 0),
    tagged_by  bigint REFERENCES accounts, -- null: a command
    tagged_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (item_id, tag)
);
CREATE INDEX item_tags_project_id_tag_item_id_idx ON item_tags (project_id, tag, item_id);
COMMENT ON TABLE item_tags IS 'Holds the tags that leads gave to items. Annotators never see them.';

CREATE TABLE item_notes (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item_id    bigint NOT NULL REFERENCES items,
    note       text NOT NULL
        CONSTRAINT item_notes_note_length CHECK (char_length(note) BETWEEN 1 AND 2000)
        CONSTRAINT item_notes_note_plain CHECK (is_plain_text(note)),
    written_by bigint REFERENCES accounts, -- null: a command
    written_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX item_notes_item_id_idx ON item_notes (item_id);
COMMENT ON TABLE item_notes IS 'Holds what leads noted about items. Annotators never see it.';

CREATE TABLE empty_records (
    project_id bigint REFERENCES projects ON DELETE CASCADE,
    import_id  bigint NOT NULL REFERENCES imports ON DELETE CASCADE,
    record_id  text,
    PRIMARY KEY (project_id, record_id)
);
CREATE INDEX empty_records_import ON empty_records (import_id);
COMMENT ON TABLE empty_records IS 'Holds the records of imports that retrieved nothing: they have no chunk to label, and count as queries without a hit.';

CREATE TABLE item_conditions (
    project_id bigint REFERENCES projects,
    name       text,
    condition  text,
    PRIMARY KEY (project_id, name, condition)
);
COMMENT ON TABLE item_conditions IS 'Lists the metadata columns with few values, and these values.';

CREATE TABLE search_terms (
    project_id bigint REFERENCES projects,
    term       text,
    trigrams   text[] NOT NULL,
    PRIMARY KEY (project_id, term)
);
CREATE INDEX search_terms_trigrams ON search_terms USING gin (trigrams);
COMMENT ON TABLE search_terms IS 'Holds the words of a project, with their groups of three characters. A search for a part of a word finds the words here first.';

CREATE TABLE available_items (
    project_id  bigint,
    item_id     bigint,
    label_count smallint NOT NULL DEFAULT 0 -- given in closed batches; a new batch needs as many fewer
        CONSTRAINT available_items_label_count_not_negative CHECK (label_count >= 0),
    PRIMARY KEY (project_id, item_id)
);
CREATE INDEX available_items_labeled ON available_items (project_id) WHERE (label_count > 0);
COMMENT ON TABLE available_items IS 'Lists the items that a batch may draw: those in no batch, and those whose batch closed before they had all their labels. Triggers keep it, so there are no foreign keys.';

CREATE FUNCTION item_fingerprint(i items) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT substring(sha256(convert_to(jsonb_build_array(i.id, i.project_id, i.source_id, i.record_id, i.content, i.facts, i.meta)::text, 'UTF8')) FOR 16)
$$;
COMMENT ON FUNCTION item_fingerprint IS 'Returns 16 bytes of a hash of what never changes of an item. The text of jsonb is canonical.';

CREATE FUNCTION insert_item_states() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO item_states (item_id, project_id, is_calibration) SELECT id, project_id, is_calibration FROM changed;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION insert_item_states IS 'Trigger: adds the states of new items.';
CREATE TRIGGER insert_item_states AFTER INSERT ON items
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION insert_item_states();

CREATE FUNCTION mark_calibration_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE item_states SET is_calibration = NEW.is_calibration WHERE item_id = NEW.id;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION mark_calibration_item IS 'Trigger: records in item_states that an item became a calibration item, or stopped being one.';
CREATE TRIGGER mark_calibration_item AFTER UPDATE OF is_calibration ON items
    FOR EACH ROW WHEN (OLD.is_calibration <> NEW.is_calibration) EXECUTE FUNCTION mark_calibration_item();

CREATE FUNCTION add_available_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO available_items (project_id, item_id) SELECT n.project_id, n.id FROM new_items n WHERE NOT n.is_calibration;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION add_available_items IS 'Trigger: lists new items as available.';
CREATE TRIGGER add_available_items AFTER INSERT ON items
    REFERENCING NEW TABLE AS new_items FOR EACH STATEMENT EXECUTE FUNCTION add_available_items();

CREATE FUNCTION change_available_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.is_calibration THEN
        DELETE FROM available_items WHERE project_id = NEW.project_id AND item_id = NEW.id;
    ELSE
        INSERT INTO available_items (project_id, item_id)
        SELECT NEW.project_id, NEW.id WHERE NOT EXISTS (SELECT FROM batch_items bi WHERE bi.item_id = NEW.id);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION change_available_item IS 'Follows an item that becomes a calibration item, or stops being one.';
CREATE TRIGGER change_available_item AFTER UPDATE OF is_calibration ON items FOR EACH ROW
    WHEN (OLD.is_calibration <> NEW.is_calibration) EXECUTE FUNCTION change_available_item();

CREATE FUNCTION seal_items() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
    SELECT 'items', i.import_id, min(i.id), max(i.id), count(*), string_agg(item_fingerprint(i.*::items), '' ORDER BY i.id)
    FROM sealed i
    GROUP BY i.import_id;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION seal_items FROM PUBLIC;
COMMENT ON FUNCTION seal_items IS 'Trigger: seals new items.';
CREATE TRIGGER seal_items AFTER INSERT ON items
    REFERENCING NEW TABLE AS sealed FOR EACH STATEMENT EXECUTE FUNCTION seal_items();

CREATE TRIGGER keep_rows BEFORE DELETE ON items FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER reject_archived_change BEFORE INSERT ON imports
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('project_id');
CREATE TRIGGER reject_archived_change BEFORE INSERT ON uploads
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('project_id');
-- A label, and what it was given for, cannot vanish or change unnoticed: not by TRUNCATE, not by a change of the item's
-- text, and not by hand with all triggers off. A submit pays nothing for it.

-- What an annotator saw, and who gave a label, never changes.
CREATE TRIGGER keep_content BEFORE UPDATE OF id, project_id, import_id, source_id, record_id, content, facts, word_count, meta ON items FOR EACH ROW
    WHEN ((NEW.id, NEW.project_id, NEW.import_id, NEW.source_id, NEW.record_id, NEW.content, NEW.facts, NEW.word_count, NEW.meta)
        IS DISTINCT FROM (OLD.id, OLD.project_id, OLD.import_id, OLD.source_id, OLD.record_id, OLD.content, OLD.facts, OLD.word_count, OLD.meta))
    EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON imports FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON imports FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON items FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
