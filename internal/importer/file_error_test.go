package importer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

const empathyHeader = "eval_id,user_statement,response\n"

func TestReadItems_FileErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, protocol, content, want string }{
		{"empty", "a.csv", "empathy", "", "a.csv: The file is empty. Use a file with at least one row."},
		{"byte order mark alone", "a.csv", "empathy", "\ufeff",
			"a.csv: The file is empty. Use a file with at least one row."},
		{"blank lines alone", "a.jsonl", "ambiguity", "\n\n",
			"a.jsonl: The file is empty. Use a file with at least one row."},
		{"header alone", "a.csv", "empathy", empathyHeader, "a.csv: The file has no items. Add one per row."},
		{"other extension", "a.txt", "empathy", "eval_id",
			"a.txt: The file name must end in .csv, .tsv, .jsonl, .ndjson, .json or .parquet, perhaps with .gz. Convert the file or rename it."},
		{"gzip", "a.csv", "empathy", "\x1f\x8b\x08\x00",
			"a.csv: This gzip archive cannot be unpacked: unexpected EOF. Pack it again."},
		{"workbook", "a.csv", "empathy", "PK\x03\x04\x14\x00",
			"a.csv: This is a zip archive or a workbook such as .xlsx. Unpack it, or save the sheet as CSV (UTF-8). Write a log of Inspect (.eval) as JSON with: inspect log dump."},
		{"old workbook", "a.xls", "empathy", "\xd0\xcf\x11\xe0\xa1\xb1",
			"a.xls: This is an old Office file such as .xls. Save the sheet as CSV (UTF-8)."},
		{"Parquet", "a.jsonl", "ambiguity", "PAR1\x15\x04",
			"a.jsonl: This is a Parquet file. Give its name the extension .parquet."},
		{"PDF", "a.csv", "empathy", "%PDF-1.7", "a.csv: This is a PDF. Use a CSV or JSONL file."},
		{"page of HTML", "a.csv", "empathy", "<!DOCTYPE html><html>",
			"a.csv: This is HTML or XML, perhaps a saved sign-in page. Use a CSV or JSONL file."},
		{"JSON named .csv", "a.csv", "empathy", `{"user_statement":"a"}`,
			"a.csv: This is JSON, not CSV. Save it as .jsonl with one object per line."},
		{"CSV named .jsonl", "a.jsonl", "empathy", empathyHeader,
			"a.jsonl: The first line is not a JSON object. If the file is CSV, rename it to .csv."},
		{"one JSON list", "a.jsonl", "empathy", "[\n{\"user_statement\":\"a\"}]",
			"a.jsonl: This is a JSON list. Write one object per line, without the brackets and commas between them."},
		{"JSON over several lines", "a.jsonl", "empathy", "{\n  \"user_statement\": \"a\"\n}",
			"a.jsonl: An object spans several lines. Write each object on one line."},
		{"semicolon in a text", "a.csv", "empathy", "eval_id;user_statement;response\n1;a;b;c\n",
			"a.csv:2: This row has 4 cells, but the header has 3. Put text with semicolons or line breaks in quotes."},
		{"lines after a declared delimiter", "a.csv", "empathy", "sep=|\neval_id|user_statement|response\n1|a\n",
			"a.csv:3: This row has 2 cells, but the header has 3. Put text with “|” or line breaks in quotes."},
		{"no text in UTF-16", "a.csv", "empathy", encodeUTF16(empathyHeader, "\xff\xfe", binary.LittleEndian) +
			"1\x00,\x00\x00\xd8,\x00b\x00\n\x00",
			"a.csv:2:user_statement: Character 1 is not valid UTF-16LE, the encoding that the file was read with. Save the file as UTF-8, or name the encoding that it has."},
		{"carriage return in a row", "a.csv", "empathy", "eval_id,user_statement,response\r1,a,b\n",
			"a.csv:1:column 3: There is a carriage return (U+000D) outside quotes. End rows with a newline, and put text with line breaks in quotes. The rest of the file was not read."},
		{"missing column", "a.csv", "empathy", "eval_id,user_statement\n1,a\n2,b\n",
			"a.csv:1:response: This column is missing. Add it to the first line."},
		{"column twice", "a.csv", "empathy", "eval_id,user_statement,response,response\n1,a,b,c\n",
			"a.csv:1:response: Column 3 has the same name. Rename one of them."},
		{"too many columns", "a.csv", "empathy", strings.Repeat("a,", columnLimit) + "a\n",
			"a.csv:1: The file has 10,001 columns. The limit is 10,000."},
		{"conversation in CSV", "a.csv", "ambiguity", "item_id,turns\n1,hello\n",
			"a.csv:1:turns: CSV cannot hold a list. Use JSONL."},
		{"chunks in CSV", "a.csv", "rag-retrieval", "query,chunk,chunks\na,b,c\n",
			"a.csv:1:chunks: CSV cannot hold a list of chunks. Use JSONL for whole records."},
		{"quote that is never closed", "a.csv", "empathy", empathyHeader + "1,a,b\n2,\"a,b\n3,a,b\n",
			"a.csv:3:user_statement: This cell has no closing quote. The rest of the file was not read."},
		{"quote that is not closed for a million bytes", "a.csv", "empathy", empathyHeader + "1,a,b\n2,\"" +
			strings.Repeat("a,b\n", lineLimit/4),
			"a.csv:3: This row is longer than 1,048,576 bytes. Check for a missing closing quote. The rest of the file was not read."},
		{"repeated id in CSV", "a.csv", "empathy", empathyHeader + "1,\"a\nb\",b\n2,a,b\n1,c,d\n",
			"a.csv:5:eval_id: Line 2 has the same id “1”. Each item needs its own id."},
		{"repeated id in JSONL", "a.jsonl", "empathy",
			"{\"id\":1,\"user_statement\":\"a\",\"response\":\"b\"}\n\n{\"id\":\"1\",\"user_statement\":\"a\",\"response\":\"b\"}\n",
			"a.jsonl:3:id: Line 1 has the same id “1”. Each item needs its own id."},
		{"repeated record", "a.jsonl", "rag-retrieval", fmt.Sprintf(goodRecord, 1) + "\n" + fmt.Sprintf(goodRecord, 1),
			"a.jsonl:2:record_id: Line 1 has the same id “g1”. Each item needs its own id."},
		{"second line that is a list", "a.jsonl", "ambiguity", fmt.Sprintf(goodTurns, 1) + "\n[1]\n",
			"a.jsonl:2: This is a list. Each line must be a JSON object."},
		{"second line that is a text", "a.jsonl", "ambiguity", fmt.Sprintf(goodTurns, 1) + "\n\"x\"\n",
			"a.jsonl:2: This is text. Each line must be a JSON object."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkErrors(t, c.file, c.protocol, c.content, c.want)
		})
	}
}

