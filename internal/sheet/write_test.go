package sheet

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
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample is a protocol with one of everything, and a field whose key is also
// the name of a column.
var sample = protocol.Protocol{
	Key: "sample", Version: 2, Revision: 1, Title: "Sample", Source: "protocol: sample\n",
	Unit: protocol.Unit{Noun: "a talk", Parts: []protocol.Part{
		{Key: "question", Title: "Question", Kind: protocol.Text},
		{Key: "talk", Title: "Talk", Kind: protocol.Conversation},
		{Key: "chunk", Title: "Chunk", Kind: protocol.Passage},
		{Key: "set", Title: "Context set", Kind: protocol.Passages},
	}},
	Facts: []protocol.Fact{{Key: "long", Title: "The talk is long", Part: "talk", Role: "assistant", AtLeast: 2}},
	Fields: []protocol.Field{
		{Key: "tone", Title: "Tone", Ask: "How does it sound?", Scale: protocol.Scale{{Value: 0, Anchor: "Rough, or “-”"}, {Value: 1, Anchor: "Plain"}, {Value: 2, Label: "Warm", Anchor: "Kind"}}},
		{Key: "position", Title: "Position", Ask: "Does it take one?", Scale: protocol.Scale{{Value: 0, Anchor: "=No"}, {Value: 1, Anchor: "Yes"}}},
		{Key: "drift", Title: "Drift", Ask: "Does it drift?", OnlyWhen: "long", Scale: protocol.Scale{{Value: 0, Anchor: "No"}, {Value: 1, Anchor: "Yes"}}},
	},
	Between:      true,
	Observations: []protocol.Observation{{Key: "empty", Title: "Empty", Says: "Tone is 0."}},
	Rules: []protocol.Rule{{ID: "empty_is_rough", When: []protocol.Cond{{Key: "empty", In: []int{1}}},
		Then: []protocol.Cond{{Key: "tone", In: []int{0}}}, Says: "What is empty is rough."}},
	Verdicts: []protocol.Verdict{{Key: "fail", Title: "Fail", Any: []int{0}}, {Key: "fine", Title: "Fine", None: []int{0}}},
}

// annotations are chosen to be hard to write.
var annotations = []Annotation{
	{
		ID: "a1", Project: "p", Batch: "first, \"hard\"", Version: 2, Revision: 1, Kind: "work", Attempt: 1, Current: true, Annotator: "teal heron",
		Item: "=cmd|'/c calc'!A1", Record: "r1", Facts: protocol.Facts{"long": true},
		Content: project.Content{
			"question": {Text: "Why?\r\nBecause, \"so\".\rNo."},
			"talk":     {Turns: []project.Turn{{Role: "user", Text: "<b>&\u2028"}, {Role: "assistant", Text: "مرحبا، كيف حالك؟"}, {Role: "assistant", Text: "\"\n"}}},
			"chunk":    {Passages: []project.Passage{{ID: "c1", Source: "@doc", Rank: 1, Text: "- a list"}}},
			"set":      {Passages: []project.Passage{{Text: "one"}, {ID: "c2", Rank: 2, Text: "two"}}},
		},
		Meta: map[string]json.RawMessage{"model": json.RawMessage(`"-1"`), "t": json.RawMessage(`-0.50`), "more": json.RawMessage("{\"a\": [0, \"\", false,\n null]}")},
		Answers: protocol.Answers{Values: map[string]int{"tone": 0, "position": 0, "drift": 0}, Observations: []string{"empty"}, Unsure: []string{"tone"},
			Note: "+1, \"quoted\"\r\nand 'more'"},
		Submitted: time.Date(2026, 3, 4, 23, 30, 1, 234e6, time.FixedZone("", -3600)), Active: 72_400 * time.Millisecond, Position: 1,
	},
	{
		ID: "a2", Project: "p", Batch: "first, \"hard\"", Version: 2, Kind: "duplicate", Attempt: 2, Replaces: "a0", Annotator: "teal heron",
		Item: "7", Facts: protocol.Facts{"long": false}, Content: project.Content{"question": {Text: "NA"}},
		Meta:      map[string]json.RawMessage{"model": json.RawMessage(`""`), "t": json.RawMessage(`null`)},
		Answers:   protocol.Answers{Values: map[string]int{"tone": 2, "position": 1}, Observations: []string{"empty"}},
		Submitted: time.Date(2026, 3, 5, 8, 0, 0, 0, time.UTC), Position: 2, SinceBreak: 1,
	},
	{
		ID: "a3", Project: "p", Version: 2, Revision: 1, Kind: "calibration", Attempt: 1, Current: true, Annotator: "＝SUM(A1)",
		Item: "8", Facts: protocol.Facts{"long": true}, Content: project.Content{"question": {Text: "'=quoted"}},
		Answers:   protocol.Answers{Values: map[string]int{"tone": 1, "position": 1}, Note: "\tindented"},
		Submitted: time.Date(2026, 3, 5, 8, 1, 0, 0, time.UTC), Active: 3 * time.Minute, Position: 3, SinceBreak: 2, Sitting: 41,
	},
}

