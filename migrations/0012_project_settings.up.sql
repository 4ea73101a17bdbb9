ALTER TABLE projects
    -- Markdown; what the protocol leaves to the project, such as a citation format.
    ADD COLUMN instructions text NOT NULL DEFAULT ''
        CONSTRAINT projects_instructions_length CHECK (char_length(instructions) <= 20000),
    ADD COLUMN instructions_version integer NOT NULL DEFAULT 1, -- increases with each change
    ADD COLUMN created_with bigint REFERENCES projects, -- the first of the projects that were created together; they share uploads
    ADD COLUMN archived_at timestamptz, -- since then the project is read-only
    ADD COLUMN archived_by bigint REFERENCES accounts; -- null: a command, or not archived
CREATE INDEX ON projects (created_with);

-- upload_targets holds the further projects that an upload fills.
CREATE TABLE upload_targets (
    token      text NOT NULL REFERENCES uploads ON DELETE CASCADE,
    project_id bigint NOT NULL REFERENCES projects,
    item_count integer NOT NULL,
    PRIMARY KEY (token, project_id)
);

-- required_texts keeps every version of the texts of a project that its annotators must
-- read. The trigger below writes it.
CREATE TABLE required_texts (
    project_id bigint NOT NULL REFERENCES projects,
    document   text NOT NULL CONSTRAINT required_texts_document_known CHECK (document IN ('content_warning', 'instructions')),
    version    integer NOT NULL,
    content    text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, document, version)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON required_texts
    FOR EACH ROW EXECUTE FUNCTION reject_change();

-- number_required_texts gives a changed text the next version.
CREATE FUNCTION number_required_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.content_warning_version := OLD.content_warning_version + (NEW.content_warning <> OLD.content_warning)::int;
    NEW.instructions_version := OLD.instructions_version + (NEW.instructions <> OLD.instructions)::int;
    RETURN NEW;
END $$;
CREATE TRIGGER number_required_texts BEFORE UPDATE OF content_warning, instructions ON projects
    FOR EACH ROW EXECUTE FUNCTION number_required_texts();

-- keep_required_texts stores the versions that are not empty.
CREATE FUNCTION keep_required_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO required_texts (project_id, document, version, content)
    SELECT NEW.id, t.document, t.version, t.content
    FROM (VALUES ('content_warning', NEW.content_warning_version, NEW.content_warning),
                 ('instructions', NEW.instructions_version, NEW.instructions)) t (document, version, content)
    WHERE t.content <> ''
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_required_texts AFTER INSERT OR UPDATE OF content_warning, instructions ON projects
    FOR EACH ROW EXECUTE FUNCTION keep_required_texts();

-- reading_acknowledgments records that a member read a document of a project on a day.
CREATE TABLE reading_acknowledgments (
    project_id      bigint NOT NULL REFERENCES projects,
    account_id      bigint NOT NULL REFERENCES accounts,
    document        text NOT NULL CONSTRAINT reading_acknowledgments_document_known
                    CHECK (document IN ('content_warning', 'instructions', 'guide')),
    version         integer NOT NULL, -- of the guide: the revision of the protocol
    day             date NOT NULL DEFAULT current_date,
    acknowledged_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, account_id, document, version, day)
);

-- required_reading lists what the annotators of a batch must read before its items, in this
-- order: the content warning each day, instructions and guide in their current version.
CREATE VIEW required_reading AS
SELECT b.id AS batch_id, b.project_id, d.document_no, d.document, d.version, d.is_daily
FROM batches b
JOIN projects p ON p.id = b.project_id
CROSS JOIN LATERAL (VALUES
    (1, 'content_warning', p.content_warning_version, true, p.content_warning <> ''),
    (2, 'instructions', p.instructions_version, false, p.instructions <> ''),
    (3, 'guide', b.protocol_revision, false, true)) d (document_no, document, version, is_daily, is_required)
WHERE d.is_required;

-- pending_reading lists what a member has not acknowledged yet. Without it, no text of an
-- item is shown and no item is submitted.
CREATE VIEW pending_reading AS
SELECT r.batch_id, m.account_id, r.document_no, r.document, r.version
FROM required_reading r
JOIN members m ON m.project_id = r.project_id
WHERE NOT EXISTS (
    SELECT FROM reading_acknowledgments k
    WHERE k.project_id = r.project_id AND k.account_id = m.account_id AND k.document = r.document
      AND k.version >= r.version AND (NOT r.is_daily OR k.day = current_date));

-- reject_archived_change rejects a change in an archived project. Its argument is the
-- column that leads to the project.
CREATE FUNCTION reject_archived_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    row_id bigint := (to_jsonb(NEW) ->> TG_ARGV[0])::bigint;
    found_id bigint := CASE TG_ARGV[0]
        WHEN 'item_id' THEN (SELECT i.project_id FROM items i WHERE i.id = row_id)
        WHEN 'batch_id' THEN (SELECT b.project_id FROM batches b WHERE b.id = row_id)
        ELSE row_id END;
BEGIN
    IF EXISTS (SELECT FROM projects p WHERE p.id = found_id AND p.archived_at IS NOT NULL) THEN
        RAISE EXCEPTION 'project % is archived', found_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'projects_archived_unchanged';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER reject_archived_change BEFORE UPDATE ON projects
    FOR EACH ROW WHEN (OLD.archived_at IS NOT NULL AND NEW.archived_at IS NOT NULL) EXECUTE FUNCTION reject_archived_change('id');
CREATE TRIGGER reject_archived_change BEFORE INSERT OR UPDATE ON batches
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('project_id');
CREATE TRIGGER reject_archived_change BEFORE INSERT ON imports
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('project_id');
CREATE TRIGGER reject_archived_change BEFORE INSERT ON uploads
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('project_id');
CREATE TRIGGER reject_archived_change BEFORE INSERT ON members
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('project_id');
CREATE TRIGGER reject_archived_role BEFORE UPDATE ON members
    FOR EACH ROW WHEN ((OLD.role, OLD.removed_at) IS DISTINCT FROM (NEW.role, NEW.removed_at)) EXECUTE FUNCTION reject_archived_change('project_id');
CREATE TRIGGER reject_archived_change BEFORE INSERT OR UPDATE ON reference_answers
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('item_id');
CREATE TRIGGER reject_archived_change BEFORE INSERT ON adjudications
    FOR EACH ROW EXECUTE FUNCTION reject_archived_change('project_id');
CREATE TRIGGER reject_archived_change BEFORE UPDATE ON assignments
    FOR EACH ROW WHEN (NEW.reopened AND NOT OLD.reopened) EXECUTE FUNCTION reject_archived_change('batch_id');

-- active_annotators lists the annotators of each batch who are members of its
-- project, unless the project is archived. Only they can label. A removed one keeps the rows
-- of batch_annotators, because labels refer to them.
CREATE OR REPLACE VIEW active_annotators AS
SELECT ba.batch_id, ba.account_id, ba.paused_at
FROM batch_annotators ba
JOIN batches b ON b.id = ba.batch_id
JOIN projects p ON p.id = b.project_id
JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
WHERE m.removed_at IS NULL AND ba.removed_at IS NULL AND p.archived_at IS NULL;