func TestReadItems_ListsAllErrors(t *testing.T) {
	t.Parallel()
	checkErrors(t, "a.csv", "empathy", "eval_id,user_statement,Response\n1,,b\n1,a\n1,a,\"\"\n", strings.Join([]string{
		"a.csv:2:user_statement: This is empty. Add text.",
		"a.csv:3: This row has 2 cells, but the header has 3. Put text with commas or line breaks in quotes.",
		"a.csv:4:eval_id: Line 2 has the same id “1”. Each item needs its own id.",
	}, "\n"))
}

func TestReadItems_ErrorLimit(t *testing.T) {
	t.Parallel()
	_, err := ReadItems(builtinProtocol(t, "empathy"), "a.csv",
		strings.NewReader(empathyHeader+strings.Repeat("x,a,b\n", 1_700)))
	errs, ok := errors.AsType[FileErrors](err)
	if !ok || len(errs) != ErrorLimit+1 {
		t.Fatalf("got %d errors, want %d and a count of the others", len(errs), ErrorLimit)
	}
	if got := errs[ErrorLimit].String(); got != "a.csv: 1,499 more errors are not listed." {
		t.Errorf("got %q", got)
	}
}

func TestReadItems_FileTooLarge(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", cellLimit)
	for name, r := range map[string]io.Reader{
		"a.csv":   io.MultiReader(strings.NewReader(empathyHeader), endlessReader("1,"+long+","+long+"\n")),
		"a.jsonl": endlessReader(`{"a":"` + long + "\"}\n"),
		"b.jsonl": io.MultiReader(strings.NewReader(`{"a":"`), endlessReader(long)),
	} {
		_, err := ReadItems(builtinProtocol(t, "empathy"), name, r)
		if _, ok := errors.AsType[FileErrors](err); !ok || !strings.HasPrefix(err.Error(), name+
			": The file is larger than 50 MiB. Split it.") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// An endlessReader repeats a text without end.
type endlessReader string

func (e endlessReader) Read(buf []byte) (int, error) {
	n := 0
	for n < len(buf) {
		n += copy(buf[n:], e)
	}
	return n, nil
}

func TestReadItems_ContentLimit(t *testing.T) {
	t.Parallel()
	chunks := make([]string, chunkLimit)
	for i := range chunks {
		chunks[i] = fmt.Sprintf(`{"chunk_id":"c%d","chunk_rank":%d,"text":"x"}`, i, i+1)
	}
	line := `{"query":"` + strings.Repeat("q", cellLimit) + `","answer":"` + strings.Repeat("a", cellLimit) +
		`","chunks":[` + strings.Join(chunks, ",") + `],"context_set":"x"}` + "\n"
	_, err := ReadItems(builtinProtocol(t, "rag-retrieval"), "a.jsonl", strings.NewReader(strings.Repeat(line, 20)))
	if want := "a.jsonl:2: The items have more than 200 MiB of text, because each holds its whole record. Split the file."; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestReadItems_ItemLimit(t *testing.T) {
	t.Parallel()
	file := csvWithRows(empathyHeader, itemLimit+10)
	_, err := ReadItems(builtinProtocol(t, "empathy"), "a.csv", strings.NewReader(file))
	if want := "a.csv:200002: The file has more than 200,000 items. Split it."; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestReadItems_ManyErrors_NotReadOn(t *testing.T) {
	t.Parallel()
	rows := strings.Repeat("x,,\n", 2*itemLimit)
	for name, read := range map[string]func(protocol.Protocol) error{
		"items": func(p protocol.Protocol) error {
			_, err := ReadItems(p, "a.csv", strings.NewReader(empathyHeader+rows))
			return err
		},
		"decisions": func(p protocol.Protocol) error {
			_, err := ReadAdjudications(p, AdjudicationScope{}, "a.csv",
				strings.NewReader("item,emotion,overall\n"+rows))
			return err
		},
	} {
		errs, ok := errors.AsType[FileErrors](read(builtinProtocol(t, "empathy")))
		if want := "The file has more than 10,000 errors. The rest of the file was not read."; !ok ||
			errs[0].Message != want {
			t.Errorf("%s: got %.200v first, want %s", name, errs, want)
		}
	}
}

func csvWithRows(header string, count int) string {
	var file strings.Builder
	file.WriteString(header)
	for i := range count {
		fmt.Fprintf(&file, "%d,a,b\n", i)
	}
	return file.String()
}

func TestReadItems_ReaderFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("the connection was lost")
	for _, start := range []string{"", empathyHeader + "1,a,b\n2,\"a"} {
		items, err := ReadItems(builtinProtocol(t, "empathy"), "a.csv", io.MultiReader(strings.NewReader(start),
			iotest.ErrReader(broken)))
		if _, isFileErrors := errors.AsType[FileErrors](err); !errors.Is(err, broken) || isFileErrors || items != nil {
			t.Errorf("after %q: got %d items, %v", start, len(items), err)
		}
	}
}

func TestReadItems_10000Rows_IsFast(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test measures time, which the race detector multiplies, so it runs only without -short.")
	}
	for _, kind := range []fileKind{csvFile, turnsFile, recordFile} {
		file := kind.withBadRow("", 0, 10_000)
		start := time.Now()
		items, err := ReadItems(builtinProtocol(t, kind.protocol), kind.name, strings.NewReader(file))
		// on a busy machine too, unless the time grows faster than the file
		if elapsed := time.Since(start); err != nil || len(items) != 10_000 || elapsed > 30*time.Second {
			t.Errorf("%s: got %d items in %s, %v", kind.name, len(items), elapsed, err)
		}
	}
}
