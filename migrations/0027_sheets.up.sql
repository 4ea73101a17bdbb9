-- sheets holds the annotation sheets that were made for annotators to fill in elsewhere. A
-- returned sheet is recognized by the keys of its rows.
CREATE TABLE sheets (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    batch_id   bigint NOT NULL,
    account_id bigint NOT NULL, -- the annotator
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by bigint REFERENCES accounts, -- null: a command
    FOREIGN KEY (batch_id, account_id) REFERENCES batch_annotators
);
CREATE INDEX ON sheets (batch_id, account_id);

-- sheet_rows holds the rows of each sheet: the presentations of items that the annotator gets,
-- in their order, hidden duplicates included. The keys are random, so that none of them shows
-- which item it is, or that two are the same.
CREATE TABLE sheet_rows (
    sheet_id        bigint NOT NULL REFERENCES sheets,
    row_no          integer NOT NULL, -- from 1
    row_key         text NOT NULL,
    item_id         bigint NOT NULL REFERENCES items,
    presentation_no smallint NOT NULL, -- as in assignments
    PRIMARY KEY (sheet_id, row_no),
    CONSTRAINT sheet_rows_key_unique UNIQUE (sheet_id, row_key)
);
