package importer

import (
	"errors"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

func newItemRefs() map[string]ItemRef {
	return map[string]ItemRef{"i1": {ID: 1, Facts: protocol.Facts{"multi_turn": true}},
		"i2": {ID: 2, Facts: protocol.Facts{}}}
}

func TestReadJudgments_EachShape_SameAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, text string }{
		"long CSV":   {"a.csv", "item,dimension,value\ni1,a,2\ni1,d,0\ni2,a,1\n"},
		"wide CSV":   {"a.csv", "\ufeffitem,a,d\ni1,2,0\ni2,1,\n"},
		"wide JSONL": {"a.jsonl", "{\"item\":\"i1\",\"a\":2,\"d\":0}\n\n{\"item\":\"i2\",\"a\":1,\"d\":null}\n"},
		"long JSONL": {"a.jsonl", `{"item":"i1","dimension":"a","value":2}` + "\n" +
			`{"item":"i1","dimension":"d","value":0}` + "\n" + `{"item":"i2","dimension":"a","value":1}`},
		"name in capitals": {"a.JSONL", `{"item":"i1","a":2,"d":0}` + "\n" + `{"item":"i2","a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadJudgments(builtinProtocol(t, "ambiguity"), newItemRefs(), tt.file,
				strings.NewReader(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			checkEqual(t, got.Answers, []ItemAnswers{{1, map[string]int{"a": 2, "d": 0}, ""},
				{2, map[string]int{"a": 1}, ""}})
		})
	}
}

func TestReadJudgments_BadFile_ListsErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, text, want string }{
		"unknown item": {"a.csv", "item,dimension,value\nx,a,1\n",
			"a.csv:2:item: The project has no item “x”."},
		"unknown field, long": {"a.csv", "item,dimension,value\ni1,z,1\n",
			"a.csv:2:dimension: “z” is not a field of ambiguity v1.1. The fields are a, b, c, d, e, f."},
		"unknown field, once": {"a.csv", "item,z\ni1,1\ni2,1\n",
			"a.csv: “z” is not a field of ambiguity v1.1. The fields are a, b, c, d, e, f."},
		"off the scale":     {"a.csv", "item,a\ni1,3\n", "a.csv:2:a: 3 is not on the scale 0–2."},
		"text for a number": {"a.jsonl", `{"item":"i1","a":"1"}`, `a.jsonl:1:a: "1" is not on the scale 0–2.`},
		"fraction":          {"a.jsonl", `{"item":"i1","a":1.0}`, `a.jsonl:1:a: 1.0 is not on the scale 0–2.`},
		"plus sign": {"a.csv", "item,a\ni1,+1\n",
			"a.csv:2:a: “+1” is a number in another notation. Write it like 3"},
		"leading zero": {"a.csv", "item,dimension,value\ni1,a,01\n",
			"a.csv:2:value: “01” is a number in another notation."},
		"empty value": {"a.csv", "item,dimension,value\ni1,a,\n",
			"a.csv:2:value: This is empty. Leave the row out if there is no answer."},
		"field not applicable": {"a.csv", "item,d\ni2,1\n", "a.csv:2:d: d does not apply to this item. Leave it out."},
		"same answer twice": {"a.csv", "item,dimension,value\ni1,a,1\ni1,a,1\n",
			"a.csv:3:value: Line 2 has an answer to this field of the item. Keep one of the two."},
		"short row": {"a.csv", "item,a\ni1\n", "a.csv:2: This row has 1 cell, but the header has 2. Put text with commas or line breaks in quotes."},
		"no item column": {"a.csv", "id,a\n1,1\n2,1\n",
			"a.csv:1:item: This column is missing. Add it to the first line."},
		"no value column": {"a.csv", "item,dimension\ni1,a\ni2,a\n",
			"a.csv:2:value: This column is missing. It is needed with the column dimension."},
		"empty file":            {"a.csv", "", "a.csv: The file is empty."},
		"header only":           {"a.csv", "item,a\n", "a.csv: The file has no answers. Write one row for each item."},
		"not JSON":              {"a.jsonl", "item,a", "a.jsonl: "},
		"line without an item":  {"a.jsonl", `{"a":1}`, "a.jsonl:1:item: This is missing. Add the id of the item."},
		"quote that stays open": {"a.csv", "item,a\n\"i1,1\n", "a.csv:2:item: "},
		"other file type":       {"a.txt", "item,a\ni1,1\n", "a.txt: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadJudgments(builtinProtocol(t, "ambiguity"), newItemRefs(), tt.file,
				strings.NewReader(tt.text))
			errs, ok := errors.AsType[FileErrors](err)
			if !ok || got.Answers != nil || len(errs) != 1 || !strings.HasPrefix(err.Error(), tt.want) ||
				!errors.Is(err, fault.Invalid) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestReadJudgments_BrokenRule_Fails(t *testing.T) {
	t.Parallel()
	p := builtinProtocol(t, "rag-retrieval")
	for name, tt := range map[string]struct{ file, text, want string }{
		"wide CSV": {"a.csv", "item,topically_relevant,evidence_sufficient,misleading\ni1,1,1,0\ni2,0,1,0\n",
			"a.csv:3:topically_relevant: "},
		"long CSV": {"a.csv", "item,dimension,value\ni2,misleading,1\ni2,topically_relevant,1\ni2,evidence_sufficient,1\n", "a.csv:2:value: "},
		"wide JSONL": {"a.jsonl", "\n{\"item\":\"i1\",\"topically_relevant\":0,\"evidence_sufficient\":1}",
			"a.jsonl:2:topically_relevant: "},
	} {
		got, err := ReadJudgments(p, newItemRefs(), tt.file, strings.NewReader(tt.text))
		if errs, ok := errors.AsType[FileErrors](err); !ok || got.Answers != nil || len(errs) != 1 ||
			!strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

func TestReadJudgments_AbsentFieldsAndNote_Accepted(t *testing.T) {
	t.Parallel()
	for key, text := range map[string]string{"rag-retrieval": "item,evidence_sufficient\ni1,1\n",
		"empathy": "item,emotion\ni1,5\n"} {
		if got, err := ReadJudgments(builtinProtocol(t, key), newItemRefs(), "a.csv",
			strings.NewReader(text)); err != nil || len(got.Answers) != 1 {
			t.Errorf("%s: got %v, %v", key, got, err)
		}
	}
}

// TestReadJudgments_OtherColumns checks that reasons are read in each shape, and that what is left out is named once.
func TestReadJudgments_OtherColumns(t *testing.T) {
	t.Parallel()
	items := newItemRefs()
	items["c1"] = ItemRef{ID: 3, IsCalibration: true}
	for name, tt := range map[string]struct{ file, text string }{
		"wide CSV": {"a.csv", "item,a,rationale,confidence\ni1,2,Names it.,0.9\ni2,1,,0.8\nc1,1,No.,0.7\n"},
		"long CSV": {"a.csv", "item,dimension,value,note,confidence\ni1,a,2,Names it.,0.9\ni2,a,1,,0.8\nc1,a,1,No.,0.7\n"},
		"wide JSONL": {"a.jsonl", `{"item":"i1","a":2,"reason":"Names it.","confidence":0.9}` + "\n" +
			`{"item":"i2","a":1,"reason":null,"confidence":[1]}` + "\n" + `{"item":"c1","a":1}`},
	} {
		got, err := ReadJudgments(builtinProtocol(t, "ambiguity"), items, tt.file, strings.NewReader(tt.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkEqual(t, got, Judgments{[]ItemAnswers{{1, map[string]int{"a": 2}, "Names it."}, {2, map[string]int{"a": 1},
			""}}, JudgmentOmission{[]string{"confidence"}, []string{"c1"}}})
	}
}

// Every item that is not in the project is an error: beyond ErrorLimit they are counted.
func TestReadJudgments_ManyErrors_AreCounted(t *testing.T) {
	t.Parallel()
	_, err := ReadJudgments(builtinProtocol(t, "ambiguity"), newItemRefs(), "a.csv", strings.NewReader("item,a\n"+
		strings.Repeat("x,1\n", ErrorLimit+5)))
	errs, ok := errors.AsType[FileErrors](err)
	if !ok || len(errs) != ErrorLimit+1 || !strings.HasPrefix(errs[ErrorLimit].Message, "5 more") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadJudgments(f *testing.F) {
	f.Add(true, "item,dimension,value\ni1,a,2\n")
	f.Add(false, `{"item":"i1","a":2}`)
	p := builtinProtocol(f, "ambiguity")
	f.Fuzz(func(t *testing.T, isCSV bool, text string) {
		file := map[bool]string{true: "a.csv", false: "a.jsonl"}[isCSV]
		got, err := ReadJudgments(p, newItemRefs(), file, strings.NewReader(text))
		if (err == nil) != (len(got.Answers) > 0) {
			t.Errorf("%d judgments and %v", len(got.Answers), err)
		}
		for _, j := range got.Answers {
			for key, v := range j.Values {
				if field, ok := p.Field(key); !ok || v < 0 || v > len(field.Scale)-1 || j.ItemID == 0 {
					t.Errorf("accepted %+v", j)
				}
			}
		}
	})
}
