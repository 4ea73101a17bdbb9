package importer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
)

// describeItem returns an item as one line: its id, its texts by part, and its metadata.
func describeItem(item project.Item) string {
	text := item.SourceID
	for _, key := range slices.Sorted(maps.Keys(item.Content)) {
		part := item.Content[key]
		text += fmt.Sprintf(" %s=%s", key, part.Text)
		for _, turn := range part.Turns {
			text += fmt.Sprintf("<%s: %s>", turn.Role, turn.Text)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(item.Meta)) {
		text += fmt.Sprintf(" meta.%s=%s", key, item.Meta[key])
	}
	return text
}

// Files as their owners have them. What is stored is what they hold, or the error names the place and
// what to do.
func TestReadItems_AnyShape(t *testing.T) {
	t.Parallel()
	const record = `{"id":"a","user_statement":"s","response":"r"}`
	const stored = "a response=r user_statement=s"
	mapped := Reading{Mapping: "user_statement=q,response=r"}
	for _, c := range []struct {
		name, file, content string
		reading             Reading
		want                string // a line for each item, or the error
	}{
		{"list in a document", "a.json", `{"v":3,"results":{"results":[` + record + `]}}`,
			Reading{Records: "results.results"}, stored},
		{"list that is not named", "a.json", `{"v":3,"results":{"results":[` + record + `,` + record +
			`]},"log":[{"at":1}]}`, Reading{},
			"a.json:1: The file is one object with the records inside. Name the path of the records: results.results (2), log (1)."},
		{"list that is not there", "a.json", `{"results":[` + record + `]}`, Reading{Records: "data"},
			"a.json: The file has no value at the path of the records, “data”."},
		{"list in a list", "a.json", `{"runs":[{"rows":[]},{"rows":[` + record + `]}]}`,
			Reading{Records: "runs[1].rows"}, stored},
		{"list under a key with a dot", "a.json", `{"a.b":{"c":[` + record + `]}}`, Reading{Records: "a.b.c"}, stored},
		{"lists in lines", "a.jsonl", `{"rows":[` + record + `]}` + "\n" +
			`{"rows":[{"id":"b","user_statement":"t","response":"q"}]}`, Reading{Records: "rows"}, stored +
			"\nb response=q user_statement=t"},
		{"objects by id", "a.json", `{"a":{"user_statement":"s","response":"r"},"b":{"user_statement":"t","response":"q"}}`, Reading{Records: "*"}, stored + "\nb response=q user_statement=t"},
		{"objects by id that are not named", "a.json", `{"a":{"q":"s"},"b":{"q":"t"}}`, Reading{},
			"a.json:1: The file is one object with the records inside. Name the path of the records: * (2)."},
		{"columns of lists", "a.json", `{"q":["s","t"],"r":["r","q"],"n":[1,null]}`,
			Reading{Mapping: "id=n,user_statement=q,response=r", Records: ""},
			"1 response=r user_statement=s\ni-eb5730cbaf88e37d12e4 response=q user_statement=t"},
		{"columns by row number", "a.json", `{"q":{"0":"s","1":"t"},"r":{"0":"r","1":"q"},"id":{"0":"a","1":"b"}}`,
			mapped, stored + "\nb response=q user_statement=t"},
		{"one record with lists", "a.json", `{"q":["s"],"r":[{"x":"r"}]}`,
			Reading{Mapping: "user_statement=q[0],response=r.0.x"},
			`i-419e955698c549f4be2d response=r user_statement=s`},
		{"last element", "a.jsonl", `{"m":[{"content":"s"},{"content":"r"}]}`,
			Reading{Mapping: "user_statement=m.0.content,response=m[-1].content"},
			`i-419e955698c549f4be2d response=r user_statement=s`},
		{"names with commas and dots", "a.jsonl", `{"Question, final":"s","x":{"a.b":"r"}}`,
			Reading{Mapping: `user_statement="Question, final",response=x."a.b"`},
			`i-419e955698c549f4be2d response=r user_statement=s`},
		{"pair of answers", "a.jsonl", `{"id":"a","q":"s","a":"r","b":"x","ma":"m1","mb":"m2"}`,
			Reading{Mapping: "user_statement=q,response=a,response=b,meta.model=ma,meta.model=mb"},
			`a#1 response=r user_statement=s meta.model="m1" meta.pair_id="a" meta.pair_path="a"` + "\n" +
				`a#2 response=x user_statement=s meta.model="m2" meta.pair_id="a" meta.pair_path="b"`},
		{"numbers where text is expected", "a.jsonl",
			`{"id":1234567890123456789,"user_statement":1.50,"response":1e400,"m":1e400}`, Reading{},
			`1234567890123456789 response=1e400 user_statement=1.50 meta.m="1e400"`},
		{"numbers of Python", "a.jsonl",
			`{"id":"a","user_statement":"s","response":"r","m":NaN,"n":[-Infinity,{"x":NaN}],"o":"NaN"}`, Reading{},
			stored + ` meta.m="NaN" meta.n=["-Infinity",{"x":"NaN"}] meta.o="NaN"`},
		{"missing answer of Python", "a.jsonl", `{"id":"a","user_statement":"s","response":NaN}`, Reading{},
			"a user_statement=s"},
		{"no number", "a.jsonl", `{"id":"a","user_statement":"s","response":NaNa}`, Reading{},
			"a.jsonl:1: This is not valid JSON at character 43. Check the quotes, commas and brackets there."},
		{"index without a name, and an empty column", "a.csv", ",id,user_statement,response,\n0,a,s,r,\n", Reading{},
			stored + ` meta.column 1="0"`},
		{"columns of one name", "a.csv", "id,user_statement,response,m,m\na,s,r,1,2\n", Reading{}, stored +
			` meta.m="1" meta.m (column 5)="2"`},
		{"read columns of one name", "a.csv", "id,q,r,r\na,s,r,1\n", mapped,
			"a.csv:1:r: Column 3 has the same name. Rename one of them."},
		{"blank rows and trailing commas", "a.csv", "id,user_statement,response\r\na,s,r,,\r\n,,\r\n \t, ,\r\n",
			Reading{}, stored},
		{"quotes in a cell", "a.csv", "id,user_statement,response\na,she said \"go\",r\n", Reading{},
			`a response=r user_statement=she said "go"`},
		{"quotes at the start of a cell with tabs", "a.tsv",
			"id\tuser_statement\tresponse\na\t\"go\" she said \"\"no\"\"\tr\nb\t\"x\ty\"\"\"\tq\n", Reading{},
			`a response=r user_statement="go" she said ""no""` + "\n" + `b response=q user_statement=x	y"`},
		{"named encoding", "a.csv", "id,user_statement,response\na,Sch\xf6ne,r\x80\n", Reading{Encoding: "cp1252"},
			"a response=r€ user_statement=Schöne"},
		{"encoding that is not named", "a.csv", "id,user_statement,response\na,Sch\xf6ne,r\n", Reading{},
			"a.csv:2:user_statement: Character 4 is not UTF-8 (byte 0xF6). Save the file as UTF-8. Or name its encoding, such as windows-1252."},
		{"bytes that the encoding does not have", "a.csv", "id,user_statement,response\na,s,\x81\n",
			Reading{Encoding: "shift_jis"},
			"a.csv:2:response: Character 1 is not valid SHIFT_JIS, the encoding that the file was read with. Save the file as UTF-8, or name the encoding that it has."},
		{"UTF-16 JSON lines", "a.jsonl", "\xff\xfe" + strings.Join(strings.Split(record, ""), "\x00") + "\x00",
			Reading{}, stored},
		{"control character in JSON", "a.json", "{\"id\":\"a\",\n\"user_statement\":\"one\ntwo\",\"response\":\"r\"}",
			Reading{}, `a.json:1: There is the control character U+000A in a text, at line 2, column 22 of the file. Write it as an escape, \n.`},
		{"fault in a list", "a.json", "[" + record + ",\n {\"id\":\"b\",}]", Reading{},
			"a.json:2: This is not valid JSON at line 2, column 11 of the file: there is a comma before the closing bracket. Remove the comma."},
		{"fault between records", "a.json", "[" + record + "\n " + record + "]", Reading{},
			"a.json:2: This is not valid JSON at line 2, column 2 of the file. Check the quotes, commas and brackets there."},
		{"end within a list", "a.json", "[" + record + ",\n {\"id\":", Reading{},
			"a.json:2: The file ends before its JSON does, at line 2. Check that it is complete, and the quotes and brackets from line 2 on."},
		{"pointer of Git LFS", "a.parquet", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n", Reading{},
			"a.parquet: This is a pointer of Git LFS, not the file itself. Fetch the file with “git lfs pull” and import it again."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkReading(t, "empathy", c.file, c.content, c.reading, c.want)
		})
	}
}

