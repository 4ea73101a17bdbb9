-- judgments holds the answers of model judges, separate from annotations. A
-- judge is an account of kind 'model'; its name in a project is its pseudonym.
-- The table is append-only, with one judgment per judge and item.
CREATE TABLE judgments (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id          bigint NOT NULL,
    account_id          bigint NOT NULL,
    item_id             bigint NOT NULL REFERENCES items,
    protocol_version_id integer NOT NULL,
    answers             jsonb NOT NULL,
    created_at          timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT judgments_one_per_item UNIQUE (account_id, item_id),
    FOREIGN KEY (project_id, account_id) REFERENCES members,
    FOREIGN KEY (project_id, protocol_version_id) REFERENCES projects (id, protocol_version_id)
);
CREATE INDEX ON judgments (project_id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON judgments
    FOR EACH ROW EXECUTE FUNCTION reject_change();
