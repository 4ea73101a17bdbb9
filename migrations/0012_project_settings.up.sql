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

-- required_documents lists what annotators must read before the items, in this order: the
-- content warning each day, instructions and guide in their current version.
CREATE FUNCTION required_documents(content_warning text, content_warning_version integer, instructions text, instructions_version integer, guide_revision integer)
RETURNS TABLE (document_no integer, document text, version integer, is_daily boolean) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT d.document_no, d.document, d.version, d.is_daily
    FROM (VALUES
        (1, 'content_warning', content_warning_version, true, content_warning <> ''),
        (2, 'instructions', instructions_version, false, instructions <> ''),
        (3, 'guide', guide_revision, false, true)) d (document_no, document, version, is_daily, is_required)
    WHERE d.is_required $$;

-- pending_documents lists the required documents that a member of a project has not
-- acknowledged yet.
CREATE FUNCTION pending_documents(of_project_id bigint, of_account_id bigint,
    content_warning text, content_warning_version integer, instructions text, instructions_version integer, guide_revision integer)
RETURNS TABLE (document_no integer, document text, version integer) LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT d.document_no, d.document, d.version
    FROM required_documents(content_warning, content_warning_version, instructions, instructions_version, guide_revision) d
    WHERE NOT EXISTS (
        SELECT FROM reading_acknowledgments k
        WHERE k.project_id = of_project_id AND k.account_id = of_account_id AND k.document = d.document
          AND k.version >= d.version AND (NOT d.is_daily OR k.day = current_date)) $$;

-- required_reading lists the required documents of batches.
CREATE VIEW required_reading AS
SELECT b.id AS batch_id, b.project_id, d.*
FROM batches b
JOIN projects p ON p.id = b.project_id
CROSS JOIN LATERAL required_documents(p.content_warning, p.content_warning_version, p.instructions, p.instructions_version, b.protocol_revision) d;

-- pending_reading lists the pending documents of the members of batches. Without them, no
-- text of an item is shown and no item is submitted.
CREATE VIEW pending_reading AS
SELECT b.id AS batch_id, m.account_id, d.document_no, d.document, d.version
FROM batches b
JOIN projects p ON p.id = b.project_id
JOIN members m ON m.project_id = p.id
CROSS JOIN LATERAL pending_documents(p.id, m.account_id,
    p.content_warning, p.content_warning_version, p.instructions, p.instructions_version, b.protocol_revision) d;

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

-- is_active_annotator reports whether an annotator can label: not removed from the batch, a
-- member of the project, which is not archived.
CREATE FUNCTION is_active_annotator(removed_at timestamptz, member_removed_at timestamptz, project_archived_at timestamptz)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT removed_at IS NULL AND member_removed_at IS NULL AND project_archived_at IS NULL $$;

-- active_annotators lists the active annotators of each batch. A removed one keeps the rows
-- of batch_annotators, because labels refer to them.
CREATE OR REPLACE VIEW active_annotators AS
SELECT ba.batch_id, ba.account_id, ba.paused_at
FROM batch_annotators ba
JOIN batches b ON b.id = ba.batch_id
JOIN projects p ON p.id = b.project_id
JOIN members m ON m.project_id = b.project_id AND m.account_id = ba.account_id
WHERE is_active_annotator(ba.removed_at, m.removed_at, p.archived_at);
