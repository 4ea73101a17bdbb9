package importer

import (
	"bytes"
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
		{"empty", "a.csv", "empathy", "", "a.csv: The file is empty. Hand in one with items."},
		{"a byte order mark alone", "a.csv", "empathy", "\ufeff", "a.csv: The file is empty. Hand in one with items."},
		{"blank lines alone", "a.jsonl", "ambiguity", "\n\n", "a.jsonl: The file is empty. Hand in one with items."},
		{"a header alone", "a.csv", "empathy", empathyHeader, "a.csv: The file holds no items. Add them, one a row."},
		{"a text file by its name", "a.txt", "empathy", "eval_id", "a.txt: Items are read from files whose name ends in .csv or .jsonl. Convert the file, or rename it if it is one of them."},
		{"gzip", "a.csv", "empathy", "\x1f\x8b\x08\x00", "a.csv: This is a gzip archive. Unpack it first."},
		{"a workbook", "a.csv", "empathy", "PK\x03\x04\x14\x00", "a.csv: This is a zip archive or a workbook such as .xlsx. Unpack it, or save the sheet as CSV (UTF-8)."},
		{"an old workbook", "a.xls", "empathy", "\xd0\xcf\x11\xe0\xa1\xb1", "a.xls: This is an old Office file such as .xls. Save the sheet as CSV (UTF-8)."},
		{"Parquet", "a.jsonl", "ambiguity", "PAR1\x15\x04", "a.jsonl: This is a Parquet file. Write it as JSONL first."},
		{"a PDF", "a.csv", "empathy", "%PDF-1.7", "a.csv: This is a PDF. Hand in CSV or JSONL."},
		{"UTF-16 with a mark", "a.csv", "empathy", "\xff\xfee\x00v\x00", "a.csv: This file is not UTF-8 but UTF-16 or UTF-32. Save it as UTF-8."},
		{"UTF-16 without a mark", "a.csv", "empathy", "e\x00v\x00a\x00l\x00", "a.csv: This file is not UTF-8 but UTF-16 or UTF-32. Save it as UTF-8."},
		{"UTF-16 big-endian", "a.jsonl", "ambiguity", "\x00{\x00}\x00\n", "a.jsonl: This file is not UTF-8 but UTF-16 or UTF-32. Save it as UTF-8."},
		{"a page of HTML", "a.csv", "empathy", "<!DOCTYPE html><html>", "a.csv: This is a page of HTML or XML, perhaps a sign-in page saved in place of the file. Hand in CSV or JSONL."},
		{"JSON under the name of CSV", "a.csv", "empathy", `{"user_statement":"a"}`, "a.csv: The name says CSV, and this is JSON. Name it .jsonl, with one object on each line."},
		{"CSV under the name of JSONL", "a.jsonl", "empathy", empathyHeader, "a.jsonl: The name says JSONL, and the first line is no JSON object. Name it .csv if it is CSV."},
		{"one JSON list", "a.jsonl", "empathy", "[\n{\"user_statement\":\"a\"}]", "a.jsonl: This is one JSON list. Write each of its objects on a line of its own, without the brackets and commas around them."},
		{"JSON over several lines", "a.jsonl", "empathy", "{\n  \"user_statement\": \"a\"\n}", "a.jsonl: This is JSON spread over several lines. Write each object on one line."},
		{"semicolons", "a.csv", "empathy", "eval_id;user_statement;response\n1;a;b\n", "a.csv:1: The columns are not parted by commas. Save the file as CSV with commas."},
		{"carriage returns alone", "a.csv", "empathy", "eval_id,user_statement,response\r1,a,b\r",
			"a.csv:1:column 3: A carriage return (U+000D) stands outside quotes. End lines with a newline, and put a text with line breaks in quotes. The lines after it were not read."},
		{"a missing column", "a.csv", "empathy", "eval_id,user_statement\n1,a\n2,b\n", "a.csv:1:response: This column is missing. Add it to the first line."},
		{"a column in capitals", "a.csv", "empathy", "eval_id,user_statement,Response\n1,a,b\n", "a.csv:1:Response: Write this name as “response”: capitals and blanks tell names apart."},
		{"a column with a blank", "a.csv", "empathy", "eval_id,user_statement, response\n1,a,b\n", "a.csv:1: response: Write this name as “response”: capitals and blanks tell names apart."},
		{"a column twice", "a.csv", "empathy", "eval_id,user_statement,response,response\n1,a,b,c\n", "a.csv:1:response: Column 3 has this name already. Names must differ."},
		{"a column without a name", "a.csv", "empathy", "eval_id,user_statement,response,\n1,a,b,c\n", "a.csv:1:column 4: This column has no name. Give it one, or take the column out."},
		{"a name over two lines", "a.csv", "empathy", "eval_id,user_statement,response,\"a\nb\"\n1,a,b,c\n", "a.csv:1:a\ufffdb: Character 2 is the control character U+000A, which names cannot have. Take it out."},
		{"too many columns", "a.csv", "empathy", strings.Repeat("a,", 200) + "a\n", "a.csv:1: There are 201 columns; 200 is the most."},
		{"a conversation in CSV", "a.csv", "ambiguity", "item_id,turns\n1,hello\n", "a.csv:1:turns: CSV has no room for a list such as this. Use JSONL."},
		{"chunks in CSV", "a.csv", "rag-retrieval", "query,chunk,chunks\na,b,c\n", "a.csv:1:chunks: CSV has no room for a list of chunks. Use JSONL for whole records."},
		{"a quote that is never closed", "a.csv", "empathy", empathyHeader + "1,a,b\n2,\"a,b\n3,a,b\n",
			"a.csv:3:user_statement: The quote that opens this cell is never closed. The lines after it were not read."},
		{"a quote that is not closed for a million bytes", "a.csv", "empathy", empathyHeader + "1,a,b\n2,\"" + strings.Repeat("a,b\n", LineLimit/4),
			"a.csv:3: This row is longer than 1,048,576 bytes. Is a quote never closed? The lines after it were not read."},
		{"an id met twice in CSV", "a.csv", "empathy", empathyHeader + "1,\"a\nb\",b\n2,a,b\n1,c,d\n",
			"a.csv:5:eval_id: The id “1” stands in line 2 already. Each needs an id of its own."},
		{"an id met twice in JSONL", "a.jsonl", "empathy", "{\"id\":1,\"user_statement\":\"a\",\"response\":\"b\"}\n\n{\"id\":\"1\",\"user_statement\":\"a\",\"response\":\"b\"}\n",
			"a.jsonl:3:id: The id “1” stands in line 1 already. Each needs an id of its own."},
		{"a record met twice", "a.jsonl", "rag-retrieval", fmt.Sprintf(goodRecord, 1) + "\n" + fmt.Sprintf(goodRecord, 1),
			"a.jsonl:2:record_id: The id “g1” stands in line 1 already. Each needs an id of its own."},
		{"a second line that is a list", "a.jsonl", "ambiguity", fmt.Sprintf(goodTurns, 1) + "\n[1]\n", "a.jsonl:2: This is a list. Each line must hold one JSON object."},
		{"a second line that is a text", "a.jsonl", "ambiguity", fmt.Sprintf(goodTurns, 1) + "\n\"x\"\n", "a.jsonl:2: This is a text. Each line must hold one JSON object."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			expectErrors(t, c.file, c.protocol, c.content, c.want)
		})
	}
}

