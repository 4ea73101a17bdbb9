package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

var update = flag.Bool("update", false, "write the golden files")

// sampleProtocol has one of everything, and a field with the key of another column.
var sampleProtocol = protocol.Protocol{
	Key: "sample", Version: 2, Revision: 1, Title: "Sample", Source: "protocol: sample\n",
	Unit: protocol.Unit{Noun: "a talk", Parts: []protocol.Part{
		{Key: "question", Title: "Question", Kind: protocol.PartText},
		{Key: "talk", Title: "Talk", Kind: protocol.PartConversation},
		{Key: "chunk", Title: "Chunk", Kind: protocol.PartChunk},
		{Key: "set", Title: "Context set", Kind: protocol.PartChunks},
	}},
	Facts: []protocol.Fact{{Key: "long", Title: "The talk is long", Part: "talk", Role: "assistant", MinTurns: 2}},
	Fields: []protocol.Field{
		{Key: "tone", Title: "Tone", Question: "How does it sound?",
			Scale: protocol.Scale{{Value: 0, Anchor: "Rough, or “-”"}, {Value: 1, Anchor: "Plain"},
				{Value: 2, Label: "Warm", Anchor: "Kind"}}},
		{Key: "record", Title: "Record", Question: "Does it keep one?", Scale: protocol.Scale{{Value: 0, Anchor: "=No"},
			{Value: 1, Anchor: "Yes"}}},
		{Key: "drift", Title: "Drift", Question: "Does it drift?", OnlyWhen: "long",
			Scale: protocol.Scale{{Value: 0, Anchor: "No"}, {Value: 1, Anchor: "Yes"}}},
	},
	AllowsBetween: true,
	Observations:  []protocol.Observation{{Key: "empty", Title: "Empty", Guidance: "Tone is 0."}},
	Rules: []protocol.Rule{{ID: "empty_is_rough", When: []protocol.Condition{{Key: "empty", Values: []int{1}}},
		Then: []protocol.Condition{{Key: "tone", Values: []int{0}}}, Message: "What is empty is rough."}},
	Verdicts: []protocol.VerdictRule{{Key: "fail", Title: "Fail", Any: []int{0}}, {Key: "fine", Title: "Fine",
		None: []int{0}}},
}

// sampleAnnotations contain texts that are hard to write.
var sampleAnnotations = []Annotation{
	{
		ID: "a1", Project: "p", Batch: "first, \"hard\"", Version: 2, Revision: 1, Kind: "work", AttemptNo: 1,
		Current: true, Annotator: "teal heron",
		SourceID: "=cmd|'/c calc'!A1", RecordID: "r1", Facts: protocol.Facts{"long": true},
		Content: project.Content{
			"question": {Text: "Why?\r\nBecause, \"so\".\rNo."},
			"talk": {Turns: []project.Turn{{Role: "user", Text: "<b>&\u2028"},
				{Role: "assistant", Text: "مرحبا، كيف حالك؟"}, {Role: "assistant", Text: "\"\n"}}},
			"chunk": {Chunks: []project.Chunk{{ID: "c1", Source: "@doc", Rank: 1, Text: "- a list"}}},
			"set":   {Chunks: []project.Chunk{{Text: "one"}, {ID: "c2", Rank: 2, Text: "two"}}},
		},
		Meta: map[string]json.RawMessage{"model": json.RawMessage(`"-1"`), "t": json.RawMessage(`-0.50`),
			"more": json.RawMessage("{\"a\": [0, \"\", false,\n null]}")},
		Answers: protocol.Answers{Values: map[string]int{"tone": 0, "record": 0, "drift": 0},
			Observations: []string{"empty"}, Unsure: []string{"tone"},
			Note: "+1, \"quoted\"\r\nand 'more'"},
		SubmittedAt: time.Date(2026, 3, 4, 23, 30, 1, 234e6, time.FixedZone("", -3600)),
		ActiveTime:  72_400 * time.Millisecond, SequenceNo: 1,
	},
	{
		ID: "a2", Project: "p", Batch: "first, \"hard\"", Version: 2, Kind: "duplicate", AttemptNo: 2, ReplacesID: "a0",
		Annotator: "teal heron",
		SourceID:  "7", Facts: protocol.Facts{"long": false}, Content: project.Content{"question": {Text: "NA"}},
		Meta:        map[string]json.RawMessage{"model": json.RawMessage(`""`), "t": json.RawMessage(`null`)},
		Answers:     protocol.Answers{Values: map[string]int{"tone": 2, "record": 1}, Observations: []string{"empty"}},
		SubmittedAt: time.Date(2026, 3, 5, 8, 0, 0, 0, time.UTC), SequenceNo: 2, ItemsSinceCompletedBreak: 1,
	},
	{
		ID: "a3", Project: "p", Version: 2, Revision: 1, Kind: "calibration", AttemptNo: 1, Current: true,
		Annotator: "＝SUM(A1)",
		SourceID:  "8", Facts: protocol.Facts{"long": true}, Content: project.Content{"question": {Text: "'=quoted"}},
		Answers:     protocol.Answers{Values: map[string]int{"tone": 1, "record": 1}, Note: "\tindented"},
		SubmittedAt: time.Date(2026, 3, 5, 8, 1, 0, 0, time.UTC), ActiveTime: 3 * time.Minute, SequenceNo: 3,
		ItemsSinceCompletedBreak: 2, SessionMinutes: 41,
	},
}

