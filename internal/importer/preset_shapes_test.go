package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
)

// A shape is a file as some program writes it, and what is stored of it.
type shape struct{ name, protocol, preset, take, file, want string }

func readShapes(t *testing.T, path string) (head string, shapes []shape) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(content), "\n## ")
	for _, section := range sections[1:] {
		title, body, _ := strings.Cut(section, "\n")
		name, how, _ := strings.Cut(title, " | ")
		words := append(strings.Fields(how), "", "", "")
		file, want, _ := strings.Cut(strings.TrimSuffix(body, "\n"), "\n=>\n")
		shapes = append(shapes, shape{name, words[0], strings.Trim(words[1], "-"), words[2], file, want})
	}
	return sections[0], shapes
}

// Each shape of a public file is stored as testdata/shapes.txt has it: texts and arguments as
// written, and nothing lost.
func TestReadItems_PublicShapes(t *testing.T) {
	const path = "testdata/shapes.txt"
	head, shapes := readShapes(t, path)
	if len(shapes) < 50 {
		t.Errorf("got %d shapes, want at least 50", len(shapes))
	}
	file := head
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			o, err := Reading{Preset: s.preset, Take: s.take}.Options()
			if err != nil {
				t.Fatal(err)
			}
			items, err := o.ReadItems(builtinProtocol(t, s.protocol), "shape.json", strings.NewReader(s.file))
			got := describeItems(t, items)
			if err != nil {
				got += err.Error() + "\n"
			}
			got = strings.TrimSuffix(got, "\n")
			if got != s.want && !*update {
				t.Errorf("got\n%s\nwant\n%s", got, s.want)
			}
			preset := s.preset
			if preset == "" {
				preset = "-"
			}
			how := strings.TrimSpace(s.protocol + " " + preset + " " + s.take)
			file += "\n## " + s.name + " | " + how + "\n" + s.file + "\n=>\n" + got
		})
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(path, []byte(file+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// describeItems returns one line per item, part, turn and chunk, and one for the metadata.
func describeItems(t *testing.T, items []project.Item) string {
	t.Helper()
	var text strings.Builder
	for _, item := range items {
		fmt.Fprintf(&text, "item %s of %q %v\n", item.SourceID, item.RecordID, item.Facts)
		for _, key := range slices.Sorted(maps.Keys(item.Content)) {
			part := item.Content[key]
			if part.Text != "" || len(part.Turns)+len(part.Chunks) == 0 {
				fmt.Fprintf(&text, "  %s: %q\n", key, part.Text)
			}
			for _, turn := range part.Turns {
				fmt.Fprintf(&text, "  %s %s: %q\n", turn.Heading(), turn.CallID, turn.Text)
			}
			for _, c := range part.Chunks {
				fmt.Fprintf(&text, "  %s %d %s %s: %q\n", key, c.Rank, c.ID, c.Source, c.Text)
			}
		}
		meta, err := json.Marshal(item.Meta)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "  metadata %s\n", meta)
	}
	return text.String()
}
