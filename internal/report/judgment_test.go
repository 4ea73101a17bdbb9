package report_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

func newItemRefs() map[string]report.ItemRef {
	return map[string]report.ItemRef{"i1": {ID: 1, Facts: protocol.Facts{"multi_turn": true}}, "i2": {ID: 2, Facts: protocol.Facts{}}}
}

func TestReadJudgments_EachFormat_Parses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, text string }{
		"long":            {"a.csv", "item,dimension,value\ni1,a,2\ni1,d,0\ni2,a,1\n"},
		"a column each":   {"a.csv", "\ufeffitem,a,d\ni1,2,0\ni2,1,\n"},
		"lines of JSON":   {"a.jsonl", "{\"item\":\"i1\",\"a\":2,\"d\":0}\n\n{\"item\":\"i2\",\"a\":1,\"d\":null}\n"},
		"JSON in capital": {"a.JSONL", `{"item":"i1","a":2,"d":0}` + "\n" + `{"item":"i2","a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := report.ReadJudgments(builtinProtocol(t, "ambiguity"), newItemRefs(), "judge", tt.file, strings.NewReader(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 2 || got[0].ItemID != 1 || got[0].Judge != "judge" || got[0].Values["a"] != 2 || got[0].Values["d"] != 0 || len(got[1].Values) != 1 {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestReadJudgments_BadFile_NamesPlace(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, text, want string }{
		"an item that is not there":     {"a.csv", "item,dimension,value\nx,a,1\n", `a.csv:2:1: there is no item "x"`},
		"a field that is not there":     {"a.csv", "item,dimension,value\ni1,z,1\n", `a.csv:2:2: there is no field "z"`},
		"off the scale":                 {"a.csv", "item,a\ni1,3\n", `a.csv:2:2: "3" is not on the scale of a, which is 0..2`},
		"not a number":                  {"a.jsonl", `{"item":"i1","a":"1"}`, `a.jsonl:1:1: "\"1\"" is not on the scale`},
		"a field that does not apply":   {"a.csv", "item,d\ni2,1\n", `a.csv:2:2: d does not apply to i2`},
		"the same twice":                {"a.csv", "item,dimension,value\ni1,a,1\ni1,a,1\n", "a.csv:3:3: a of i1 stands further up"},
		"a short row":                   {"a.csv", "item,a\ni1\n", "a.csv:2:1: the row has 1 values"},
		"a header that says nothing":    {"a.csv", "id,a\ni1,1\n", "a.csv:1:1: the first row must be"},
		"an empty file":                 {"a.csv", "", "a.csv:1:1: the file is empty"},
		"a header alone":                {"a.csv", "item,a\n", "a.csv:1:1: there is no answer"},
		"a line that is not JSON":       {"a.jsonl", "item,a", "a.jsonl:1:1: this is not a line of JSON"},
		"a line without an item":        {"a.jsonl", `{"a":1}`, `a.jsonl:1:1: the line has no "item"`},
		"a quotation mark never closed": {"a.csv", "item,a\n\"i1,1\n", "a quotation mark"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := report.ReadJudgments(builtinProtocol(t, "ambiguity"), newItemRefs(), "judge", tt.file, strings.NewReader(tt.text))
			if _, ok := errors.AsType[stats.CellErrors](err); !ok || got != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

func TestReadJudgments_BrokenRule_Fails(t *testing.T) {
	t.Parallel()
	p := builtinProtocol(t, "rag-retrieval")
	for name, tt := range map[string]struct{ file, text, want string }{
		"a column each": {"a.csv", "item,topically_relevant,evidence_sufficient,misleading\ni1,1,1,0\ni2,0,1,0\n", "a.csv:3:2: topically_relevant of i2: "},
		"long":          {"a.csv", "item,dimension,value\ni2,misleading,1\ni2,topically_relevant,1\ni2,evidence_sufficient,1\n", "a.csv:2:3: misleading of i2: "},
		"lines of JSON": {"a.jsonl", "\n{\"item\":\"i1\",\"topically_relevant\":0,\"evidence_sufficient\":1}", "a.jsonl:2:1: topically_relevant of i1: "},
	} {
		got, err := report.ReadJudgments(p, newItemRefs(), "judge", tt.file, strings.NewReader(tt.text))
		if faults, ok := errors.AsType[stats.CellErrors](err); !ok || got != nil || len(faults.Errors) != 1 || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
	if got, err := report.ReadJudgments(p, newItemRefs(), "judge", "a.csv", strings.NewReader("item,evidence_sufficient\ni1,1\n")); err != nil || len(got) != 1 {
		t.Errorf("a field left out breaks no rule: %v", err)
	}
	empathy := builtinProtocol(t, "empathy")
	if got, err := report.ReadJudgments(empathy, newItemRefs(), "judge", "a.csv", strings.NewReader("item,emotion\ni1,5\n")); err != nil || len(got) != 1 {
		t.Errorf("a model owes no note: %v", err)
	}
}

func FuzzReadJudgments(f *testing.F) {
	f.Add(true, "item,dimension,value\ni1,a,2\n")
	f.Add(false, `{"item":"i1","a":2}`)
	p := builtinProtocol(f, "ambiguity")
	f.Fuzz(func(t *testing.T, table bool, text string) {
		file := map[bool]string{true: "a.csv", false: "a.jsonl"}[table]
		got, err := report.ReadJudgments(p, newItemRefs(), "judge", file, strings.NewReader(text))
		for _, j := range got {
			for key, v := range j.Values {
				if field, ok := p.Field(key); err != nil || !ok || v < 0 || v > len(field.Scale)-1 || j.ItemID == 0 {
					t.Errorf("%+v was let through", j)
				}
			}
		}
	})
}
