package sheet

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
)

// A shelf is a folder in memory.
type shelf struct {
	names []string
	files map[string][]byte
}

func (s *shelf) put(name string, write func(io.Writer) error) error {
	var file bytes.Buffer
	err := write(&file)
	s.names = append(s.names, name)
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	s.files[name] = file.Bytes()
	return err
}

// settled are items on which people came to one answer in every way.
func settled() iter.Seq2[Consensus, error] {
	three, none := 1, 0
	item := func(id string, by map[string]Settled) Consensus {
		return Consensus{Settled: by, Annotation: Annotation{Project: "p", Version: 2, Item: id, Record: "r1",
			Content: annotations[0].Content, Facts: annotations[0].Facts, Meta: annotations[0].Meta}}
	}
	return func(yield func(Consensus, error) bool) {
		_ = yield(item("=1+1", map[string]Settled{
			"tone": {Source: "adjudicated", Value: &three, Answers: 3}, "position": {Source: "tied", Answers: 2}, "drift": {Source: "majority", Value: &none, Answers: 3}}), nil) &&
			yield(item("7", map[string]Settled{"tone": {Source: Unresolved}, "position": {Source: "single", Value: &three, Answers: 1}}), nil)
	}
}

func card() Card {
	value := 0.8125
	return Card{Project: "p", Title: "Sample | of *everything*\n# not a title", Warning: "Sad texts.\n\n<b>Loud</b> ones.", Items: 3, Annotators: 2,
		First: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), Last: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC),
		Batches: []BatchCard{{Name: "first, \"hard\"", Items: 3, Overlap: 2, Annotators: 2, Seed: 7}},
		Agreement: []Agreement{{Field: "tone", Variant: "ordinal", Alpha: &value, Items: 3, Annotators: 2},
			{Field: "position", Variant: "nominal", Undefined: "every answer is 1: there is no variation to agree on", Items: 3, Annotators: 2}}}
}

func TestADatasetIsItsTablesAndWhatExplainsThem(t *testing.T) {
	t.Parallel()
	folder := &shelf{}
	d := Dataset{Protocol: sample, Options: everything(Wide, CSV), Card: card(), Tables: []Table{
		Annotations("annotations", all(annotations[:1])), Annotations("duplicates", all(annotations[1:2])),
		Annotations("calibration", all(annotations[2:])), Consensuses("consensus", settled())}}
	m, err := d.Write(folder.put)
	if err != nil {
		t.Fatal(err)
	}
	same(t, folder.names, []string{"annotations.csv", "duplicates.csv", "calibration.csv", "consensus.csv", "codebook.csv", "README.md", "manifest.json"})
	golden(t, "consensus.csv", folder.files["consensus.csv"])
	text := strings.NewReplacer(m.Tool, "labelwright 1.0.0", m.Written.Format(time.DateOnly), "2026-03-06").Replace(string(folder.files["README.md"]))
	golden(t, "README.md", []byte(text))
	var read Manifest
	if err := json.Unmarshal(folder.files["manifest.json"], &read); err != nil {
		t.Fatal(err)
	}
	same(t, read, m)
	if len(m.Files) != 4 || m.Sealed || m.Batches[0].Seed != 7 || *m.Agreement[0].Alpha != 0.8125 {
		t.Errorf("the manifest says %+v", m)
	}
}

func TestTheConsensusIsARowForEachItemOrForEachItemAndField(t *testing.T) {
	t.Parallel()
	folder := &shelf{}
	d := Dataset{Protocol: sample, Options: Options{Shape: Long, Format: JSONL}, Tables: []Table{Consensuses("consensus", settled())}}
	m, err := d.Write(folder.put)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "consensus.jsonl", folder.files["consensus.jsonl"])
	if f := m.Files[0]; f.Rows != 3+2 || f.Items != 2 || f.Annotations != 4 || !m.Sealed {
		t.Errorf("the manifest says %+v", m)
	}
}

func TestADatasetThatFailsIsNotFinished(t *testing.T) {
	t.Parallel()
	lost := errors.New("the database went away")
	for _, table := range []Table{
		Annotations("annotations", func(yield func(Annotation, error) bool) { yield(Annotation{}, lost) }),
		Consensuses("consensus", func(yield func(Consensus, error) bool) { yield(Consensus{}, lost) }),
	} {
		folder := &shelf{}
		_, err := Dataset{Protocol: sample, Options: everything(Wide, CSV), Tables: []Table{table}}.Write(folder.put)
		if !errors.Is(err, lost) || slices.Contains(folder.names, "manifest.json") {
			t.Errorf("got %v, and %q", err, folder.names)
		}
	}
}

func TestNoTextClosesTheFenceOfACard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a": "```", "``` ````": "`````"} {
		if got := fenceFor(text); got != want {
			t.Errorf("%q is fenced by %q, want %q", text, got, want)
		}
	}
}