func TestReadItems_ListsAllErrors(t *testing.T) {
	t.Parallel()
	expectErrors(t, "a.csv", "empathy", "eval_id,user_statement,Response\n1,,b\n1,a\n1,a,\"\"\n", strings.Join([]string{
		"a.csv:1:Response: Write this name as “response”: capitals and blanks tell names apart.",
		"a.csv:2:user_statement: This is empty. Write a text here.",
		"a.csv:3: This row has 2 cells, and the header has 3. Put a text with commas or line breaks in quotes.",
		"a.csv:4:response: This is empty. Write a text here.",
		"a.csv:4:eval_id: The id “1” stands in line 2 already. Each needs an id of its own.",
	}, "\n"))
}

func TestReadItems_ErrorLimit(t *testing.T) {
	t.Parallel()
	_, err := ReadItems(builtin(t, "empathy"), "a.csv", strings.NewReader(empathyHeader+strings.Repeat("x,a,b\n", 1_700)))
	errs, ok := errors.AsType[FileErrors](err)
	if !ok || len(errs) != ErrorLimit+1 {
		t.Fatalf("got %d faults, want %d and one that counts the others", len(errs), ErrorLimit)
	}
	if got := errs[ErrorLimit].String(); got != "a.csv: 1,499 more faults are not listed." {
		t.Errorf("got %q", got)
	}
}

