package importer

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

const referenceLine = `{"id": "c1", "user_statement": "It is over.", "response": "I hear you.", "system": "x", ` +
	`"reference": {"emotion": 3, "validation": 2, "helpfulness": 1, "safety": 3, "overall": 2}, "note": "kind", ` +
	`"observations": ["just_i_understand"], "reason": {"emotion": "Named.", "overall": "Little help."}}`

func TestReadReferences_Formats(t *testing.T) {
	t.Parallel()
	table := "id,user_statement,response,emotion,validation,helpfulness,safety,overall,note,observations,reason.emotion,reason.overall,system\n" +
		"c1,It is over.,I hear you.,3,2,1,3,2,kind,just_i_understand,Named.,Little help.,x\n"
	for name, content := range map[string]string{"r.jsonl": referenceLine, "r.csv": table} {
		rows, err := ReadReferences(builtinProtocol(t, "empathy"), name, strings.NewReader(content))
		if err != nil || len(rows) != 1 {
			t.Fatalf("%s: %d references, %v", name, len(rows), err)
		}
		r := rows[0]
		values := map[string]int{"emotion": 3, "validation": 2, "helpfulness": 1, "safety": 3, "overall": 2}
		if r.SourceID != "c1" || !maps.Equal(r.Answers.Values, values) || r.Answers.Note != "kind" ||
			!slices.Equal(r.Answers.Observations, []string{"just_i_understand"}) ||
			!maps.Equal(r.Reasons, map[string]string{"emotion": "Named.", "overall": "Little help."}) {
			t.Errorf("%s: read as %+v", name, r)
		}
		if len(r.Meta) != 1 || r.Meta["system"] == nil {
			t.Errorf("%s: got metadata %v", name, r.Meta)
		}
	}
}

func TestReadReferences_Errors(t *testing.T) {
	t.Parallel()
	header := "id,user_statement,response,emotion,validation,helpfulness,safety,overall,note,reason\n"
	for message, file := range map[string][2]string{
		"r.csv:2:emotion: 9 is not on the scale 1–5.": {"r.csv", header + "c1,a,b,9,2,2,3,2,,because\n"},
		"r.csv:2:safety: x is not on the scale 1–5.":  {"r.csv", header + "c1,a,b,3,2,2,x,2,,because\n"},
		"r.csv:2:note: ": {"r.csv", header + "c1,a,b,1,2,2,3,2,,because\n"},
		"r.csv:2:reason: Explain why these answers are correct.": {"r.csv", header + "c1,a,b,2,2,2,3,2,,\n"},
		"r.jsonl:1:reference.emotion: 3.5 is not on the scale 1–5.": {"r.jsonl", strings.Replace(referenceLine,
			`"emotion": 3`, `"emotion": 3.5`, 1)},
		"r.jsonl:1:reference.mood: ": {"r.jsonl", strings.Replace(referenceLine,
			`"emotion": 3`, `"emotion": 3, "mood": 1`, 1)},
		"r.jsonl:1:reference.overall: ": {"r.jsonl", strings.Replace(referenceLine,
			`, "overall": 2}`, `}`, 1)},
		"r.jsonl:1:reason.mood: This protocol has no question “mood”.": {"r.jsonl", strings.Replace(referenceLine,
			`"reason": {`, `"reason": {"mood": "x", `, 1)},
	} {
		_, err := ReadReferences(builtinProtocol(t, "empathy"), file[0], strings.NewReader(file[1]))
		if _, ok := errors.AsType[FileErrors](err); !ok || !strings.Contains(err.Error(), message) {
			t.Errorf("want %q, got %v", message, err)
		}
	}
}
