package fromexport

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A testTable is a table of an export: columns as "name:type" (by default text), and rows.
type testTable struct {
	columns []string
	rows    [][]string
}

func newTable(columns string, rows ...string) *testTable {
	t := &testTable{columns: strings.Fields(columns)}
	for _, row := range rows {
		t.rows = append(t.rows, strings.Split(row, ","))
	}
	return t
}

func (t *testTable) column(name string) int {
	return slices.IndexFunc(t.columns, func(c string) bool { c, _, _ = strings.Cut(c, ":"); return c == name })
}

// A testExport is the tables of an export of a project with the protocol ambiguity.
type testExport struct {
	shape  dataset.Shape
	format dataset.Format
	tables map[string]*testTable
}

const labelColumns = "project protocol version:integer revision:integer batch annotation kind attempt_no:integer current:boolean replaces_id item record annotator submitted_on:date active_s:integer " +
	"sequence_no:integer items_since_completed_break:integer session_minutes:integer fact.multi_turn:integer "

// newTestExport returns a valid export with two rows in each table that a report reads, and more of
// annotations in the long shape.
func newTestExport(t *testing.T, shape dataset.Shape) *testExport {
	t.Helper()
	answerColumns, first, second := "a:integer b:integer c:integer d:integer e:integer f:integer ", ",1,1,1,1,1,1",
		",2,0,2,1,,0"
	if shape == dataset.Long {
		answerColumns, first, second = "dimension value:integer ", ",a,1", ",b,2"
	}
	for _, o := range ambiguity(t).Observations {
		answerColumns, first, second = answerColumns+"obs."+o.Key+":integer ", first+",0", second+",0"
	}
	label := func(id, kind, item, annotator string) string {
		return "pilot,ambiguity,1,0,one," + id + "," + kind + ",1,true,," + item + ",," + annotator +
			",2026-11-22,15,1,0,3,0"
	}
	e := &testExport{shape, dataset.CSV, map[string]*testTable{
		"items": newTable("item record calibration:boolean state match_key rank:integer text_length:integer words:integer fact.multi_turn:integer meta.score:number meta.more:json_text",
			`i1,r1,false,complete,,1,100,20,0,0.5,{"a":1}`, "i2,r1,false,complete,,2,100,20,1,1e3,[]",
			"c1,,true,calibration,,,,20,0,,"),
		"annotations": newTable(labelColumns+answerColumns, label("11", "work", "i1", "ada")+first,
			label("12", "work", "i2", "ada")+second),
		"duplicates":  newTable(labelColumns+answerColumns, label("13", "duplicate", "i1", "ada")+first),
		"calibration": newTable(labelColumns+answerColumns, label("14", "calibration", "c1", "ada")+first),
		"judgments": newTable("item record judge imported_on:date "+answerColumns, "i1,r1,judge 1,2026-11-22"+first,
			"i2,r1,judge 1,2026-11-22"+second),
		"adjudications": newTable("decision item record decision_no:integer replaces_id current:boolean adjudicator revision:integer cause reason annotations:json decided_on:date "+answerColumns, "1,i1,r1,1,,false,,0,,,[],2026-11-22"+first, "2,i1,r1,2,1,true,,0,,so,[],2026-11-22"+second),
		"references":    newTable("item record reasons:json saved_on:date "+answerColumns, "c1,,{},2026-11-22"+first),
	}}
	if shape == dataset.Long {
		another := slices.Clone(e.tables["annotations"].rows[1])
		another[e.tables["annotations"].column("dimension")] = "a"
		e.tables["annotations"].rows = append(e.tables["annotations"].rows, another)
	}
	return e
}

func ambiguity(t *testing.T) protocol.Protocol {
	t.Helper()
	all := protocol.Builtin()
	return all[slices.IndexFunc(all, func(p protocol.Protocol) bool { return p.Key == "ambiguity" })]
}

// files returns the files of the export, with a manifest that fits them.
func (e *testExport) files(t *testing.T) fstest.MapFS {
	t.Helper()
	m := dataset.Manifest{Format: "labelwright-export/1", Project: "pilot", Definition: ambiguity(t).Source,
		Batches: []dataset.BatchCard{{Name: "one"}, {Name: "two"}}}
	files := fstest.MapFS{}
	for name, table := range e.tables {
		file := dataset.ManifestFile{Name: name + "." + string(e.format), Shape: e.shape, Format: e.format}
		for _, c := range table.columns {
			c, columnType, hasType := strings.Cut(c, ":")
			if !hasType {
				columnType = "text"
			}
			file.Columns = append(file.Columns, dataset.Column{Name: c, Type: strings.ReplaceAll(columnType, "_", " ")})
		}
		text := table.encode(t, file)
		sum := sha256.Sum256(text)
		file.SHA256 = hex.EncodeToString(sum[:])
		m.Files, files[file.Name] = append(m.Files, file), &fstest.MapFile{Data: text}
	}
	manifest, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	files[dataset.ManifestName] = &fstest.MapFile{Data: manifest}
	return files
}

