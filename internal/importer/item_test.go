package importer

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

func readValidItems(t testing.TB, protocol, name, file string) []project.Item {
	t.Helper()
	items, err := ReadItems(builtinProtocol(t, protocol), name, strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func checkEqual(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadItems_ExtraColumns_AreMeta(t *testing.T) {
	t.Parallel()
	checkEqual(t, readValidItems(t, "empathy", "a.csv",
		"\ufeffmodel,response,eval_id,user_statement,record_id\r\nm-1,\"Oh, \"\"no\"\".\",7,\"Line\r\nand\rline\",r1\r\n"), []project.Item{{
		SourceID: "7", RecordID: "r1",
		Content: project.Content{"user_statement": {Text: "Line\r\nand\rline"}, "response": {Text: `Oh, "no".`}},
		Facts:   protocol.Facts{},
		Meta:    map[string]json.RawMessage{"model": json.RawMessage(`"m-1"`)},
		Row:     2,
	}})
}

func TestReadItems_JSONMeta_Verbatim(t *testing.T) {
	t.Parallel()
	items := readValidItems(t, "ambiguity", "a.jsonl",
		`{"id":12,"turns":[{"role":"user","text":"a","at":"noon"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}],"m":{"b": 1.50, "a":[null,false,""]},"n":0}`)
	checkEqual(t, items, []project.Item{{
		SourceID: "12",
		Content: project.Content{"turns": {Turns: []project.Turn{{Role: "user", Text: "a"},
			{Role: "assistant", Text: "b"}, {Role: "user", Text: "c"}, {Role: "assistant", Text: "d"}}}},
		Facts: protocol.Facts{"multi_turn": true},
		Meta: map[string]json.RawMessage{
			"m":           json.RawMessage(`{"b": 1.50, "a":[null,false,""]}`),
			"n":           json.RawMessage(`0`),
			"turns[1].at": json.RawMessage(`"noon"`),
		},
		Row: 1,
	}})
}

// The system returned nothing: that is an item to label, in which the part is empty.
func TestReadItems_EmptyResponse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		protocol, file, content string
		items                   int
	}{
		"a.csv":   {"empathy", "eval_id,user_statement,response\n1,Hello,\n2,Hello,\" \"\n", "user_statement", 2},
		"a.jsonl": {"empathy", `{"user_statement":"Hello","response":""}`, "user_statement", 1},
		"b.jsonl": {"empathy", `{"user_statement":"Hello","response":null}`, "user_statement", 1},
		"c.jsonl": {"rag-generation", `{"query":"Why?","answer":""}`, "query", 1},
		"d.jsonl": {"rag-generation", `{"query":"Why?","answer":"",` +
			twoChunks[len(`"query":"Why?","answer":"So.",`):] + `null}`, "context_set query", 1},
		"e.jsonl": {"rag-grounding", `{"query":"Why?","answer":null,"context_set":["one"]}`, "context_set query", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items := readValidItems(t, c.protocol, name, c.file)
			if len(items) != c.items {
				t.Fatalf("%d items, want %d", len(items), c.items)
			}
			checkEqual(t, strings.Join(slices.Sorted(maps.Keys(items[0].Content)), " "), c.content)
		})
	}
}

func TestReadItems_NoID_StableIDs(t *testing.T) {
	t.Parallel()
	ids := func(protocol, name, file string) (ids []string) {
		for _, item := range readValidItems(t, protocol, name, file) {
			ids = append(ids, item.SourceID)
		}
		return ids
	}
	csv := ids("empathy", "a.csv", "user_statement,response,m\na,b,1\na,b,2\nab,c,3\n")
	if csv[1] != csv[0]+"-2" || csv[2] == csv[0] {
		t.Errorf("got %q", csv)
	}
	checkEqual(t, ids("empathy", "b.jsonl", `{"user_statement":"a","response":"b"}`+"\n"+
		`{"response":"b","user_statement":"a"}`), csv[:2])
	records := ids("rag-retrieval", "a.jsonl", "{"+twoChunks+`"x"}`+"\n{"+twoChunks+`"x"}`)
	if len(records) != 4 || records[2] != strings.Replace(records[0], "#", "-2#", 1) ||
		!strings.HasSuffix(records[1], "#c2") {
		t.Errorf("got %q", records)
	}
}

// difficultTexts are texts that simple readers change.
var difficultTexts = map[string]string{
	"Arabic":             "مرحبا بالعالم، كيف حالك؟",
	"Thai":               "ฉันรู้สึกเศร้ามาก",
	"CJK":                "我很难过。すみません。𠮷野家",
	"family of emoji":    "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽",
	"composed":           "caf\u00e9",
	"decomposed":         "cafe\u0301",
	"line separators":    "a\u2028b\u2029c\u0085d",
	"bidi controls":      "a\u202eb\u202c \u2066c\u2069 \u200fd",
	"ten thousand marks": "x" + strings.Repeat("\u0301", 10_000),
	"CRLF, CR and LF":    "a\r\nb\rc\nd\r\n\r\r\n",
	"bell and an escape": "a\u0007b\u001b[31mc",
	"C1 controls":        "a\u0080b\u009fc",
	"mark inside":        "a\ufeffb",
	"replacement":        "a\ufffdb",
	"noncharacters":      "a\ufffe\uffffb\U0010ffff",
	"quotes and commas":  `"a","b"""`,
	"backslashes":        `\n \u0041 \\`,
	"spaces around":      " \ta\u00a0\n",
	"formulas":           "=1+1",
	"markup":             "<script>alert(1)</script>&amp;",
	"number":             "007",
	"NA":                 "NA",
}

