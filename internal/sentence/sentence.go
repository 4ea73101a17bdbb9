// Package sentence counts the sentences of texts, for tests of their length.
package sentence

import (
	"regexp"
	"strings"
)

// Max is how many sentences a text of a report has at most: the finding with its figure, and what to do.
const Max = 2

var (
	// cited matches a sentence that a report quotes, and quoted a name.
	cited  = regexp.MustCompile(`: “[^”]*[.!?]”`)
	quoted = regexp.MustCompile(`“[^”]*”`)
	// abbreviations end with a period that ends no sentence. A letter with a period is an initial.
	abbreviations = regexp.MustCompile(`(^|[\s(“])(e\.g|i\.e|vs|cf|etc|approx|no|[A-Z])\.`)
	// end matches the end of a sentence, not a period within a number such as 0.55.
	end = regexp.MustCompile(`[.!?]+[”"')\]]*(\s+|$)`)
)

// Count returns the number of sentences of a text. What it quotes counts as a name. A text without a
// period at its end, such as a title, is one sentence more.
func Count(text string) int {
	text = quoted.ReplaceAllString(cited.ReplaceAllString(text, ": q."), "q")
	text = abbreviations.ReplaceAllString(strings.TrimSpace(text), "$1$2")
	n := len(end.FindAllString(text, -1))
	if rest := end.Split(text, -1); rest[len(rest)-1] != "" {
		n++
	}
	return n
}
