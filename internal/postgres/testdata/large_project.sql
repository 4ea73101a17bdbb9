-- Gives the only project, of the protocol empathy, 1,000,000 items and a batch in
-- which 20 annotators have labeled each item three times. Two later batches are at work.
-- Triggers are off; the rows are those that the application would have written.
SET session_replication_role = replica;
SET synchronous_commit = off;
SET work_mem = '256MB';
SET maintenance_work_mem = '512MB';

CREATE FUNCTION pg_temp.word_no(n int, k int) RETURNS int LANGUAGE sql AS $$
    SELECT floor(exp((abs(hashint4(n * 16 + k)) % 100000) / 100000.0 * ln(60000)))::int $$;
CREATE TEMP TABLE vocabulary AS SELECT n, translate(left(md5(n::text), 9), '0123456789', 'ghijklmnop') AS term FROM generate_series(1, 60000) n;
CREATE UNIQUE INDEX ON vocabulary (n) INCLUDE (term);
CREATE TEMP TABLE annotators AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS no FROM accounts WHERE role = 'annotator';

DROP INDEX items_search;
INSERT INTO imports (project_id, sha256, file_name, item_count) SELECT max(id), '', 'large', 1000000 FROM projects;
INSERT INTO members (project_id, account_id, role, pseudonym) SELECT p.id, a.id, 'annotator', 'A' || a.no FROM annotators a, projects p;
INSERT INTO items (project_id, import_id, source_id, content, facts, word_count, meta, title, preview, search)
SELECT p.id, (SELECT max(id) FROM imports), 'item-' || w.n,
       jsonb_build_object('user_statement', jsonb_build_object('text', 'Question ' || w.n || ' about ' || w.words[1] || ' and ' || w.words[2]),
                          'response', jsonb_build_object('text', array_to_string(w.words, ' '))), '{}', 40,
       jsonb_build_object('system', w.n % 2), 'Question ' || w.n || ' about ' || w.words[1] || ' and ' || w.words[2], array_to_string(w.words, ' '),
       array_to_tsvector(w.words || ARRAY['question', 'about', 'and', 'item', w.n::text, 'project:' || p.id, 'meta:system=' || w.n % 2]
         || CASE WHEN w.n % 2 = 0 THEN ARRAY['halfway'] ELSE '{}' END || CASE WHEN w.n % 9999 = 0 THEN ARRAY['scarce'] ELSE '{}' END
         || CASE WHEN w.n > 995000 THEN ARRAY['afterwards'] ELSE '{}' END || CASE WHEN w.n % 50 = 0 THEN ARRAY['gardening'] ELSE '{}' END)
FROM projects p, (
    SELECT g.n, ARRAY (SELECT v.term FROM vocabulary v WHERE v.n = ANY (g.numbers)) AS words
    FROM (SELECT n, ARRAY (SELECT pg_temp.word_no(n, k) FROM generate_series(1, 10) k) AS numbers FROM generate_series(1, 1000000) n) g) w;
CREATE INDEX items_search ON items USING gin (search);
INSERT INTO search_terms (project_id, term, trigrams)
SELECT p.id, t.term, ARRAY (SELECT DISTINCT substr(t.term, k, 3) FROM generate_series(1, char_length(t.term) - 2) k)
FROM projects p, (SELECT term FROM vocabulary UNION SELECT unnest(ARRAY['question', 'halfway', 'scarce', 'afterwards', 'gardening'])) t
ON CONFLICT DO NOTHING;
INSERT INTO item_conditions (project_id, name, condition) SELECT p.id, 'system', c FROM projects p, unnest(ARRAY['0', '1']) c;

