package importer

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/protocol"
)

// readCells returns all rows of CSV, or false if it is rejected.
func readCells(file string) (rows [][]string, ok bool) {
	errs := &errorList{}
	r := newCSVReader(csvText{in: bufio.NewReader(strings.NewReader(file)), delimiter: ','}, errs)
	for {
		cells, err := r.nextRow()
		if errors.Is(err, io.EOF) {
			return rows, errs.count() == 0
		}
		if err != nil {
			return nil, false
		}
		rows = append(rows, slices.Clone(cells))
	}
}

// What csvReader accepts, encoding/csv reads the same, except for line ends in quotes and blank rows.
func FuzzCSVReader_MatchesStdlib(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "\"a\",\"b\"\"c\"\r\n\"\r\n\",", "a\"b,c\n", "\"a\"b\n", "\"", "a\rb",
		"\n\n,\n\"\"\n", "a,\"b\nc\"\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		rows, ok := readCells(file)
		standard := csv.NewReader(strings.NewReader(file))
		standard.FieldsPerRecord, standard.LazyQuotes = -1, true // quotes inside unquoted cells are text
		want, err := standard.ReadAll()
		if !ok {
			return
		}
		if err != nil {
			t.Fatalf("only csvReader accepts %q: %v", file, err)
		}
		unix := func(cells []string) []string {
			for i := range cells {
				cells[i] = strings.ReplaceAll(cells[i], "\r\n", "\n")
			}
			return cells
		}
		isBlank := func(row []string) bool {
			return len(row) > 1 && isBlankRow(row) || len(row) == 1 && !protocol.HasText(row[0])
		}
		rows, want = slices.DeleteFunc(rows, isBlank), slices.DeleteFunc(want, isBlank)
		if !slices.EqualFunc(rows, want, func(a, b []string) bool { return slices.Equal(unix(a), b) }) {
			t.Errorf("%q: got %q, encoding/csv reads %q", file, rows, want)
		}
	})
}

// Two texts written as CSV and as JSONL are read back unchanged. The response may be blank.
func FuzzReadItems_RoundTrip(f *testing.F) {
	for _, text := range difficultTexts {
		f.Add(text, "b")
	}
	f.Add("a\x00", "b")
	f.Add("\xff", " ")
	for _, blank := range []string{"", " ", "\x00", "\u200b"} {
		f.Add("0", blank)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
		line := `{"user_statement":` + escapeJSON(a) + `,"response":` + escapeJSON(b) + `,"more":` + escapeJSON(a) + `}`
		isValid := checkText(a) == "" && checkText(b) == "" && protocol.HasText(a)
		for name, file := range map[string]string{
			"a.csv":   "user_statement,response,more\n" + quote(a) + "," + quote(b) + "," + quote(a) + "\n",
			"a.jsonl": line,
		} {
			items, err := ReadItems(builtinProtocol(t, "empathy"), name, strings.NewReader(file))
			if isValid != (err == nil) {
				t.Fatalf("%s: %q, %q: %v", name, a, b, err)
			}
			if !isValid {
				continue
			}
			var meta string
			if err := json.Unmarshal(items[0].Meta["more"], &meta); err != nil {
				t.Fatal(err)
			}
			if c := items[0].Content; c["user_statement"].Text != a || c["response"].Text != b || meta != a {
				t.Errorf("%s: got %+v and %q, want %q and %q", name, c, meta, a, b)
			}
		}
	})
}

// escapeJSON writes text as JSON. Unlike json.Marshal it keeps invalid UTF-8.
func escapeJSON(text string) string {
	var written strings.Builder
	for i := range len(text) {
		if b := text[i]; b < ' ' || b == '"' || b == '\\' {
			fmt.Fprintf(&written, `\u%04x`, b)
		} else {
			written.WriteByte(b)
		}
	}
	return `"` + written.String() + `"`
}

// Any input gives either items or errors.
func FuzzReadItems_ItemsOrErrors(f *testing.F) {
	for _, c := range rowErrorCases {
		if len(c.row) < 1000 {
			f.Add(c.fileKind.name, []byte(c.withBadRow(c.row, 2, 3)))
		}
	}
	f.Add("a.csv", []byte(empathyHeader))
	f.Add("a.jsonl", []byte("{"+twoChunks+`["one",{"text":"two"}]}`))
	f.Fuzz(func(t *testing.T, name string, file []byte) {
		for _, p := range protocol.Builtin() {
			items, err := ReadItems(p, name, strings.NewReader(string(file)))
			if (err == nil) != (len(items) > 0) {
				t.Fatalf("%s: got %d items and %v", p.Key, len(items), err)
			}
			if err == nil {
				continue
			}
			if errs, ok := errors.AsType[FileErrors](err); !ok || len(errs) == 0 || errs[0].Message == "" {
				t.Fatalf("%s: got %v", p.Key, err)
			}
		}
	})
}

// What jsonReader accepts, encoding/json reads the same.
func FuzzJSONReader_MatchesStdlib(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{"a":"\ud83d\ude00"}`, `{"a":[{"b":null}]}`, `{"a":"\ud800"}`, `{"a":1}{`,
		`{"a":1e5,"b":-0}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		errs := &errorList{}
		v, ok := parseLine([]byte(line), 1, errs)
		if !ok || errs.count() > 0 {
			return
		}
		want := map[string]json.RawMessage{}
		quoted, _ := quoteNumbers([]byte(line))
		if err := json.Unmarshal(quoted, &want); err != nil {
			t.Fatalf("only jsonReader accepts %q: %v", line, err)
		}
		if len(v.members) != len(want) {
			t.Fatalf("%q: got %d keys, want %d", line, len(v.members), len(want))
		}
		for _, m := range v.members {
			var text string
			if m.is('"') && (json.Unmarshal(want[m.key], &text) != nil || text != m.text) {
				t.Errorf("%q: got %q, want %s", line, m.text, want[m.key])
			}
			if string(m.json()) != string(want[m.key]) {
				t.Errorf("%q: got %s, want %s", line, m.json(), want[m.key])
			}
		}
	})
}

// A file in any form is read to its end without a panic, and twice the same.
func FuzzReadItems_Presets(f *testing.F) {
	content, err := os.ReadFile("testdata/shapes.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[") {
			f.Add(line, uint8(len(line)))
		}
	}
	f.Add(`{"id":"a"},{"id":"b"}`, uint8(0)) // commas without a list
	protocols := protocol.Builtin()
	f.Fuzz(func(t *testing.T, file string, choice uint8) {
		presets := append(Presets(), "")
		o := Options{Preset: presets[int(choice)%len(presets)], Take: TakeEach}
		p := protocols[int(choice)/len(presets)%len(protocols)]
		first, err := o.ReadItems(p, "a.json", strings.NewReader(file))
		if second, _ := o.ReadItems(p, "a.json", strings.NewReader(file)); err == nil &&
			!reflect.DeepEqual(first, second) {
			t.Errorf("%s as %s: %q is read in two ways", o.Preset, p.Key, file)
		}
	})
}