// encode returns the table as CSV or JSONL. A JSON value after "json:" is written as it is.
func (t *testTable) encode(tt *testing.T, file dataset.ManifestFile) []byte {
	tt.Helper()
	var text bytes.Buffer
	if file.Format == dataset.CSV {
		out := csv.NewWriter(&text)
		header := make([]string, len(file.Columns))
		for i, c := range file.Columns {
			header[i] = c.Name
		}
		if err := out.WriteAll(append([][]string{header}, t.rows...)); err != nil {
			tt.Fatal(err)
		}
		return text.Bytes()
	}
	for _, row := range t.rows {
		for i, c := range file.Columns {
			value, isJSON := strings.CutPrefix(row[i], "json:")
			switch isText := c.Type == "text" || c.Type == "date" || c.Type == "json text"; {
			case isJSON:
			case value == "" && !isText:
				value = "null"
			case isText:
				value = fmt.Sprintf("%q", value)
			}
			fmt.Fprintf(&text, "%s%q:%s", map[bool]string{true: "{", false: ","}[i == 0], c.Name, value)
		}
		text.WriteString("}\n")
	}
	return text.Bytes()
}

func TestRead_ValidExport_ReadsAll(t *testing.T) {
	t.Parallel()
	for _, shape := range []dataset.Shape{dataset.Wide, dataset.Long} {
		for _, format := range []dataset.Format{dataset.CSV, dataset.JSONL} {
			e := newTestExport(t, shape)
			e.format = format
			d, _, err := Read(e.files(t), "")
			if err != nil {
				t.Fatalf("%s, %s: %v", shape, format, err)
			}
			if len(d.Items) != 2 || len(d.Labels) != 4 || len(d.Judgments) != 2 || len(d.Adjudicated) != 1 ||
				len(d.References) != 1 {
				t.Errorf("%s, %s: %+v", shape, format, d)
			}
			if l := d.Labels[1]; l.Values["b"] != map[dataset.Shape]int{dataset.Wide: 0, dataset.Long: 2}[shape] ||
				l.ActiveMS != 15_000 || l.SubmittedAt.IsZero() {
				t.Errorf("%s, %s: %+v", shape, format, l)
			}
		}
	}
}

