package importer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
)

// A valid row of each kind of file. %d makes rows differ.
const (
	goodCSV    = `g%d,"My dog died, on Sunday.","I am ""so"" sorry.",m1`
	goodTurns  = `{"item_id":"g%d","turns":[{"role":"user","content":"Well?"},{"role":"assistant","content":"Hm."}]}`
	goodRecord = `{"record_id":"g%d","query":"Why?","answer":"So.","chunks":[{"chunk_id":"c1","doc_id":"d","chunk_rank":1,"text":"one"}],"context_set":"one"}`
	goodChunk  = `g%d,Why?,one,c1,1`
)

// A fileKind is a kind of file into which errors are put, with a valid row.
type fileKind struct{ name, protocol, header, good string }

var (
	csvFile    = fileKind{"items.csv", "empathy", "eval_id,user_statement,response,model\n", goodCSV}
	chunkFile  = fileKind{"chunks.csv", "rag-retrieval", "id,query,chunk,chunk_id,chunk_rank\n", goodChunk}
	turnsFile  = fileKind{"talk.jsonl", "ambiguity", "", goodTurns}
	recordFile = fileKind{"rag.jsonl", "rag-retrieval", "", goodRecord}
)

// rowErrorCases are invalid rows with their error: "column: message" or the message.
var rowErrorCases = []struct {
	name string
	fileKind
	row  string
	want string
}{
	{"cell too few", csvFile, `x,"Hello there"`,
		"This row has 2 cells, but the header has 4. Put text with commas or line breaks in quotes."},
	{"cell too many", csvFile, `x,Hello,there,m1,m2`,
		"This row has 5 cells, but the header has 4. Put text with commas or line breaks in quotes."},
	{"text after a closing quote", csvFile, `x,"He said "no" twice",there,m1`,
		"user_statement: There is text after the closing quote. Double each quote inside a quoted cell. The rest of the file was not read."},
	{"lone carriage return", csvFile, "x,Hello\rthere,you,m1",
		"user_statement: There is a carriage return (U+000D) outside quotes. End rows with a newline, and put text with line breaks in quotes. The rest of the file was not read."},
	{"empty cell", csvFile, `x,,there,m1`, "user_statement: This is empty. Add text."},
	{"cell of spaces", csvFile, "x,\" \u00a0\u200b\n\",there,m1", "user_statement: This is empty. Add text."},
	{"empty id", csvFile, `,Hello,there,m1`,
		"eval_id: This is empty. Add a value, or remove “eval_id” from every row."},
	{"id with spaces around", csvFile, `x ,Hello,there,m1`, "eval_id: There are spaces around this name. Remove them."},
	{"id over two lines", csvFile, "\"x\ny\",Hello,there,m1",
		"eval_id: Character 2 is the control character U+000A, which names cannot have. Remove it."},
	{"id too long", csvFile, strings.Repeat("x", 201) + `,Hello,there,m1`,
		"eval_id: This name has 201 characters. The limit is 200."},
	{"text too long", csvFile, `x,` + strings.Repeat("é", cellLimit+1) + `,there,m1`,
		"user_statement: This has 200,001 characters. The limit is 200,000."},
	{"NUL in a cell", csvFile, "x,He\x00llo,there,m1",
		"user_statement: Character 3 is the control character U+0000 (NUL). Remove it."},
	{"NUL in metadata", csvFile, "x,Hello,there,\x00",
		"model: Character 1 is the control character U+0000 (NUL). Remove it."},
	{"Latin-1", csvFile, "x,Hello,caf\xe9,m1",
		"response: Character 4 is not UTF-8 (byte 0xE9). Save the file as UTF-8."},
	{"overlong form", csvFile, "x,Hello,\xc0\xaf,m1",
		"response: Character 1 is not UTF-8 (byte 0xC0). Save the file as UTF-8."},
	{"surrogate in UTF-8", csvFile, "x,Hello,\xed\xa0\x80,m1",
		"response: Character 1 is not UTF-8 (byte 0xED). Save the file as UTF-8."},
	{"rank of zero", chunkFile, `x,Why?,one,c1,0`, "chunk_rank: Ranks are whole numbers from 1."},
	{"rank in words", chunkFile, `x,Why?,one,c1,first`, "chunk_rank: Ranks are whole numbers from 1."},
	{"rank with a sign", chunkFile, `x,Why?,one,c1,+1`, "chunk_rank: Ranks are whole numbers from 1."},

	{"half an object", turnsFile, `{"item_id":"x","turns":[{"role":"user"`,
		"The line ends before its object does. Write each object on one line."},
	{"two objects on a line", turnsFile, `{"item_id":"x"}{"item_id":"y"}`,
		"There are two objects on this line. Write one object per line."},
	{"something after the object", turnsFile, `{"item_id":"x"},`,
		"There is text after the object on this line. Remove it."},
	{"trailing comma in JSON", turnsFile, `{"item_id":"x",}`,
		"This is not valid JSON at character 15: there is a comma before the closing bracket. Remove the comma."},
	{"single quotes", turnsFile, `{'item_id':'x'}`,
		`This is not valid JSON at character 2: texts and keys are in double quotes. Write " instead of '.`},
	{"duplicate key", turnsFile, `{"item_id":"x","item_id":"y","turns":[{"role":"user","content":"a"}]}`,
		"item_id: This key occurs twice in the object. Keep one."},
	{"duplicate key, deep in metadata", turnsFile,
		`{"item_id":"x","turns":[{"role":"user","content":"a"}],"m":{"n":[{"a":1,"a":2}]}}`,
		"m.n[1].a: This key occurs twice in the object. Keep one."},
	{"raw tab in a JSON text", turnsFile, "{\"item_id\":\"x\ty\"}",
		`There is the control character U+0009 in a text, at character 14. Write it as an escape, \t.`},
	{"raw NUL in a JSON text", turnsFile, "{\"item_id\":\"x\x00y\"}",
		"There is the control character U+0000 in a text, at character 14. Write it as an escape."},
	{"escaped NUL", turnsFile, `{"item_id":"x","turns":[{"role":"user","content":"a\u0000"}]}`,
		"turns[1].content: Character 2 is the control character U+0000 (NUL). Remove it."},
	{"half a surrogate pair", turnsFile, `{"item_id":"x","turns":[{"role":"user","content":"a\ud800b"}]}`,
		`turns[1].content: The escape \ud800 is half of a character. Write the whole character or remove it.`},
	{"swapped surrogate pair", turnsFile, `{"item_id":"x","turns":[{"role":"user","content":"\udc00\ud800"}]}`,
		`turns[1].content: The escape \udc00 is half of a character. Write the whole character or remove it.`},
	{"half a surrogate pair in a key", turnsFile, `{"item_id":"x","turns":[{"role":"user","content":"a"}],"\ud83d":1}`,
		`The escape \ud83d is half of a character. Write the whole character or remove it.`},
	{"bytes that are not UTF-8", turnsFile, "{\"item_id\":\"x\",\"turns\":[{\"role\":\"user\",\"content\":\"a\xff\"}]}",
		"turns[1].content: Character 2 is not UTF-8 (byte 0xFF). Save the file as UTF-8."},
	{"too deep", turnsFile, `{"item_id":"x","m":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`,
		"Lists and objects are nested more than 64 deep. Flatten them."},
	{"million brackets", turnsFile, strings.Repeat(`{"a":`, 200_000),
		"Lists and objects are nested more than 64 deep. Flatten them."},
	{"too many values", turnsFile, `{"m":[` + strings.Repeat("0,", valueLimit) + `0]}`,
		"This record has more than 50,000 values. Remove those that are not needed."},
	{"line too long", turnsFile, `{"m":"` + strings.Repeat("x", recordLimit) + `"}`,
		"This line is longer than 8 MiB. Write one object per line."},
	{"no conversation", turnsFile, `{"item_id":"x"}`, "turns: This is missing. Every row needs it."},
	{"empty conversation", turnsFile, `{"item_id":"x","turns":[]}`,
		`turns: A conversation is a list of at least one turn. Write [{"role": …, "content": …}].`},
	{"conversation that is a text", turnsFile, `{"item_id":"x","turns":"Well?"}`,
		`turns: A conversation is a list of at least one turn. Write [{"role": …, "content": …}].`},
	{"turn that is a text after one", turnsFile, `{"item_id":"x","turns":[{"role":"user","content":"a"},"Well?"]}`,
		"turns[2]: This is text. A turn is an object with role and content."},
	{"turn of another kind", turnsFile, `{"item_id":"x","turns":[{"role":"user","kind":"song","content":"a"}]}`,
		"turns[1].kind: “song” is not a kind of turn. Use one of message, thinking, tool_call, tool_result, image, document."},
	{"turn without content", turnsFile, `{"item_id":"x","turns":[{"role":"user","content":"a"},{"role":"assistant"}]}`,
		"turns[2].content: This is missing. Add text."},
	{"empty turn", turnsFile, `{"item_id":"x","turns":[{"role":"user","content":" \n"}]}`,
		"turns: All turns of this conversation are empty. Add text."},
	{"turn with content and text", turnsFile, `{"item_id":"x","turns":[{"role":"user","content":"a","text":"b"}]}`,
		"turns[1].content: This turn has both content and text. Keep one."},
	{"turn without a role", turnsFile, `{"item_id":"x","turns":[{"content":"a"}]}`,
		"turns[1].role: This is missing. Add text."},
	{"unknown role", turnsFile, `{"item_id":"x","turns":[{"role":"Assistant","content":"a"}]}`,
		"turns[1].role: “Assistant” is not a role. Use one of user, assistant, system, tool."},
	{"id that is a list", turnsFile, `{"item_id":["x"],"turns":[{"role":"user","content":"a"}]}`,
		"item_id: This is a list. Write it as text, in quotes."},

	{"chunks that are a text", recordFile, recordLine(`"one"`, `"one"`),
		"chunks: Write the chunks as a list of up to 500 objects with chunk_id, doc_id, chunk_rank and text."},
	{"chunk that is a text", recordFile, recordLine(`["one"]`, `"one"`),
		"chunks[1]: This is text. A chunk is an object with chunk_id, doc_id, chunk_rank and text."},
	{"chunk without an id", recordFile, recordLine(`[{"chunk_rank":1,"text":"one"}]`, `"one"`),
		"chunks[1].chunk_id: This is missing. Each chunk of a record needs it."},
	{"chunk without a rank", recordFile, recordLine(`[{"chunk_id":"a","text":"one"}]`, `"one"`),
		"chunks[1].chunk_rank: This is missing. Each chunk of a record needs it."},
	{"ranks from zero", recordFile,
		recordLine(`[{"chunk_id":"a","chunk_rank":0,"text":"one"},{"chunk_id":"b","chunk_rank":1,"text":"two"}]`,
			`"one"`),
		"chunks[1].chunk_rank: Ranks are whole numbers from 1."},
	{"ranks from two", recordFile,
		recordLine(`[{"chunk_id":"a","chunk_rank":2,"text":"one"},{"chunk_id":"b","chunk_rank":3,"text":"two"}]`,
			`"one"`),
		"chunks: No chunk has rank 1. Ranks are whole numbers from 1."},
	{"rank that is a text", recordFile, recordLine(`[{"chunk_id":"a","chunk_rank":"1","text":"one"}]`, `"one"`),
		"chunks[1].chunk_rank: Ranks are whole numbers from 1."},
	{"repeated rank", recordFile, recordLine(
		`[{"chunk_id":"a","chunk_rank":1,"text":"one"},{"chunk_id":"b","chunk_rank":1,"text":"two"}]`, `"one"`),
		"chunks[2].chunk_rank: Chunk 1 has the same rank 1. Each chunk needs its own rank."},
	{"repeated chunk id", recordFile,
		recordLine(`[{"chunk_id":"a","chunk_rank":1,"text":"one"},{"chunk_id":"a","chunk_rank":2,"text":"two"}]`,
			`"one"`),
		"chunks[2].chunk_id: Chunk 1 has the same id “a”. Each chunk needs its own id."},
	{"empty context set", recordFile, recordLine(`[{"chunk_id":"a","chunk_rank":1,"text":"one"}]`, `" "`),
		"context_set: This is empty. Add text."},
	{"context set without texts", recordFile, recordLine(`[{"chunk_id":"a","chunk_rank":1,"text":"one"}]`, `[]`),
		"context_set: Write the chunks as a list of at least one text, or as one text with [CTX_SEP] between them."},
	{"record without a query", recordFile,
		`{"record_id":"x","answer":"So.","chunks":[{"chunk_id":"a","chunk_rank":1,"text":"one"}],"context_set":"one"}`,
		"query: This is missing. Every row needs it."},
	{"null query", recordFile, `{"record_id":"x","query":null,"answer":"So.","chunks":[{"chunk_id":"a","chunk_rank":1,"text":"one"}],"context_set":"one"}`,
		"query: This is null. Write text here."},
}

