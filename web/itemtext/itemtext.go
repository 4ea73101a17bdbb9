// Package itemtext turns the texts of items into HTML that cannot run, load or follow
// anything: as plain paragraphs, or rendered as Markdown, JSON or code.
package itemtext

import (
	"strings"
	"sync"

	"github.com/labelwright/labelwright/internal/protocol"
)

// Limits of rendering. A text beyond them is shown as it was written.
const (
	maxSource = 256 << 10 // in bytes
	maxGrowth = 24        // of the HTML, as a multiple of the source
	maxDepth  = 16        // of nested lists, quotations and emphasis
	maxCells  = 20_000    // of all tables
)

// Render returns text as HTML in a format. isRendered is false if the text is shown as it
// was written, which Plain does. Headings in it start at headingLevel.
func Render(text string, format protocol.TextFormat, headingLevel int) (rendered string, isRendered bool) {
	if len(text) > maxSource || strings.TrimSpace(text) == "" {
		return "", false
	}
	return renderings.find(rendering{text, format, headingLevel}, render)
}

func render(r rendering) (rendered string, isRendered bool) {
	defer func() {
		if recover() != nil { // a fault of a parser does not hide the text
			rendered, isRendered = "", false
		}
	}()
	if formatted, isJSON := formatJSON(r.text); isJSON {
		return finish(codeBlock(formatted, "json", "")), true
	}
	switch r.format {
	case protocol.FormatCode:
		return finish(codeBlock(r.text, "", "")), true
	case protocol.FormatMarkdown:
		if converted, isMarked, err := convertMarkdown(r.text, r.headingLevel); err == nil && isMarked {
			return finish(converted), true
		}
	}
	return "", false
}

// finish removes all that the policy does not allow and marks invisible characters.
func finish(markup string) string { return markInvisible(policy.Sanitize(markup)) }

// A rendering is what determines the HTML of a text.
type rendering struct {
	text         string
	format       protocol.TextFormat
	headingLevel int
}

// renderings are the results kept, because several annotators read the same items.
var renderings = cache{results: map[rendering]result{}}

// maxCached is the size of the texts and results kept, in bytes.
const maxCached = 32 << 20

type cache struct {
	sync.Mutex
	results map[rendering]result
	size    int
}

type result struct {
	html       string
	isRendered bool
}

func (c *cache) find(key rendering, render func(rendering) (string, bool)) (rendered string, isRendered bool) {
	c.Lock()
	kept, isKept := c.results[key]
	c.Unlock()
	if isKept {
		return kept.html, kept.isRendered
	}
	rendered, isRendered = render(key)
	c.Lock()
	defer c.Unlock()
	if c.size += len(key.text) + len(rendered); c.size > maxCached {
		clear(c.results)
		c.size = len(key.text) + len(rendered)
	}
	c.results[key] = result{rendered, isRendered}
	return rendered, isRendered
}
