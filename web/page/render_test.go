package page_test

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/web/htmltest"
)

func renderPage(t *testing.T, c templ.Component) htmltest.Element {
	t.Helper()
	var b strings.Builder
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return htmltest.Parse(t, strings.NewReader(b.String()))
}
