-- What a model said of an item, beside people's annotations and never among
-- them. A model is an account of the kind model, whose name in a project is its
-- pseudonym there.
CREATE TABLE judgements (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id          bigint NOT NULL,
    account_id          bigint NOT NULL,
    item_id             bigint NOT NULL REFERENCES items,
    protocol_version_id integer NOT NULL,
    answers             jsonb NOT NULL,
    at                  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT judgement_once UNIQUE (account_id, item_id),
    FOREIGN KEY (project_id, account_id) REFERENCES members,
    FOREIGN KEY (project_id, protocol_version_id) REFERENCES projects (id, protocol_version_id)
);
CREATE INDEX ON judgements (project_id);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON judgements
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