func all(list []Annotation) iter.Seq2[Annotation, error] {
	return func(yield func(Annotation, error) bool) {
		for _, a := range list {
			if !yield(a, nil) {
				return
			}
		}
	}
}

// written returns the file that Write makes of annotations.
func written(t *testing.T, o Options) ([]byte, Summary) {
	t.Helper()
	var file bytes.Buffer
	sum, err := Write(&file, sample, o, all(annotations))
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), sum
}

// golden fails t unless got is the golden file of that name.
func golden(t *testing.T, name string, got []byte) {
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

func everything(shape Shape, format Format) Options {
	return Options{Shape: shape, Format: format, Texts: true, Meta: []string{"model", "t", "more"}}
}

func TestEachShapeAndFormatIsWrittenAsItsGoldenFile(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"wide.csv":       everything(Wide, CSV),
		"wide.jsonl":     everything(Wide, JSONL),
		"long.csv":       everything(Long, CSV),
		"long.jsonl":     everything(Long, JSONL),
		"plain.csv":      {Shape: Wide, Format: CSV},
		"exact-time.csv": {Shape: Long, Format: CSV, Exact: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, _ := written(t, o)
			golden(t, name, file)
		})
	}
}

func TestCodebookAndManifestAreWrittenAsTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	var codebook, manifest bytes.Buffer
	if err := WriteCodebook(&codebook, sample, everything(Wide, CSV)); err != nil {
		t.Fatal(err)
	}
	golden(t, "codebook.csv", codebook.Bytes())
	o := everything(Wide, CSV)
	_, sum := written(t, o)
	m := Manifest{Tool: "labelwright 1.0.0", Written: time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC), Project: "p",
		Protocol: sample.Name(), Definition: sample.Source, Files: []File{FileOf("wide.csv", Columns(sample, o), o, sum)}}
	if err := WriteManifest(&manifest, m); err != nil {
		t.Fatal(err)
	}
	golden(t, "manifest.json", manifest.Bytes())
}

func TestTheSummaryCountsAndSealsTheFile(t *testing.T) {
	t.Parallel()
	for shape, rows := range map[Shape]int{Wide: 3, Long: 3 + 2 + 3} {
		file, got := written(t, everything(shape, JSONL))
		hash := sha256.Sum256(file)
		same(t, got, Summary{Rows: rows, Annotations: 3, Broken: 2, Bytes: int64(len(file)), SHA256: hex.EncodeToString(hash[:])})
		if lines := bytes.Count(file, []byte("\n")); lines != rows {
			t.Errorf("%s: got %d lines, want %d", shape, lines, rows)
		}
	}
}

// What encoding/csv and Python read of the CSV is what encoding/json reads of
// the JSONL, once the apostrophes are taken off.
func TestCSVReadByOthersIsTheTableInJSONL(t *testing.T) {
	t.Parallel()
	for _, shape := range []Shape{Wide, Long} {
		file, _ := written(t, everything(shape, CSV))
		rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		exact, _ := written(t, everything(shape, JSONL))
		table := tableOf(t, rows[0], exact)
		for i, row := range table {
			for j, want := range row {
				if got := unguarded(rows[i+1][j]); got != strings.ReplaceAll(want, "\r\n", "\n") {
					t.Errorf("%s: row %d, %s: encoding/csv reads %q, want %q", shape, i+1, rows[0][j], got, want)
				}
			}
		}
		t.Run("Python, "+string(shape), func(t *testing.T) { readByPython(t, file, table) })
	}
}

