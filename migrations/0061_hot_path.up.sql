-- What a submit writes. A foreign key locks the row it refers to, and after each checkpoint the first lock of a page writes
-- all of it: most of the log of a submit were pages of items and batch_items that never change. None of these rows can be
-- deleted or get another key (keep_rows, keep_keys, keep_content), so looking once, without a lock, holds for ever.
ALTER TABLE annotations
    DROP CONSTRAINT annotations_protocol_version_id_revision_fkey,
    DROP CONSTRAINT annotations_assignment_id_item_id_account_id_batch_id_prot_fkey,
    DROP CONSTRAINT annotations_item_id_facts_fkey;
ALTER TABLE adjudications DROP CONSTRAINT adjudications_item_id_facts_fkey;
ALTER TABLE assignments
    DROP CONSTRAINT assignments_batch_id_item_id_fkey,
    DROP CONSTRAINT assignments_batch_id_account_id_fkey,
    DROP CONSTRAINT assignments_annotation_reference_unique;
ALTER TABLE items DROP CONSTRAINT items_id_facts_unique;

DROP TRIGGER queue_labeled_item ON annotations;
DROP FUNCTION queue_labeled_item;
-- check_new_annotation rejects an annotation that is not of its assignment, of the facts of its item, or under a wording of its
-- protocol, and queues its item to be measured.
CREATE FUNCTION check_new_annotation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM assignments a
        WHERE a.id = NEW.assignment_id AND a.item_id = NEW.item_id AND a.account_id = NEW.account_id AND a.batch_id = NEW.batch_id
          AND a.protocol_version_id = NEW.protocol_version_id) THEN
        RAISE EXCEPTION 'an annotation that is not of its assignment'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'annotations_of_assignment';
    END IF;
    IF NOT EXISTS (SELECT FROM items i WHERE i.id = NEW.item_id AND i.facts = NEW.facts) THEN
        RAISE EXCEPTION 'an annotation with other facts than its item'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'annotations_facts_of_item';
    END IF;
    IF NOT EXISTS (SELECT FROM protocol_revisions r WHERE r.protocol_version_id = NEW.protocol_version_id AND r.revision = NEW.revision) THEN
        RAISE EXCEPTION 'an annotation under a wording that was not published'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'annotations_of_revision';
    END IF;
    INSERT INTO unmeasured_items (item_id, protocol_version_id) VALUES (NEW.item_id, NEW.protocol_version_id);
    RETURN NULL;
END $$;
CREATE TRIGGER check_new_annotation AFTER INSERT ON annotations FOR EACH ROW EXECUTE FUNCTION check_new_annotation();

CREATE FUNCTION check_new_adjudication() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM items i WHERE i.id = NEW.item_id AND i.facts = NEW.facts) THEN
        RAISE EXCEPTION 'an adjudication with other facts than its item'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'adjudications_facts_of_item';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_new_adjudication AFTER INSERT ON adjudications FOR EACH ROW EXECUTE FUNCTION check_new_adjudication();

-- check_new_assignment rejects an assignment of an item or an annotator that the batch does not have.
CREATE FUNCTION check_new_assignment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM batch_items i WHERE i.batch_id = NEW.batch_id AND i.item_id = NEW.item_id) THEN
        RAISE EXCEPTION 'an assignment of an item that is not in its batch'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'assignments_item_in_batch';
    END IF;
    IF NOT EXISTS (SELECT FROM batch_annotators a WHERE a.batch_id = NEW.batch_id AND a.account_id = NEW.account_id) THEN
        RAISE EXCEPTION 'an assignment to an account that is not an annotator of its batch'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'assignments_annotator_in_batch';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_new_assignment AFTER INSERT ON assignments FOR EACH ROW EXECUTE FUNCTION check_new_assignment();
CREATE TRIGGER keep_keys BEFORE UPDATE OF batch_id, account_id ON batch_annotators FOR EACH ROW
    WHEN ((NEW.batch_id, NEW.account_id) IS DISTINCT FROM (OLD.batch_id, OLD.account_id)) EXECUTE FUNCTION reject_change();

-- What others refer to stays, so that no reference needs an index to look for those who refer to a row that is deleted.
CREATE TRIGGER keep_rows BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON projects FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER keep_rows BEFORE DELETE ON protocol_versions FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON projects FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON protocol_versions FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

-- The same columns were indexed twice.
DROP INDEX breaks_account_id_ended_at_idx1;

-- Every submit updates a row of these small tables in place; the pages are cleaned as they are read. A vacuum or an analysis of
-- them finds little, but makes all connections plan their statements again.
ALTER TABLE members SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);
ALTER TABLE annotator_days SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);
ALTER TABLE batch_annotators SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);
