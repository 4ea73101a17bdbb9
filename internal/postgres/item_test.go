package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
)

func TestItemSummaries_Search_ByProject(t *testing.T) {
	env := newTestEnv(t)
	p, other := env.newProject("one", 12), env.newProject("two", 3)
	found, err := env.ItemSummaries(t.Context(), p.ID, "ITEM-1", 0, 50)
	if err != nil || len(found) != 4 { // 1, 10, 11, 12
		t.Fatalf("%d items, %v; want 4", len(found), err)
	}
	if escaped, err := env.ItemSummaries(t.Context(), p.ID, "item_", 0, 50); err != nil || len(escaped) != 0 {
		t.Errorf("the underscore is a wildcard: %d items, %v", len(escaped), err)
	}
	page, err := env.ItemSummaries(t.Context(), p.ID, "", found[1].ID, 2)
	if err != nil || len(page) != 2 || page[0].SourceID != "item-11" {
		t.Errorf("page = %+v, %v", page, err)
	}
	_, err = env.Item(t.Context(), other.ID, found[0].ID)
	checkErrorIs(t, "item of another project", err, fault.NotFound)
	if item, err := env.Item(t.Context(), p.ID, found[0].ID); err != nil || item.SourceID != "item-1" || item.Content["query"].Text != "Question 1?" {
		t.Errorf("item = %+v, %v", item, err)
	}
	if unassigned, references, err := env.CountAvailable(t.Context(), p.ID); err != nil || unassigned != 12 || references != 0 {
		t.Errorf("%d unassigned, %d references, %v; want 12 and 0", unassigned, references, err)
	}
}
