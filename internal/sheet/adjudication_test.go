package sheet

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/labeling"
)

// docket has three items of the empathy protocol: e1 on which two are tied on
// validation, e2 that nobody labelled, and e3 of one mind.
func docket() Docket {
	like := func(validation int) map[string]int {
		return map[string]int{"emotion": 3, "validation": validation, "helpfulness": 3, "safety": 3, "overall": 3}
	}
	return Docket{
		Items: map[string]labeling.Dispute{
			"e1": {ItemID: 1, Values: []map[string]int{like(2), like(4)}},
			"e2": {ItemID: 2},
			"e3": {ItemID: 3, Values: []map[string]int{like(3), like(3)}, Settled: true},
		},
		Leads: map[string]Lead{"lena@example.org": {ID: 7}, "busy@example.org": {ID: 8, Closed: map[int64]bool{1: true}}},
	}
}

const decisionHead = "item,emotion,validation,helpfulness,safety,overall,note,observations,cause,reason,by\n"

func TestDecisionsAreReadFromBothKindsOfFile(t *testing.T) {
	t.Parallel()
	table := decisionHead + "e1,3,4,3,3,3,kind,truncated,ambiguous_item,It may be meant kindly.,Lena@example.org\n"
	line := `{"item": "e1", "answers": {"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3}, "note": "kind", ` +
		`"observations": ["truncated"], "cause": "ambiguous_item", "reason": "It may be meant kindly.", "by": "lena@example.org"}`
	for name, content := range map[string]string{"d.csv": table, "d.jsonl": line} {
		all, err := ReadAdjudications(empathy(t), docket(), name, strings.NewReader(content))
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d decisions, %v", name, len(all), err)
		}
		d := all[0]
		values := map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3}
		if d.ItemID != 1 || d.By != 7 || !maps.Equal(d.Answers.Values, values) || d.Answers.Note != "kind" ||
			!slices.Equal(d.Answers.Observations, []string{"truncated"}) || d.Cause != labeling.AmbiguousItem || d.Reason != "It may be meant kindly." {
			t.Errorf("%s: read as %+v", name, d)
		}
	}
	all, err := ReadAdjudications(empathy(t), docket(), "d.csv", strings.NewReader("item,emotion,validation,helpfulness,safety,overall\ne1,3,2,3,3,3\n"))
	if err != nil || len(all) != 1 || all[0].By != 0 {
		t.Errorf("with one of two who are tied, and nothing more: %+v, %v", all, err)
	}
}

func TestFaultsOfDecisionsStandAtTheirPlace(t *testing.T) {
	t.Parallel()
	line := `{"item": "e1", "answers": {"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3}}`
	for says, file := range map[string][2]string{
		"d.csv:2:item: There is no item “e9”":              {"d.csv", decisionHead + "e9,3,4,3,3,3,,,,,\n"},
		"d.csv:2:item: Nobody has labelled":                {"d.csv", decisionHead + "e2,3,4,3,3,3,,,,,\n"},
		"d.csv:3:item: The item “e1” is settled in line 2": {"d.csv", decisionHead + "e1,3,4,3,3,3,,,,,\ne1,3,2,3,3,3,,,,,\n"},
		"d.csv:2:safety: This is no whole":                 {"d.csv", decisionHead + "e1,3,4,3,x,3,,,,,\n"},
		"d.csv:2:safety: Please choose":                    {"d.csv", decisionHead + "e1,3,4,3,6,3,,,,,\n"},
		"d.csv:2:overall: Please choose an":                {"d.csv", decisionHead + "e1,3,4,3,3,,,,,,\n"},
		"d.csv:2:note: Please say":                         {"d.csv", decisionHead + "e1,3,4,3,3,5,,,bad_data,so,\n"},
		"d.csv:2:reason: You decide “Validation":           {"d.csv", decisionHead + "e1,3,3,3,3,3,,,bad_data,,\n"},
		"d.csv:2:cause: Please choose what":                {"d.csv", decisionHead + "e1,3,3,3,3,3,,,,so,\n"},
		"d.csv:2:cause: Please choose one":                 {"d.csv", decisionHead + "e1,3,4,3,3,3,,,weather,,\n"},
		"d.csv:2:reason: This item was settled":            {"d.csv", decisionHead + "e3,3,3,3,3,3,,,,,\n"},
		"d.csv:2:by: “x@example.org” is the":               {"d.csv", decisionHead + "e1,3,4,3,3,3,,,,,x@example.org\n"},
		"d.csv:2:by: They label":                           {"d.csv", decisionHead + "e1,3,4,3,3,3,,,,,busy@example.org\n"},
		"d.csv:2:mood: “mood” means nothing":               {"d.csv", "item,mood\ne1,3\n"},
		"d.csv:1:Item: Write this name":                    {"d.csv", "Item,emotion\ne1,3\n"},
		"d.jsonl:1:answers.mood: ":                         {"d.jsonl", strings.Replace(line, `"emotion": 3`, `"emotion": 3, "mood": 1`, 1)},
		"d.jsonl:1:answers.safety: ":                       {"d.jsonl", strings.Replace(line, `"safety": 3`, `"safety": 3.5`, 1)},
		"d.jsonl:1:item: This is missing":                  {"d.jsonl", strings.Replace(line, `"item"`, `"note"`, 1)},
		"d.csv: The file holds no decisions":               {"d.csv", decisionHead},
	} {
		_, err := ReadAdjudications(empathy(t), docket(), file[0], strings.NewReader(file[1]))
		if _, ok := errors.AsType[Faults](err); !ok || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q, got %v", says, err)
		}
	}
}
