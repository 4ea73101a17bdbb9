package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

func checkEqual(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A memorySink stores files in memory.
type memorySink struct {
	names []string
	files map[string][]byte
}

func (s *memorySink) put(name string, write func(io.Writer) error) error {
	var file bytes.Buffer
	err := write(&file)
	s.names = append(s.names, name)
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	s.files[name] = file.Bytes()
	return err
}

// consensusRows yields two items with values from different sources.
func consensusRows() iter.Seq2[ConsensusRow, error] {
	of := func(method stats.ConsensusMethod, value, labels, spread int, mean float64) FieldConsensus {
		return FieldConsensus{ItemConsensus: stats.ItemConsensus{Method: method, Value: value, Labels: labels,
			Spread: spread, Mean: mean}}
	}
	item := func(id string, fields map[string]FieldConsensus) ConsensusRow {
		return ConsensusRow{Fields: fields, Annotation: Annotation{Project: "p", Version: 2, SourceID: id,
			RecordID: "r1",
			Content:  sampleAnnotations[0].Content, Facts: sampleAnnotations[0].Facts, Meta: sampleAnnotations[0].Meta}}
	}
	return func(yield func(ConsensusRow, error) bool) {
		_ = yield(item("=1+1", map[string]FieldConsensus{
			"tone": of(stats.Adjudicated, 1, 3, 2, 0.75), "record": of(stats.Tie, 0, 2, 1, 0.5),
			"drift": of(stats.Majority, 0, 3, 0, 0)}), nil) &&
			yield(item("7", map[string]FieldConsensus{"tone": {}, "record": of(stats.Majority, 1, 1, 0, 1)}), nil)
	}
}

func newCard() Card {
	value := 0.8125
	return Card{Project: "p", Title: "Sample | of *everything*\n# not a title",
		ContentWarning: "Sad texts.\n\n<b>Loud</b> ones.", Items: 3, Annotators: 2,
		FirstSubmission: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), LastSubmission: time.Date(2026, 3, 5, 0, 0, 0,
			0, time.UTC),
		Batches: []BatchCard{{Name: "first, \"hard\"", Items: 3, Overlap: 2, Annotators: 2, Seed: 7}},
		Agreement: []FieldAgreement{{Field: "tone", Variant: "ordinal", Alpha: &value, Items: 3, Annotators: 2},
			{Field: "record", Variant: "nominal", Undefined: stats.NoVariation, Items: 3, Annotators: 2}}}
}

func TestDataset_Write_AllFiles(t *testing.T) {
	t.Parallel()
	sink := &memorySink{}
	d := Dataset{Protocol: sampleProtocol, Options: fullOptions(Wide, CSV), Card: newCard(), Tables: []TableFile{
		AnnotationTable(Work, yieldAll(sampleAnnotations[:1])), AnnotationTable(Duplicate,
			yieldAll(sampleAnnotations[1:2])),
		AnnotationTable(Calibration, yieldAll(sampleAnnotations[2:])), ConsensusTable("consensus", consensusRows())}}
	m, err := d.Write(sink.put)
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, sink.names, []string{"annotations.csv", "duplicates.csv", "calibration.csv", "consensus.csv",
		"codebook.csv", "protocol.yaml", "README.md", "manifest.json"})
	checkGolden(t, "consensus.csv", sink.files["consensus.csv"])
	text := strings.NewReplacer(m.Tool, "labelwright 1.0.0").Replace(string(sink.files["README.md"]))
	checkGolden(t, "README.md", []byte(text))
	var read Manifest
	if err := json.Unmarshal(sink.files["manifest.json"], &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, read, cmpopts.IgnoreUnexported(FileSummary{}, ManifestFile{})); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	if len(m.Files) != 4 || m.Blinded || m.Batches[0].Seed != 7 || *m.Agreement[0].Alpha != 0.8125 {
		t.Errorf("got manifest %+v", m)
	}
}

func TestConsensusTable_LongJSONL(t *testing.T) {
	t.Parallel()
	sink := &memorySink{}
	d := Dataset{Protocol: sampleProtocol, Options: WriteOptions{Shape: Long, Format: JSONL},
		Tables: []TableFile{ConsensusTable("consensus", consensusRows())}}
	m, err := d.Write(sink.put)
	if err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "consensus.jsonl", sink.files["consensus.jsonl"])
	if f := m.Files[0]; f.Rows != 3+2 || f.Items != 2 || f.Annotations != 4 || !m.Blinded {
		t.Errorf("got manifest %+v", m)
	}
}

func TestDataset_WriteFails_NoManifest(t *testing.T) {
	t.Parallel()
	errDatabase := errors.New("connection lost")
	for _, table := range []TableFile{
		AnnotationTable(Work, func(yield func(Annotation, error) bool) { yield(Annotation{}, errDatabase) }),
		ConsensusTable("consensus", func(yield func(ConsensusRow, error) bool) { yield(ConsensusRow{}, errDatabase) }),
	} {
		sink := &memorySink{}
		_, err := Dataset{Protocol: sampleProtocol, Options: fullOptions(Wide, CSV),
			Tables: []TableFile{table}}.Write(sink.put)
		if !errors.Is(err, errDatabase) || slices.Contains(sink.names, "manifest.json") {
			t.Errorf("got %v, and %q", err, sink.names)
		}
	}
}

func TestCodeFence_LongerThanText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a": "```", "``` ````": "`````"} {
		if got := codeFence(text); got != want {
			t.Errorf("%q has the fence %q, want %q", text, got, want)
		}
	}
}

func protocolAnswers(values map[string]int) protocol.Answers { return protocol.Answers{Values: values} }

// TestActiveTime_Short_IsMeasured checks that a rounded time is 0 only where none was measured.
func TestActiveTime_Short_IsMeasured(t *testing.T) {
	for active, want := range map[time.Duration]int64{0: 0, 6 * time.Millisecond: 1, 2499 * time.Millisecond: 1,
		2500 * time.Millisecond: 5, 12 * time.Second: 10} {
		for _, c := range timingColumns(WriteOptions{}) {
			if c.Name != "active_s" {
				continue
			}
			if got, err := c.cell(&exportRow{Annotation: &Annotation{ActiveTime: active}}); err != nil ||
				got.n != want {
				t.Errorf("%s: %d s, %v; want %d", active, got.n, err, want)
			}
		}
	}
}
