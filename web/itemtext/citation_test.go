package itemtext_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/itemtext"
)

var citationPieces = append([]string{"[1]", "[2]", "[7]", "[1, 3]", "[2–4]", "(hours.md)", "(maybe)", "<hours.md>",
	"[1][2]", "`[1]`", "$[1]$", "```\n[2]\n```", "[1](https://a.example)", "[", "1", "]"}, sourcePieces...)

// A link adds no character to a text and takes none away, whatever the pattern.
func TestLinkCitations_AnyText_KeepsCharacters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(citationPieces), 1, 24).Draw(t, "source"), "")
		pattern := project.CitationPattern(rapid.SampledFrom([]string{"[{n}]", "({source})", "<{source}>", "*{n}*"}).
			Draw(t, "pattern"))
		markup := itemtext.Plain(source)
		if rendered, isRendered := itemtext.Render(source, protocol.FormatMarkdown, 3); isRendered {
			markup = rendered
		}
		linked, _ := itemtext.LinkCitations(markup, pattern.Regexp(), map[string]string{"1": "chunk-1",
			"3": "chunk-3", "hours.md": "chunk-4"})
		if visible(linked) != visible(markup) {
			t.Errorf("%q is shown as %q with links, %q without", source, visible(linked), visible(markup))
		}
	})
}

func TestLinkCitations_ChunksLinked_OthersNamed(t *testing.T) {
	t.Parallel()
	anchors := map[string]string{"1": "chunk-1", "3": "chunk-2", "a&b.md": "chunk-1"}
	for _, test := range []struct {
		name, text string
		pattern    project.CitationPattern
		links      []string
		missing    string
	}{
		{"a chunk and none", "Open [1], closed [7].", "[{n}]", []string{"#chunk-1"}, "[7]"},
		{"a list", "Open [1, 3].", "[{n}]", []string{"#chunk-1", "#chunk-2"}, ""},
		{"a list with one that is missing", "Open [1; 4].", "[{n}]", []string{"#chunk-1"}, "4"},
		{"in code", "Index `a[1]` and **[3]**", "[{n}]", []string{"#chunk-2"}, ""},
		{"a source", "See <a&b.md> and <c.md>.", "<{source}>", []string{"#chunk-1"}, "<c.md>"},
		{"no pattern", "Open [1].", "({n})", nil, ""},
	} {
		markup, isRendered := itemtext.Render(test.text, protocol.FormatMarkdown, 3)
		if !isRendered {
			markup = itemtext.Plain(test.text)
		}
		linked, missing := itemtext.LinkCitations(markup, test.pattern.Regexp(), anchors)
		var links []string
		for _, part := range strings.Split(linked, ` href="`)[1:] {
			links = append(links, part[:strings.Index(part, `"`)])
		}
		if !slices.Equal(links, test.links) || strings.Join(missing, " ") != test.missing {
			t.Errorf("%s: links %v, without a chunk %q in %s", test.name, links, missing, linked)
		}
	}
}

func TestCitationPattern_StandsForOneChunk(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[project.CitationPattern]bool{"": true, "[{n}]": true, "(doc {source})": true,
		"【{n}】": true, "{n}": false, "[1]": false, "[{n}": false, "[{n}{source}]": false,
		"[" + project.CitationPattern(strings.Repeat("x", 40)) + "{n}]": false} {
		if err := pattern.Check(); (err == nil) != want {
			t.Errorf("%q: %v, want valid: %t", pattern, err, want)
		}
	}
}
