package itemtext

import (
	"html"
	"regexp"
	"strings"
)

var (
	markupPieces = regexp.MustCompile(`<[^>]*>|[^<]+`)
	citedNumbers = regexp.MustCompile(`\d+`)
	codeStart    = regexp.MustCompile(`^<(code|pre|math)\b`)
)

// LinkCitations returns markup of Render or Plain with its citations as links to chunks. pattern
// finds them, and its group is what they cite; anchors has the id of each chunk by that. The text
// stays the same: a citation without a chunk is marked. missing lists those, in order.
func LinkCitations(markup string, pattern *regexp.Regexp, anchors map[string]string) (linked string, missing []string) {
	var out strings.Builder
	codeEnd := "" // of the code that the current piece is in, which cites nothing
	link := func(text, cited string) string {
		if anchor, ok := anchors[html.UnescapeString(cited)]; ok {
			return `<a class="citation" href="#` + html.EscapeString(anchor) + `">` + text + `</a>`
		}
		missing = append(missing, html.UnescapeString(text))
		return `<span class="citation no-chunk">` + text + `</span>`
	}
	for _, piece := range markupPieces.FindAllString(markup, -1) {
		switch {
		case strings.HasPrefix(piece, "<"):
			if start := codeStart.FindStringSubmatch(piece); start != nil && codeEnd == "" {
				codeEnd = "</" + start[1] + ">"
			} else if piece == codeEnd {
				codeEnd = ""
			}
		case codeEnd == "":
			piece = pattern.ReplaceAllStringFunc(piece, func(found string) string {
				cited := pattern.FindStringSubmatch(found)[1]
				numbers := citedNumbers.FindAllString(cited, -1)
				if len(numbers) < 2 || strings.Trim(cited, "0123456789 ,;–-") != "" {
					return link(found, cited)
				}
				return citedNumbers.ReplaceAllStringFunc(found, func(n string) string { return link(n, n) })
			})
		}
		out.WriteString(piece)
	}
	return out.String(), missing
}
