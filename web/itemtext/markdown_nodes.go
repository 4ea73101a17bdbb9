package itemtext

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// A nodeRenderer renders what must differ from a web page: links and images as text, HTML
// as it was written, code highlighted, tables that scroll by themselves.
type nodeRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (nodeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, renderLink)
	r.Register(ast.KindAutoLink, renderAutoLink)
	r.Register(ast.KindImage, renderImage)
	r.Register(ast.KindRawHTML, renderRawHTML)
	r.Register(ast.KindHTMLBlock, renderHTMLBlock)
	r.Register(ast.KindCodeBlock, renderCode)
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(tables.KindTable, renderTable)
	r.Register(tables.KindTaskCheckBox, renderTask)
}

func renderLink(w util.BufWriter, source []byte, n ast.Node, isEntering bool) (ast.WalkStatus, error) {
	if isEntering {
		_, _ = w.WriteString(`<span class="link">`)
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("</span>")
	target := string(n.(*ast.Link).Destination)
	if target != "" && target != plainText(n, source) {
		_, _ = w.WriteString(` <bdi class="link-target" dir="ltr">(` + html.EscapeString(shorten(target)) + `)</bdi>`)
	}
	return ast.WalkContinue, nil
}

func renderAutoLink(w util.BufWriter, source []byte, n ast.Node, isEntering bool) (ast.WalkStatus, error) {
	if isEntering {
		_, _ = w.WriteString(`<span class="link">` + html.EscapeString(string(n.(*ast.AutoLink).Label(source))) + `</span>`)
	}
	return ast.WalkContinue, nil
}

// renderImage writes a placeholder with the alternative text and the address.
func renderImage(w util.BufWriter, source []byte, n ast.Node, isEntering bool) (ast.WalkStatus, error) {
	if !isEntering {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(imageStart + string(labelImage) + " " + html.EscapeString(plainText(n, source)) +
		` <bdi class="link-target" dir="ltr">(` + html.EscapeString(shorten(string(n.(*ast.Image).Destination))) + `)</bdi></span>`)
	return ast.WalkSkipChildren, nil
}

// renderRawHTML shows HTML as it was written, except a line break.
func renderRawHTML(w util.BufWriter, source []byte, n ast.Node, isEntering bool) (ast.WalkStatus, error) {
	if !isEntering {
		return ast.WalkContinue, nil
	}
	var tag bytes.Buffer
	segments := n.(*ast.RawHTML).Segments
	for i := range segments.Len() {
		segment := segments.At(i)
		tag.Write(segment.Value(source))
	}
	switch strings.ToLower(tag.String()) {
	case "<br>", "<br/>", "<br />":
		_, _ = w.WriteString("<br>")
	default:
		_, _ = w.WriteString("<code>" + html.EscapeString(tag.String()) + "</code>")
	}
	return ast.WalkSkipChildren, nil
}

func renderHTMLBlock(w util.BufWriter, source []byte, n ast.Node, isEntering bool) (ast.WalkStatus, error) {
	if !isEntering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.HTMLBlock)
	code := string(block.Lines().Value(source))
	if block.HasClosure() {
		code += string(block.ClosureLine.Value(source))
	}
	_, _ = w.WriteString(codeBlock(code, ""))
	return ast.WalkContinue, nil
}

func renderCode(w util.BufWriter, source []byte, n ast.Node, isEntering bool) (ast.WalkStatus, error) {
	if !isEntering {
		return ast.WalkContinue, nil
	}
	language := ""
	if fenced, isFenced := n.(*ast.FencedCodeBlock); isFenced {
		language = string(fenced.Language(source))
	}
	_, _ = w.WriteString(codeBlock(string(n.Lines().Value(source)), language))
	return ast.WalkSkipChildren, nil
}

// renderTable puts a table into a box that scrolls.
func renderTable(w util.BufWriter, _ []byte, n ast.Node, isEntering bool) (ast.WalkStatus, error) {
	if isEntering {
		dir, _ := n.AttributeString("dir")
		_, _ = fmt.Fprintf(w, "<div class=\"wide-table\" role=\"group\" aria-label=\"%s\" tabindex=\"0\"><table dir=\"%s\">\n", labelTable, dir)
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("</table></div>\n")
	return ast.WalkContinue, nil
}

func renderTask(w util.BufWriter, _ []byte, n ast.Node, isEntering bool) (ast.WalkStatus, error) {
	if !isEntering {
		return ast.WalkContinue, nil
	}
	label, box := labelNotDone, "☐"
	if n.(*tables.TaskCheckBox).IsChecked {
		label, box = labelDone, "☑"
	}
	_, _ = fmt.Fprintf(w, `<span class="task" role="img" aria-label="%s">%s</span> `, label, box)
	return ast.WalkContinue, nil
}

// plainText returns the text in n.
func plainText(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, isEntering bool) (ast.WalkStatus, error) {
		if !isEntering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			out.Write(util.UnescapePunctuations(n.Segment.Value(source)))
		case *ast.String:
			out.Write(n.Value)
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// maxTarget is how many characters of an address are shown. The raw text has all of them.
const maxTarget = 160

func shorten(target string) string {
	if runes := []rune(target); len(runes) > maxTarget {
		return string(runes[:maxTarget]) + "…"
	}
	return target
}
