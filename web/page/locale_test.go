package page_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/web/htmltest"
)

// translatedLeadPages are the pages of leads whose texts are in the catalog.
var translatedLeadPages = []string{"/lead/projects", "/lead/new-project", "/lead/overview", "/lead/settings",
	"/lead/announcements", "/lead/rename", "/lead/instructions", "/lead/new-rag", "/lead/questions",
	"/lead/disagreements",
	"/lead/items", "/lead/members", "/lead/export", "/lead/users", "/lead/next-labels", "/lead/item",
	"/lead/progress", "/lead/board", "/lead/adjudication",
	"/lead/protocols", "/lead/import", "/lead/import-rag", "/lead/import-preview", "/lead/import-errors",
	"/lead/import-reading", "/lead/import-task", "/lead/imports", "/lead/imports-none"}

func TestPages_EveryText_FromCatalog(t *testing.T) {
	t.Parallel()
	all, leads := annotatorPages(t), leadPages(t)
	for _, path := range translatedLeadPages {
		all[path] = leads[path]
	}
	for path, c := range all {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			if err := c.Render(locale.With(t.Context(), locale.Pseudo), &b); err != nil {
				t.Fatal(err)
			}
			d := htmltest.Parse(t, strings.NewReader(b.String()))
			if root := d.FindOne("html"); root.Attr("lang") != "ar-XB" || root.Attr("dir") != "rtl" {
				t.Error("the page has another language or direction")
			}
			for _, text := range textsOutsideCatalog(d.Node) {
				t.Errorf("not in the catalog: %q", text)
			}
		})
	}
}

// sampleNames are names in leadPages, of projects, batches, protocols and their parts.
var sampleNames = strings.NewReplacer("Pilot", "", "first", "", "empathy v1.0", "", "Anna", "", "Hello", "",
	"Context set", "", "Query", "",
	"Answer", "", "q1", "", "A1", "", "J1", "", "Ben", "", "Why?", "", "pilot", "", "system = A", "",
	"system = B", "", "Tone", "")

// marked is a text of the catalog in the pseudo-locale that contains no other.
var marked = regexp.MustCompile(locale.OpeningMark + `[^` + locale.OpeningMark + locale.ClosingMark + `]*` +
	locale.ClosingMark)

// textsOutsideCatalog returns the texts below n that are neither from the catalog nor names,
// codes, input or texts with a language of their own.
func textsOutsideCatalog(n *html.Node) (texts []string) {
	switch n.Type {
	case html.TextNode:
		if hasWordsOutsideMarks(shownText(n)) {
			texts = append(texts, strings.TrimSpace(n.Data))
		}
	case html.ElementNode:
		if isOwnText(n) {
			return nil
		}
		for _, a := range n.Attr {
			if isShownAttribute(a) && hasWordsOutsideMarks(a.Val) {
				texts = append(texts, a.Key+"="+a.Val)
			}
		}
	}
	for child := range n.ChildNodes() {
		texts = append(texts, textsOutsideCatalog(child)...)
	}
	return texts
}

// shownText returns the text of a node; of the title of a document only the first part, because
// a name may follow.
func shownText(n *html.Node) string {
	if n.Parent.Data == "title" {
		first, _, _ := strings.Cut(n.Data, " · ")
		return first
	}
	return n.Data
}

// isOwnText reports whether the text of an element is of a user, a protocol or a program.
func isOwnText(n *html.Node) bool {
	if slices.Contains([]string{"script", "style", "bdi", "code", "textarea"}, n.Data) {
		return true
	}
	return n.Data != "html" && slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "lang" || a.Key == "translate" && a.Val == "no"
	})
}

// isShownAttribute reports whether users see or hear the value of an attribute.
func isShownAttribute(a html.Attribute) bool {
	return slices.Contains([]string{"aria-label", "title", "placeholder", "alt"}, a.Key) ||
		strings.HasPrefix(a.Key, "data-") && strings.Contains(a.Val, " ")
}

// hasWordsOutsideMarks reports whether a text has words outside marks. A single letter is the
// name of a key.
func hasWordsOutsideMarks(text string) bool {
	for marked.MatchString(text) {
		text = marked.ReplaceAllString(text, "")
	}
	return slices.ContainsFunc(strings.FieldsFunc(sampleNames.Replace(text), func(r rune) bool {
		return !unicode.IsLetter(r)
	}), func(word string) bool { return len(word) > 1 && word != "Labelwright" })
}
