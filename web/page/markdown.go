package page

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownConverter converts Markdown of leads. HTML in it is left out, and addresses with
// unsafe schemes are removed.
var markdownConverter = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(markdownLimits{}, 0))))

// markdownLimits adapts a document to a page: headings are below those of the page, links
// leave without a referrer, and pictures, which could reveal who reads, become links.
type markdownLimits struct{}

// Transform implements parser.ASTTransformer.
func (markdownLimits) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	var images []*ast.Image
	_ = ast.Walk(document, func(n ast.Node, isEntering bool) (ast.WalkStatus, error) {
		if !isEntering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = min(n.Level+1, 6)
		case *ast.Link:
			limitLink(n)
		case *ast.AutoLink:
			limitLink(n)
		case *ast.Image:
			images = append(images, n)
		}
		return ast.WalkContinue, nil
	})
	for _, image := range images {
		link := ast.NewLink()
		link.Destination = image.Destination
		limitLink(link)
		for child := image.FirstChild(); child != nil; child = image.FirstChild() {
			link.AppendChild(link, child)
		}
		image.Parent().ReplaceChild(image.Parent(), image, link)
	}
}

func limitLink(n ast.Node) {
	n.SetAttributeString("rel", []byte("noopener noreferrer external"))
	n.SetAttributeString("target", []byte("_blank"))
}

// maxMarkdownTexts is how many converted texts are kept, because instructions are shown with
// every item.
const maxMarkdownTexts = 256

var markdownTexts = struct {
	sync.Mutex
	html map[string]string
}{html: map[string]string{}}

func markdown(source string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		html, err := convertMarkdown(source)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, html)
		return err
	})
}

func convertMarkdown(source string) (string, error) {
	markdownTexts.Lock()
	html, isKept := markdownTexts.html[source]
	markdownTexts.Unlock()
	if isKept {
		return html, nil
	}
	var out strings.Builder
	if err := markdownConverter.Convert([]byte(source), &out); err != nil {
		return "", err
	}
	markdownTexts.Lock()
	defer markdownTexts.Unlock()
	if len(markdownTexts.html) >= maxMarkdownTexts {
		clear(markdownTexts.html)
	}
	markdownTexts.html[source] = out.String()
	return out.String(), nil
}
