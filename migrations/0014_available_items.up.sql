-- available_items lists the items that a batch may draw: those in no batch, and those
-- whose batch closed before they had all their labels. The triggers below keep it, so
-- there are no foreign keys, which check millions of rows one by one.
CREATE TABLE available_items (
    project_id  bigint NOT NULL,
    item_id     bigint NOT NULL,
    label_count smallint NOT NULL DEFAULT 0 -- given in closed batches; a new batch needs as many fewer
                CONSTRAINT available_items_label_count_not_negative CHECK (label_count >= 0),
    PRIMARY KEY (project_id, item_id)
);
CREATE INDEX available_items_labeled ON available_items (project_id) WHERE label_count > 0;

INSERT INTO available_items (project_id, item_id)
SELECT i.project_id, i.id FROM items i
WHERE NOT i.is_calibration AND NOT EXISTS (SELECT FROM batch_items bi WHERE bi.item_id = i.id);

CREATE FUNCTION add_available_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO available_items (project_id, item_id) SELECT n.project_id, n.id FROM new_items n WHERE NOT n.is_calibration;
    RETURN NULL;
END $$;
CREATE TRIGGER add_available_items AFTER INSERT ON items
    REFERENCING NEW TABLE AS new_items FOR EACH STATEMENT EXECUTE FUNCTION add_available_items();

-- change_available_item follows an item that becomes a calibration item, or stops
-- being one.
CREATE FUNCTION change_available_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.is_calibration THEN
        DELETE FROM available_items WHERE project_id = NEW.project_id AND item_id = NEW.id;
    ELSE
        INSERT INTO available_items (project_id, item_id)
        SELECT NEW.project_id, NEW.id WHERE NOT EXISTS (SELECT FROM batch_items bi WHERE bi.item_id = NEW.id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER change_available_item AFTER UPDATE OF is_calibration ON items FOR EACH ROW
    WHEN (OLD.is_calibration <> NEW.is_calibration) EXECUTE FUNCTION change_available_item();

CREATE FUNCTION remove_available_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM available_items a
    USING new_items n
    JOIN batches b ON b.id = n.batch_id
    WHERE a.project_id = b.project_id AND a.item_id = n.item_id;
    RETURN NULL;
END $$;
CREATE TRIGGER remove_available_items AFTER INSERT ON batch_items
    REFERENCING NEW TABLE AS new_items FOR EACH STATEMENT EXECUTE FUNCTION remove_available_items();

CREATE INDEX items_calibration ON items (project_id, id) WHERE is_calibration;