// Items are the same however a program saves the file.
func TestReadItems_AsProgramsSave_SameItems(t *testing.T) {
	t.Parallel()
	const file = "id,user_statement,response,model\r\n1,\"größer, 😀; ja\",\"b\nc\",m\r\n2,d,e,\r\n"
	p := builtinProtocol(t, "empathy")
	want, err := ReadItems(p, "a.csv", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	withDelimiter := func(delimiter string) string {
		return strings.NewReplacer("größer,", "größer,", ",", delimiter).Replace(file)
	}
	withLineEnds := func(end string) string { return strings.ReplaceAll(file, "\r\n", end) }
	for name, c := range map[string]struct{ name, content string }{
		"LF":                     {"a.CSV", withLineEnds("\n")},
		"mixed":                  {"a.csv", strings.Replace(file, "\r\n", "\n", 2)},
		"no last line":           {"a.csv", strings.TrimSuffix(file, "\r\n")},
		"blank lines":            {"a.csv", "\n" + withLineEnds("\r\n\n") + "\n"},
		"quotes":                 {"a.csv", strings.Replace(file, "id,user_statement", "\"id\",\"user_statement\"", 1)},
		"pipes":                  {"a.csv", withDelimiter("|")},
		"Excel, UTF-8":           {"a.csv", byteOrderMark + file},
		"Excel, German":          {"a.csv", byteOrderMark + withDelimiter(";")},
		"Excel, Unicode text":    {"a.csv", encodeUTF16(withDelimiter("\t"), "\xff\xfe", binary.LittleEndian)},
		"Excel, declared":        {"a.csv", "sep=;\r\n" + withDelimiter(";")},
		"LibreOffice, tabs":      {"a.tsv", withDelimiter("\t")},
		"LibreOffice, UTF-16":    {"a.csv", encodeUTF16(file, "\xfe\xff", binary.BigEndian)},
		"UTF-16 LE, no mark":     {"a.csv", encodeUTF16(file, "", binary.LittleEndian)},
		"UTF-16 BE, no mark":     {"a.csv", encodeUTF16(file, "", binary.BigEndian)},
		"Numbers":                {"a.csv", strings.ReplaceAll(withDelimiter(";"), "\r\n", "\n")},
		"standard input, UTF-16": {"-", encodeUTF16(withDelimiter(";"), "\xff\xfe", binary.LittleEndian)},
	} {
		got, err := ReadItems(p, c.name, strings.NewReader(c.content))
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(project.Item{}, "Row")); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	oldMac := "id;user_statement;response\r1;\"a\rb\";c\r"
	if items := readValidItems(t, "empathy", "a.csv", oldMac); items[0].Content["user_statement"].Text != "a\rb" {
		t.Errorf("line ends of old Macs: %+v", items)
	}
	items := readValidItems(t, "ambiguity", "a.ndjson", byteOrderMark+strings.ReplaceAll(goodTurns, "%d", "1")+" \r\n\n"+
		strings.ReplaceAll(goodTurns, "%d", "2"))
	if len(items) != 2 {
		t.Errorf("got %d items, want 2", len(items))
	}
}

// A name that differs from a known one in case and spaces is that, in each format, unless the file has the known one,
// too.
func TestReadItems_NamesInOtherCase_Corrected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, cells, want, meta string }{
		{"ID,User_Statement, RESPONSE", "7,a,b", "7 a b", ""},
		{"id,ID,user_statement,response,Response", "7,8,a,b,c", "7 a b", "ID Response"},
		{"eval_id,ID,user_statement,response", "7,8,a,b", "7 a b", "ID"},
		{"id,user_statement,Response,RESPONSE", "7,a,b,c", "7 a b", "RESPONSE"},
	} {
		names, cells := strings.Split(c.header, ","), strings.Split(c.cells, ",")
		var members []string
		for i, name := range names {
			members = append(members, strconv.Quote(name)+":"+strconv.Quote(cells[i]))
		}
		for file, content := range map[string]string{"a.csv": c.header + "\n" + c.cells + "\n", "a.jsonl": "{" +
			strings.Join(members, ",") + "}"} {
			item := readValidItems(t, "empathy", file, content)[0]
			got := strings.Join([]string{item.SourceID, item.Content["user_statement"].Text,
				item.Content["response"].Text}, " ")
			if meta := strings.Join(slices.Sorted(maps.Keys(item.Meta)), " "); got != c.want || meta != c.meta {
				t.Errorf("%s of %q: %q with metadata %q, want %q with %q", file, c.header, got, meta, c.want, c.meta)
			}
		}
	}
}
