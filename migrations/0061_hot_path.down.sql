ALTER TABLE batch_annotators RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_analyze_scale_factor, autovacuum_analyze_threshold);
ALTER TABLE annotator_days RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_analyze_scale_factor, autovacuum_analyze_threshold);
ALTER TABLE members RESET (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_analyze_scale_factor, autovacuum_analyze_threshold);
DROP TRIGGER append_only_truncate ON protocol_versions;
DROP TRIGGER append_only_truncate ON projects;
DROP TRIGGER append_only_truncate ON accounts;
DROP TRIGGER keep_rows ON protocol_versions;
DROP TRIGGER keep_rows ON projects;
DROP TRIGGER keep_rows ON accounts;
CREATE INDEX breaks_account_id_ended_at_idx1 ON breaks (account_id, ended_at);
DROP TRIGGER keep_keys ON batch_annotators;
DROP TRIGGER check_new_assignment ON assignments;
DROP FUNCTION check_new_assignment;
DROP TRIGGER check_new_adjudication ON adjudications;
DROP FUNCTION check_new_adjudication;
DROP TRIGGER check_new_annotation ON annotations;
DROP FUNCTION check_new_annotation;
CREATE FUNCTION queue_labeled_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unmeasured_items (item_id, protocol_version_id) VALUES (NEW.item_id, NEW.protocol_version_id);
    RETURN NULL;
END $$;
CREATE TRIGGER queue_labeled_item AFTER INSERT ON annotations
    FOR EACH ROW EXECUTE FUNCTION queue_labeled_item();
ALTER TABLE items ADD CONSTRAINT items_id_facts_unique UNIQUE (id, facts);
ALTER TABLE assignments
    ADD CONSTRAINT assignments_annotation_reference_unique UNIQUE (id, item_id, account_id, batch_id, protocol_version_id),
    ADD CONSTRAINT assignments_batch_id_item_id_fkey FOREIGN KEY (batch_id, item_id) REFERENCES batch_items,
    ADD CONSTRAINT assignments_batch_id_account_id_fkey FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators;
ALTER TABLE adjudications ADD CONSTRAINT adjudications_item_id_facts_fkey FOREIGN KEY (item_id, facts) REFERENCES items (id, facts);
ALTER TABLE annotations
    ADD CONSTRAINT annotations_item_id_facts_fkey FOREIGN KEY (item_id, facts) REFERENCES items (id, facts),
    ADD CONSTRAINT annotations_assignment_id_item_id_account_id_batch_id_prot_fkey FOREIGN KEY (assignment_id, item_id, account_id, batch_id, protocol_version_id)
        REFERENCES assignments (id, item_id, account_id, batch_id, protocol_version_id),
    ADD CONSTRAINT annotations_protocol_version_id_revision_fkey FOREIGN KEY (protocol_version_id, revision) REFERENCES protocol_revisions;
