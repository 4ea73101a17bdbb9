CREATE OR REPLACE FUNCTION queue_changed_verdicts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    verdicts jsonb := (SELECT coalesce(jsonb_object_agg(a ->> 'key', a -> 'outcome'), '{}') FROM jsonb_array_elements(NEW.agreement) a);
BEGIN
    IF EXISTS (
        SELECT FROM batches b
        JOIN project_leads l ON l.project_id = b.project_id
        JOIN active_annotators v ON v.batch_id = b.id AND v.account_id = l.account_id
        WHERE b.id = NEW.batch_id AND b.closed_at IS NULL) THEN
        RETURN NEW;
    END IF;
    PERFORM queue_webhook_event(b.project_id, 'verdict.changed', 'batch ' || b.id, jsonb_build_object('project', p.key, 'batch', b.name, 'field', v.key))
    FROM batches b
    JOIN projects p ON p.id = b.project_id
    CROSS JOIN jsonb_each(verdicts) v
    WHERE b.id = NEW.batch_id AND v.value IS DISTINCT FROM coalesce(NEW.announced_verdicts -> v.key, '"not_enough_data"')
    ORDER BY v.key COLLATE "C";
    NEW.announced_verdicts := verdicts;
    RETURN NEW;
END $$;

UPDATE batch_states SET agreement = (
    SELECT coalesce(jsonb_agg(a - 'verdict' || jsonb_build_object('outcome', a -> 'verdict') ORDER BY n), '[]')
    FROM jsonb_array_elements(agreement) WITH ORDINALITY t (a, n));
