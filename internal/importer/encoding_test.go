package importer

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// TestReadItems_BrokenUTF16 checks that what is no UTF-16 is reported with the encoding, its place and what to do, in
// each format and where a text is, and that U+FFFD, which is a character, is none of that.
func TestReadItems_BrokenUTF16(t *testing.T) {
	t.Parallel()
	const remedy = " is not valid UTF-16LE, the encoding that the file was read with. Save the file as UTF-8, or name the encoding that it has."
	for _, c := range []struct{ name, file, content, want string }{
		{"first half of a pair", "a.csv", "id,user_statement,response\na,s,r\ue000x\n",
			"a.csv:2:response: Character 2" + remedy},
		{"second half of a pair", "a.csv", "id,user_statement,response\na,s,\ue001\n",
			"a.csv:2:response: Character 1" + remedy},
		{"end inside of a character", "a.csv", "id,user_statement,response\na,s,r\ue002",
			"a.csv:2:response: Character 2" + remedy},
		{"text in JSON lines", "a.jsonl", `{"id":"a","user_statement":"s","response":"r` + "\ue000\"}",
			"a.jsonl:1:response: Character 2" + remedy},
		{"key in JSON lines", "a.jsonl", `{"id":"a","user_statement":"s","response":"r","m` + "\ue000\":1}",
			"a.jsonl:1: Character 2" + remedy},
		{"outside of texts", "a.json", `{"id":"a","user_statement":"s",` + "\n\ue001" + `"response":"r"}`,
			"a.json:1: Character at line 2, column 1 of the file" + remedy},
		{"after a record", "a.jsonl", `{"id":"a","user_statement":"s","response":"r"}` + "\ue002",
			"a.jsonl:1: Character 47" + remedy},
		{"replacement character", "a.csv", "id,user_statement,response\na,s,r\ufffd\n",
			"a response=r\ufffd user_statement=s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			content := encodeUTF16(c.content, "\xff\xfe", binary.LittleEndian)
			content = strings.NewReplacer("\x00\xe0", "\x00\xd8", "\x01\xe0", "\x00\xdc", "\x02\xe0", "\x00").Replace(content)
			checkReading(t, "empathy", c.file, content, Reading{}, c.want)
		})
	}
	content := strings.Replace(encodeUTF16("item,annotator,dimension,value\na,b,d,1\nx,\ue000,d,1\n", "\xff\xfe",
		binary.LittleEndian), "\x00\xe0", "\x00\xd8", 1)
	_, err := ReadLongTable("f.csv", "", strings.NewReader(content), stats.DeclaredScales{})
	if want := "f.csv:3:annotator: The text" + remedy; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestReadItems_OddFiles checks files that were cut off, packed twice, joined, or written in a form that is rare.
func TestReadItems_OddFiles(t *testing.T) {
	t.Parallel()
	const rows, record = "id,user_statement,response\na,s,r\n", `{"id":"a","user_statement":"s","response":"r"}`
	wide := func(text string, order binary.AppendByteOrder) string {
		var out []byte
		for _, r := range text {
			out = order.AppendUint32(out, uint32(r))
		}
		return string(out)
	}
	packed := zip(t, rows)
	const stored = "a response=r user_statement=s"
	for _, c := range []struct{ name, file, content, want string }{
		{"archive that ends early", "a.csv.gz", packed[:len(packed)-6],
			"a.csv.gz: This gzip archive ends too early: it is not complete. Copy or pack it again."},
		{"packed twice", "a.csv.gz", zip(t, packed),
			"a.csv.gz: This is a gzip archive inside of another one. Unpack it once."},
		{"two archives", "a.csv.gz", packed + zip(t, "b,s,r\n"), stored + "\nb response=r user_statement=s"},
		{"UTF-32 LE", "a.csv", wide(rows, binary.LittleEndian), "a.csv: " + utf32Message},
		{"UTF-32 BE", "a.jsonl", wide(record, binary.BigEndian), "a.jsonl: " + utf32Message},
		{"joined files", "a.jsonl", byteOrderMark + record + "\n" + byteOrderMark + record,
			"a.jsonl:2: There is an invisible byte order mark (U+FEFF) at character 1, as where files were joined. Remove it."},
		{"pipes", "a.csv", "id|user_statement|response\na|s|\"r\"\n", stored},
		{"columns and data", "a.json", `{"columns":["id","user_statement","response"],"index":[7],"data":[["a","s","r"]]}`,
			stored + " meta.index=7"},
		{"row of another length", "a.json", `{"columns":["id","user_statement","response"],"data":[["a","s"]]}`,
			"a.json:1:user_statement: This is missing. Every row needs it.\n" +
				"a.json:1:response: This is missing. Every row needs it."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkReading(t, "empathy", c.file, c.content, Reading{}, c.want)
		})
	}
}

// TestReadItems_OneOf checks sentences with counts where the count is one.
func TestReadItems_OneOf(t *testing.T) {
	t.Parallel()
	checkReading(t, "empathy", "a.csv", "id,user_statement,response\na\n", Reading{},
		"a.csv:2: This row has 1 cell, but the header has 3. Put text with commas or line breaks in quotes.")
	checkReading(t, "empathy", "a.jsonl", `{"object":"x"}`, Reading{Preset: "openai-chat"},
		"a.jsonl: The file has no items: its record was left out. Is the preset “openai-chat” right?")
	if got := countNoun(1, "cell") + ", " + countNoun(0, "cell") + ", " + countNoun(1033, "cell"); got !=
		"1 cell, 0 cells, 1,033 cells" {
		t.Error(got)
	}
}
