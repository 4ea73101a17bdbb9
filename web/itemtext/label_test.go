package itemtext_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/itemtext"
)

// Labels are in the language of the reader; the same words in the text stay.
func TestWithLabelsIn_German_TextUnchanged(t *testing.T) {
	t.Parallel()
	rendered, isRendered := itemtext.Render(
		"Table Image: aria-label=\"Table\"\n\n![A cat](c.png)\n\n|Table|b\u200b|\n|-|-|\n|c|d|",
		protocol.FormatMarkdown, 3)
	if !isRendered {
		t.Fatal("not rendered")
	}
	if got := itemtext.WithLabelsIn(locale.English, rendered); got != rendered {
		t.Errorf("in English:\n%s\n%s", got, rendered)
	}
	got := itemtext.WithLabelsIn(locale.German, rendered)
	for _, want := range []string{`Table Image: aria-label=&#34;Table&#34;`, `>Bild:</span>A cat<`,
		`aria-label="Tabelle"`, `<th>Table</th>`, `aria-label="Leerzeichen ohne Breite"`} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %s:\n%s", want, got)
		}
	}
}
