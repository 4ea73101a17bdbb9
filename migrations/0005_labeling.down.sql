DROP TRIGGER check_left_assignment ON batch_annotators;
DROP VIEW current_annotations, reclaimable_assignments, reclaimable_slots, claimable_slots, blinded_items;
DROP TABLE correction_requests, annotations, hidden_duplicates, breaks, skips, drafts, annotator_days, pending_assignments, assignments;
DROP SEQUENCE annotations_id_seq;
DO $$
DECLARE
    check_rules text;
BEGIN
    FOR check_rules IN SELECT oid::regprocedure FROM pg_proc WHERE proname ~ '^check_rules_[0-9]+$' AND pronamespace = 'public'::regnamespace LOOP
        EXECUTE 'DROP FUNCTION ' || check_rules;
    END LOOP;
END $$;
DROP FUNCTION has_unique_elements(text[]), is_reclaimable(bigint), count_claimable(bigint, bigint, integer), set_open_assignment(), check_left_assignment(), set_pending_assignment();
