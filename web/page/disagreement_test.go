package page_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

// listData is a list of items that disagree on tone.
func listData(n int) page.ListData {
	d := page.ListData{Path: "/projects/p/items", Protocol: protocol.Protocol{Fields: []protocol.Field{{Key: "tone",
		Title: "Tone"}}}, Total: 1033,
		Filter: project.ItemFilter{Search: "prune", Batch: "pilot", State: project.ItemDisagreement},
		Count:  project.ItemCount{Items: n}, Next: "9",
		Options: page.ListOptions{Batches: []string{"pilot"}, Conditions: map[string][]string{"system": {"A", "B"}}},
		Actions: []page.ListAction{{Value: "archive", Text: "⟦Archive⟧"}}, ActionPath: "/projects/p/items",
		Caption:  "⟦Items⟧",
		ItemPath: func(id project.ItemID) string { return "/projects/p/items/" + strconv.FormatInt(int64(id), 10) }}
	for i := range n {
		d.Items = append(d.Items, project.ListedItem{ID: project.ItemID(i + 1), SourceID: "8f3a",
			Title: "Can roses be pruned in autumn?", Preview: "In mild regions, yes.",
			Meta: map[string]string{"system": "B", "rank": "4"}, Batch: "pilot", State: project.ItemDisagreement,
			LabelCount: 2, LabelsWanted: 2, DisagreeingFields: []string{"tone"}})
	}
	return d
}

// disagreementsData is a page of a list of so many disagreements.
func disagreementsData(n int) page.DisagreementsData {
	return page.DisagreementsData{Project: project.Project{Key: "p", Title: "Pilot"}, List: listData(n)}
}

func TestItemList_ShowsTextsAndFilters(t *testing.T) {
	t.Parallel()
	doc := renderPage(t, page.Disagreements(disagreementsData(3)))
	if mark := doc.FindAll("mark")[0].Text(); mark != "pruned" {
		t.Errorf("marked %q, want the whole word", mark)
	}
	for selector, want := range map[string]string{
		".item-title": "Can roses be pruned in autumn?", ".item-preview": "In mild regions, yes.",
		".meta-chip": "system B", ".state-cell b": "Tone",
		".list-count": "3 of 1,033 items · order of import"} {
		if got := strings.Join(strings.Fields(doc.FindAll(selector)[0].Text()), " "); got != want {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	chips := doc.FindAll(".filter-chip")
	if len(chips) != 2 || chips[0].Attr("href") != "/projects/p/items?search=prune&state=disagreement" {
		t.Errorf("%d chips, the first to %s", len(chips), chips[0].Attr("href"))
	}
	if next := doc.FindOne(`a[rel="next"]`).Attr(
		"href"); next != "/projects/p/items?batch=pilot&cursor=9&search=prune&state=disagreement" {
		t.Errorf("next page: %s", next)
	}
}

// A list of disagreements on a field shows it first.
func TestItemList_FilteredField_ComesFirst(t *testing.T) {
	t.Parallel()
	d := disagreementsData(1)
	d.List.Protocol.Fields = append(d.List.Protocol.Fields, protocol.Field{Key: "safety", Title: "Safety"})
	d.List.Items[0].DisagreeingFields = []string{"tone", "safety"}
	for field, want := range map[string]string{"": "Tone and 1 more", "safety": "Safety and 1 more"} {
		d.List.Filter.Field = field
		if got := renderPage(t, page.Disagreements(d)).FindFirst(".state-cell b").Text(); got != want {
			t.Errorf("filtered by %q: %q, want %q", field, got, want)
		}
	}
	if first := d.List.Items[0].DisagreeingFields[0]; first != "tone" {
		t.Errorf("the item now starts with %s", first)
	}
}
