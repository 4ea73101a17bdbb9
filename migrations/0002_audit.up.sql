CREATE TABLE audit_log (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    created_at  timestamptz NOT NULL DEFAULT now(),
    account_id  bigint REFERENCES accounts, -- null: no account, such as a command or a failed sign-in
    action      text NOT NULL,
    subject     text NOT NULL DEFAULT '',
    detail      jsonb NOT NULL DEFAULT '{}',
    project_key text GENERATED ALWAYS AS ("substring"(subject, '^(?!account |protocol )[a-z_]+ ([a-z0-9][a-z0-9-]*)'::text)) STORED
);
CREATE INDEX audit_log_sign_in_failed ON audit_log (subject, created_at)
    WHERE (action = 'account.sign_in_failed'::text);
CREATE INDEX audit_log_created_at_id_idx ON audit_log (created_at, id);
CREATE INDEX audit_log_account_id_created_at_id_idx ON audit_log (account_id, created_at, id);
CREATE INDEX audit_log_action_created_at_id_idx ON audit_log (action, created_at, id);
CREATE INDEX audit_log_account_id_action_created_at_id_idx ON audit_log (account_id, action, created_at, id);
CREATE INDEX audit_log_project_key_created_at_id_idx ON audit_log (project_key, created_at, id)
    WHERE (project_key IS NOT NULL);
CREATE INDEX audit_log_project_key_account_id_created_at_id_idx ON audit_log (project_key, account_id, created_at, id)
    WHERE (project_key IS NOT NULL);
CREATE INDEX audit_log_project_key_action_created_at_id_idx ON audit_log (project_key, action, created_at, id)
    WHERE (project_key IS NOT NULL);
CREATE INDEX audit_log_items ON audit_log USING gin ((detail -> 'item') jsonb_path_ops, (detail -> 'ids') jsonb_path_ops);
COMMENT ON TABLE audit_log IS 'Records every change that is not an annotation. It is append-only.';

CREATE TABLE seals (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL
        CONSTRAINT seals_kind_known CHECK (kind IN ('items', 'pseudonym', 'reference', 'labels', 'erasure')),
    owner_id    bigint NOT NULL, -- items: the import; pseudonym: the project; reference: the item; labels: the batch; erasure: itself
    first_id    bigint NOT NULL, -- items and labels: of the rows from here
    last_id     bigint NOT NULL, -- to here; pseudonym: the account; reference: the item
    row_count   integer NOT NULL, -- reference: 0 if the answers were removed
    fingerprint bytea NOT NULL, -- items: 16 bytes for each, in the order of ids; otherwise a hash of all rows
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX seals_owner ON seals (kind, owner_id, last_id, id);
COMMENT ON TABLE seals IS 'Holds fingerprints of rows that must stay as they are: items, pseudonyms, reference answers, and labels of closed batches. They are links of the audit chain. Only triggers write it.';

CREATE TABLE erasures (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind       text NOT NULL
        CONSTRAINT erasures_kind_known CHECK (kind IN ('user', 'items', 'project')),
    subject_id bigint NOT NULL, -- user: the account; otherwise the project
    with_notes boolean NOT NULL, -- user: also what they wrote
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by bigint REFERENCES accounts -- null: a command
);
CREATE INDEX erasures_kind_subject_id_idx ON erasures (kind, subject_id);
COMMENT ON TABLE erasures IS 'Records what was erased, without its content. Only the functions that erase write it.';

CREATE TABLE erased_rows (
    table_name         text,
    row_id             bigint,
    erasure_id         bigint REFERENCES erasures,
    fingerprint        bytea NOT NULL, -- of the row before; it stands for the row in its seal
    erased_fingerprint bytea NOT NULL, -- of the row since then
    PRIMARY KEY (table_name, row_id, erasure_id)
);
CREATE INDEX erased_rows_erasure_id_idx ON erased_rows (erasure_id);
COMMENT ON TABLE erased_rows IS 'Lists the rows that an erasure changed although they are append-only or sealed. Their fingerprints keep the seals and the audit chain intact.';

CREATE VIEW erased_fingerprints AS
SELECT DISTINCT ON (table_name, row_id) table_name, row_id, fingerprint
FROM erased_rows
ORDER BY table_name, row_id, erasure_id;
COMMENT ON VIEW erased_fingerprints IS 'Lists the fingerprints that erased rows had at first, when they were sealed.';

CREATE FUNCTION is_being_erased(of_table text, changed_row jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM erased_rows r JOIN erasures e ON e.id = r.erasure_id
        WHERE r.table_name = of_table AND r.row_id = coalesce(changed_row ->> 'id', changed_row ->> 'project_id')::bigint AND e.created_at = now())
$$;
COMMENT ON FUNCTION is_being_erased IS 'Reports whether the transaction has recorded the erasure of a row.';

CREATE FUNCTION erasure_fingerprint(e erasures) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to(to_jsonb(e)::text, 'UTF8') || coalesce(string_agg(
        convert_to(r.table_name || r.row_id, 'UTF8') || r.fingerprint || r.erased_fingerprint, '' ORDER BY r.table_name, r.row_id), ''))
    FROM erased_rows r
    WHERE r.erasure_id = e.id
