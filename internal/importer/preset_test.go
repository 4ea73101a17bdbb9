package importer

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/labelwright/labelwright/internal/project"
)

var update = flag.Bool("update", false, "write the golden files")

// The files in testdata/presets are written by the programs' own libraries, with make.py. Each
// becomes the items in items.golden, in the project type that fits.
func TestReadItems_Presets_MatchGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/presets/*.*")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	counts := map[Preset]int{}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, ".py") || strings.HasSuffix(name, ".golden") {
			continue
		}
		counts[presetOf(name)]++
		fmt.Fprintf(&got, "%s as ambiguity\n", name)
		leftOut := writeForeignItems(t, &got, file, "ambiguity", nil)
		fmt.Fprintf(&got, "%s as rag-generation\n", name)
		writeForeignItems(t, &got, file, "rag-generation", leftOut)
		checkOtherProtocols(t, file)
	}
	for _, preset := range Presets() {
		if counts[preset] < 3 {
			t.Errorf("%s was tried on %d files, want at least 3", preset, counts[preset])
		}
	}
	const golden = "testdata/presets/items.golden"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the items differ from %s, %v; compare after -update", golden, err)
	}
}

// checkOtherProtocols checks that a protocol of two texts gets those that rag-generation gets, and one of single
// chunks each chunk of its items, with the same metadata.
func checkOtherProtocols(t *testing.T, file string) {
	t.Helper()
	items, _, wantErr := readForeignItems(t, file, "rag-generation")
	pairs, _, err := readForeignItems(t, file, "empathy")
	if len(pairs) != len(items) || (err == nil) != (wantErr == nil) {
		t.Fatalf("%s: %d items, %v, as empathy; %d, %v, as rag-generation", file, len(pairs), err, len(items), wantErr)
	}
	var want []project.Item
	for i, item := range items {
		if pair := pairs[i].Content; pair["user_statement"].Text != item.Content["query"].Text ||
			pair["response"].Text != item.Content["answer"].Text {
			t.Errorf("%s: %v, want the texts of %v", file, pair, item.Content)
		}
		for _, chunk := range item.Content["context_set"].Chunks {
			content := maps.Clone(item.Content)
			delete(content, "context_set")
			content["chunk"] = project.PartContent{Chunks: []project.Chunk{chunk}}
			want = append(want, project.Item{SourceID: item.SourceID + "#" + chunk.ID, RecordID: item.RecordID,
				Content: content, Meta: item.Meta, Row: item.Row})
		}
	}
	got, _, err := readForeignItems(t, file, "rag-retrieval")
	diff := cmp.Diff(want, got, cmpopts.IgnoreFields(project.Item{}, "Facts"))
	if diff != "" || (err == nil) != (len(got) > 0) {
		t.Errorf("%s as rag-retrieval: %v (-want +got)\n%s", file, err, diff)
	}
}

func readForeignItems(t *testing.T, file, protocolKey string) ([]project.Item, *Ledger, error) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Preset: presetOf(filepath.Base(file)), Ledger: &Ledger{}}
	items, err := o.ReadItems(builtinProtocol(t, protocolKey), filepath.Base(file), bytes.NewReader(content))
	return items, o.Ledger, err
}

// writeForeignItems writes the items of a file and what they leave out, unless it is what another protocol leaves out.
func writeForeignItems(t *testing.T, got *bytes.Buffer, file, protocolKey string, others []ImportOmission,
) []ImportOmission {
	t.Helper()
	items, ledger, err := readForeignItems(t, file, protocolKey)
	if err != nil {
		fmt.Fprintf(got, "\t%s\n", strings.ReplaceAll(err.Error(), "\n", "\n\t"))
	}
	for _, item := range items {
		text, err := json.Marshal(item.Content)
		if err != nil {
			t.Fatal(err)
		}
		meta, err := json.Marshal(item.Meta)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(got, "\t%s of %s: %s\n\t\t%s\n", item.SourceID, item.RecordID, text, meta)
	}
	if len(others) > 0 && slices.Equal(ledger.LeftOut, others) {
		got.WriteString("\tleft out: the same\n")
		return others
	}
	for _, o := range ledger.LeftOut {
		fmt.Fprintf(got, "\tleft out: %d %s\n", o.Count, o.What)
	}
	return ledger.LeftOut
}

// presetOf returns the preset in a file name such as langfuse-traces.csv.
func presetOf(name string) Preset {
	for _, p := range Presets() {
		if strings.HasPrefix(name, string(p)) {
			return p
		}
	}
	return map[string]Preset{"hf": PresetHuggingFace, "openai": PresetOpenAIChat}[strings.SplitN(name, "-", 2)[0]]
}

// DeepEval joins texts with a sign that they may have.
func TestSplitJoined_TextsWithTheSign_StayWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"It is at nine.|Or at ten.": 2, "one": 1, "| a | b |\n|---|---|\n| 1 | 2 |": 1, "cat x | wc -l|then sort": 2,
		"a || b|c": 2, "Nine.|| a | b |": 1, "是。|否。": 2,
	} {
		list := splitJoined(text).list
		joined := make([]string, len(list))
		for i, v := range list {
			joined[i] = v.text
		}
		if len(list) != want || strings.Join(joined, "|") != text {
			t.Errorf("%q: %q", text, joined)
		}
	}
}