func TestReadItems_MessagePerRow(t *testing.T) {
	t.Parallel()
	byNumber := Reading{GroupBy: "session", Order: "n"}
	const two = "s1 turns=<user: Hi.><assistant: Hello.> meta.n=[9,10] meta.session=\"s1\""
	for _, c := range []struct {
		name, content string
		reading       Reading
		want          string
	}{
		{"in order", `{"session":"s1","n":9,"role":"user","text":"Hi."}` + "\n" +
			`{"session":"s1","n":10,"role":"assistant","text":"Hello."}`, byNumber, two},
		{"in another order", `{"session":"s1","n":10,"role":"assistant","text":"Hello."}` + "\n" +
			`{"session":"s1","n":9,"role":"user","text":"Hi."}`, byNumber, two},
		{"mapped", `{"s":"s1","who":"human","says":"Hi.","m":"x"}` + "\n" +
			`{"s":"s1","who":"bot","says":"Hello.","m":"x"}`, Reading{GroupBy: "s", Mapping: "role=who,content=says"},
			`s1 turns=<user: Hi.><assistant: Hello.> meta.m="x" meta.s="s1"`},
		{"apart", `{"session":"s1","role":"user","text":"Hi."}` + "\n" + `{"session":"s2","role":"user","text":"Hi."}` +
			"\n" + `{"session":"s1","role":"user","text":"Hi."}`, Reading{GroupBy: "session"},
			"a.jsonl:3:session: The messages of “s1”, which start at line 1, are not together. Sort the file by “session”."},
		{"without a number", `{"session":"s1","role":"user","text":"Hi."}`, byNumber,
			"a.jsonl:1:n: This path, by which messages are ordered, is missing in message 1 of “s1”."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkReading(t, "ambiguity", "a.jsonl", c.content, c.reading, c.want)
		})
	}
}

func checkReading(t *testing.T, protocol, name, content string, reading Reading, want string) {
	t.Helper()
	o, err := reading.Options()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := o.Reading().Options(); err != nil || again.mappingText() != o.mappingText() ||
		again.Encoding != o.Encoding {
		t.Errorf("%+v is read again as %+v, %v", o, again, err)
	}
	var lines []string
	err = o.ScanItems(t.Context(), builtinProtocol(t, protocol), name, strings.NewReader(content),
		func(item project.Item) error {
			lines = append(lines, describeItem(item))
			return nil
		})
	got := strings.Join(lines, "\n")
	if err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
