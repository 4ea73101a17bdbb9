package itemtext

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// converter converts Markdown as chat programs do: tables, task lists, strikethrough, and
// line breaks as they were written.
var converter = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough, extension.TaskList),
	goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(nodeRenderer{}, 0))))

var errTooComplex = errors.New("the Markdown is too complex")

// convertMarkdown returns Markdown as HTML that is not sanitized.
func convertMarkdown(source string, headingLevel int) (string, error) {
	input := []byte(source)
	if isTooComplex(input) {
		return "", errTooComplex
	}
	document := converter.Parser().Parse(text.NewReader(input))
	if !adapt(document, input, headingLevel) {
		return "", errTooComplex
	}
	out := limitedBuffer{limit: maxGrowth*len(source) + 4096}
	if err := converter.Renderer().Render(&out, input, document); err != nil {
		return "", err
	}
	return out.String(), nil
}

// A limitedBuffer fails to grow beyond its limit.
type limitedBuffer struct {
	strings.Builder
	limit int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		return 0, errTooComplex
	}
	return b.Builder.Write(p)
}

// isTooComplex reports whether source could take long to convert: tables get a cell for each
// column of their heads in every row, each line is compared with all quotations and lists
// around it, and each link with all before it.
func isTooComplex(source []byte) bool {
	if bytes.Count(source, []byte("](")) > maxLinks {
		return true
	}
	lines, columns := bytes.Count(source, []byte("\n"))+1, 0
	for line := range bytes.Lines(source) {
		if countMarkers(line) > maxDepth {
			return true
		}
		if len(bytes.Trim(line, "|:- \t\r\n>")) == 0 {
			columns = max(columns, bytes.Count(line, []byte("|")))
		}
	}
	return lines*columns > maxCells
}

var blockMarker = regexp.MustCompile(`^\s*(?:>|(?:[-*+]|[0-9]{1,9}[.)])\s)`)

// countMarkers returns how many quotations and lists a line starts, up to one more than
// allowed.
func countMarkers(line []byte) (count int) {
	for count <= maxDepth {
		end := blockMarker.FindIndex(line)
		if end == nil {
			break
		}
		line = line[end[1]:]
		count++
	}
	return count
}

// adapt gives blocks their direction and headings their level. It reports whether the
// document is simple enough to be shown.
func adapt(document ast.Node, source []byte, headingLevel int) bool {
	depth, previous, top := 0, headingLevel-1, topHeading(document)
	err := ast.Walk(document, func(n ast.Node, isEntering bool) (ast.WalkStatus, error) {
		if !isEntering {
			depth--
			return ast.WalkContinue, nil
		}
		if depth++; depth > maxDepth {
			return ast.WalkStop, errTooComplex
		}
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = min(headingLevel+n.Level-top, previous+1, 6)
			previous = n.Level
			n.SetAttributeString("dir", "auto")
		case *ast.Paragraph:
			n.SetAttributeString("dir", "auto")
		case *ast.List, *ast.Blockquote, *tables.Table:
			n.SetAttributeString("dir", direction(n, source))
		}
		return ast.WalkContinue, nil
	})
	return err == nil
}

// topHeading returns the highest level of the headings of a document.
func topHeading(document ast.Node) int {
	top := 6
	_ = ast.Walk(document, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		if h, isHeading := n.(*ast.Heading); isHeading {
			top = min(top, h.Level)
		}
		return ast.WalkContinue, nil
	})
	return top
}