func recordLine(chunks, set string) string {
	return `{"record_id":"x","query":"Why?","answer":"So.","chunks":` + chunks + `,"context_set":` + set + `}`
}

func TestReadItems_RowErrors(t *testing.T) {
	t.Parallel()
	const rows = 9
	for _, c := range rowErrorCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, badRow := range []int{1, 5, rows} {
				line := badRow + strings.Count(c.header, "\n")
				prefix := fmt.Sprintf("%s:%d:", c.fileKind.name, line)
				if column, _, ok := strings.Cut(c.want, ": "); !ok || strings.ContainsAny(column, " ") {
					prefix += " "
				}
				checkErrors(t, c.fileKind.name, c.protocol, c.withBadRow(c.row, badRow, rows), prefix+c.want)
			}
		})
	}
}

// withBadRow returns a file of valid rows with one invalid row.
func (k fileKind) withBadRow(bad string, badRow, rows int) string {
	var file strings.Builder
	file.WriteString(k.header)
	for i := 1; i <= rows; i++ {
		if i == badRow {
			file.WriteString(bad)
		} else {
			fmt.Fprintf(&file, k.good, i)
		}
		if i < rows {
			file.WriteString("\n")
		}
	}
	return file.String()
}

// checkErrors checks that a file is rejected with exactly these errors.
func checkErrors(t *testing.T, name, protocol, file, want string) {
	t.Helper()
	items, err := ReadItems(builtinProtocol(t, protocol), name, strings.NewReader(file))
	if items != nil || err == nil {
		t.Fatalf("got %d items, %v; want an error", len(items), err)
	}
	if err.Error() != want {
		t.Errorf("got\n%s\nwant\n%s", err, want)
	}
	if !errors.Is(err, fault.Invalid) {
		t.Error("the error is not fault.Invalid")
	}
}
