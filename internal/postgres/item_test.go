package postgres

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

func (env testEnv) listItems(p project.Project, f project.ItemFilter, cursor string, limit int) ItemPage {
	env.t.Helper()
	page, err := env.ListItems(env.t.Context(), env.admin.ID, p, f, cursor, limit)
	if err != nil {
		env.t.Fatalf("%+v: %v", f, err)
	}
	return page
}

func sourceIDs(page ItemPage) (ids []string) {
	for _, i := range page.Items {
		ids = append(ids, i.SourceID)
	}
	return ids
}

// newGarden creates a project with items in several scripts.
func (env testEnv) newGarden() project.Project {
	env.t.Helper()
	p := env.newProject("garden", 0)
	items := []project.Item{}
	for i, texts := range [][2]string{
		{"When should I prune my currant bushes?", "Take out a third of the oldest stems."},
		{"Can roses be pruned in autumn?", "In mild regions, yes. The blackcurrants can wait."},
		{"什么时候修剪黑加仑灌木？", "每年冬天剪掉最老的枝条。"},
		{"متى يجب تقليم شجيرات الكشمش؟", "في الشتاء."},
		{"Когда обрезать смородину?", "Зимой."},
	} {
		items = append(items, project.Item{SourceID: fmt.Sprintf("g%d-abcdef", i+1),
			RecordID: map[bool]string{true: "r1"}[i < 2], Facts: protocol.Facts{},
			Meta: map[string]json.RawMessage{"system": json.RawMessage([]string{`"A"`, `"B"`}[i%2]),
				"rank": json.RawMessage(fmt.Sprint(i))},
			Content: project.Content{"query": {Text: texts[0]}, "answer": {Text: texts[1]}}})
	}
	if err := env.Import(env.t.Context(), env.admin.ID, p, File{Name: "garden.jsonl", SHA256: [32]byte{7}},
		items); err != nil {
		env.t.Fatal(err)
	}
	return p
}

func TestListItems_Search_AnyScript(t *testing.T) {
	env := newTestEnv(t)
	p := env.newGarden()
	other := env.newProject("other", 3)
	for search, want := range map[string][]string{
		"":             {"g1-abcdef", "g2-abcdef", "g3-abcdef", "g4-abcdef", "g5-abcdef"},
		"prune":        {"g1-abcdef", "g2-abcdef"},
		"PRUNED":       {"g2-abcdef"},
		"bush prun":    {"g1-abcdef"},
		"urran":        {"g1-abcdef", "g2-abcdef"}, // within words
		"修剪":           {"g3-abcdef"},
		"黑加仑":          {"g3-abcdef"},
		"剪掉最老":         {"g3-abcdef"},
		"木":            {"g3-abcdef"},
		"تقليم":        {"g4-abcdef"},
		"обрез":        {"g5-abcdef"},
		"мороди":       {"g5-abcdef"},
		"g4":           {"g4-abcdef"},
		"nothing":      nil,
		"question":     nil, // of the other project
		`'\ & | ! <->`: {"g1-abcdef", "g2-abcdef", "g3-abcdef", "g4-abcdef", "g5-abcdef"},
	} {
		if got := sourceIDs(env.listItems(p, project.ItemFilter{Search: search}, "", 10)); !slices.Equal(got, want) {
			t.Errorf("search %q: %v, want %v", search, got, want)
		}
	}
	if found := env.listItems(other, project.ItemFilter{Search: "question"}, "", 10); len(found.Items) != 3 {
		t.Errorf("%d items of the other project, want 3", len(found.Items))
	}
	_, err := env.Item(t.Context(), other.ID, env.firstItem(p))
	checkErrorIs(t, "item of another project", err, fault.NotFound)
}

func TestListItems_Filters(t *testing.T) {
	env := newTestEnv(t)
	p := env.newGarden()
	for name, tt := range map[string]struct {
		filter project.ItemFilter
		want   int
	}{
		"condition":     {project.ItemFilter{Condition: "system=A"}, 3},
		"number":        {project.ItemFilter{Condition: "rank=4"}, 1},
		"record":        {project.ItemFilter{RecordID: "r1"}, 2},
		"both":          {project.ItemFilter{RecordID: "r1", Condition: "system=A", Search: "currant"}, 1},
		"unassigned":    {project.ItemFilter{State: project.ItemUnassigned}, 5},
		"archived":      {project.ItemFilter{State: project.ItemArchived}, 0},
		"disagreements": {project.ItemFilter{Sort: project.SortDisagreement}, 0},
	} {
		list := env.listItems(p, tt.filter, "", 10)
		count, err := env.CountItems(t.Context(), env.admin.ID, p, tt.filter, false)
		if len(list.Items) != tt.want || err != nil || count.Items != tt.want {
			t.Errorf("%s: %d items, count %+v, %v; want %d", name, len(list.Items), count, err, tt.want)
		}
	}
	conditions, err := env.Conditions(t.Context(), p.ID)
	if err != nil || !slices.Equal(conditions["system"], []string{"A", "B"}) {
		t.Errorf("conditions = %v, %v", conditions, err)
	}
	for _, f := range []project.ItemFilter{{Sort: "random"}, {Answer: "annotator=1"}, {Answer: "helpful"}, {Field: "x"},
		{Batch: "x"}, {Annotator: "x"}} {
		_, err := env.ListItems(t.Context(), env.admin.ID, p, f, "", 10)
		checkErrorIs(t, fmt.Sprintf("%+v", f), err, fault.NotFound)
	}
}

