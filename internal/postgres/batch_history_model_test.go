package postgres

import (
	"maps"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/project"
)

// recordOrder records the order in which a batch is changed, gets items and is labeled. A
// change waits for the submits in progress, and later ones wait for it, so the ids of
// annotations and these numbers, of the same sequence, are in the order of the commits.
const recordOrder = `
	CREATE TABLE order_records (record_no bigint PRIMARY KEY DEFAULT nextval('annotations_id_seq'), subject text,
	batch_id bigint, item_id bigint);
	GRANT ALL ON order_records TO PUBLIC;
	CREATE FUNCTION record_order() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	    IF TG_TABLE_NAME = 'batch_items' THEN
	        INSERT INTO order_records (batch_id, item_id) VALUES (NEW.batch_id, NEW.item_id);
	    ELSIF NEW.action IN ('batch.change', 'batch.close', 'batch.reopen') THEN
	        INSERT INTO order_records (subject) VALUES (NEW.subject);
	    END IF;
	    RETURN NULL;
	END $$;
	CREATE TRIGGER record_order AFTER INSERT ON batch_items FOR EACH ROW EXECUTE FUNCTION record_order();
	CREATE TRIGGER record_order AFTER INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION record_order()`

// A historyEvent is an item that the batch got, a label, or a change.
type historyEvent struct {
	ItemID  int64          // 0: a change
	Answers map[string]int // nil: the batch got the item
}

// A labelModel computes how many labels each item of a batch needs, from what happened.
type labelModel struct {
	overlap  int
	rule     *project.OverlapRule
	isClosed bool
	needed   map[int64]int
	labels   map[int64][]map[string]int
	found    map[int64]bool // the items that the search of a change finds
}

// apply follows the order in which a change is made.
func (m *labelModel) apply(c project.BatchChange) {
	if c.Reason == "" {
		m.isClosed = !m.isClosed
		if !m.isClosed && m.rule != nil {
			m.extendAll(*m.rule)
		}
		return
	}
	if c.Labels > 0 && c.LabelItems == nil {
		m.overlap = c.Labels
	}
	for item := range m.needed {
		if c.LabelItems == nil || m.found[item] {
			m.needed[item] = max(m.needed[item], c.Labels)
		}
	}
	if c.DropRule {
		m.rule = nil
	}
	if c.Rule != nil && c.KeepRule {
		m.rule = c.Rule
	}
	if c.Rule != nil {
		m.extendAll(*c.Rule)
	}
}

func (m *labelModel) extendAll(r project.OverlapRule) {
	for item := range m.needed {
		m.extend(item, r)
	}
}

// extend lets an item need one more label if all its labels are given, and two differ.
func (m *labelModel) extend(item int64, r project.OverlapRule) {
	given := len(m.labels[item])
	if given == m.needed[item] && given >= 2 && given < r.MostLabels &&
		largestDifference(m.labels[item]) >= r.MinDifference {
		m.needed[item]++
	}
}

func largestDifference(labels []map[string]int) (largest int) {
	for _, label := range labels {
		for field := range label {
			values := []int{}
			for _, other := range labels {
				values = append(values, other[field])
			}
			largest = max(largest, slices.Max(values)-slices.Min(values))
		}
	}
	return largest
}

// checkLabelsPerItem checks that each item has the slots that the model computes.
func (h *changeHistory) checkLabelsPerItem(when string) {
	h.t.Helper()
	events, slots := h.loadEvents()
	m := labelModel{overlap: h.b.Overlap, needed: map[int64]int{}, labels: map[int64][]map[string]int{}}
	changes := h.changes
	for _, e := range events {
		switch {
		case e.ItemID == 0 && len(changes) == 0:
			h.t.Fatalf("%s: more changes are recorded than made", when)
		case e.ItemID == 0:
			m.found = h.itemsFound(changes[0])
			m.apply(changes[0])
			changes = changes[1:]
		case e.Answers == nil:
			m.needed[e.ItemID] = m.overlap
		default:
			m.labels[e.ItemID] = append(m.labels[e.ItemID], e.Answers)
			if m.rule != nil && !m.isClosed {
				m.extend(e.ItemID, *m.rule)
			}
		}
	}
	if diff := cmp.Diff(m.needed, slots); diff != "" || len(changes) > 0 {
		h.t.Fatalf("%s: labels by item, %d changes not recorded (-model +stored):\n%s\n%+v", when, len(changes),
			diff, h.changes)
	}
}

// itemsFound returns the items of the batch that the search of a change finds. Searches of
// histories do not depend on labels.
func (h *changeHistory) itemsFound(c project.BatchChange) map[int64]bool {
	h.t.Helper()
	if c.LabelItems == nil {
		return nil
	}
	found, err := h.selectBatchItems(h.t.Context(), 0, h.p, "one", *c.LabelItems)
	if err != nil {
		h.t.Fatal(err)
	}
	return maps.Collect(func(yield func(int64, bool) bool) {
		for _, id := range found {
			if !yield(int64(id), true) {
				return
			}
		}
	})
}

// loadEvents returns what happened to the batch, and how many labels each item has slots for,
// at one moment.
func (h *changeHistory) loadEvents() (events []historyEvent, slots map[int64]int) {
	h.t.Helper()
	type slotCount struct {
		ItemID    int64
		SlotCount int
	}
	var counts []slotCount
	err := h.inTxWith(h.t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) (err error) {
			events, err = collectAll[historyEvent](tx.Query(h.t.Context(), `
			SELECT item_id, answers
			FROM (
			    SELECT record_no, coalesce(item_id, 0) AS item_id, NULL::jsonb AS answers FROM order_records
			    WHERE batch_id = $1 OR subject = $2
			    UNION ALL
			    SELECT n.id, n.item_id, n.answers FROM annotations n WHERE n.batch_id = $1) happened
			ORDER BY record_no`, h.b.ID, batchSubject(h.p.Key, h.b.Name)))
			if err != nil {
				return err
			}
			counts, err = collectAll[slotCount](tx.Query(h.t.Context(), `
			SELECT item_id, count(*) AS slot_count FROM slots WHERE batch_id = $1 AND NOT withheld
			GROUP BY item_id`, h.b.ID))
			return err
		})
	if err != nil {
		h.t.Fatal(err)
	}
	slots = map[int64]int{}
	for _, c := range counts {
		slots[c.ItemID] = c.SlotCount
	}
	return events, slots
}