func yieldAll(list []Annotation) iter.Seq2[Annotation, error] {
	return func(yield func(Annotation, error) bool) {
		for _, a := range list {
			if !yield(a, nil) {
				return
			}
		}
	}
}

// writeTestAnnotations writes annotations under sampleProtocol.
func writeTestAnnotations(w io.Writer, o WriteOptions, rows iter.Seq2[Annotation, error]) (FileSummary, error) {
	return writeAnnotations(w, sampleProtocol, o, annotationColumns(sampleProtocol, o), rows, nil)
}

// writeSample returns the file with sampleAnnotations.
func writeSample(t *testing.T, o WriteOptions) ([]byte, FileSummary) {
	t.Helper()
	var file bytes.Buffer
	sum, err := writeTestAnnotations(&file, o, yieldAll(sampleAnnotations))
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), sum
}

// checkGolden compares got with a golden file.
func checkGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

func fullOptions(shape Shape, format Format) WriteOptions {
	return WriteOptions{Shape: shape, Format: format, IncludeTexts: true, MetaColumns: []MetaColumn{{"model", typeText},
		{"t", typeNumber}, {"more", typeJSONText}}}
}

func TestWriteAnnotations_Golden(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]WriteOptions{
		"wide.csv":       fullOptions(Wide, CSV),
		"wide.jsonl":     fullOptions(Wide, JSONL),
		"long.csv":       fullOptions(Long, CSV),
		"long.jsonl":     fullOptions(Long, JSONL),
		"plain.csv":      {Shape: Wide, Format: CSV},
		"exact-time.csv": {Shape: Long, Format: CSV, ExactTimes: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, _ := writeSample(t, o)
			checkGolden(t, name, file)
		})
	}
}

func TestCodebookAndManifest_Golden(t *testing.T) {
	t.Parallel()
	var codebook, manifest bytes.Buffer
	if err := writeCodebook(&codebook, sampleProtocol, fullOptions(Wide, CSV)); err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "codebook.csv", codebook.Bytes())
	o := fullOptions(Wide, CSV)
	_, sum := writeSample(t, o)
	columns := describeColumns(annotationColumns(sampleProtocol, o))[:3] // codebook.csv has all
	m := Manifest{Format: manifestFormat, Tool: "labelwright 1.0.0", Snapshot: Snapshot{ChangedAt: time.Date(2026, 3, 6,
		0, 0, 0, 0, time.UTC)}, Project: "p",
		Protocol: sampleProtocol.Name(), Definition: sampleProtocol.Source,
		Files: []ManifestFile{newManifestFile("wide.csv", columns, o, sum)}}
	if err := writeManifest(&manifest, m); err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "manifest.json", manifest.Bytes())
}

func TestFileSummary_CountsAndHash(t *testing.T) {
	t.Parallel()
	for shape, rows := range map[Shape]int{Wide: 3, Long: 3 + 2 + 3} {
		file, got := writeSample(t, fullOptions(shape, JSONL))
		hash := sha256.Sum256(file)
		got.brokenRules = nil
		if want := (FileSummary{Rows: rows, Annotations: 3, RuleViolations: 2, Bytes: int64(len(file)),
			SHA256: hex.EncodeToString(hash[:])}); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if lines := bytes.Count(file, []byte("\n")); lines != rows {
			t.Errorf("%s: got %d lines, want %d", shape, lines, rows)
		}
	}
}

// encoding/csv reads the same from CSV, without apostrophes, as encoding/json from JSONL.
func TestCSV_OtherReader_MatchesJSONL(t *testing.T) {
	t.Parallel()
	for _, shape := range []Shape{Wide, Long} {
		file, _ := writeSample(t, fullOptions(shape, CSV))
		rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		jsonl, _ := writeSample(t, fullOptions(shape, JSONL))
		table := parseJSONL(t, annotationColumns(sampleProtocol, fullOptions(shape, JSONL)), jsonl)
		for i, row := range table {
			for j, want := range row {
				if got := UnescapeFormula(rows[i+1][j]); got != strings.ReplaceAll(want, "\r\n", "\n") {
					t.Errorf("%s: row %d, %s: encoding/csv reads %q, want %q", shape, i+1, rows[0][j], got, want)
				}
			}
		}
	}
}

// firstBytes are those with which JSON values of a type begin.
var firstBytes = map[string]string{typeText: `"`, typeDate: `"`, typeInteger: "-0123456789", typeNumber: "-0123456789",
	typeBoolean: "tf", typeJSON: "[{", typeJSONText: `[{"`}

