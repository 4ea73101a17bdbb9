-- judge_draws holds how the items of a batch were drawn from those that a model judge had answered
-- and no annotator had labeled. Estimates weight the labels by these probabilities. Both tables
-- are append-only, and written when the batch opens.
CREATE TABLE judge_draws (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id      bigint NOT NULL,
    batch_id        bigint NOT NULL REFERENCES batches CONSTRAINT judge_draws_one_per_batch UNIQUE,
    judge_id        bigint NOT NULL, -- account of the judge, which is one version of a model
    field           text, -- that the draw is for; null: all fields
    seed            bigint NOT NULL,
    item_count      integer NOT NULL, -- drawn
    candidate_count integer NOT NULL, -- that could be drawn
    last_label_id   bigint NOT NULL, -- of the labels that the expected gain follows from
    created_at      timestamptz NOT NULL DEFAULT now(),
    created_by      bigint REFERENCES accounts, -- null: a command
    CONSTRAINT judge_draws_counts CHECK (item_count BETWEEN 1 AND candidate_count),
    FOREIGN KEY (project_id, judge_id) REFERENCES members
);
CREATE INDEX ON judge_draws (project_id, id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON judge_draws
    FOR EACH ROW EXECUTE FUNCTION reject_change();

-- judge_draw_items holds every item that a draw could draw, so that estimates can tell the items
-- that the drawn ones represent from those that had labels before.
CREATE TABLE judge_draw_items (
    draw_id     bigint NOT NULL REFERENCES judge_draws,
    item_id     bigint NOT NULL REFERENCES items,
    probability double precision NOT NULL -- of being drawn
                CONSTRAINT judge_draw_items_probability_range CHECK (probability > 0 AND probability <= 1),
    is_drawn    boolean NOT NULL,
    PRIMARY KEY (draw_id, item_id)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON judge_draw_items
    FOR EACH ROW EXECUTE FUNCTION reject_change();
