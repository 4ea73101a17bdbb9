package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
)

func TestItemLines_Search_ByProject(t *testing.T) {
	env := newTestEnv(t)
	p, other := env.newProject("one", 12), env.newProject("two", 3)
	lines, err := env.ItemSummaries(t.Context(), p.ID, "ITEM-1", 0, 50)
	if err != nil || len(lines) != 4 { // 1, 10, 11, 12
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if escaped, err := env.ItemSummaries(t.Context(), p.ID, "item_", 0, 50); err != nil || len(escaped) != 0 {
		t.Errorf("an underscore means itself: %d lines, %v", len(escaped), err)
	}
	page, err := env.ItemSummaries(t.Context(), p.ID, "", lines[1].ID, 2)
	if err != nil || len(page) != 2 || page[0].SourceID != "item-11" {
		t.Errorf("%+v, %v", page, err)
	}
	if _, err := env.Item(t.Context(), other.ID, lines[0].ID); !errors.Is(err, fault.NotFound) {
		t.Errorf("an item of another project: %v", err)
	}
	if item, err := env.Item(t.Context(), p.ID, lines[0].ID); err != nil || item.SourceID != "item-1" || item.Content["query"].Text != "Question 1?" {
		t.Errorf("%+v, %v", item, err)
	}
	if unassigned, references, err := env.CountAvailable(t.Context(), p.ID); err != nil || unassigned != 12 || references != 0 {
		t.Errorf("%d free, %d references, %v", unassigned, references, err)
	}
}