// parseJSONL returns JSONL as a table of cells, with numbers and lists verbatim. Each must have the type of its column.
func parseJSONL(t *testing.T, columns []exportColumn, file []byte) (table [][]string) {
	t.Helper()
	for line := range bytes.Lines(file) {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(line, &object); err != nil || len(object) != len(columns) {
			t.Fatalf("%d keys in %s, %v; want %d", len(object), line, err, len(columns))
		}
		var row []string
		for _, c := range columns {
			cell := string(object[c.Name])
			if cell != "null" && !strings.Contains(firstBytes[c.Type], cell[:1]) {
				t.Errorf("%s is %s, want %s", c.Name, cell, c.Type)
			}
			if strings.HasPrefix(cell, `"`) {
				if err := json.Unmarshal(object[c.Name], &cell); err != nil {
					t.Fatal(err)
				}
			}
			if cell == "true" || cell == "false" {
				cell = strings.ToUpper(cell)
			}
			if cell == "null" {
				cell = ""
			}
			row = append(row, cell)
		}
		table = append(table, row)
	}
	return table
}

func TestEscapeFormula_AddsApostrophe(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"=1", "+1", "-a", "-1-1", "-01", "-1 ", "'-1", "@a", "\t=1", "\r", "\n=1", "＝1", "＋1",
		"－1", "＠a", " =1", `"=1`, "'=1", "''=1", "  '\"-"} {
		if got := EscapeFormula(text); got != "'"+text || UnescapeFormula(got) != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
	for _, text := range []string{"", "a=1", "1-1", "'", "'a", "''", "\u00a0", "007", "-1", "-1.50", "-2e9", "مرحبا"} {
		if got := EscapeFormula(text); got != text || UnescapeFormula(got) != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func FuzzCSVCell_RoundTrip(f *testing.F) {
	for _, text := range []string{"", "=1+1", "'=1", "-", "\"quoted\", twice", "a\r\nb\rc\n", "\r", " padded ",
		"مرحبا، كيف", "a\x00b", "\ufeffa", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if UnescapeFormula(EscapeFormula(text)) != text {
			t.Errorf("%q cannot be restored from %q", text, EscapeFormula(text))
		}
		rows, err := csv.NewReader(bytes.NewReader(append(appendCSVCell(nil, text), ",x\n"...))).ReadAll()
		if err != nil || len(rows) != 1 || rows[0][0] != strings.ReplaceAll(text, "\r\n", "\n") {
			t.Errorf("%q: got %q, %v", text, rows, err)
		}
	})
}

func TestWriteAnnotations_Errors(t *testing.T) {
	t.Parallel()
	errDatabase := errors.New("connection lost")
	failingRows := func(yield func(Annotation, error) bool) {
		_ = yield(sampleAnnotations[0], nil) && yield(Annotation{}, errDatabase)
	}
	if _, err := writeTestAnnotations(io.Discard, fullOptions(Wide, CSV), failingRows); !errors.Is(err, errDatabase) {
		t.Errorf("got %v, want %v", err, errDatabase)
	}
	older := sampleAnnotations[0]
	older.Version = 1
	_, err := writeTestAnnotations(io.Discard, fullOptions(Wide, CSV), yieldAll([]Annotation{older}))
	if want := "write annotation a1: it has version 1 of sample, but the file has version 2"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := writeTestAnnotations(io.Discard, WriteOptions{Shape: "tall", Format: CSV}, yieldAll(nil)); err == nil {
		t.Error("an unknown shape is accepted")
	}
	errDiskFull := errors.New("disk full")
	for _, count := range []int{1, 1000} {
		_, err := writeTestAnnotations(failingWriter{errDiskFull}, fullOptions(Long, JSONL), yieldMany(count))
		if !errors.Is(err, errDiskFull) {
			t.Errorf("%d annotations: got %v, want %v", count, err, errDiskFull)
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// yieldMany yields annotations with distinct ids.
func yieldMany(count int) iter.Seq2[Annotation, error] {
	return func(yield func(Annotation, error) bool) {
		for i := range count {
			a := sampleAnnotations[i%len(sampleAnnotations)]
			a.ID = fmt.Sprintf("a%d", i)
			if !yield(a, nil) {
				return
			}
		}
	}
}

func TestWriteAnnotations_Memory(t *testing.T) {
	inUse := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before, peak := inUse(), uint64(0)
	watched := func(yield func(Annotation, error) bool) {
		i := 0
		for a := range yieldMany(20_000) {
			if i++; i%5_000 == 0 {
				peak = max(peak, inUse())
			}
			if !yield(a, nil) {
				return
			}
		}
	}
	sum, err := writeTestAnnotations(io.Discard, fullOptions(Long, CSV), watched)
	if err != nil || sum.Bytes < 8<<20 {
		t.Fatalf("wrote %d bytes, %v", sum.Bytes, err)
	}
	if peak > before+4<<20 {
		t.Errorf("memory grew by %d bytes for a file of %d", peak-before, sum.Bytes)
	}
}