func TestReadItems_FileTooLarge(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", CellLimit)
	for name, r := range map[string]io.Reader{
		"a.csv":   io.MultiReader(strings.NewReader(empathyHeader), endlessReader("1,"+long+","+long+"\n")),
		"a.jsonl": endlessReader(`{"a":"` + long + "\"}\n"),
		"b.jsonl": io.MultiReader(strings.NewReader(`{"a":"`), endlessReader(long)),
	} {
		_, err := ReadItems(builtin(t, "empathy"), name, r)
		if _, ok := errors.AsType[FileErrors](err); !ok || !strings.HasPrefix(err.Error(), name+": The file is larger than 50 MiB. Split it.") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// endlessReader repeats a text for ever.
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
	chunks := make([]string, ChunkLimit)
	for i := range chunks {
		chunks[i] = fmt.Sprintf(`{"chunk_id":"c%d","chunk_rank":%d,"text":"x"}`, i, i+1)
	}
	line := `{"query":"` + strings.Repeat("q", CellLimit) + `","answer":"` + strings.Repeat("a", CellLimit) +
		`","chunks":[` + strings.Join(chunks, ",") + `],"context_set":"x"}` + "\n"
	_, err := ReadItems(builtin(t, "rag-retrieval"), "a.jsonl", strings.NewReader(strings.Repeat(line, 20)))
	if want := "a.jsonl:2: Here the items pass 200 MiB of text, for each holds all of its record. Split the file."; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestReadItems_ItemLimit(t *testing.T) {
	t.Parallel()
	file := csvWithRows(empathyHeader, ItemLimit+10)
	_, err := ReadItems(builtin(t, "empathy"), "a.csv", strings.NewReader(file))
	if want := "a.csv:200002: Here the file passes 200,000 items. Split it."; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestReadItems_RowLimit(t *testing.T) {
	t.Parallel()
	rows := strings.Repeat(",,\n", 2*ItemLimit)
	for name, read := range map[string]func(protocol.Protocol) error{
		"items": func(p protocol.Protocol) error {
			_, err := ReadItems(p, "a.csv", strings.NewReader(empathyHeader+rows))
			return err
		},
		"decisions": func(p protocol.Protocol) error {
			_, err := ReadAdjudications(p, AdjudicationScope{}, "a.csv", strings.NewReader("item,emotion,overall\n"+rows))
			return err
		},
	} {
		errs, ok := errors.AsType[FileErrors](read(builtin(t, "empathy")))
		if want := "a.csv:200002: The file has more than 200,000 rows. Fix the errors listed here, then split the file."; !ok || errs[0].String() != want {
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
		items, err := ReadItems(builtin(t, "empathy"), "a.csv", io.MultiReader(strings.NewReader(start), iotest.ErrReader(broken)))
		if _, isFileErrors := errors.AsType[FileErrors](err); !errors.Is(err, broken) || isFileErrors || items != nil {
			t.Errorf("after %q: got %d items, %v", start, len(items), err)
		}
	}
}

func TestReadItems_10000Rows_IsFast(t *testing.T) {
	t.Parallel()
	for _, kind := range []fileKind{csvFile, turnsFile, recordFile} {
		file := kind.withBadRow("", 0, 10_000)
		start := time.Now()
		items, err := ReadItems(builtin(t, kind.protocol), kind.name, strings.NewReader(file))
		if elapsed := time.Since(start); err != nil || len(items) != 10_000 || elapsed > 2*time.Second {
			t.Errorf("%s: got %d items in %s, %v", kind.name, len(items), elapsed, err)
		}
	}
}

func BenchmarkReadItems(b *testing.B) {
	for _, kind := range []fileKind{csvFile, turnsFile, recordFile} {
		file := []byte(kind.withBadRow("", 0, 10_000))
		p := builtin(b, kind.protocol)
		b.Run(kind.name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ReadItems(p, kind.name, bytes.NewReader(file)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