// tableOf returns JSONL as the cells of a table, numbers and lists as they are
// written.
func tableOf(t *testing.T, header []string, file []byte) (table [][]string) {
	t.Helper()
	for line := range bytes.Lines(file) {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(line, &object); err != nil || len(object) != len(header) {
			t.Fatalf("%d keys in %s, %v; want %d", len(object), line, err, len(header))
		}
		var row []string
		for _, name := range header {
			cell := string(object[name])
			if strings.HasPrefix(cell, `"`) {
				if err := json.Unmarshal(object[name], &cell); err != nil {
					t.Fatal(err)
				}
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

func unguarded(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && runnable(rest) {
		return rest
	}
	return cell
}

func readByPython(t *testing.T, file []byte, table [][]string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		if strings.Contains(os.Getenv("LABELWRIGHT_REQUIRE"), "python3") {
			t.Fatal("LABELWRIGHT_REQUIRE lists python3, and there is none in PATH.")
		}
		t.Skip("there is no python3 here to read the CSV back")
	}
	cmd := exec.CommandContext(t.Context(), python, "-c",
		"import csv,io,json,sys; print(json.dumps(list(csv.reader(io.TextIOWrapper(sys.stdin.buffer, 'utf-8', newline='')))))")
	cmd.Stdin = bytes.NewReader(file)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatal(err)
	}
	for i, row := range rows[1:] {
		for j := range row {
			row[j] = unguarded(row[j])
		}
		same(t, row, table[i])
	}
}

func TestWhatASpreadsheetWouldRunIsLedByAnApostrophe(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"=1", "+1", "-1", "@a", "\t=1", "\r", "\n=1", "＝1", "＋1", "－1", "＠a", " =1", `"=1`, "'=1", "''=1", "  '\"-"} {
		if got := guard(text); got != "'"+text || unguarded(got) != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
	for _, text := range []string{"", "a=1", "1-1", "'", "'a", "''", "\u00a0", "007", "مرحبا"} {
		if got := guard(text); got != text || unguarded(got) != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func FuzzTextsSurviveTheGuardAndTheQuotes(f *testing.F) {
	for _, text := range corpus {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if unguarded(guard(text)) != text {
			t.Errorf("%q is not got back from %q", text, guard(text))
		}
		rows, ok := cellsOf(string(appendQuoted(nil, text)) + ",x\n")
		if !ok || len(rows) != 1 || rows[0][0] != text {
			t.Errorf("%q: got %q", text, rows)
		}
	})
}

func TestAnExportThatFailsSaysWhere(t *testing.T) {
	t.Parallel()
	lost := errors.New("the database went away")
	failing := func(yield func(Annotation, error) bool) { _ = yield(annotations[0], nil) && yield(Annotation{}, lost) }
	if _, err := Write(io.Discard, sample, everything(Wide, CSV), failing); !errors.Is(err, lost) {
		t.Errorf("got %v, want %v", err, lost)
	}
	older := annotations[0]
	older.Version = 1
	_, err := Write(io.Discard, sample, everything(Wide, CSV), all([]Annotation{older}))
	if want := "write annotation a1: it was made under version 1 of sample, and this file is of version 2"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := Write(io.Discard, sample, Options{Shape: "tall", Format: CSV}, all(nil)); err == nil {
		t.Error("an unknown shape is not refused")
	}
	full := errors.New("the disk is full")
	for _, count := range []int{1, 1000} {
		_, err := Write(failingWriter{full}, sample, everything(Long, JSONL), many(count))
		if !errors.Is(err, full) {
			t.Errorf("%d annotations: got %v, want %v", count, err, full)
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// many yields annotations that differ by their ids.
func many(count int) iter.Seq2[Annotation, error] {
	return func(yield func(Annotation, error) bool) {
		for i := range count {
			a := annotations[i%len(annotations)]
			a.ID = fmt.Sprintf("a%d", i)
			if !yield(a, nil) {
				return
			}
		}
	}
}

func TestMemoryDoesNotGrowWithTheExport(t *testing.T) {
	inUse := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before, peak := inUse(), uint64(0)
	watched := func(yield func(Annotation, error) bool) {
		i := 0
		for a := range many(20_000) {
			if i++; i%5_000 == 0 {
				peak = max(peak, inUse())
			}
			if !yield(a, nil) {
				return
			}
		}
	}
	sum, err := Write(io.Discard, sample, everything(Long, CSV), watched)
	if err != nil || sum.Bytes < 8<<20 {
		t.Fatalf("wrote %d bytes, %v", sum.Bytes, err)
	}
	if peak > before+4<<20 {
		t.Errorf("memory grew by %d bytes for a file of %d", peak-before, sum.Bytes)
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, format := range []Format{CSV, JSONL} {
		b.Run(string(format), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Write(io.Discard, sample, everything(Wide, format), many(10_000)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
