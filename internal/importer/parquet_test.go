package importer

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
)

// The files in testdata/parquet were written with pyarrow 26, each with other encodings and codecs.

func readTestItems(t *testing.T, path string) (lines []string, err error) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	err = Options{}.ScanItems(t.Context(), builtinProtocol(t, "empathy"), filepath.Base(path), bytes.NewReader(content),
		func(item project.Item) error {
			lines = append(lines, describeItem(item))
			return nil
		})
	return lines, err
}

func TestReadParquet_AnyEncoding_AsJSON(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/parquet/*-*.parquet")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	want, err := readTestItems(t, "testdata/parquet/encodings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		got, err := readTestItems(t, file)
		if err != nil || len(got) != len(want) {
			t.Errorf("%s: %d items, want %d: %v", file, len(got), len(want), err)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s, row %d: got %s, want %s", file, i+1, got[i], want[i])
				break
			}
		}
	}
}

func TestReadParquet_LogicalTypes(t *testing.T) {
	t.Parallel()
	got, err := readTestItems(t, "testdata/parquet/types.parquet")
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	for _, row := range []struct {
		no   int
		want map[string]string
	}{
		{0, map[string]string{
			"date": `"2024-03-31"`, "ts_ms": `"2024-03-31T01:30:00.000"`, "ts_us": `"2024-03-31T01:30:00.000001"`,
			"ts_ns":  `"2024-03-31T01:30:00.000000001"`,
			"ts_utc": `"2024-03-31T01:30:00.000000Z"`, "time": `"01:02:03.000004"`, "u8": "255", "u16": "65535",
			"u32": "4294967295", "u64": "18446744073709551615",
			"i8": "-128", "i64": "-9223372036854775808", "f16": "1.5", "f32": "0.1", "f64": "0.1", "dec": "1.10",
			"dec38": "12345678901234567890123456789012.345678",
			"dec0":  "7", "bool": "true", "dict": `"x"`, "list": "[1,2]", "lists": `[["a"],[]]`,
			"map": `{"k":1,"l":null}`, "struct": `{"a":1,"b":{"c":"x"}}`,
			"messages": `[{"role":"user","content":"hi"},{"role":"assistant","content":null}]`,
			"uuid":     `"00000000-0000-0000-0000-000000000001"`, "null": "null",
			"bytes_text": `"plain"`,
		}},
		{1, map[string]string{"f16": `"NaN"`, "f32": `"NaN"`, "f64": "1e+300", "dec": "-0.01", "dec0": "-70",
			"lists": `[null,["b",null]]`, "list": "[]", "map": "{}", "date": "null"}},
		{2, map[string]string{"f16": "-65504.0", "f32": `"-Infinity"`, "f64": "5.0", "list": "null", "struct": "null",
			"ts_ns": `"1969-12-31T23:59:59.999999999"`, "ts_utc": `"0001-01-01T00:00:00.000000Z"`}},
	} {
		for column, want := range row.want {
			if text := " meta." + column + "=" + want; !strings.Contains(got[row.no]+" ", text+" ") {
				t.Errorf("row %d has no %s: %s", row.no+1, text, got[row.no])
			}
		}
	}
	old, err := readTestItems(t, "testdata/parquet/int96.parquet")
	if want := ` meta.ts_us="2024-03-31T01:30:00.000001000"`; err != nil || !strings.HasSuffix(old[0], want) {
		t.Errorf("INT96: got %v, %v, want %s", old, err, want)
	}
}

// A damaged file is refused, whatever is damaged, and never takes more than a reader of its size may.
func FuzzReadParquet_Damaged(f *testing.F) {
	files, err := filepath.Glob("testdata/parquet/*.parquet")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content, uint32(len(content)-100), uint32(0xffffffff))
		for at := 4; at < len(content); at += 1 + len(content)/40 {
			f.Add(content, uint32(at), uint32(0x7fffffff)*uint32(at%3))
		}
	}
	p := builtinProtocol(f, "empathy")
	f.Fuzz(func(t *testing.T, file []byte, at, damage uint32) {
		damaged := bytes.Clone(file)
		if int(at)+4 <= len(damaged) {
			binary.LittleEndian.PutUint32(damaged[at:], damage)
		}
		items, err := ReadItems(p, "a.parquet", bytes.NewReader(damaged))
		if (err == nil) != (len(items) > 0) {
			t.Fatalf("%d items and %v", len(items), err)
		}
	})
}