// Whatever the order, the pages of a list have each item once.
func TestListItems_Pages_CoverAll(t *testing.T) {
	env := newTestEnv(t)
	p, annotators := env.newDisagreements(9)
	for _, item := range env.listItems(p, project.ItemFilter{Sort: project.SortDisagreement}, "", 3).Items {
		if err := env.adjudicate(env.admin, p, item.ID, labeling.Decision{Answers: helpfulSubmission.Answers,
			Cause: labeling.BadData, Reason: "So."}); err != nil {
			t.Fatal(err)
		}
	}
	pseudonym := query[string](env, `SELECT pseudonym FROM members WHERE account_id = $1`, annotators[0].ID)
	for _, f := range []project.ItemFilter{{}, {Sort: project.SortNewest}, {Sort: project.SortDisagreement},
		{Sort: project.SortDecided}, {Search: "question"},
		{State: project.ItemDisagreement}, {Batch: "one"}, {Field: "helpful"}, {Answer: "helpful=1"},
		{Annotator: pseudonym}, {UnresolvedOnly: true, Sort: project.SortDisagreement}} {
		want := sourceIDs(env.listItems(p, f, "", 50))
		var got []string
		for cursor, hasMore := "", true; hasMore; {
			page := env.listItems(p, f, cursor, 2)
			got = append(got, sourceIDs(page)...)
			cursor, hasMore = page.Next, page.Next != ""
		}
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%+v: pages have %v, want %v", f, got, want)
		}
	}
}

// newDisagreements creates a project of items on which two annotators disagree.
func (env testEnv) newDisagreements(n int) (project.Project, []account.Account) {
	env.t.Helper()
	p, _, annotators := env.newBatchFor(2, n, project.BatchSpec{})
	env.submitAll(annotators[0], helpfulSubmission)
	env.submitAll(annotators[1], unhelpfulSubmission)
	return p, annotators
}

func TestDisagreementNeighbor_WalksQueue(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreements(5)
	list := env.listItems(p, project.ItemFilter{Sort: project.SortDisagreement, UnresolvedOnly: true}, "", 10)
	for i, item := range list.Items {
		n, err := env.DisagreementNeighbor(t.Context(), env.admin.ID, p, project.ItemFilter{}, item.ID)
		if err != nil {
			t.Fatal(err)
		}
		if want := list.Items[(i+1)%5].ID; n.Next != want {
			t.Errorf("next of %d is %d, want %d", item.ID, n.Next, want)
		}
		if i > 0 && n.Previous != list.Items[i-1].ID || i == 0 && n.Previous != 0 {
			t.Errorf("previous of %d is %d", item.ID, n.Previous)
		}
	}
}

func TestArchiveItems_KeepsThemOutOfBatches(t *testing.T) {
	env := newTestEnv(t)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("test", 3)
	item := env.firstItem(p)
	if n, err := env.ArchiveItems(t.Context(), env.admin.ID, p, project.ItemFilter{IDs: []project.ItemID{item}},
		"Broken."); err != nil || n != 1 {
		t.Fatalf("%d archived, %v", n, err)
	}
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1})
	if b.Items != 2 || env.stateOf(item) != "archived" {
		t.Errorf("batch of %d items, state %s; want 2 and archived", b.Items, env.stateOf(item))
	}
	_, err := env.ArchiveItems(t.Context(), env.admin.ID, p, project.ItemFilter{IDs: []project.ItemID{item}}, " ")
	checkErrorIs(t, "no reason", err, fault.Invalid)
	_, err = env.ArchiveItems(t.Context(), env.admin.ID, p, project.ItemFilter{}, "All.")
	checkErrorIs(t, "item in an open batch", err, fault.Conflict)
	if n, err := env.RestoreItems(t.Context(), env.admin.ID, p,
		project.ItemFilter{State: project.ItemArchived}); err != nil || n != 1 || env.stateOf(item) != "unassigned" {
		t.Errorf("%d restored, %v, state %s", n, err, env.stateOf(item))
	}
	env.checkCount(2, `audit_log WHERE action IN ('project.archive_items', 'project.restore_items')`)
}

func TestSetReference_AdjudicatedItem_Copies(t *testing.T) {
	env := newTestEnv(t)
	p, _ := env.newDisagreements(2)
	item := env.firstItem(p)
	_, err := env.DecidedReference(t.Context(), env.admin.ID, p, item)
	checkErrorIs(t, "no decision", err, fault.NotFound)
	if err := env.adjudicate(env.admin, p, item, labeling.Decision{Answers: helpfulSubmission.Answers,
		Cause: labeling.BadData, Reason: "It helps."}); err != nil {
		t.Fatal(err)
	}
	r, err := env.DecidedReference(t.Context(), env.admin.ID, p, item)
	if err != nil || r.Reasons[protocol.NoteKey] != "It helps." {
		t.Fatalf("reference = %+v, %v", r, err)
	}
	if err := env.SetReference(t.Context(), env.admin.ID, p, item, r); err != nil {
		t.Fatal(err)
	}
	if state := env.stateOf(item); state != "adjudicated" {
		t.Errorf("the item is %s, want adjudicated", state)
	}
	env.checkCount(1, `item_states s JOIN items i ON i.id = s.item_id WHERE s.state = 'calibration' AND i.source_id = 'item-1 (calibration)'`)
	checkErrorIs(t, "a second copy", env.SetReference(t.Context(), env.admin.ID, p, item, r), fault.Conflict)
}