$$;
COMMENT ON FUNCTION erasure_fingerprint IS 'Returns a hash of the record of an erasure and of the rows that it changed.';

CREATE TABLE audit_chain (
    sequence_no integer PRIMARY KEY, -- from 1, without gaps
    entry_id    bigint CONSTRAINT audit_chain_entry_unique UNIQUE REFERENCES audit_log,
    hash        bytea NOT NULL,
    seal_id     bigint CONSTRAINT audit_chain_seal_unique UNIQUE REFERENCES seals,
    CONSTRAINT audit_chain_one_of CHECK (num_nonnulls(entry_id, seal_id) = 1)
);
COMMENT ON TABLE audit_chain IS 'Makes a changed, deleted or reordered entry of the audit log, or seal, visible: each link''s hash covers the previous hash and its entry or seal. Only triggers write it.';

CREATE TABLE audit_chain_end (
    only_row    boolean DEFAULT true PRIMARY KEY
        CONSTRAINT audit_chain_end_only_row CHECK (only_row),
    sequence_no integer NOT NULL,
    hash        bytea NOT NULL
);
COMMENT ON TABLE audit_chain_end IS 'Holds the last link in its only row, so that links deleted from the end are noticed. Its lock puts concurrent writers in order.';

CREATE FUNCTION audit_hash(previous_hash bytea, sequence_no integer, entry audit_log) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(previous_hash || convert_to(jsonb_build_array(
        sequence_no, entry.id, extract(epoch FROM entry.created_at), entry.account_id, entry.action, entry.subject, entry.detail)::text, 'UTF8'))
$$;
COMMENT ON FUNCTION audit_hash IS 'Returns the hash of a link. The text of jsonb is canonical.';

CREATE FUNCTION seal_hash(previous_hash bytea, sequence_no integer, seal seals) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(previous_hash || convert_to(jsonb_build_array(sequence_no, 'seal', seal.id, extract(epoch FROM seal.created_at), seal.kind,
        seal.owner_id, seal.first_id, seal.last_id, seal.row_count)::text, 'UTF8') || seal.fingerprint)
$$;
COMMENT ON FUNCTION seal_hash IS 'Returns the hash of a link that covers a seal.';

CREATE VIEW audit_problems AS
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
    WHEN EXISTS (SELECT FROM erased_rows r WHERE r.table_name = 'audit_log' AND r.row_id = k.entry_id) THEN k.hash
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
COMMENT ON VIEW audit_problems IS 'Lists what is wrong with the audit log, in the order of the chain: entries that were changed, deleted or added without a link. What is left of an erased entry is checked by data_problems.';

CREATE FUNCTION append_to_audit_chain() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    last audit_chain_end;
BEGIN
    SELECT * INTO STRICT last FROM audit_chain_end FOR UPDATE;
    last.sequence_no := last.sequence_no + 1;
    last.hash := audit_hash(last.hash, last.sequence_no, NEW);
    INSERT INTO audit_chain (sequence_no, entry_id, hash) VALUES (last.sequence_no, NEW.id, last.hash);
    UPDATE audit_chain_end SET sequence_no = last.sequence_no, hash = last.hash;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION append_to_audit_chain FROM PUBLIC;
COMMENT ON FUNCTION append_to_audit_chain IS 'Trigger: adds the link of an entry to the audit chain when the transaction commits. Other writers wait for that moment only, and no lock is taken after this one.';
CREATE CONSTRAINT TRIGGER audit_log_chained AFTER INSERT ON audit_log
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION append_to_audit_chain();

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
REVOKE EXECUTE ON FUNCTION append_seal_to_audit_chain FROM PUBLIC;
COMMENT ON FUNCTION append_seal_to_audit_chain IS 'Trigger: adds the link of a seal to the audit chain when the transaction commits.';
CREATE CONSTRAINT TRIGGER seals_chained AFTER INSERT ON seals
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION append_seal_to_audit_chain();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_chain
    FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON audit_chain
    FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON seals FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON seals FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON erasures FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON erasures FOR EACH STATEMENT EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON erased_rows FOR EACH ROW EXECUTE FUNCTION reject_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON erased_rows FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

INSERT INTO audit_chain_end (sequence_no, hash) VALUES (0, '');