-- The large batch has all items but the last 1,000, of which two batches have 400 each.
INSERT INTO batches (project_id, protocol_version_id, protocol_revision, name, overlap, seed, break_every, break_minutes, item_count, slot_count)
SELECT p.id, p.protocol_version_id, 0, b.name, 3, 1, 30, 5, b.items, b.items * 3
FROM projects p, (VALUES ('large', 999000), ('second', 400), ('third', 400)) b (name, items);
INSERT INTO batch_items (batch_id, item_id)
SELECT b.id, i.id
FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM items) i
JOIN batches b ON b.name = CASE WHEN i.n <= 999000 THEN 'large' WHEN i.n <= 999400 THEN 'second' WHEN i.n <= 999800 THEN 'third' END;
CREATE TEMP TABLE planned AS
SELECT bi.batch_id, bi.item_id, k AS slot_no, a.id AS account_id,
       row_number() OVER (PARTITION BY bi.batch_id, a.id ORDER BY bi.item_id) AS queue_no, b.name = 'large' OR bi.item_id % 3 < k - 1 AS submitted
FROM batch_items bi
JOIN batches b ON b.id = bi.batch_id
CROSS JOIN generate_series(1, 3) k
JOIN annotators a ON a.no = (bi.item_id * 7 + k) % 20;
INSERT INTO slots (batch_id, item_id, slot_no, account_id, queue_no) SELECT batch_id, item_id, slot_no, account_id, queue_no FROM planned;
INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, sequence_no, state, opened_at, closed_at)
SELECT md5(batch_id || '-' || item_id || '-' || slot_no), batch_id, item_id, account_id, (SELECT protocol_version_id FROM projects), queue_no, 'submitted',
       now() - interval '10 days' + queue_no * interval '5 seconds', now() - interval '10 days' + queue_no * interval '5 seconds' + interval '4 seconds'
FROM planned WHERE submitted;
INSERT INTO annotations (protocol_version_id, revision, assignment_id, batch_id, item_id, account_id, answers, note, facts, active_ms, sequence_no, opened_at, submitted_at)
SELECT a.protocol_version_id, 0, a.id, a.batch_id, a.item_id, a.account_id,
       jsonb_build_object('emotion', 3 + v.shift, 'validation', 3, 'helpfulness', 2 + a.item_id % 4, 'safety', 3, 'overall', 3 + v.shift),
       'A reason.', '{}', 60000, a.sequence_no, a.opened_at, a.closed_at
FROM assignments a, LATERAL (SELECT CASE abs(hashint8(a.item_id * 31 + a.account_id)) % 12 WHEN 0 THEN 1 WHEN 1 THEN -2 ELSE 0 END AS shift) v;
INSERT INTO batch_annotators (batch_id, account_id, queue_cursor, waiting_count, last_sequence_no, presented_count, completed_count, label_count, expected_items, last_opened_at)
SELECT batch_id, account_id, coalesce(max(queue_no) FILTER (WHERE submitted), 0), count(*) FILTER (WHERE NOT submitted), coalesce(max(queue_no) FILTER (WHERE submitted), 0),
       count(*) FILTER (WHERE submitted), count(*) FILTER (WHERE submitted), count(*) FILTER (WHERE submitted), count(*), now()
FROM planned GROUP BY batch_id, account_id;
INSERT INTO available_items (project_id, item_id) SELECT i.project_id, i.id FROM items i WHERE NOT EXISTS (SELECT FROM batch_items bi WHERE bi.item_id = i.id);
INSERT INTO item_states (item_id, project_id, batch_id, labels_wanted)
SELECT i.id, i.project_id, bi.batch_id, CASE WHEN bi.batch_id IS NULL THEN 0 ELSE 3 END FROM items i LEFT JOIN batch_items bi ON bi.item_id = i.id;
SET session_replication_role = origin;
VACUUM ANALYZE;
DO $$
    DECLARE
        first_id bigint := (SELECT min(id) FROM items);
    BEGIN
        FOR n IN 0..49 LOOP
            PERFORM measure_items(ARRAY (SELECT id FROM items WHERE id >= first_id + n * 20000 ORDER BY id LIMIT 20000), (SELECT protocol_version_id FROM projects));
            COMMIT;
        END LOOP;
    END $$;
VACUUM ANALYZE;
