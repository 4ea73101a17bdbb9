CREATE TABLE identity.webhooks (
    id                         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id                 bigint NOT NULL REFERENCES projects,
    url                        text NOT NULL
        CONSTRAINT webhooks_url_length CHECK (char_length(url) BETWEEN 1 AND 1000)
        CONSTRAINT webhooks_url_one_line CHECK (is_one_line(url)),
    event_types                text[] NOT NULL
        CONSTRAINT webhooks_event_types_known CHECK (cardinality(event_types) > 0 AND event_types <@ ARRAY['batch.opened', 'batch.changed', 'batch.closed', 'batch.reopened', 'item.completed', 'item.adjudicated', 'verdict.changed', 'export.ready']),
    secret                     text NOT NULL,
    previous_secret            text, -- of the last rotation; it signs, too, until it expires
    previous_secret_expires_at timestamptz,
    created_by                 bigint REFERENCES accounts, -- null: a command
    created_at                 timestamptz NOT NULL DEFAULT now(),
    disabled_at                timestamptz, -- since then nothing is queued or sent
    problem                    text NOT NULL DEFAULT '', -- why the server disabled it; empty: a lead did
    failure_count              integer NOT NULL DEFAULT 0, -- attempts that failed since one succeeded
    -- a receiver that keeps failing gets nothing until then
    resume_at                  timestamptz NOT NULL DEFAULT now(),
    last_delivered_at          timestamptz,
    last_failed_at             timestamptz,
    version                    integer NOT NULL DEFAULT 1,
    CONSTRAINT webhooks_previous_secret_expires CHECK ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL))
);
CREATE INDEX webhooks_project_id_idx ON identity.webhooks (project_id);
COMMENT ON TABLE identity.webhooks IS 'Holds the addresses to which events of a project are sent. The secrets sign the messages, so they are stored as they are, where only the server reads them.';

CREATE TABLE identity.webhook_subjects (
    webhook_id    bigint REFERENCES identity.webhooks ON DELETE CASCADE,
    subject       text,
    pending_count integer NOT NULL, -- events to send
    PRIMARY KEY (webhook_id, subject)
);
COMMENT ON TABLE identity.webhook_subjects IS 'Has a row for each subject with events to send. One job sends them in order while there are any. Adding an event locks the row before the event gets its id, so that the ids of a subject have the order of the commits.';

CREATE TABLE identity.webhook_deliveries (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id    bigint NOT NULL REFERENCES identity.webhooks ON DELETE CASCADE,
    event_id      uuid NOT NULL, -- the same for all webhooks
    event_type    text NOT NULL,
    subject       text NOT NULL, -- such as "batch 7": its events are sent in the order of their ids
    payload       jsonb NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    attempt_count integer NOT NULL DEFAULT 0,
    retry_no      smallint NOT NULL DEFAULT 0, -- failed attempts since it was queued, or sent again
    delivered_at  timestamptz,
    failed_at     timestamptz, -- given up
    CONSTRAINT webhook_deliveries_event_unique UNIQUE (webhook_id, event_id),
    CONSTRAINT webhook_deliveries_one_end CHECK (delivered_at IS NULL OR failed_at IS NULL)
);
CREATE INDEX webhook_deliveries_waiting ON identity.webhook_deliveries (webhook_id, subject, id)
    WHERE ((delivered_at IS NULL) AND (failed_at IS NULL));
CREATE INDEX webhook_deliveries_newest ON identity.webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_ended ON identity.webhook_deliveries (created_at)
    WHERE ((delivered_at IS NOT NULL) OR (failed_at IS NOT NULL));
COMMENT ON TABLE identity.webhook_deliveries IS 'The outbox: the transaction that changes something adds the event for each webhook that wants it. It holds ids, keys, times and counts, and no texts.';

CREATE TABLE identity.webhook_attempts (
    delivery_id bigint REFERENCES identity.webhook_deliveries ON DELETE CASCADE,
    attempt_no  integer,
    started_at  timestamptz NOT NULL,
    duration_ms integer NOT NULL,
    status_code smallint NOT NULL DEFAULT 0, -- 0: no answer
    problem     text NOT NULL DEFAULT '', -- a code; empty: the receiver took it
    answer      text NOT NULL DEFAULT '' -- its first characters
        CONSTRAINT webhook_attempts_answer_length CHECK (char_length(answer) <= 200),
    PRIMARY KEY (delivery_id, attempt_no)
);
COMMENT ON TABLE identity.webhook_attempts IS 'Logs the requests of each delivery.';

