-- Which page kept a draft last: it may go on by itself, and any other says which
-- version it was made from.
ALTER TABLE drafts ADD COLUMN kept_by text NOT NULL DEFAULT '';

-- What a lead has typed about an item, until they settle it.
CREATE TABLE decision_drafts (
    item_id    bigint NOT NULL REFERENCES items ON DELETE CASCADE,
    account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
    version    bigint NOT NULL,
    kept_by    text NOT NULL DEFAULT '',
    decision   jsonb NOT NULL,
    saved_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (item_id, account_id)
);
CREATE INDEX ON decision_drafts (account_id);

-- What the keys of somebody's forms are made from: a form that comes after the
-- session is over says by its key whose it is.
ALTER TABLE accounts ADD COLUMN form_key uuid NOT NULL DEFAULT gen_random_uuid();