// A cell that cannot be what the product wrote is an error with its place, its cause and what to do.
func TestRead_InvalidCell_NamesPlaceCauseAndFix(t *testing.T) {
	t.Parallel()
	const wide, long = dataset.Wide, dataset.Long
	for _, c := range []struct {
		shape         dataset.Shape
		table, column string
		row           int // from 1
		value, want   string
	}{
		{wide, "annotations", "a", 1, "x", "“x” is not a whole number such as 12. Correct"},
		{wide, "annotations", "a", 1, "1.0", "“1.0” is not a whole number"},
		{wide, "annotations", "a", 2, "9", "9 is not on the scale 0–2 of a. Correct"},
		{long, "annotations", "value", 3, "9", "9 is not on the scale 0–2 of a. Correct"},
		{long, "annotations", "dimension", 2, "zz", "“zz” is not a field of "},
		{long, "annotations", "dimension", 3, "b", "item “i2” has two answers to b. Keep one"},
		{long, "annotations", "annotator", 3, "bo",
			"“bo” differs from “ada” in row 3, which has the same answers. Correct"},
		{long, "annotations", "dimension", 1, "", "The cell is empty. Fill it in"},
		{wide, "annotations", "annotation", 2, "11", "“11” is in annotations.csv, row 2, too. Keep one"},
		{wide, "duplicates", "annotation", 1, "11", "“11” is in annotations.csv, row 2, too. Keep one"},
		{wide, "annotations", "annotation", 1, "x1", "“x1” is not a whole number of at least 1."},
		{wide, "annotations", "annotation", 1, "", "The cell is empty."},
		{wide, "annotations", "annotator", 1, "", "The cell is empty."},
		{wide, "annotations", "item", 1, "i9", "“i9” is not in the table of items."},
		{wide, "annotations", "kind", 1, "wrok", "“wrok” is not “work”."},
		{wide, "annotations", "batch", 1, "three", "“three” is not “one” or “two”."},
		{wide, "annotations", "version", 1, "7", "“7” is not “1”."},
		{wide, "annotations", "current", 1, "yes", "“yes” is neither true nor false."},
		{wide, "annotations", "current", 1, "", "The cell is empty."},
		{wide, "annotations", "submitted_on", 1, "22.11.2026", "“22.11.2026” is not a day such as 2026-11-22."},
		{wide, "annotations", "submitted_on", 1, "2026-02-30", "“2026-02-30” is not a day"},
		{wide, "annotations", "submitted_on", 1, "", "The cell is empty."},
		{wide, "annotations", "active_s", 1, "-5", "“-5” is not a whole number of at least 0."},
		{wide, "annotations", "active_s", 1, "1e3", "“1e3” is not a whole number such as 12."},
		{wide, "annotations", "active_s", 1, "", "The cell is empty."},
		{wide, "annotations", "items_since_completed_break", 1, "many", "“many” is not a whole number"},
		{wide, "annotations", "fact.multi_turn", 1, "2", "“2” is neither 1 (yes) nor 0 (no)."},
		{wide, "items", "item", 2, "i1", "“i1” is in items.csv, row 2, too."},
		{wide, "items", "state", 1, "done", "“done” is not “unassigned”, “in_progress”, "},
		{wide, "items", "rank", 1, "0", "“0” is not a whole number of at least 1."},
		{wide, "items", "calibration", 1, "0", "“0” is neither true nor false."},
		{wide, "items", "fact.multi_turn", 1, "", "The cell is empty."},
		{wide, "items", "meta.score", 1, "NaN", "“NaN” is not a number such as 12 or 0.5."},
		{wide, "items", "meta.score", 1, "1,5", "“1,5” is not a number"},
		{wide, "items", "meta.more", 1, "{", "“{” is not JSON."},
		{wide, "items", "record", 1, "r\xff", "“r�” is not UTF-8."},
		{wide, "judgments", "a", 1, "3", "3 is not on the scale 0–2 of a."},
		{wide, "judgments", "judge", 1, "", "The cell is empty."},
		{wide, "judgments", "item", 2, "i1", "“i1” is in judgments.csv, row 2, too."},
		{wide, "judgments", "imported_on", 2, "soon", "“soon” is not a day"},
		{wide, "adjudications", "decision", 2, "1", "“1” is in adjudications.csv, row 2, too."},
		{wide, "adjudications", "b", 2, "7", "7 is not on the scale 0–2 of b."},
		{wide, "references", "a", 1, "-1", "-1 is not on the scale 0–2 of a."},
		{wide, "references", "item", 1, "i9", "“i9” is not in the table of items."},
	} {
		e := newTestExport(t, c.shape)
		table := e.tables[c.table]
		table.rows[c.row-1][table.column(c.column)] = c.value
		_, _, err := Read(e.files(t), "")
		want := fmt.Sprintf("%s.csv, row %d, column %s: %s", c.table, c.row+1, c.column, c.want) // after the header
		if err == nil || !strings.HasPrefix(err.Error(), want) ||
			!strings.HasSuffix(err.Error(), ", or export again.") {
			t.Errorf("%s, %s = %q: got %v, want %s", c.table, c.column, c.value, err, want)
		}
	}
}

func TestRead_TwoCurrentDecisions_IsError(t *testing.T) {
	t.Parallel()
	e := newTestExport(t, dataset.Wide)
	table := e.tables["adjudications"]
	table.rows[0][table.column("current")] = "true"
	const want = "adjudications.csv, row 3, column current: The current decision on “i1” is in adjudications.csv, row 2, too. Keep one, or export again."
	if _, _, err := Read(e.files(t), ""); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestRead_InvalidJSONL_NamesPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ column, value, want string }{
		{"a", `json:"1"`, "annotations.jsonl, row 2, column a: “\"1\"” is not of the type integer."},
		{"annotator", "json:7", "annotations.jsonl, row 2, column annotator: “7” is not of the type text."},
		{"current", `json:"true"`, "annotations.jsonl, row 2, column current: “\"true\"” is not of the type boolean."},
		{"a", `json:1,"zz":1`, `annotations.jsonl, row 2: the manifest has no column "zz"`},
		{"a", `json:1,"item":"i1"`, "annotations.jsonl, row 2: "},
	} {
		e := newTestExport(t, dataset.Wide)
		e.format = dataset.JSONL
		table := e.tables["annotations"]
		table.rows[1][table.column(c.column)] = c.value
		if _, _, err := Read(e.files(t), ""); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.value, err, c.want)
		}
	}
}

func TestRead_MissingColumn_IsError(t *testing.T) {
	t.Parallel()
	for _, column := range []string{"current", "a", "submitted_on", "active_s"} {
		e := newTestExport(t, dataset.Wide)
		table := e.tables["annotations"]
		i := table.column(column)
		table.columns = slices.Delete(table.columns, i, i+1)
		for n, row := range table.rows {
			table.rows[n] = slices.Delete(row, i, i+1)
		}
		if _, _, err := Read(e.files(t), ""); err == nil ||
			!strings.Contains(err.Error(), "annotations.csv has no column ") {
			t.Errorf("without %s: %v", column, err)
		}
	}
}
