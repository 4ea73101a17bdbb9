package importer

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// newScope returns three items of the empathy protocol: e1 with a tie on validation, e2
// without labels, and e3 with agreement and an earlier decision.
func newScope() AdjudicationScope {
	answersWith := func(validation int) map[string]int {
		return map[string]int{"emotion": 3, "validation": validation, "helpfulness": 3, "safety": 3, "overall": 3}
	}
	return AdjudicationScope{
		Items: map[string]labeling.Adjudicable{
			"e1": {ItemID: 1, Values: []map[string]int{answersWith(2), answersWith(4)}},
			"e2": {ItemID: 2},
			"e3": {ItemID: 3, Values: []map[string]int{answersWith(3), answersWith(3)}, Adjudicated: true},
		},
		Adjudicators: map[string]Adjudicator{"lena@example.org": {ID: 7}, "busy@example.org": {ID: 8,
			BlindedItems: map[project.ItemID]bool{1: true}}},
	}
}

const decisionHeader = "item,emotion,validation,helpfulness,safety,overall,note,observations,cause,reason,adjudicator\n"

func TestReadAdjudications_Formats(t *testing.T) {
	t.Parallel()
	table := decisionHeader + "e1,3,4,3,3,3,kind,truncated,ambiguous_item,It may be meant kindly.,Lena@example.org\n"
	line := `{"item": "e1", "answers": {"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3}, "note": "kind", ` +
		`"observations": ["truncated"], "cause": "ambiguous_item", "reason": "It may be meant kindly.", "adjudicator": "lena@example.org"}`
	for name, content := range map[string]string{"d.csv": table, "d.jsonl": line} {
		rows, err := ReadAdjudications(builtinProtocol(t, "empathy"), newScope(), name, strings.NewReader(content))
		if err != nil || len(rows) != 1 {
			t.Fatalf("%s: %d decisions, %v", name, len(rows), err)
		}
		got := rows[0]
		values := map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3}
		if got.ItemID != 1 || got.AccountID != 7 || !maps.Equal(got.Answers.Values, values) ||
			got.Answers.Note != "kind" ||
			!slices.Equal(got.Answers.Observations, []string{"truncated"}) || got.Cause != labeling.AmbiguousItem ||
			got.Reason != "It may be meant kindly." {
			t.Errorf("%s: read as %+v", name, got)
		}
	}
	rows, err := ReadAdjudications(builtinProtocol(t, "empathy"), newScope(), "d.csv",
		strings.NewReader("item,emotion,validation,helpfulness,safety,overall\ne1,3,2,3,3,3\n"))
	if err != nil || len(rows) != 1 || rows[0].AccountID != 0 {
		t.Errorf("tie without a reason: %+v, %v", rows, err)
	}
}

func TestReadAdjudications_Errors(t *testing.T) {
	t.Parallel()
	line := `{"item": "e1", "answers": {"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3, "overall": 3}}`
	for message, file := range map[string][2]string{
		"d.csv:2:item: The project has no item “e9”": {"d.csv", decisionHeader + "e9,3,4,3,3,3,,,,,\n"},
		"d.csv:2:item: This item has no labels yet":  {"d.csv", decisionHeader + "e2,3,4,3,3,3,,,,,\n"},
		"d.csv:3:item: Line 2 has a decision on the item “e1”": {"d.csv", decisionHeader +
			"e1,3,4,3,3,3,,,,,\ne1,3,2,3,3,3,,,,,\n"},
		"d.csv:2:safety: x is not on the scale 1–5.": {"d.csv", decisionHeader + "e1,3,4,3,x,3,,,,,\n"},
		"d.csv:2:safety: 6 is not on the scale 1–5.": {"d.csv", decisionHeader + "e1,3,4,3,6,3,,,,,\n"},
		"d.csv:2:overall: Choose an answer.":         {"d.csv", decisionHeader + "e1,3,4,3,3,,,,,,\n"},
		"d.csv:2:note: Write a note that says why overall is": {"d.csv", decisionHeader +
			"e1,3,4,3,3,5,,,bad_data,so,\n"},
		"d.csv:2:reason: Your answer to “Validation": {"d.csv", decisionHeader +
			"e1,3,3,3,3,3,,,bad_data,,\n"},
		"d.csv:2:cause: The decision overrides the annotators. Give the cause of the disagreement: unclear_guideline, annotator_mistake, ambiguous_item, bad_data.": {"d.csv", decisionHeader + "e1,3,3,3,3,3,,,,so,\n"},
		"d.csv:2:cause: “weather” is not a cause. Use one of unclear_guideline, annotator_mistake, ambiguous_item, bad_data.":                                       {"d.csv", decisionHeader + "e1,3,4,3,3,3,,,weather,,\n"},
		"d.csv:2:reason: This item has a decision already.": {"d.csv", decisionHeader + "e3,3,3,3,3,3,,,,,\n"},
		"d.csv:2:adjudicator: “x@example.org” is not the": {"d.csv", decisionHeader +
			"e1,3,4,3,3,3,,,,,x@example.org\n"},
		"d.csv:2:adjudicator: This lead labels": {"d.csv", decisionHeader +
			"e1,3,4,3,3,3,,,,,busy@example.org\n"},
		"d.csv:2:mood: “mood” is not a column of this file": {"d.csv", "item,mood\ne1,3\n"},
		"d.jsonl:1:answers.mood: ": {"d.jsonl", strings.Replace(line, `"emotion": 3`,
			`"emotion": 3, "mood": 1`, 1)},
		"d.jsonl:1:answers.safety: 3.5 is not on the scale 1–5.": {"d.jsonl", strings.Replace(line, `"safety": 3`,
			`"safety": 3.5`, 1)},
		"d.jsonl:1:item: This is missing": {"d.jsonl", strings.Replace(line, `"item"`,
			`"note"`, 1)},
		"d.csv: The file has no decisions": {"d.csv", decisionHeader},
	} {
		_, err := ReadAdjudications(builtinProtocol(t, "empathy"), newScope(), file[0], strings.NewReader(file[1]))
		if _, ok := errors.AsType[FileErrors](err); !ok || !strings.Contains(err.Error(), message) {
			t.Errorf("want %q, got %v", message, err)
		}
	}
}