CREATE TABLE identity.mail_server (
    only_row   boolean DEFAULT true PRIMARY KEY
        CONSTRAINT mail_server_only_row CHECK (only_row),
    enabled_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE identity.mail_server IS 'Has a row while a server sends mail.';

CREATE TABLE identity.mails (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    kind            text NOT NULL
        CONSTRAINT mails_kind_known CHECK (kind IN ('invitation', 'password', 'address', 'address_changed', 'new_work', 'answer', 'digest')),
    project_id      bigint REFERENCES projects, -- null: no project
    token           text, -- of a link, until the mail is sent
    email           text, -- where it goes, until it is sent; null: the address of the account
    created_at      timestamptz NOT NULL DEFAULT now(),
    outcome_unknown boolean NOT NULL DEFAULT false, -- of an attempt: the mail may have arrived
    sent_at         timestamptz,
    failed_at       timestamptz, -- given up
    problem         text NOT NULL DEFAULT '', -- of the last attempt
    CONSTRAINT mails_token_of_link CHECK (token IS NULL OR kind IN ('invitation', 'password', 'address') AND sent_at IS NULL AND failed_at IS NULL)
);
CREATE UNIQUE INDEX mails_one_pending ON identity.mails (account_id, kind, COALESCE(project_id, (0)::bigint), COALESCE(email, ''::text))
    WHERE ((sent_at IS NULL) AND (failed_at IS NULL));
COMMENT ON TABLE identity.mails IS 'Holds the mails. They have no text: it is made when a job sends the mail. outcome_unknown is set before that, so that a mail whose server stopped is sent again and says that it may be a repetition.';

CREATE TABLE backups (
    created_at timestamptz PRIMARY KEY, -- the moment that it shows
    byte_count bigint NOT NULL
);
COMMENT ON TABLE backups IS 'Records the backups that the command wrote, so that metrics tell the age of the last.';

CREATE TRIGGER count_version BEFORE UPDATE OF url, event_types, secret, disabled_at ON identity.webhooks FOR EACH ROW EXECUTE FUNCTION count_version();

CREATE FUNCTION erase_values(detail jsonb, keys text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT detail || coalesce((SELECT jsonb_object_agg(k, '[erased]') FROM unnest(keys) k WHERE coalesce(detail ->> k, '') <> ''), '{}')
$$;
COMMENT ON FUNCTION erase_values IS 'Returns an object whose values of some keys are erased.';

CREATE FUNCTION seal_erasure(erasure_id bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO seals (kind, owner_id, first_id, last_id, row_count, fingerprint)
    SELECT 'erasure', e.id, e.subject_id, e.subject_id, (SELECT count(*) FROM erased_rows r WHERE r.erasure_id = e.id), erasure_fingerprint(e)
    FROM erasures e
    WHERE e.id = seal_erasure.erasure_id
$$;
REVOKE EXECUTE ON FUNCTION seal_erasure FROM PUBLIC;
COMMENT ON FUNCTION seal_erasure IS 'Seals the record of an erasure, at its end.';

CREATE FUNCTION erase_user(erased_id bigint, with_notes boolean, actor_id bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    erased CONSTANT text := '[erased]';
    new_id bigint;
BEGIN
    INSERT INTO erasures (kind, subject_id, with_notes, created_by) VALUES ('user', erased_id, erase_user.with_notes, actor_id) RETURNING id INTO new_id;
    UPDATE accounts SET disabled = true WHERE id = erased_id;
    UPDATE identity.users
    SET email = 'erased-' || erased_id || '@erased.invalid', name = 'Erased user ' || erased_id, password_hash = NULL, receives_mail = false,
        last_digest_on = NULL, browser_language = ''
    WHERE account_id = erased_id;
    IF NOT FOUND THEN
        RAISE no_data_found;
    END IF;
    DELETE FROM sessions WHERE sign_in_id IN (SELECT id FROM identity.sign_ins WHERE account_id = erased_id);
    DELETE FROM identity.account_settings WHERE account_id = erased_id;
    DELETE FROM identity.invitations WHERE account_id = erased_id;
    DELETE FROM identity.known_browsers WHERE account_id = erased_id;
    DELETE FROM identity.sign_ins WHERE account_id = erased_id;
    DELETE FROM identity.oidc_subjects WHERE account_id = erased_id;
    DELETE FROM identity.second_factors WHERE account_id = erased_id;
    DELETE FROM identity.passkeys WHERE account_id = erased_id;
    DELETE FROM identity.api_tokens WHERE account_id = erased_id;
    DELETE FROM identity.mails WHERE account_id = erased_id;
    DELETE FROM uploads WHERE account_id = erased_id;
    DELETE FROM reference_drafts WHERE account_id = erased_id;
    DELETE FROM adjudication_drafts WHERE account_id = erased_id;
    DELETE FROM drafts d USING assignments a WHERE a.id = d.assignment_id AND a.account_id = erased_id;
    UPDATE members SET thank_you = '' WHERE account_id = erased_id AND thank_you <> '';
    UPDATE identity.api_requests SET response = '' WHERE response <> ''; -- any may have what is erased

    INSERT INTO erased_rows (table_name, row_id, erasure_id, fingerprint, erased_fingerprint)
    SELECT 'audit_log', l.id, new_id, audit_hash('', 0, l), audit_hash('', 0, jsonb_populate_record(l, jsonb_build_object('detail', d.detail)))
    FROM audit_log l
    CROSS JOIN LATERAL (SELECT erase_values(l.detail, ARRAY['token', 'prefix', 'api_token'] || CASE
        WHEN erase_user.with_notes AND l.account_id = erased_id THEN ARRAY['reason', 'fewer_calibration', 'file'] ELSE '{}' END) AS detail) d
    WHERE (l.account_id = erased_id OR l.subject = 'account ' || erased_id) AND d.detail <> l.detail;
    UPDATE audit_log l
    SET detail = erase_values(l.detail, ARRAY['token', 'prefix', 'api_token'] || CASE
        WHEN erase_user.with_notes AND l.account_id = erased_id THEN ARRAY['reason', 'fewer_calibration', 'file'] ELSE '{}' END)
    FROM erased_rows r
    WHERE r.erasure_id = new_id AND r.table_name = 'audit_log' AND r.row_id = l.id;

    IF erase_user.with_notes THEN
        PERFORM erase_notes(new_id, ARRAY(
            SELECT n.id FROM annotations n
            WHERE n.account_id = erased_id AND n.batch_id IN (SELECT ba.batch_id FROM batch_annotators ba WHERE ba.account_id = erased_id)));
        INSERT INTO erased_rows (table_name, row_id, erasure_id, fingerprint, erased_fingerprint)
        SELECT 'adjudications', d.id, new_id, ''::bytea, ''::bytea FROM adjudications d WHERE d.account_id = erased_id AND (d.note <> '' OR d.reason <> '')
        UNION ALL
        SELECT 'announcements', n.id, new_id, '', '' FROM announcements n WHERE n.created_by = erased_id;
        UPDATE adjudications d
        SET note = CASE WHEN d.note <> '' THEN erased ELSE '' END, reason = CASE WHEN d.reason <> '' THEN erased ELSE '' END
        WHERE d.account_id = erased_id AND (d.note <> '' OR d.reason <> '');
        UPDATE announcements SET message = erased WHERE created_by = erased_id;
        UPDATE skips s SET comment = '' FROM assignments a WHERE a.id = s.assignment_id AND a.account_id = erased_id AND s.comment <> '';
        UPDATE calibration_comments SET message = erased WHERE account_id = erased_id;
        UPDATE item_notes SET note = erased WHERE written_by = erased_id;
        UPDATE calibration_attempts SET reason = '' WHERE resolved_by = erased_id AND reason <> '';
        UPDATE questions SET message = erased WHERE account_id = erased_id;
        UPDATE questions SET answer = erased WHERE answered_by = erased_id;
        UPDATE correction_requests c SET message = erased
        FROM assignments a
        WHERE a.id = c.assignment_id AND (c.created_by = erased_id OR c.created_by IS NULL AND a.account_id = erased_id);
        UPDATE correction_requests SET reply = '' WHERE resolved_by = erased_id AND reply <> '';
        DELETE FROM exports e USING members m WHERE m.project_id = e.project_id AND m.account_id = erased_id;
        DELETE FROM reports r USING members m WHERE m.project_id = r.project_id AND m.account_id = erased_id;
        ANALYZE annotations, adjudications, skips, questions, correction_requests, calibration_comments, announcements, item_notes;
    END IF;
    ANALYZE identity.users, identity.account_settings, identity.invitations, identity.known_browsers, identity.sign_ins, identity.oidc_subjects,
        identity.second_factors, identity.api_tokens, identity.api_requests, identity.mails, uploads, reference_drafts, adjudication_drafts, drafts,
        members, audit_log; -- the statistics have values of rows, too
    PERFORM seal_erasure(new_id);
    RETURN new_id;
END $$;
REVOKE EXECUTE ON FUNCTION erase_user FROM PUBLIC;
COMMENT ON FUNCTION erase_user IS 'Erases the name, the address, the sign-ins and the drafts of a user, all stored responses to programs, and what the user wrote if with_notes. Their labels stay. It returns the id of the erasure. The caller records it in the audit log.';

CREATE FUNCTION erase_notes(erasure_id bigint, annotation_ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO erased_rows (table_name, row_id, erasure_id, fingerprint, erased_fingerprint)
    SELECT 'annotations', n.id, erase_notes.erasure_id, label_fingerprint(n), label_fingerprint(jsonb_populate_record(n, '{"note": "[erased]"}'))
    FROM annotations n
    WHERE n.id = ANY (annotation_ids) AND n.note NOT IN ('', '[erased]');
    UPDATE annotations n SET note = '[erased]'
    WHERE n.id = ANY (annotation_ids) AND n.note NOT IN ('', '[erased]');
END $$;
REVOKE EXECUTE ON FUNCTION erase_notes FROM PUBLIC;
COMMENT ON FUNCTION erase_notes IS 'Erases the notes of annotations, as a part of an erasure.';

CREATE FUNCTION erase_texts(content jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN CASE jsonb_typeof(content)
        WHEN 'object' THEN (SELECT coalesce(jsonb_object_agg(e.key, CASE
            WHEN e.key = 'kind' AND jsonb_typeof(e.value) = 'string' OR e.key = 'role' AND e.value IN ('"user"', '"assistant"', '"system"', '"tool"')
            THEN e.value ELSE erase_texts(e.value) END), '{}') FROM jsonb_each(content) e)
        WHEN 'array' THEN (SELECT coalesce(jsonb_agg(erase_texts(e.value) ORDER BY e.no), '[]') FROM jsonb_array_elements(content) WITH ORDINALITY e(value, no))
        WHEN 'string' THEN CASE WHEN content = '""' THEN content ELSE '"[erased]"' END
        ELSE content END;
END $$;
COMMENT ON FUNCTION erase_texts IS 'Returns the content of an item without its texts, in the same shape: pages and rules need its turns and their roles.';

CREATE FUNCTION erase_items(of_project_id bigint, item_ids bigint[], actor_id bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    erased CONSTANT text := '[erased]';
    new_id bigint;
    words  text[];
    metas  jsonb[];
    whole  CONSTANT boolean := item_ids IS NULL;
    audit_keys CONSTANT text[] := ARRAY['filter', 'reason'] || CASE WHEN whole THEN ARRAY['fewer_calibration', 'file'] ELSE '{}' END;
BEGIN
    INSERT INTO erasures (kind, subject_id, with_notes, created_by)
    VALUES (CASE WHEN whole THEN 'project' ELSE 'items' END, of_project_id, true, actor_id) RETURNING id INTO new_id;
    item_ids := ARRAY(SELECT i.id FROM items i WHERE i.project_id = of_project_id AND (whole OR i.id = ANY (item_ids)));
    words := ARRAY(SELECT DISTINCT w FROM items i CROSS JOIN unnest(tsvector_to_array(i.search)) w WHERE i.id = ANY (item_ids));
    metas := ARRAY(SELECT DISTINCT i.meta FROM items i WHERE i.id = ANY (item_ids));
    INSERT INTO erased_rows (table_name, row_id, erasure_id, fingerprint, erased_fingerprint)
    SELECT 'items', i.id, new_id, item_fingerprint(i), item_fingerprint(jsonb_populate_record(i, jsonb_build_object('content', erase_texts(i.content), 'meta', '{}'::jsonb)))
    FROM items i
    WHERE i.id = ANY (item_ids);
    UPDATE items i
    SET content = erase_texts(i.content), meta = '{}', title = erased, preview = '', search = array_to_tsvector(ARRAY['project:' || i.project_id])
    WHERE i.id = ANY (item_ids);
    DELETE FROM search_terms t
    WHERE t.project_id = of_project_id AND t.term = ANY (words) AND NOT EXISTS (
        SELECT FROM items i
        WHERE i.search @@ format('''project:%s'' & ''%s''', of_project_id, replace(replace(t.term, '\', '\\'), '''', ''''''))::tsquery);
    DELETE FROM item_conditions c
    WHERE c.project_id = of_project_id AND EXISTS (SELECT FROM unnest(metas) m WHERE m ->> c.name = c.condition)
      AND NOT EXISTS (SELECT FROM items i WHERE i.project_id = of_project_id AND i.meta ->> c.name = c.condition);
    UPDATE imports SET invalid_rows = '' WHERE id IN (SELECT i.import_id FROM items i WHERE i.id = ANY (item_ids)) AND invalid_rows <> '';
    DELETE FROM uploads u
    WHERE u.project_id = of_project_id OR EXISTS (SELECT FROM upload_targets t WHERE t.token = u.token AND t.project_id = of_project_id);
    -- No batch gets the items from now on. Those of open batches stay in them.
    UPDATE item_states s SET archived_at = now()
    WHERE s.item_id = ANY (item_ids) AND s.archived_at IS NULL AND NOT s.is_calibration AND NOT EXISTS (
        SELECT FROM batch_items bi JOIN batches b ON b.id = bi.batch_id WHERE bi.item_id = s.item_id AND b.closed_at IS NULL);
    DELETE FROM available_items v WHERE v.project_id = of_project_id AND v.item_id = ANY (item_ids);

    -- What was written about an item may quote it.
    PERFORM erase_notes(new_id, ARRAY(SELECT n.id FROM annotations n WHERE n.item_id = ANY (item_ids)));
    INSERT INTO erased_rows (table_name, row_id, erasure_id, fingerprint, erased_fingerprint)
    SELECT 'adjudications', d.id, new_id, ''::bytea, ''::bytea FROM adjudications d WHERE d.item_id = ANY (item_ids) AND (d.note <> '' OR d.reason <> '')
    UNION ALL
    SELECT 'judgments', j.id, new_id, '', '' FROM judgments j WHERE j.item_id = ANY (item_ids) AND j.rationale <> ''
    UNION ALL
    SELECT 'audit_log', l.id, new_id, audit_hash('', 0, l),
           audit_hash('', 0, jsonb_populate_record(l, jsonb_build_object('detail', erase_values(l.detail, audit_keys))))
    FROM audit_log l
    JOIN projects p ON p.id = of_project_id AND p.key = l.project_key
    WHERE (whole AND l.action NOT LIKE 'project.erase%' OR l.detail ? 'filter'
           OR l.detail ->> 'item' IN (SELECT i.source_id FROM items i WHERE i.id = ANY (item_ids)))
      AND erase_values(l.detail, audit_keys) <> l.detail;
    UPDATE audit_log l SET detail = erase_values(l.detail, audit_keys)
    FROM erased_rows r
    WHERE r.erasure_id = new_id AND r.table_name = 'audit_log' AND r.row_id = l.id;
    UPDATE adjudications d
    SET note = CASE WHEN d.note <> '' THEN erased ELSE '' END, reason = CASE WHEN d.reason <> '' THEN erased ELSE '' END
    WHERE d.item_id = ANY (item_ids) AND (d.note <> '' OR d.reason <> '');
    UPDATE judgments SET rationale = erased WHERE item_id = ANY (item_ids) AND rationale <> '';
    UPDATE reference_answers SET reasons = erase_texts(reasons) WHERE item_id = ANY (item_ids);
    UPDATE item_notes SET note = erased WHERE item_id = ANY (item_ids);
    DELETE FROM item_tags WHERE item_id = ANY (item_ids);
    UPDATE skips SET comment = '' WHERE project_id = of_project_id AND item_id = ANY (item_ids) AND comment <> '';
    UPDATE calibration_comments SET message = erased WHERE item_id = ANY (item_ids);
    UPDATE questions q SET message = erased, answer = CASE WHEN q.answer IS NOT NULL THEN erased END
    FROM assignments a WHERE a.id = q.assignment_id AND a.item_id = ANY (item_ids);
    UPDATE correction_requests c SET message = erased, reply = CASE WHEN c.reply <> '' THEN erased ELSE '' END
    FROM assignments a WHERE a.id = c.assignment_id AND a.item_id = ANY (item_ids);
    DELETE FROM drafts d USING assignments a WHERE a.id = d.assignment_id AND a.item_id = ANY (item_ids);
    DELETE FROM reference_drafts WHERE item_id = ANY (item_ids);
    DELETE FROM adjudication_drafts WHERE item_id = ANY (item_ids);
    DELETE FROM exports WHERE project_id = of_project_id;
    DELETE FROM reports WHERE project_id = of_project_id;
    UPDATE identity.api_requests SET response = '' WHERE response <> ''; -- any may have what is erased
    IF whole THEN
        INSERT INTO erased_rows (table_name, row_id, erasure_id, fingerprint, erased_fingerprint)
        SELECT 'announcements', n.id, new_id, ''::bytea, ''::bytea FROM announcements n JOIN batches b ON b.id = n.batch_id WHERE b.project_id = of_project_id
        UNION ALL
        VALUES ('required_texts', of_project_id, new_id, ''::bytea, ''::bytea);
        UPDATE announcements n SET message = erased FROM batches b WHERE b.id = n.batch_id AND b.project_id = of_project_id;
        UPDATE projects p
        SET instructions = CASE WHEN p.instructions <> '' THEN erased ELSE '' END,
            content_warning = CASE WHEN p.content_warning <> '' THEN erased ELSE '' END,
            dataset_description = CASE WHEN p.dataset_description <> '' THEN erased ELSE '' END, import_reading = '{}'
        WHERE p.id = of_project_id;
        UPDATE required_texts SET content = erased WHERE project_id = of_project_id;
        UPDATE members SET thank_you = '' WHERE project_id = of_project_id AND thank_you <> '';
        UPDATE calibration_attempts c SET reason = '' FROM batches b WHERE b.id = c.batch_id AND b.project_id = of_project_id AND c.reason <> '';
        UPDATE imports SET file_name = erased, ledger = '{}', invalid_rows = '' WHERE project_id = of_project_id;
        DELETE FROM import_tasks WHERE project_id = of_project_id;
        ANALYZE announcements, projects, required_texts, members, calibration_attempts, import_tasks;
    END IF;
    -- ANALYZE keeps the statistics of a table without rows.
    INSERT INTO item_conditions VALUES (of_project_id, erased, erased);
    INSERT INTO search_terms VALUES (of_project_id, erased, '{}');
    INSERT INTO item_tags (project_id, item_id, tag) SELECT of_project_id, i, erased FROM unnest(item_ids[1:1]) i;
    ANALYZE items, imports, search_terms, item_conditions, annotations, adjudications, judgments, reference_answers, skips, calibration_comments,
        questions, correction_requests, item_notes, item_tags, identity.api_requests, audit_log; -- the statistics have values of rows, too
    DELETE FROM item_tags WHERE project_id = of_project_id AND tag = erased;
    DELETE FROM item_conditions WHERE project_id = of_project_id AND name = erased;
    DELETE FROM search_terms WHERE project_id = of_project_id AND term = erased;
    PERFORM seal_erasure(new_id);
    RETURN new_id;
END $$;
REVOKE EXECUTE ON FUNCTION erase_items FROM PUBLIC;
COMMENT ON FUNCTION erase_items IS 'Erases the texts and the metadata of items of a project, and what was written about them. Without item_ids, it is the whole project, with its own texts. Labels stay. Stored exports, reports and uploads of the project are deleted, and all stored responses to programs. It returns the id of the erasure. The caller records it in the audit log.';

-- The tables of River, which runs work in the background: its own migrations create and update them.
CREATE SCHEMA river;
