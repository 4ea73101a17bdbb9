package importer

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/stats"
)

// A table is read as spreadsheets and programs save it; a value that is missing is left out.
func TestReadLongTable_AsSaved_MissingLeftOut(t *testing.T) {
	t.Parallel()
	file := "item,annotator,dimension,value\n1,a,d,1\n1,b,d,2\n"
	for _, missing := range []string{"NA", "N/A", "null", "NaN", "inf", "-inf"} {
		file += missing + ",a,d," + missing + "\n"
	}
	for name, content := range map[string]string{"UTF-8": file, "UTF-16": encodeUTF16(file, "\xff\xfe",
		binary.LittleEndian), "gzip": zip(t, file)} {
		table, err := ReadLongTable("f.csv", "", strings.NewReader(content), stats.DeclaredScales{})
		if err != nil || len(table.Dimensions) != 1 {
			t.Errorf("%s: %+v, %v", name, table, err)
		}
	}
}

// Labels are the same in whatever format an export or a program writes them.
func TestReadLongTable_EachFormat_SameLabels(t *testing.T) {
	t.Parallel()
	p := builtinProtocol(t, "empathy")
	items, err := ReadItems(p, "a.jsonl", strings.NewReader(exportedItems["empathy"]))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, o := range exportOptions() {
		if o.shape == dataset.Long {
			name := "annotations." + string(o.format)
			files[string(o.layout)+"/"+name] = string(writeExport(t, p, o, items)[name])
		}
	}
	lines := files["plain/annotations.jsonl"]
	files["lines.jsonl.gz"], files["lines.jsonl"] = zip(t, lines), encodeUTF16(lines, "\xff\xfe", binary.LittleEndian)
	files["list.json"] = "[" + strings.ReplaceAll(strings.TrimSpace(lines), "\n", ",") + "]"
	want, err := ReadLongTable("annotations.csv", "", strings.NewReader(files["plain/annotations.csv"]),
		stats.DeclaredScales{})
	if err != nil || len(want.Dimensions) == 0 {
		t.Fatalf("%+v, %v", want, err)
	}
	for name, content := range files {
		got, err := ReadLongTable(name, "", strings.NewReader(content), stats.DeclaredScales{})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\ngot\n%+v\nwant\n%+v", name, err, got, want)
		}
	}
}

// A table in another encoding is read as the same table in UTF-8, if its encoding is named.
func TestReadLongTable_NamedEncoding_SameTable(t *testing.T) {
	t.Parallel()
	text := csvHeader + "Zoë,Jürgen,Größe,1\nZoë,André,Größe,2\n"
	want, err := ReadLongTable("f.csv", "", strings.NewReader(text), stats.DeclaredScales{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"windows-1252", "latin1", "utf-8"} {
		e, err := parseEncoding(name)
		if err != nil {
			t.Fatal(err)
		}
		encoded := text
		if e != nil {
			if encoded, err = e.NewEncoder().String(text); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := ReadLongTable("f.csv", name, strings.NewReader(encoded), stats.DeclaredScales{}); err != nil ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := ReadLongTable("f.csv", "klingon", strings.NewReader(text), stats.DeclaredScales{}); err == nil {
		t.Error("an unknown encoding is accepted")
	}
}

// Rows in JSON may lack a value or have null; other faults have their row and column.
func TestReadLongTable_JSON_MissingAndErrors(t *testing.T) {
	t.Parallel()
	row := func(value string) string {
		return `{"item":"1","annotator":"a","dimension":"d","value":` + value + `}` + "\n"
	}
	for _, c := range []struct{ file, want string }{
		{row("2") + `{"item":1,"annotator":"b","dimension":"d","value":null}` + "\n" +
			`{"item":2,"annotator":"b","dimension":"d"}`, ""},
		{row("[2]"), "f.jsonl:1:value: This is a list. Write text or a number here."},
		{row("2") + "{\n", "f.jsonl:2: The line ends before its object does."},
		{`{"item":"1","rater":"a","dimension":"d","value":1}`, `f.jsonl:1: The column "annotator" is missing.`},
		{row(`"1e3"`), "is a number in another notation"},
	} {
		table, err := ReadLongTable("f.jsonl", "", strings.NewReader(c.file), stats.DeclaredScales{})
		if c.want == "" && (err != nil || len(table.Dimensions) != 1) || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %+v, %v", c.file, table, err)
		}
	}
	if _, err := ReadLongTable("book.csv", "", strings.NewReader("PK\x03\x04abc"), stats.DeclaredScales{}); err == nil ||
		!strings.Contains(err.Error(), "workbook") {
		t.Errorf("a workbook: %v", err)
	}
}
